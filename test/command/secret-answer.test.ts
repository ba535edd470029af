import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, test } from 'vitest';
import { openTerminal } from '../support/pty.ts';
import { type Reply, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, type RunOptions, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// The answer of a provisioning comes once, and is where the message says.

const PROVISION = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a'];
const SECRET = 'the-secret-of-this-test';
const ANSWER = `{\n  "encryptedPaymentInstrument": "${SECRET}"\n}\n`;
const OUT = ['--out', 'a.json'];

const pathIn = (home: Home, name: string) => join(home.path, 'work', name);

interface How {
  readonly breaksHistory?: boolean;
  readonly reply?: Reply;
}

/** A home and a service that answers with the secret, and breaks the history meanwhile where that is wanted. */
async function open({ breaksHistory = false, reply }: How = {}, home = createHome()) {
  const server = await startRecordingServer(({ method }) => {
    if (method === 'GET') return { body: cardText('ACTIVE') };
    if (breaksHistory) {
      const folder = join(home.stateDir, 'writes');
      for (const day of readdirSync(folder)) {
        rmSync(join(folder, day));
        mkdirSync(join(folder, day));
      }
    }
    return reply ?? { body: { encryptedPaymentInstrument: SECRET } };
  });
  return { home, server, env: server.env };
}

/** Everything that is kept on the disk below the state folder. */
function kept(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

/** A provisioning: how it ended, and the file `a.json`, undefined if there is none. Messages and records have no secret. */
async function provision(args: readonly string[], { home: given, env, script, ...how }: How & RunOptions = {}) {
  const { home, server } = await open(how, given);
  const options = { env: { ...server.env, ...env }, home, ...(script === undefined ? {} : { script }) };
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, ...args], options);
  expect(stderr + kept(home.stateDir)).not.toContain(SECRET);
  const path = pathIn(home, 'a.json');
  return { code, stdout, stderr, server, home, file: existsSync(path) ? readFileSync(path, 'utf8') : undefined };
}

test('a provisioning with --out stays in the file if the history cannot be written, and the message says so', async () => {
  const { stderr, ...ended } = await provision(OUT, { breaksHistory: true });
  expect(ended).toMatchObject({ code: 16, stdout: expect.not.stringContaining(SECRET), file: ANSWER });
  expect(stderr).toMatch(/The change WAS applied[\s\S]*the response is in a\.json/i);
});

test.skipIf(process.platform === 'win32')(
  'a provisioning is not sent where a part of the room of --out is missing, and leaves no file',
  async () => {
    // A file may have 32 KiB, so the first half of the room is written without an error.
    const { stderr, server, ...ended } = await provision(OUT, { script: 'ulimit -f 32; exec "$@"' });
    expect({ ...ended, lines: server.lines }).toMatchObject({ code: 16, stdout: '', file: undefined, lines: [] });
    expect(stderr).toMatch(/no room for the answer in a\.json: .*\(EFBIG\)\. Nothing was sent\./);
  },
);

test.each([
  ['doubled keys', `{"encryptedPaymentInstrument":"${SECRET}","encryptedPaymentInstrument":"x"}`],
  ['no JSON', `secret=${SECRET}`],
  ['nothing at all', ''],
])('a 2xx of a provisioning that cannot be read stays in the file byte for byte: %s', async (_what, body) => {
  const { stderr, ...ended } = await provision([...OUT, '--json'], { reply: { body } });
  expect(ended).toMatchObject({ code: 8, stdout: '', file: body });
  expect(stderr).toMatch(/the response is in a\.json/i);
});

/** What comes with a 2xx and cannot be read, and how much of it there is. */
const UNREADABLE = [
  ['no JSON', { body: `secret=${SECRET}` }],
  ['without its fields', { body: `{"secret":"${SECRET}"}` }],
  ['cut', { headers: { 'content-length': '500' }, body: `{"encryptedPaymentInstrument":"${SECRET}` }],
] as const;

/** Runs a line of shell in a terminal, in which PROVISION is the call; its end waits for Enter. */
async function inShell(line: string, waitsFor: string | RegExp, how: How = {}) {
  const { home, env } = await open(how);
  const script = `${line.replace('PROVISION', `$FD ${PROVISION.join(' ')} --json`)}; read -r over`;
  const terminal = openTerminal([], { home, env, columns: 200, script });
  await terminal.waitFor(waitsFor);
  // Until then the terminal stays open: what was written last is not lost.
  terminal.type('\n');
  return { home, text: (await terminal.end).text };
}

test.each(UNREADABLE)(
  'a provisioning that is %s is on stdout outside a terminal: one JSON string with -o json, as it came with --show-sensitive',
  async (_, reply) => {
    for (const [flags, printed] of [
      [['-o', 'json'], JSON.stringify(reply.body)],
      [['--show-sensitive'], reply.body],
    ] as const) {
      const { code, stdout, stderr } = await provision([...flags, '--timeout', '1s'], { reply });
      expect({ code, stdout }).toEqual({ code: 8, stdout: `${printed}\n` });
      expect(stderr).toContain('the response, as it came, is on stdout');
    }
  },
);

/** Environment in which a call on the file of `--out` fails: the second `write` is that of the answer. */
function failing(home: Home, only: string, call: number) {
  return {
    NODE_OPTIONS: `--require=${fileURLToPath(new URL('../support/fail-at.cjs', import.meta.url))}`,
    ...{ FAIL_ONLY: only, FAIL_AT: String(call), FAIL_WITH: 'ENOSPC' },
    ...{ FAIL_BELOW: pathIn(home, 'a.json'), FAIL_COUNT: join(home.path, 'count') },
  };
}

test.each([
  ['write', 2, [], undefined, /The response is lost/],
  ['write', 2, ['--json'], undefined, /The response is lost/],
  ['truncate', 1, ['--json'], undefined, /The response is lost/],
  ['write', 2, ['--show-sensitive', '--json'], undefined, /The response is on stdout/],
  // With the whole answer in it the file stays, whatever fails after that.
  ['sync', 2, [], ANSWER, /the response is in \S+a\.json, and may not be there after a power cut/i],
  ['close', 1, [], ANSWER, /the response is in \S+a\.json, and may not be there after a power cut/i],
] as const)('provision --out: %s %i of the response fails with %j', async (name, call, more, file, said) => {
  const home = createHome();
  const env = failing(home, name, call);
  const { stderr, ...ended } = await provision(['--out', pathIn(home, 'a.json'), ...more], { home, env });
  const stdout = more.some((flag) => flag === '--show-sensitive') ? ANSWER : '';
  expect(ended).toMatchObject({ code: 16, stdout, file });
  expect(stderr).toContain('WAS applied');
  expect(stderr).toMatch(said);
});

test.each([{ status: 409, body: SECRET }, { status: 500, body: SECRET }, 'reset' as const])(
  'provision --out leaves no file after %j',
  async (reply) => {
    const { home, env } = await open({ reply });
    await runFrontdesk([...PROVISION, ...OUT, '--retries', '0'], { env, home });
    expect(existsSync(pathIn(home, 'a.json'))).toBe(false);
  },
);

test('provision without --out refuses a stdout that is the null device', async () => {
  expect((await inShell('PROVISION >/dev/null; echo "ended $?"', 'ended 2')).text).toContain('null device');
});

test.each([
  ['full', '>/dev/full', false],
  ['without a reader, and the history cannot be written', '| true', true],
])('a provisioning with a stdout that is %s is on the terminal of stderr, and lost elsewhere', async (...row) => {
  const [, to, breaksHistory] = row;
  const shown = await inShell(`PROVISION --yes ${to}`, /the response is on stderr/i, { breaksHistory });
  expect(shown.text).toContain(SECRET);
  const line = `{ PROVISION 2>said; echo "ended $?" >&3; } 3>&2 ${to}`;
  const { home } = await inShell(line, 'ended 16', { breaksHistory });
  const stderr = readFileSync(join(home.path, 'said'), 'utf8');
  expect(stderr).toMatch(/the response is lost/i);
  expect(stderr + kept(home.stateDir)).not.toContain(SECRET);
});

/** A terminal that asks, and what is typed when it does. */
async function dialogue(home: Home, steps: readonly (readonly [string | RegExp, string])[], size = {}) {
  const { server, env } = await open({}, home);
  const terminal = openTerminal(PROVISION, { home, env, ...size });
  for (const [waitsFor, typed] of steps) {
    await terminal.waitFor(waitsFor);
    terminal.type(`${typed}\r`);
  }
  const posts = () => server.requests.filter(({ method }) => method === 'POST').length;
  return { ...(await terminal.end), server, posts: posts() };
}

const [FILE, YES] = [/\? File for the secrets/, /y\/N/];

it.each([
  [80, 24],
  [60, 20],
])('a provisioning is shown whole in a terminal of %i by %i, with nothing between its characters', async (...size) => {
  const [columns, rows] = size;
  const long = Array.from({ length: 840 }, (_, at) => String.fromCharCode(97 + (at % 26))).join('');
  const { home, env } = await open({ reply: { body: { encryptedPaymentInstrument: long, activationData: 'ünï' } } });
  const terminal = openTerminal(PROVISION, { home, env, columns, rows });
  await terminal.waitFor(FILE);
  terminal.type('-\r');
  await terminal.waitFor(YES);
  terminal.type('y\r');
  const whole = `encryptedPaymentInstrument\n${long}\n`;
  expect((await terminal.end).text).toContain(`${whole}activationData\nünï\n`);
  const one = ['--columns', 'encryptedPaymentInstrument', '--out', join(home.path, 'kept.json')];
  const named = [...PROVISION, '--show-sensitive', ...one, '-y'];
  expect((await openTerminal(named, { home, env, columns, rows }).end).text).toContain(whole);
});

it.each([[], ['-o', 'csv'], ['--no-input']])(
  'a provisioning with --columns and no file is refused, and a table of it has all members: %j',
  async (...more) => {
    const body = { encryptedPaymentInstrument: 'e', activationData: 'a', other: { part: 'b' } };
    const { home, server, env } = await open({ reply: { body } });
    const run = (...words: string[]) => runFrontdesk([...PROVISION, '--show-sensitive', ...words], { home, env });
    const refused = await run('--columns', 'activationData', ...more);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--columns: needs --out: the result is returned only once');
    expect(server.lines).toEqual([]);
    const { code, stdout } = await run(...more);
    const [names = '', values = ''] = stdout.split(/\r?\n/);
    expect([code, names.split(/[\t,]/).at(-1), values.split(/[\t,]/).at(-1)]).toEqual([0, 'other.part', 'b']);
  },
);

it.each(['y', 'N', 'yes', 'no'])('the question for a file of a provisioning takes no %s for a name', async (answer) => {
  const home = createHome();
  // The line is empty again, so Enter takes the name that is offered; the second Enter sends nothing.
  const { code, text, posts } = await dialogue(home, [
    [FILE, answer],
    [`${answer} cannot be the file name`, ''],
    [YES, ''],
  ]);
  expect({ code, posts }).toEqual({ code: 130, posts: 0 });
  expect(text).toContain('Nothing was sent.');
  expect(readdirSync(join(home.path, 'work'))).toEqual([]);
});

it('a provisioning in a terminal shows the card, asks for a file, then for yes or no', async () => {
  const home = createHome();
  const asked = (file: string, ...more: [string | RegExp, string][]) =>
    dialogue(home, [[/Status[\s\S]*\? File for the secrets/, file], ...more], { columns: 200 });
  const saved = (name: string) => readFileSync(join(home.path, name), 'utf8');
  expect((await asked('answer.json', [YES, 'y'])).text).not.toContain(SECRET);
  expect(saved('answer.json')).toBe(ANSWER);
  const offered = `provision-${CARD_ID.slice(0, 8)}-wallet_a`;
  await asked('', [YES, 'y']);
  expect(saved(`${offered}.json`)).toBe(ANSWER);
  await asked('y', [/cannot be the file name/, ''], [YES, 'y']);
  expect(saved(`${offered}-2.json`)).toBe(ANSWER);
  expect((await asked('-', [YES, 'y'])).text).toContain(SECRET);
  const { text, posts } = await asked('-', [YES, 'n']);
  expect(posts).toBe(0);
  expect(text).not.toContain(SECRET);
});

const PAIR = `{"fields":[{"name":"activationData","value":"${SECRET}"}]}`;
const HEADERS = {
  'www-authenticate': `Bearer error="x", error_description="activation%44ata ${SECRET}"`,
  'x-request-id': `activation_data.${SECRET}`,
  'x-authentication-data': SECRET,
};

test.each<[string, Exclude<Reply, string>]>([
  ['a name with an escape, in a cut body', { status: 400, body: `{"activation\\u0044ata":"${SECRET}","x":` }],
  ['a pair of name and value', { status: 400, body: PAIR }],
  ['a pair in a long body', { status: 400, body: `${PAIR.slice(0, -1)},"more":"${'x'.repeat(100_000)}"}` }],
  ['a pair in an error that is a 2xx', { body: `{"errorCode":"E1","message":"${SECRET}","of":"activation-data"}` }],
  ['a pair in a 2xx that is the resource', { body: `{"encryptedPaymentInstrument":"x",${PAIR.slice(1)}` }],
  ['headers', { status: 401, headers: HEADERS, body: '' }],
])('a provisioning shows no secret in messages, -v and records: %s', async (_what, reply) => {
  const { stderr } = await provision([...OUT, '--json', '-v', '--retries', '0'], { reply });
  expect(stderr).toContain(`< ${reply.status ?? 200} `);
});

const replace = (file: string) => {
  rmSync(file);
  writeFileSync(file, 'of somebody else');
};

// Somebody does this to the file of --out while the request runs.
test.each<[what: string, act: (file: string) => void, name: string, said: RegExp]>([
  ['removed', (file) => rmSync(file), 'a.json', /the response is in a\.json$/im],
  ['replaced', replace, 'a-2.json', /the response is in a-2\.json: a\.json was replaced by another file$/im],
])('a file of --out that is %s while the request runs loses nothing', async (_, act, name, said) => {
  const home = createHome();
  const server = await startRecordingServer(({ method }) => {
    if (method === 'POST') act(pathIn(home, 'a.json'));
    return { body: { encryptedPaymentInstrument: SECRET } };
  });
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, ...OUT], { env: server.env, home });
  expect(code).toBe(0);
  expect(stderr).toMatch(said);
  expect(readFileSync(pathIn(home, name), 'utf8')).toBe(ANSWER);
  expect(statSync(pathIn(home, name)).mode & 0o777).toBe(0o600);
  expect(readFileSync(pathIn(home, 'a.json'), 'utf8')).toBe(name === 'a.json' ? ANSWER : 'of somebody else');
  expect(stdout + stderr).not.toContain(SECRET);
});

test('a folder of --out that is moved while the request runs: the message says in which file the response is', async () => {
  const home = createHome();
  mkdirSync(pathIn(home, 'd'));
  const server = await startRecordingServer(({ method }) => {
    if (method === 'POST') renameSync(pathIn(home, 'd'), pathIn(home, 'e'));
    return { body: { encryptedPaymentInstrument: SECRET } };
  });
  const { code, stderr } = await runFrontdesk([...PROVISION, '--out', 'd/a.json'], { env: server.env, home });
  expect(code).toBe(16);
  expect(stderr).toMatch(/the response is in the file that was d\/a\.json and was moved meanwhile/i);
  expect(stderr).not.toMatch(/lost/i);
  expect(readFileSync(pathIn(home, 'e/a.json'), 'utf8')).toBe(ANSWER);
});

test('a refusal leaves the file alone that somebody else put in the place of --out', async () => {
  const home = createHome();
  const server = await startRecordingServer(() => {
    replace(pathIn(home, 'a.json'));
    return { status: 409, body: { errorCode: 'E', message: 'no' } };
  });
  const { code } = await runFrontdesk([...PROVISION, ...OUT], { env: server.env, home });
  expect([code, readFileSync(pathIn(home, 'a.json'), 'utf8')]).toEqual([6, 'of somebody else']);
});

test.each([
  ['as text', Buffer.from('{"encryptedPaymentInstrument":"x'), '"{\\"encryptedPaymentInstrument\\":\\"x"\n', false],
  ['as base64', Buffer.from([0xff, 0xfe, 0x00]), '"//4A"\n', true],
])('a 2xx of a provisioning that cannot be read is one JSON string on stdout: %s', async (_, body, text, isEncoded) => {
  const { code, stdout, stderr } = await provision(['--json'], { reply: { body } });
  expect({ code, stdout, isEncoded: stderr.includes('in base64') }).toEqual({ code: 8, stdout: text, isEncoded });
});
