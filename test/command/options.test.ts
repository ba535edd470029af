import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callAt, refused } from '../support/calls.ts';
import { type Handler, startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// The options that every command has, their variables and their precedence.

const OTHER_ID = '11111111-2222-3333-4444-555555555555';
const BLOCK = ['card', 'block', CARD_ID, '--yes'];
const GET = ['card', 'get', CARD_ID];
const NOT_UTF8 =
  'a character of it is lost, because it is not UTF-8. Nothing was sent.\nhint: set the terminal to UTF-8';
const LIST = ['calendar', 'subscribers', 'list', 'cal_1'];
const SUBSCRIBERS =
  '{"object":"list","data":[{"id":"s2","email":"b@x","n":2.50},{"id":"s1","email":"a@x","n":10}],"url":"/v1/x"}';

const service: Handler = ({ url }) =>
  url.startsWith('/v1/cards') ? { body: cardText('ACTIVE', url.split('/')[3]) } : { body: SUBSCRIBERS };

test.each([
  [['-o', 'json', 'card', 'get', CARD_ID, '--query', 'status']],
  [['card', '--json', 'get', '--retries', '0', CARD_ID, '--query', 'status']],
  [['--query', 'status', 'card', 'get', CARD_ID, '-qo', 'json']],
  [['card', 'get', '--query=status', '--output=json', '--', CARD_ID]],
  [['-o=json', 'card', 'get', CARD_ID, '--query', 'status']],
  [['card', 'get', CARD_ID, '-qo=json', '--query=status']],
  [['card', 'get', CARD_ID, '-ojson', '--query', 'status', '--timeout', '5s', '--retry-max-time', '1m']],
])('options may stand anywhere: %j', async (args) => {
  const result = await callAt([{ body: cardText('ACTIVE') }], args);
  expect(result).toMatchObject({ code: 0, stdout: '"ACTIVE"\n', stderr: '' });
});

test.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
  ['is table by default', [], {}, 'ACTIVE\n'],
  ['is never switched by itself: the variable says it', [], { FRONTDESK_OUTPUT: 'json' }, '"ACTIVE"\n'],
  ['the option wins over the variable', ['-o', 'csv'], { FRONTDESK_OUTPUT: 'json' }, 'ACTIVE\n'],
  ['of two options the later one counts', ['-o', 'csv', '-o', 'json'], {}, '"ACTIVE"\n'],
  ['--json is -o json', ['--json'], {}, '"ACTIVE"\n'],
  ['-o=csv after --json', ['--json', '-o=csv'], {}, 'ACTIVE\n'],
])('the output format: %s', async (_, flags, env, stdout) => {
  const result = await callAt([{ body: cardText('ACTIVE') }], [...GET, '--query', 'status', ...flags], { env });
  expect(result).toMatchObject({ code: 0, stdout });
});

const PROVISION = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a'];
const NO_FOLDER = (name: string) => `--out: cannot create "${name}": no such file or folder (ENOENT)`;

test.each<[readonly string[], Readonly<Record<string, string>>, ...string[]]>([
  [[...GET, '-o', 'yaml'], {}, '--output', '"yaml"', 'table, json, ndjson, csv'],
  [[...GET, '--ca-file', 'missing.pem'], {}, '--ca-file', 'missing.pem'],
  [GET, { FRONTDESK_CA_FILE: 'missing.pem' }, 'FRONTDESK_CA_FILE', 'missing.pem'],
  [GET, { FRONTDESK_CA_FILE: 'x: read. hint: y' }, 'FRONTDESK_CA_FILE: could not read "x: read. hint: y": '],
  [['hint: frontdesk card block'], {}, 'frontdesk: "hint: frontdesk card block": unknown command of `frontdesk`'],
  [[...LIST, '-o', 'xlsx', '--out', 'missing/x.xlsx'], {}, NO_FOLDER('missing/x.xlsx')],
  [[...PROVISION, '--out', 'missing/x.json'], {}, NO_FOLDER('missing/x.json')],
  [[...GET, OTHER_ID, '--sort-by', 'status'], {}, '--sort-by', 'cannot be sorted'],
  [[...GET, '--json=true'], {}, '--json', 'takes no value'],
  [[...GET, '-qz'], {}, '-z: unknown option of `frontdesk card get`', 'see `frontdesk card get --help`'],
  [[...BLOCK, '-n=1'], {}, '-n: takes no value. Nothing was sent.\n', 'hint: see `frontdesk card block --help`\n'],
  [[...BLOCK, '-qy='], {}, '-y: takes no value. Nothing was sent.\n', 'hint: see `frontdesk card block --help`\n'],
  [[...BLOCK, '-nz'], {}, '-z: unknown option', 'hint: see `frontdesk card block --help`\n'],
  [[...BLOCK, '--reason', 'caf\ufffd'], {}, `--reason: ${NOT_UTF8}`],
  [['calendar', 'update', 'caf\ufffd', '--name', 'x', '--yes'], {}, `argument 1: ${NOT_UTF8}`],
  [[...BLOCK, '-=1'], {}, '-: unknown option', 'a value that begins with "-" goes after "--"'],
  [[...GET, '-zq'], {}, '-zq: unknown option', `goes after "--": frontdesk card get ${CARD_ID} -- -zq\n`],
  [[...GET, OTHER_ID, '-j', 'x', '--rate', '0', '--shard', '3/2'], {}, '--concurrency', '--rate', '--shard'],
  [[...GET, '--jsn'], {}, '--jsn', 'did you mean --json?'],
  [[...GET, '--ca-file', ''], {}, '--ca-file: is empty'],
  [[...GET, '-n'], {}, '-n: unknown option', '--dry-run is for commands that change something'],
  [['runs', 'show', 'x', '--from', 'y'], {}, '--from: unknown option', '--from is for commands that take many rows'],
  [['profile', 'show', 'default', 'too', 'much'], {}, 'too'],
])('%j %j is exit 2, and nothing is sent', async (args, env, ...told) => {
  const stderr = await refused(args, { env });
  for (const text of told) expect(stderr).toContain(text);
});

test.skipIf(process.platform === 'win32').each([
  [GET, '--ca-file', '--ca-file: could not read /dev/zero: it is larger than 64 MiB'],
  [['sandbox', 'serve'], '--seed', 'could not read the seed file /dev/zero: it is larger than 64 MiB'],
])('%j with a device that never ends as %s is exit 2, and fills no memory', async (args, option, told) => {
  expect(await refused([...args, option, '/dev/zero'])).toContain(told);
});

const NO_ID =
  '<cardId>: "zz" is not a card ID. A card ID has 36 characters with dashes, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const NO_PEM = '--ca-file: could not read missing.pem: no such file or folder (ENOENT)';
const NO_COLUMN = 'there is no column "nope"';
const MANY = '--concurrency: needs several IDs or --from';
const SEED = ['--seed: could not read none.json: no such file or folder', "--fault 'z':"];

test.each([
  ['card block zz -j 4 --columns nope,status,nada', [NO_COLUMN, '--columns: there is no column "nada"', MANY, NO_ID]],
  [
    'card block --from missing.csv -j 0 --rate x',
    ['--concurrency: must be', '--rate: must be', '--from: could not read "missing.csv"'],
  ],
  [
    'card block zz --reson lost --ca-file missing.pem -p nope --retries x',
    [
      ...['--reson: unknown option of `frontdesk card block`', '--profile: there is no profile "nope"'],
      ...['--retries: must be a whole number from 0 to 100, not "x"', NO_PEM, NO_ID],
    ],
  ],
  [
    'card block --from bad.csv --expect-changes 1 -o cvs',
    ['--expect-changes: unknown', '--output: must be one', 'line 2, column cardId: "bad" is'],
  ],
  [
    'sandbox serve --port 70000 --latency y --query a[ --fault z --seed none.json',
    ['--query', '--port: must be a whole number', '--latency: must be a duration', ...SEED],
  ],
  [
    'calendar subscribers list EMPTY --columns nope --sort-by nix --limit 0',
    ['--columns: there is no', '--sort-by: there is no', '<calendarId>: is empty', '--limit: must be a whole number'],
  ],
])('%s: every error is printed on its own line, of options and input alike', async (words, faults) => {
  const home = createHome();
  writeFileSync(join(home.path, 'work', 'bad.csv'), 'cardId\nbad\n');
  const args = words.split(' ').map((word) => (word === 'EMPTY' ? '' : word));
  const lines = (await refused(args, { home })).split('\n');
  for (const fault of faults) expect(lines.filter((line) => line.includes(fault))).toHaveLength(1);
  expect(lines[0]).toBe(`frontdesk: ${faults.length} faults${args[1] === 'block' ? ', nothing was sent' : ''}:`);
});

/** Calls in one home, in which a run of two cards was made. */
async function afterRun() {
  const server = await startRecordingServer(service);
  const home = createHome();
  const run = (args: readonly string[]) => runFrontdesk(args, { home, env: server.env });
  await run(['card', 'block', CARD_ID, OTHER_ID, '--run', 'the-run', '-y', '-q']);
  return { server, run };
}

test('a misspelt --columns of a local command is exit 2 with the nearest name, and changes nothing', async () => {
  const { server, run } = await afterRun();
  const before = server.lines.length;
  const misspelt = {
    ...{ history: 'tiem, time', 'history list': 'outcom, outcome', 'runs list': 'stat, state' },
    ...{ 'runs results the-run': 'idd, id', 'runs resume the-run': 'idd, id', 'profile list': 'nmae, name' },
    ...{ 'profile set made': 'nmae, name', 'auth status': 'familiy, family', 'config list': 'vlaue, value' },
    ...{ doctor: 'mesage, message', 'plan show a.plan': 'rwo, row' },
    'runs revert the-run --plan a.plan': 'sha265, sha256',
    [`card wait ${CARD_ID} --status ACTIVE`]: 'statsu, status',
  };
  for (const [words, [typed = '', meant]] of Object.entries(misspelt).map(([w, to]) => [w, to.split(', ')] as const)) {
    const { code, stdout, stderr } = await run([...words.split(' '), '--columns', typed]);
    expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: '' });
    expect(stderr).toContain(`--columns: there is no column "${typed}": did you mean "${meant}"`);
  }
  expect(server.lines).toHaveLength(before);
  expect((await run(['profile', 'list', '--json'])).stdout).not.toContain('made');
});

test('every member of the JSON of a local command is a column', async () => {
  const { run } = await afterRun();
  for (const words of [['history'], ['runs', 'list'], ['profile', 'list'], ['auth', 'status']]) {
    const [row] = JSON.parse((await run([...words, '--json'])).stdout);
    const names = Object.entries(row).flatMap(([name, value]) =>
      name === 'outcomes' ? Object.keys(Object(value)).map((inner) => `outcomes.${inner}`) : [name],
    );
    expect(await run([...words, '-q', '--columns', names.join(',')])).toMatchObject({ code: 0, stderr: '' });
  }
});

const BOTH_ACTIVE = '[\n  "ACTIVE",\n  "ACTIVE"\n]\n';
test.each<[string, readonly string[], readonly string[], string]>([
  ['goes over the List as sent', LIST, ['--json', '--query', 'length(data)'], '2\n'],
  ['goes over each line with ndjson', LIST, ['-o', 'ndjson', '--query', 'email'], '"b@x"\n"a@x"\n'],
  ['goes over the array of several cards', [...GET, OTHER_ID], ['--json', '--query', '[].status'], BOTH_ACTIVE],
])('--query: %s', async (_, command, flags, stdout) => {
  expect(await callAt(service, [...command, ...flags])).toMatchObject({ code: 0, stdout });
});

test('--quiet omits notices and keeps warnings and errors', async () => {
  const busy = { status: 429, headers: { 'retry-after': '0' } };
  expect(await callAt([busy, { body: cardText('X') }], [...GET, '-q'])).toMatchObject({ code: 0, stderr: '' });
  const full = await callAt(() => ({ body: { object: 'list', data: Array(10).fill({ id: 's' }) } }), [...LIST, '-q']);
  expect(full.stderr).toMatch(/^frontdesk: warning: there may be more/);
  const down = await callAt(() => 'reset', [...LIST, '-q', '--retries', '0']);
  expect(down.stderr).toMatch(/^frontdesk: could not list the subscribers of/);
});

const env = { FRONTDESK_CARDS_URL: 'https://api.example/base/', FRONTDESK_CALENDAR_URL: 'https://api.example/base' };
const HEADERS = expect.objectContaining({ Authorization: 'Bearer ***', Accept: 'application/json' });
test.each<[readonly string[], Readonly<Record<string, unknown>>]>([
  [['card', 'block', CARD_ID, '-n'], { [`/cards/${CARD_ID}/block`]: {} }],
  [['card', 'activate', CARD_ID, '--dry-run'], { [`/cards/${CARD_ID}/activate`]: null }],
  [
    ['card', 'reissue', CARD_ID, OTHER_ID, '-n', '--reason', 'r'],
    { [`/cards/${CARD_ID}/reissue`]: { reason: 'r' }, [`/cards/${OTHER_ID}/reissue`]: { reason: 'r' } },
  ],
  [['calendar', 'update', 'a/b', '--name', '', '-n'], { '/calendars/a%2Fb': { name: '' } }],
])('a dry run asks nothing, sends nothing and needs no credential: %j', async (args, bodies) => {
  const { code, stdout, stderr, home } = await runFrontdesk([...args, '--json'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const requests = Object.entries(bodies).map(([path, body]) => ({
    ...{ method: 'POST', url: `https://api.example/base/v1${path}`, headers: HEADERS, body },
  }));
  expect(JSON.parse(stdout)).toEqual({ dryRun: true, requests });
  expect(Object.keys(JSON.parse(stdout).requests[0])).toEqual(['method', 'url', 'headers', 'body']);
  expect((await runFrontdesk(['history', '--json'], { home })).stdout).toBe('[]\n');
});

test.each<[readonly string[], Readonly<Record<string, string>>]>([
  [['--no-history'], {}],
  [[], { FRONTDESK_NO_HISTORY: '1' }],
])('%j %j refuses a run with --no-history, in a dry run too', async (flags, more) => {
  const args = ['card', 'block', '--from', '-', '-y', ...flags];
  expect(await refused(args, { env: more, stdin: `${CARD_ID}\n` })).toContain('a run needs its record');
});

test('a dry run creates no --out file', async () => {
  const { code, home } = await runFrontdesk([...PROVISION, '--out', 'o.json', '-n'], { env });
  expect([code, existsSync(join(home.path, 'work', 'o.json'))]).toEqual([0, false]);
});

const LOST = (option: string, value: string) =>
  `${option}: its value is missing: ${value} is an option. Nothing was sent.\nhint: write ${option}=${value} if that is the value\n`;
const TWICE = 'is given more than once, with different values';
const BAD = `1 fault in "bad.csv": row 1, line 2, column cardId: ${NO_ID.slice(10).replace('zz', 'bad')}\n`;

test.each<[readonly string[], string]>([
  [[...BLOCK, '--reason', '--dry-run'], LOST('--reason', '--dry-run')],
  [['card', 'block', '--from', '-y'], LOST('--from', '-y')],
  [[...PROVISION, '--yes', '--out', '-n'], LOST('--out', '-n')],
  [[...BLOCK, '--reason', 'a', '--reason', 'b'], `--reason: ${TWICE}. Nothing was sent.\n`],
  [
    ['card', 'block', '--yes', '--from', 'bad.csv', '--concurrency', '2', '-j', '3'],
    `2 faults, nothing was sent:\n  --concurrency: ${TWICE}\n  ${BAD}`,
  ],
])('%j: a lost value and two different values are refused, and nothing is sent', async (args, said) => {
  const home = createHome();
  writeFileSync(join(home.path, 'work', 'bad.csv'), 'cardId\nbad\n');
  expect(await refused(args, { home })).toBe(`frontdesk: ${said}`);
});

test.each<[readonly string[], string]>([
  [['--reason=--dry-run'], '--dry-run'],
  [['--reason', 'a', '--reason', 'a'], 'a'],
  [['--reason', 'a', '--timeout', '9s', '--timeout', '8s'], 'a'],
  [['--reason', '--wallet'], '--wallet'],
])('%j: what is meant is sent', async (options, reason) => {
  const args = [...BLOCK, ...options, '--no-history', '--columns', 'status'];
  const { server, ...result } = await callAt([{ body: cardText('BLOCKED') }], args);
  expect(result).toMatchObject({ code: 0, stdout: 'STATUS\nBLOCKED\n' });
  expect(server.requests.map(({ body }) => body)).toEqual([JSON.stringify({ reason })]);
});
