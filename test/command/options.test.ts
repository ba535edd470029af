import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startProxyServer } from '../support/proxy-server.ts';
import { CARDS_TOKEN, type Handler, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// Contract section 2: the options that every command has, their variables and their precedence.

const OTHER_ID = '11111111-2222-3333-4444-555555555555';
const GET = ['card', 'get', CARD_ID];
const LIST = ['calendar', 'subscribers', 'list', 'cal_1'];
const SUBSCRIBERS =
  '{"object":"list","data":[{"id":"s2","email":"b@x","n":2.50},{"id":"s1","email":"a@x","n":10}],"url":"/v1/x"}';

const service: Handler = ({ url }) =>
  url.startsWith('/v1/cards') ? { body: cardText('ACTIVE', url.split('/')[3]) } : { body: SUBSCRIBERS };

function settings(home: Home, value: unknown): Home {
  mkdirSync(home.configDir, { mode: 0o700 });
  writeFileSync(join(home.configDir, 'settings.json'), JSON.stringify(value), { mode: 0o600 });
  return home;
}

describe('options stand before, between or after the command words', () => {
  test.each([
    [['-o', 'json', 'card', 'get', CARD_ID, '--query', 'status']],
    [['card', '--json', 'get', '--retries', '0', CARD_ID, '--query', 'status']],
    [['--query', 'status', 'card', 'get', CARD_ID, '-qo', 'json']],
    [['card', 'get', '--query=status', '--output=json', '--', CARD_ID]],
    [['card', 'get', CARD_ID, '-ojson', '--query', 'status', '--timeout', '5s', '--retry-max-time', '1m']],
  ])('%j', async (args) => {
    const server = await startRecordingServer([{ body: cardText('ACTIVE') }]);
    const result = await runFrontdesk(args, { env: server.env });
    expect(result).toMatchObject({ code: 0, stdout: '"ACTIVE"\n', stderr: '' });
  });
});

describe('the output format', () => {
  test.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
    ['is table by default', [], {}, 'ACTIVE\n'],
    ['is never switched by itself: the variable says it', [], { FRONTDESK_OUTPUT: 'json' }, '"ACTIVE"\n'],
    ['an empty variable counts as none', [], { FRONTDESK_OUTPUT: '' }, 'ACTIVE\n'],
    ['the flag wins over the variable', ['-o', 'csv'], { FRONTDESK_OUTPUT: 'json' }, 'ACTIVE\n'],
    ['of two flags the later one counts', ['-o', 'csv', '-o', 'json'], {}, '"ACTIVE"\n'],
    ['--json is -o json', ['--json'], {}, '"ACTIVE"\n'],
    ['--json after -o csv', ['-o', 'csv', '--json'], {}, '"ACTIVE"\n'],
    ['-o csv after --json', ['--json', '-o', 'csv'], {}, 'ACTIVE\n'],
  ])('%s', async (_, flags, env, stdout) => {
    const server = await startRecordingServer([{ body: cardText('ACTIVE') }]);
    const result = await runFrontdesk([...GET, '--query', 'status', ...flags], { env: { ...server.env, ...env } });
    expect(result).toMatchObject({ code: 0, stdout });
  });

  test('precedence: flag, environment, profile, config, built-in', async () => {
    const server = await startRecordingServer(service);
    const profile = { cardsUrl: server.url, output: 'ndjson' };
    const home = settings(createHome(), { version: 1, profiles: { one: profile }, preferences: { output: 'csv' } });
    const env = { FRONTDESK_CARDS_TOKEN: CARDS_TOKEN };
    const query = ['--query', '[status]'];
    const stdout = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      (await runFrontdesk([...GET, ...query, ...args], { env: { ...env, ...more }, home })).stdout;
    expect(await stdout([])).toBe('["ACTIVE"]\n');
    expect(await stdout([], { FRONTDESK_OUTPUT: 'json' })).toBe('[\n  "ACTIVE"\n]\n');
    expect(await stdout(['-o', 'csv'], { FRONTDESK_OUTPUT: 'json' })).toBe('value\r\nACTIVE\r\n');
    const plain = settings(createHome(), { version: 1, preferences: { output: 'ndjson' } });
    const own = await runFrontdesk([...GET, ...query], { env: server.env, home: plain });
    expect(own.stdout).toBe('["ACTIVE"]\n');
  });
});

describe('refused with exit 2 and nothing sent', () => {
  test.each<[readonly string[], Readonly<Record<string, string>>, ...string[]]>([
    [[...GET, '-o', 'yaml'], {}, '--output', '"yaml"', 'table, json, ndjson, csv'],
    [[...GET, '-o', 'jsno'], {}, 'did you mean json?'],
    [GET, { FRONTDESK_OUTPUT: 'xml' }, 'FRONTDESK_OUTPUT', '"xml"'],
    [[...GET, '--timeout', '0'], {}, '--timeout', '"0"'],
    [[...GET, '--timeout', '0s'], {}, '--timeout', '"0s"'],
    [[...GET, '--timeout', '30'], {}, '--timeout', '500ms, 30s, 2m or 1h'],
    [[...GET, '--timeout', '1d'], {}, '--timeout'],
    [[...GET, '--timeout', '-1s'], {}, '--timeout'],
    [GET, { FRONTDESK_TIMEOUT: 'abc' }, 'FRONTDESK_TIMEOUT', '"abc"'],
    [[...GET, '--retries', '-1'], {}, '--retries'],
    [[...GET, '--retries', '1.5'], {}, '--retries'],
    [[...GET, '--retry-max-time', '5'], {}, '--retry-max-time'],
    [[...GET, '--ca-file', 'missing.pem'], {}, '--ca-file', 'missing.pem'],
    [GET, { FRONTDESK_CA_FILE: 'missing.pem' }, 'FRONTDESK_CA_FILE', 'missing.pem'],
    [[...GET, '--query', 'a['], {}, '--query'],
    [[...GET, '--query', ''], {}, '--query'],
    [[...GET, '--columns', 'statsu'], {}, '--columns', 'did you mean "status"'],
    [[...GET, '--sort-by', 'nope'], {}, '--sort-by'],
    [[...GET, '--columns', 'status', '-o', 'json'], {}, '--columns', 'json'],
    [[...GET, '--sort-by', 'status', '-o', 'ndjson'], {}, '--sort-by', 'ndjson'],
    [[...GET, '--no-header', '--json'], {}, '--no-header', 'json'],
    [[...GET, OTHER_ID, '--sort-by', 'status'], {}, '--sort-by', 'cannot be sorted'],
    [[...GET, '--json=true'], {}, '--json', 'takes no value'],
    [[...GET, '-qz'], {}, '-z: unknown option', 'a value that begins with "-" goes after "--"'],
    [[...GET, '-zq'], {}, '-zq: unknown option', 'goes after "--": frontdesk card get -- -zq'],
    [[...GET, OTHER_ID, '-j', 'x', '--rate', '0', '--shard', '3/2'], {}, '--concurrency', '--rate', '--shard'],
    [[...GET, '--jsn'], {}, '--jsn', 'did you mean --json?'],
    [['card', 'gett', CARD_ID], {}, 'gett', `did you mean \`frontdesk card get ${CARD_ID}\`?`],
    [['crad', 'get', CARD_ID], {}, 'crad', `did you mean \`frontdesk card get ${CARD_ID}\`?`],
    [['card', 'get', CARD_ID, '-p', 'nope'], {}, '--profile', '"nope"'],
    [GET, { FRONTDESK_PROFILE: 'nope' }, 'FRONTDESK_PROFILE', '"nope"'],
    [[...GET, '-n'], {}, '-n: unknown option', '--dry-run is for commands that change something'],
    [['runs', 'show', 'x', '--from', 'y'], {}, '--from: unknown option', '--from is for commands that take many rows'],
    [[...GET, '--token', 'x'], {}, '--token', 'no option that takes a token'],
    [['profile', 'show', 'default', 'too', 'much'], {}, 'too'],
    [GET, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'NODE_TLS_REJECT_UNAUTHORIZED'],
  ])('%j %j', async (args, env, ...told) => {
    const server = await startRecordingServer([]);
    const { code, stdout, stderr } = await runFrontdesk(args, { env: { ...server.env, ...env } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const text of told) expect(stderr).toContain(text);
    expect(server.lines).toEqual([]);
  });

  test.each([
    [
      ['card', 'block', 'zz', '-j', '4', '--columns', 'nope'],
      [
        '--columns: there is no column "nope"',
        '--concurrency: belongs to several ids or --from',
        '<cardId>: "zz" is not a card ID; a card ID has 36 characters with dashes, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
      ],
    ],
    [
      ['card', 'block', 'zz', CARD_ID, '-j', '0', '--expect', 'foo=1'],
      [
        '--concurrency: must be a whole number from 1 to 1000, not "0"',
        '--expect: "foo" is not a field of a card: did you mean',
        '<cardId> 1: "zz" is not a card ID; a card ID has 36 characters with dashes, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
      ],
    ],
    [
      ['card', 'block', '--from', 'missing.csv', '-j', '0', '--rate', 'x'],
      ['--concurrency: must be', '--rate: must be', '--from: could not read "missing.csv"'],
    ],
    [
      ['card', 'get', '--from', 'bad.csv', '--shard', '3/2', '--columns', 'nope'],
      ['--columns: there is no', '--shard: must be', 'line 2, column cardId: "bad" is not a card ID'],
    ],
    [
      ['card', 'block', 'zz', '--reson', 'lost', '--ca-file', 'missing.pem', '-p', 'nope', '--retries', 'x'],
      [
        '--reson: unknown option of `frontdesk card block`',
        '--profile: there is no profile "nope"',
        '--retries: must be a whole number from 0 to 100, not "x"',
        '--ca-file: could not read missing.pem',
        '<cardId>: "zz" is not a card ID; a card ID has 36 characters with dashes, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
      ],
    ],
    [
      ['card', 'get', '--frobnicate', 'zz', '-x', '--limit'],
      [
        '--frobnicate: unknown option',
        '-x: unknown option',
        '--limit: unknown option',
        '<cardId>: "zz" is not a card ID',
      ],
    ],
    [
      ['card', 'get', CARD_ID, '--frob', 'value', '--columns'],
      ['--frob: unknown option', '--columns <a,b.c>: a value is missing'],
    ],
    [
      ['history', '--since', 'x', '--limit', 'y', '--columns', 'nope', '--frob'],
      ['--frob: unknown option', 'there is no column "nope"', '--since: must be an age', '--limit: must be a whole'],
    ],
    [
      ['card', 'block', '--from', 'bad.csv', '--expect-changes', '1', '-o', 'cvs'],
      ['--expect-changes: unknown option', '--output: must be one of', 'line 2, column cardId: "bad" is not a card ID'],
    ],
    [
      ['runs', 'list', '--state', 'x', '--columns', 'nope'],
      ['there is no column "nope"', '--state: must be one of'],
    ],
    [
      ['sandbox', 'serve', '--port', 'x', '--latency', 'y', '--query', 'a['],
      ['--query', '--port: must be a whole number', '--latency: must be a duration'],
    ],
    [
      ['card', 'wait', 'zz', '--status', 'X', '--interval', 'y', '--columns', 'nope'],
      [
        'there is no column "nope"',
        '<cardId>: "zz" is not a card ID',
        '--status: must be one of',
        '--interval: must be',
      ],
    ],
    [
      ['config', 'set', 'nope', '1', '--query', 'a['],
      ['--query', '<key>: must be one of output, timeout, retries, concurrency, timeZone, not "nope"'],
    ],
    [
      ['calendar', 'subscribers', 'list', '', '--columns', 'nope', '--sort-by', 'nix', '--limit', '0'],
      ['--columns: there is no', '--sort-by: there is no', '<calendarId>: is empty', '--limit: must be a whole number'],
    ],
  ])('%j: every fault is told, each on its own line, options and input alike', async (args, faults) => {
    const server = await startRecordingServer([]);
    const home = createHome();
    writeFileSync(join(home.path, 'work', 'bad.csv'), 'cardId\nbad\n');
    const { code, stdout, stderr } = await runFrontdesk(args, { home, env: server.env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const lines = stderr.split('\n');
    for (const fault of faults) {
      expect(lines.filter((line) => line.includes(fault.split(': did')[0] ?? fault))).toHaveLength(1);
    }
    const isWrite = args.some((word) =>
      ['activate', 'block', 'reissue', 'provision', 'update', 'create', 'POST'].includes(word),
    );
    expect(lines[0]).toBe(`frontdesk: ${faults.length} faults${isWrite ? ', nothing was sent' : ''}:`);
    expect(server.lines).toEqual([]);
  });

  test('a stored profile that is named while the environment sets another URL: exit 2 naming both', async () => {
    const server = await startRecordingServer([]);
    const home = settings(createHome(), { version: 1, profiles: { prod: { cardsUrl: 'https://prod.example' } } });
    for (const [args, more] of [
      [['-p', 'prod'], {}],
      [[], { FRONTDESK_PROFILE: 'prod' }],
    ] as const) {
      const { code, stderr } = await runFrontdesk([...GET, ...args], { env: { ...server.env, ...more }, home });
      expect(code).toBe(2);
      expect(stderr).toContain('https://prod.example');
      expect(stderr).toContain(server.url);
    }
    expect(server.lines).toEqual([]);
  });

  test('the URL of the family that is not in use does not matter', async () => {
    const server = await startRecordingServer(service);
    const home = settings(createHome(), { version: 1, profiles: { prod: { calendarUrl: 'https://prod.example' } } });
    const result = await runFrontdesk([...GET, '-p', 'prod'], { env: server.env, home });
    expect(result.code).toBe(0);
  });
});

describe('--columns, --sort-by and --no-header', () => {
  test('dotted paths reach into metadata', async () => {
    const server = await startRecordingServer(service);
    const table = await runFrontdesk([...GET, '--columns', 'status,metadata.store'], { env: server.env });
    expect(table.stdout).toBe('STATUS\tmetadata.store\nACTIVE\tBergen\n');
    const csv = await runFrontdesk([...GET, '--columns', 'metadata.store,status', '-o', 'csv', '--no-header'], {
      env: server.env,
    });
    expect(csv.stdout).toBe('Bergen,ACTIVE\r\n');
  });

  test.each([
    [['history'], 'tiem', 'time'],
    [['history', 'list'], 'outcom', 'outcome'],
    [['runs', 'list'], 'stat', 'state'],
    [['runs', 'results', 'the-run'], 'idd', 'id'],
    [['runs', 'resume', 'the-run'], 'idd', 'id'],
    [['profile', 'list'], 'nmae', 'name'],
    [['profile', 'set', 'made'], 'nmae', 'name'],
    [['auth', 'status'], 'familiy', 'family'],
    [['config', 'list'], 'vlaue', 'value'],
    [['doctor'], 'mesage', 'message'],
    [['plan', 'show', 'a.plan'], 'rwo', 'row'],
    [['plan', 'approve', 'a.plan', '--key', 'k', '--as', 'ann', '--yes'], 'kye', 'key'],
    [['runs', 'revert', 'the-run', '--plan', 'a.plan'], 'sha265', 'sha256'],
    [['card', 'wait', CARD_ID, '--status', 'ACTIVE'], 'statsu', 'status'],
  ])('%j with a misspelt column is exit 2 with the nearest name, and changes nothing', async (words, typed, meant) => {
    const server = await startRecordingServer(service);
    const home = createHome();
    const run = (args: readonly string[]) => runFrontdesk(args, { home, env: server.env });
    await run(['card', 'block', CARD_ID, OTHER_ID, '--run', 'the-run', '-y', '-q']);
    const before = server.lines.length;
    const { code, stdout, stderr } = await run([...words, '--columns', typed]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`--columns: there is no column "${typed}": did you mean "${meant}"`);
    expect(server.lines).toHaveLength(before);
    expect((await run(['profile', 'list', '--json'])).stdout).not.toContain('made');
  });

  test('every member of the JSON of a local command is a column', async () => {
    const server = await startRecordingServer(service);
    const home = createHome();
    const run = (args: readonly string[]) => runFrontdesk(args, { home, env: server.env });
    await run(['card', 'block', CARD_ID, OTHER_ID, '--run', 'the-run', '-y', '-q']);
    for (const words of [['history'], ['runs', 'list'], ['profile', 'list'], ['auth', 'status']]) {
      const [row] = JSON.parse((await run([...words, '--json'])).stdout);
      const names = Object.entries(row).flatMap(([name, value]) =>
        name === 'outcomes' ? Object.keys(Object(value)).map((inner) => `outcomes.${inner}`) : [name],
      );
      expect(await run([...words, '-q', '--columns', names.join(',')])).toMatchObject({ code: 0, stderr: '' });
    }
  });

  test('a list is sorted by a column', async () => {
    const server = await startRecordingServer(service);
    const { stdout } = await runFrontdesk([...LIST, '--sort-by', 'email', '--columns', 'id,email'], {
      env: server.env,
    });
    expect(stdout).toBe('ID\tEMAIL\ns1\ta@x\ns2\tb@x\n');
  });
});

describe('--query', () => {
  test.each<[string, readonly string[], readonly string[], string]>([
    ['prints numbers with the service’s digits', GET, ['--json', '--query', 'currentBalance'], '10.10\n'],
    ['compares numbers by value', GET, ['--json', '--query', 'currentBalance == `10.1`'], 'true\n'],
    ['compares amounts, not their texts', LIST, ['--json', '--query', 'data[?n > `5`].id'], '[\n  "s1"\n]\n'],
    ['is null when nothing matches', GET, ['--json', '--query', 'nope'], 'null\n'],
    ['is null in a table too', GET, ['--query', 'nope'], 'null\n'],
    ['goes over the List as sent', LIST, ['--json', '--query', 'length(data)'], '2\n'],
    ['goes over each line with ndjson', LIST, ['-o', 'ndjson', '--query', 'email'], '"b@x"\n"a@x"\n'],
    ['is null for a line without a match', LIST, ['-o', 'ndjson', '--query', 'nope'], 'null\nnull\n'],
    [
      'goes over the array of several cards',
      [...GET, OTHER_ID],
      ['--json', '--query', '[].status'],
      '[\n  "ACTIVE",\n  "ACTIVE"\n]\n',
    ],
  ])('%s', async (_, command, flags, stdout) => {
    const server = await startRecordingServer(service);
    expect(await runFrontdesk([...command, ...flags], { env: server.env })).toMatchObject({ code: 0, stdout });
  });
});

describe('--quiet and --verbose', () => {
  test('-q leaves out notices and keeps warnings and errors', async () => {
    const server = await startRecordingServer([
      { status: 429, headers: { 'retry-after': '0' } },
      { body: cardText('X') },
    ]);
    const quiet = await runFrontdesk([...GET, '-q'], { env: server.env });
    expect(quiet).toMatchObject({ code: 0, stderr: '' });
    const full = await startRecordingServer(() => ({ body: { object: 'list', data: Array(10).fill({ id: 's' }) } }));
    expect((await runFrontdesk([...LIST, '-q'], { env: full.env })).stderr).toMatch(
      /^frontdesk: warning: there may be more/,
    );
    await full.stop();
    expect((await runFrontdesk([...LIST, '-q', '--retries', '0'], { env: full.env })).stderr).toMatch(
      /^frontdesk: could not list the subscribers of/,
    );
  });

  test('-v masks a token that the answer has in escapes', async () => {
    const token = 'a/b/c+tokenOfTheTest==';
    const escaped = [...token].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('');
    const body = `{"cardId":"${CARD_ID}","status":"a\\\\u0041","design":"${escaped}","x":"${token.replaceAll('/', '\\/')}"}`;
    const server = await startRecordingServer([{ body }]);
    const { stderr } = await runFrontdesk([...GET, '-v'], { env: { ...server.env, FRONTDESK_CARDS_TOKEN: token } });
    expect(stderr).toContain(`< {"cardId":"${CARD_ID}","status":"a\\\\u0041","design":"***","x":"***"}\n`);
  });

  test('-v shows the HTTP exchange on stderr, secrets masked', async () => {
    const server = await startRecordingServer([{ headers: { 'x-echo': CARDS_TOKEN }, body: cardText('ACTIVE') }]);
    const { stderr, stdout, code } = await runFrontdesk([...GET, '-v', '--query', 'status'], { env: server.env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ACTIVE\n' });
    expect(stderr).toContain(`> GET ${server.url}/v1/cards/${CARD_ID}\n`);
    expect(stderr).toContain('> Authorization: Bearer ***\n');
    expect(stderr).toContain('< 200');
    expect(stderr).not.toContain(CARDS_TOKEN);
  });

  test('-v never shows the one-time secrets of a provisioning', async () => {
    const server = await startRecordingServer([{ body: '{"encryptedPaymentInstrument":"EPI-SECRET"}' }]);
    const args = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '-v', '--json'];
    const { stderr, stdout } = await runFrontdesk(args, { env: server.env });
    expect(stderr).toContain('< 200');
    expect(stdout).toContain('EPI-SECRET');
    expect(stderr).not.toContain('EPI-SECRET');
  });
});

describe('retries and limits', () => {
  test('--retries further attempts, with the flag of --timeout for one attempt', async () => {
    const server = await startRecordingServer(() => 'hang');
    const args = [...GET, '--timeout', '1s', '--retries', '1', '--json'];
    const { code, stderr } = await runFrontdesk(args, { env: server.env });
    expect(code).toBe(10);
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error.attempts).toBe(2);
    expect(server.lines.length).toBe(2);
  });

  test('FRONTDESK_TIMEOUT is the limit of one attempt', async () => {
    const server = await startRecordingServer(() => 'hang');
    const env = { ...server.env, FRONTDESK_TIMEOUT: '1200ms' };
    const { code, stderr } = await runFrontdesk([...GET, '--retries', '0'], { env });
    expect(code).toBe(10);
    expect(stderr).toContain('no reply within 1.2 s');
  });

  test('--retry-max-time is the limit of all attempts together', async () => {
    const server = await startRecordingServer(() => 'hang');
    const args = [...GET, '--timeout', '10s', '--retries', '5', '--retry-max-time', '1500ms'];
    const { code, stderr } = await runFrontdesk(args, { env: server.env });
    expect(code).toBe(10);
    const [, seconds] = /no reply within ([\d.]+) s/.exec(stderr) ?? [];
    expect(Number(seconds)).toBeLessThanOrEqual(1.5);
    expect(server.lines).toHaveLength(1);
  });
});

describe('a proxy', () => {
  test('loopback never goes through it, and https does', async () => {
    const server = await startRecordingServer(service);
    const proxy = await startProxyServer('close');
    const env = { ...server.env, HTTPS_PROXY: proxy.url, https_proxy: proxy.url, HTTP_PROXY: proxy.url };
    try {
      expect((await runFrontdesk(GET, { env })).code).toBe(0);
      expect(proxy.connections).toBe(0);
      const far = { ...env, FRONTDESK_CARDS_URL: 'https://cards.example' };
      expect((await runFrontdesk([...GET, '--retries', '0'], { env: far })).code).toBe(7);
      expect(proxy.heads[0]).toContain('CONNECT cards.example:443 ');
      const direct = { ...env, FRONTDESK_CARDS_URL: 'https://cards.invalid', NO_PROXY: 'cards.invalid' };
      expect((await runFrontdesk([...GET, '--retries', '0'], { env: direct })).code).toBe(7);
      expect(proxy.connections).toBe(1);
    } finally {
      await proxy.close();
    }
  });
});

describe('--dry-run asks nothing, sends nothing, runs no token command and needs no credential', () => {
  const request = (path: string, body: unknown) => ({
    method: 'POST',
    url: `https://api.example/base${path}`,
    headers: expect.objectContaining({ Authorization: 'Bearer ***', Accept: 'application/json' }),
    body,
  });
  const env = { FRONTDESK_CARDS_URL: 'https://api.example/base/', FRONTDESK_CALENDAR_URL: 'https://api.example/base' };
  test.each<[readonly string[], readonly unknown[]]>([
    [['card', 'block', CARD_ID, '-n'], [request(`/v1/cards/${CARD_ID}/block`, {})]],
    [['card', 'activate', CARD_ID, '--dry-run'], [request(`/v1/cards/${CARD_ID}/activate`, null)]],
    [
      ['card', 'reissue', CARD_ID, OTHER_ID, '-n', '--reason', 'r'],
      [
        request(`/v1/cards/${CARD_ID}/reissue`, { reason: 'r' }),
        request(`/v1/cards/${OTHER_ID}/reissue`, { reason: 'r' }),
      ],
    ],
    [['calendar', 'update', 'a/b', '--name', '', '-n'], [request('/v1/calendars/a%2Fb', { name: '' })]],
  ])('%j', async (args, requests) => {
    const { code, stdout, stderr, home } = await runFrontdesk([...args, '--json'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ dryRun: true, requests });
    expect(Object.keys(JSON.parse(stdout).requests[0])).toEqual(['method', 'url', 'headers', 'body']);
    expect((await runFrontdesk(['history', '--json'], { home })).stdout).toBe('[]\n');
  });

  test.each<[readonly string[], Readonly<Record<string, string>>]>([
    [['--no-history'], {}],
    [[], { FRONTDESK_NO_HISTORY: '1' }],
  ])('%j %j refuses a run, which always keeps its record', async (flags, more) => {
    const server = await startRecordingServer([]);
    const args = ['card', 'block', '--from', '-', '-y', ...flags];
    const { code, stdout, stderr } = await runFrontdesk(args, {
      env: { ...server.env, ...more },
      stdin: `${CARD_ID}\n`,
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('a run needs its record');
  });

  test('and says that --expect was not compared', async () => {
    const args = ['card', 'block', CARD_ID, '-n', '--expect', 'status=ACTIVE', '--json'];
    const { code, stdout, stderr } = await runFrontdesk(args, { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ dryRun: true, requests: [request(`/v1/cards/${CARD_ID}/block`, {})] });
    expect(stderr).toBe(
      '{"notice":{"code":"NOT_COMPARED","message":"--expect was not compared, because a dry run reads no card"}}\n',
    );
  });

  test('as text: method and URL, headers, body', async () => {
    const { code, stdout } = await runFrontdesk(['card', 'block', CARD_ID, '-n', '--reason', 'lost'], { env });
    expect(code).toBe(0);
    const [head, body] = stdout.split('\n\n');
    expect(head).toContain(`POST https://api.example/base/v1/cards/${CARD_ID}/block\n`);
    expect(head).toContain('Authorization: Bearer ***');
    expect(body).toBe('{\n  "reason": "lost"\n}\n');
  });

  test('makes no --out file', async () => {
    const args = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--out', 'o.json', '-n'];
    const { code, home } = await runFrontdesk(args, { env });
    expect(code).toBe(0);
    const again = await runFrontdesk(args, { env, home });
    expect(again.code).toBe(0);
  });

  test('readOnly and requireReason still refuse', async () => {
    const cardsUrl = 'https://api.example';
    const profiles = { ro: { cardsUrl, readOnly: true }, rr: { cardsUrl, requireReason: 'T-[0-9]+' } };
    const home = settings(createHome(), { version: 1, profiles });
    const run = (...args: string[]) => runFrontdesk(['card', 'block', CARD_ID, '-n', ...args], { home });
    expect(await run('-p', 'ro')).toMatchObject({ code: 5, stdout: '' });
    expect(await run('-p', 'rr')).toMatchObject({ code: 2, stdout: '' });
    expect(await run('-p', 'rr', '--reason', 'no ticket')).toMatchObject({ code: 2, stdout: '' });
    expect(await run('-p', 'rr', '--reason', 'see T-12')).toMatchObject({ code: 0 });
  });
});

describe('no color and no escape sequence off a terminal, whatever the variables say', () => {
  test.each([{ FORCE_COLOR: '1' }, { NO_COLOR: '1' }, { FORCE_COLOR: '3', TERM: 'xterm-256color' }])(
    '%j',
    async (env) => {
      const server = await startRecordingServer(service);
      const { stdout, stderr } = await runFrontdesk(GET, { env: { ...server.env, ...env } });
      expect(stdout + stderr).not.toContain('\u001b');
    },
  );
});

describe('--no-history', () => {
  test.each<[readonly string[], Readonly<Record<string, string>>]>([
    [['--no-history'], {}],
    [[], { FRONTDESK_NO_HISTORY: '1' }],
  ])('%j %j keeps no record', async (flags, more) => {
    const server = await startRecordingServer(service);
    const args = ['card', 'block', CARD_ID, '-y', ...flags];
    const { code, home } = await runFrontdesk(args, { env: { ...server.env, ...more } });
    expect(code).toBe(0);
    expect((await runFrontdesk(['history', '--json'], { home })).stdout).toBe('[]\n');
  });
});
