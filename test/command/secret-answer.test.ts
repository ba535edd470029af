import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { openTerminal } from '../support/pty.ts';
import { CARDS_TOKEN, type Reply, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// The answer of a provisioning comes once, and is where the message says.

const PROVISION = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a'];
const SECRET = 'the-secret-of-this-test';
const ANSWER = `{\n  "encryptedPaymentInstrument": "${SECRET}"\n}\n`;

const fileIn = (home: Home, name: string) => join(home.path, 'work', name);

/** A service that answers with the secret, and breaks the history meanwhile where that is wanted. */
async function service(home: Home, { breaksHistory = false, reply }: { breaksHistory?: boolean; reply?: Reply } = {}) {
  return startRecordingServer(({ method }) => {
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
}

/** Everything that is kept on the disk below the state folder. */
function kept(folder: string): string {
  if (!existsSync(folder)) return '';
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

test('a provisioning with --out stays in the file if the history cannot be written, and the message says so', async () => {
  const home = createHome();
  const server = await service(home, { breaksHistory: true });
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--out', 'a.json'], { env: server.env, home });
  expect(code).toBe(16);
  expect(stderr).toContain('The change WAS applied');
  expect(stderr).toMatch(/the response is in a\.json/i);
  expect(readFileSync(fileIn(home, 'a.json'), 'utf8')).toBe(ANSWER);
  expect(stdout + stderr + kept(home.stateDir)).not.toContain(SECRET);
});

test.skipIf(process.platform === 'win32')(
  'a provisioning is not sent where a part of the room of --out is missing, and leaves no file',
  async () => {
    const home = createHome();
    const server = await service(home);
    // A file may have 32 KiB, so the first half of the room is written without an error.
    const script = 'ulimit -f 32; exec "$@"';
    const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--out', 'a.json'], {
      env: server.env,
      home,
      script,
    });
    expect({ code, stdout, lines: server.lines }).toEqual({ code: 16, stdout: '', lines: [] });
    expect(stderr).toMatch(/no room for the answer in a\.json: .*\(EFBIG\)\. Nothing was sent\./);
    expect(existsSync(fileIn(home, 'a.json'))).toBe(false);
  },
);

test('a provisioning as JSON is printed if the history cannot be written', async () => {
  const home = createHome();
  const server = await service(home, { breaksHistory: true });
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--json'], { env: server.env, home });
  expect({ code, stdout }).toEqual({ code: 16, stdout: ANSWER });
  expect(stderr).toMatch(/the response is on stdout/i);
  expect(stderr).not.toContain(SECRET);
});

test('C23 provision --out says where it saved, and only --show-sensitive prints it too', async () => {
  const home = createHome();
  const server = await service(home);
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--out', 'a.json'], { env: server.env, home });
  expect(code).toBe(0);
  expect(stdout).not.toContain(SECRET);
  expect(stderr).toMatch(/the response is in a\.json/i);
  expect(readFileSync(fileIn(home, 'a.json'), 'utf8')).toBe(ANSWER);
  const shown = await runFrontdesk([...PROVISION, '--out', 'b.json', '--show-sensitive', '--json'], {
    env: server.env,
    home,
  });
  expect(shown.stdout).toBe(ANSWER);
});

test.each([
  ['doubled keys', `{"encryptedPaymentInstrument":"${SECRET}","encryptedPaymentInstrument":"x"}`],
  ['no JSON', `secret=${SECRET}`],
  ['nothing at all', ''],
])('a 2xx of a provisioning that cannot be read stays in the file byte for byte: %s', async (_what, body) => {
  const home = createHome();
  const server = await service(home, { reply: { body } });
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--out', 'a.json', '--json'], {
    env: server.env,
    home,
  });
  expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
  expect(readFileSync(fileIn(home, 'a.json'), 'utf8')).toBe(body);
  expect(stderr).toMatch(/the response is in a\.json/i);
  expect(stderr + kept(home.stateDir)).not.toContain(SECRET);
});

/** What comes with a 2xx and cannot be read, and how much of it there is. */
const UNREADABLE = [
  ['no JSON', { body: `secret=${SECRET}` }],
  ['without its fields', { body: `{"secret":"${SECRET}"}` }],
  ['cut', { headers: { 'content-length': '500' }, body: `{"encryptedPaymentInstrument":"${SECRET}` }],
] as const;

test.each(UNREADABLE)(
  'without a file, a provisioning that is %s and finds no room on stdout is on the terminal, and the message says so',
  async (_, reply) => {
    const home = createHome();
    const server = await service(home, { reply });
    const terminal = openTerminal([], {
      home,
      env: server.env,
      columns: 200,
      script: `$FD ${PROVISION.join(' ')} --json --yes --timeout 3s >/dev/full; read -r over`,
    });
    await terminal.waitFor('the response, as it came, is on stderr');
    terminal.type('\n');
    expect((await terminal.end).text).toContain(SECRET);
    expect(kept(home.stateDir)).not.toContain(SECRET);
  },
);

test.each(UNREADABLE)(
  'outside a terminal, -o json prints a provisioning that is %s as one JSON string, and ends with 8',
  async (_, reply) => {
    const home = createHome();
    const server = await service(home, { reply });
    const args = [...PROVISION, '-o', 'json', '--timeout', '1s'];
    const { code, stdout, stderr } = await runFrontdesk(args, { env: server.env, home });
    expect({ code, stdout }).toEqual({ code: 8, stdout: `${JSON.stringify(reply.body)}\n` });
    expect(stderr).toContain('the response, as it came, is on stdout');
    expect(stderr + kept(home.stateDir)).not.toContain(SECRET);
  },
);

test('the body of an error of a provisioning that is no 2xx is in the JSON error', async () => {
  const home = createHome();
  const server = await service(home, { reply: { status: 502, body: 'Bad gateway' } });
  const { code, stderr } = await runFrontdesk([...PROVISION, '--json', '--retries', '0'], { env: server.env, home });
  expect([code, JSON.parse(stderr).error.body]).toEqual([8, 'Bad gateway']);
});

test.each(UNREADABLE)('with --show-sensitive, a provisioning that is %s is on stdout', async (_, reply) => {
  const home = createHome();
  const server = await service(home, { reply });
  const args = [...PROVISION, '--show-sensitive', '--timeout', '1s'];
  const { code, stdout, stderr } = await runFrontdesk(args, { env: server.env, home });
  expect({ code, stdout }).toEqual({ code: 8, stdout: `${reply.body}\n` });
  expect(stderr).toContain('the response, as it came, is on stdout');
  expect(stderr + kept(home.stateDir)).not.toContain(SECRET);
});

const FAIL_AT = fileURLToPath(new URL('../support/fail-at.cjs', import.meta.url));

/** Environment in which a call on the file of `--out` fails: the second `write` is that of the answer. */
function failing(home: Home, only: string, call: number, below = 'a.json') {
  return {
    FAIL_ONLY: only,
    NODE_OPTIONS: `--require=${FAIL_AT}`,
    FAIL_AT: String(call),
    FAIL_WITH: 'ENOSPC',
    FAIL_BELOW: fileIn(home, below),
    FAIL_COUNT: join(home.path, 'count'),
  };
}

test.each([
  ['write', 2, [], false],
  ['write', 2, ['--json'], false],
  ['truncate', 1, ['--json'], false],
  ['write', 2, ['--show-sensitive', '--json'], true],
] as const)(
  'provision --out: %s %i of the response fails with %j, and it is printed if that was asked for (%s)',
  async (...row) => {
    const [name, call, more, isShown] = row;
    const home = createHome();
    const server = await service(home);
    const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--out', fileIn(home, 'a.json'), ...more], {
      env: { ...server.env, ...failing(home, name, call) },
      home,
    });
    expect(code).toBe(16);
    expect(stderr).toContain('WAS applied');
    expect(stderr).toContain(isShown ? 'The response is on stdout' : 'The response is lost');
    expect(stdout).toBe(isShown ? ANSWER : '');
    expect(existsSync(fileIn(home, 'a.json'))).toBe(false);
    expect(stderr + kept(home.stateDir)).not.toContain(SECRET);
  },
);

test.each([
  ['sync', 2],
  ['close', 1],
] as const)('a file with the whole provisioning stays, whatever fails after it: %s', async (name, call) => {
  const home = createHome();
  const server = await service(home);
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--out', fileIn(home, 'a.json')], {
    env: { ...server.env, ...failing(home, name, call) },
    home,
  });
  expect({ code, stdout }).toEqual({ code: 16, stdout: '' });
  expect(stderr).toContain('WAS applied');
  expect(stderr).toMatch(/the response is in \S+a\.json, and may not be there after a power cut/i);
  expect(readFileSync(fileIn(home, 'a.json'), 'utf8')).toBe(ANSWER);
});

test.each([{ status: 409, body: SECRET }, { status: 500, body: SECRET }, 'reset' as const])(
  'provision --out leaves no file after %j',
  async (reply) => {
    const home = createHome();
    const server = await service(home, { reply });
    await runFrontdesk([...PROVISION, '--out', 'a.json', '--retries', '0'], { env: server.env, home });
    expect(existsSync(fileIn(home, 'a.json'))).toBe(false);
  },
);

test('provision without --out refuses a stdout that is the null device', async () => {
  const home = createHome();
  const server = await startRecordingServer([]);
  const terminal = openTerminal([], {
    home,
    env: server.env,
    script: `$FD ${PROVISION.join(' ')} --json >/dev/null; echo "ended $?"; read -r over`,
  });
  await terminal.waitFor('ended 2');
  terminal.type('\n');
  expect((await terminal.end).text).toContain('null device');
  expect(server.requests).toEqual([]);
});

test.each([
  ['full', '>/dev/full', false],
  ['without a reader, and the history cannot be written', '| true', true],
])('a provisioning with a stdout that is %s is on the terminal of stderr', async (_what, to, breaksHistory) => {
  const home = createHome();
  const server = await service(home, { breaksHistory });
  const terminal = openTerminal([], {
    home,
    env: server.env,
    script: `$FD ${PROVISION.join(' ')} --json --yes ${to}; read -r over`,
  });
  await terminal.waitFor(/the response is on stderr/i);
  // Until then the terminal stays open: what was written last is not lost.
  terminal.type('\n');
  expect((await terminal.end).text).toContain(SECRET);
});

test.each([
  ['full', '>/dev/full', false],
  ['without a reader, and the history cannot be written', '| true', true],
])(
  'outside a terminal a provisioning that finds no place is lost, and the message says so: %s',
  async (_what, to, breaksHistory) => {
    const home = createHome();
    const server = await service(home, { breaksHistory });
    const script = `{ $FD ${PROVISION.join(' ')} --json 2>said; echo "ended $?" >&3; } 3>&2 ${to}; read -r over`;
    const terminal = openTerminal([], { home, env: server.env, script });
    await terminal.waitFor('ended 16');
    terminal.type('\n');
    await terminal.end;
    const stderr = readFileSync(join(home.path, 'said'), 'utf8');
    expect(stderr).toMatch(/the response is lost/i);
    expect(stderr + kept(home.stateDir)).not.toContain(SECRET);
  },
);

it.each([
  [80, 24],
  [60, 20],
] as const)(
  'a provisioning is shown whole in a terminal of %i by %i, with nothing between its characters',
  async (columns, rows) => {
    const home = createHome();
    const long = Array.from({ length: 840 }, (_, at) => String.fromCharCode(97 + (at % 26))).join('');
    const server = await service(home, {
      reply: { body: { encryptedPaymentInstrument: long, activationData: 'ünï' } },
    });
    const terminal = openTerminal(PROVISION, { home, env: server.env, columns, rows });
    await terminal.waitFor(/\? File for the secrets/);
    terminal.type('-\r');
    await terminal.waitFor(/y\/N/);
    terminal.type('y\r');
    const { text } = await terminal.end;
    expect(text).toContain(`encryptedPaymentInstrument\n${long}\nactivationData\nünï\n`);
    const one = ['--show-sensitive', '--columns', 'encryptedPaymentInstrument', '--out', join(home.path, 'kept.json')];
    const named = openTerminal([...PROVISION, ...one, '-y'], { home, env: server.env, columns, rows });
    expect((await named.end).text).toContain(`encryptedPaymentInstrument\n${long}\n`);
  },
);

it.each([[], ['-o', 'csv'], ['--no-input']])(
  'a provisioning with --columns and no file is refused, and a table of it has all members: %j',
  async (...more) => {
    const home = createHome();
    const server = await service(home, {
      reply: { body: { encryptedPaymentInstrument: 'e', activationData: 'a', other: { part: 'b' } } },
    });
    const run = (...words: string[]) =>
      runFrontdesk([...PROVISION, '--show-sensitive', ...words], { home, env: server.env });
    const refused = await run('--columns', 'activationData', ...more);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--columns: needs --out: the result is returned only once');
    expect(server.lines).toEqual([]);
    const { code, stdout } = await run(...more);
    const [names = '', values = ''] = stdout.split(/\r?\n/);
    expect([code, names.split(/[\t,]/).at(-1), values.split(/[\t,]/).at(-1)]).toEqual([0, 'other.part', 'b']);
  },
);

it.each(['y', 'N', 'yes', 'no'])(
  'the question for a file of a provisioning does not take %s for a name',
  async (answer) => {
    const home = createHome();
    const server = await service(home);
    const terminal = openTerminal(PROVISION, { home, env: server.env });
    await terminal.waitFor(/\? File for the secrets/);
    terminal.type(`${answer}\r`);
    await terminal.waitFor(`${answer} cannot be the file name`);
    // The line is empty again, so Enter takes the name that is offered.
    terminal.type('\r');
    await terminal.waitFor(/y\/N/);
    // The second Enter sends nothing.
    terminal.type('\r');
    const { code, text } = await terminal.end;
    expect({ code, posts: server.requests.filter(({ method }) => method === 'POST') }).toEqual({
      code: 130,
      posts: [],
    });
    expect(text).toContain('Nothing was sent.');
    expect(readdirSync(home.path).filter((name) => name.startsWith('provision-') || name === answer)).toEqual([]);
  },
);

it('a provisioning in a terminal shows the card, asks for a file, then for yes or no', async () => {
  const home = createHome();
  const server = await service(home);
  const asked = async (...answers: readonly string[]) => {
    const terminal = openTerminal(PROVISION, { home, env: server.env, columns: 200 });
    await terminal.waitFor(/Status[\s\S]*\? File for the secrets/);
    terminal.type(`${answers[0]}\r`);
    await terminal.waitFor(answers.length > 2 ? /cannot be the file name/ : /y\/N/);
    terminal.type(`${answers[1]}\r`);
    if (answers.length > 2) {
      await terminal.waitFor(/y\/N/);
      terminal.type(`${answers[2]}\r`);
    }
    return (await terminal.end).text;
  };
  expect(await asked('answer.json', 'y')).not.toContain(SECRET);
  expect(readFileSync(join(home.path, 'answer.json'), 'utf8')).toBe(ANSWER);
  await asked('', 'y');
  const offered = `provision-${CARD_ID.slice(0, 8)}-wallet_a`;
  expect(readFileSync(join(home.path, `${offered}.json`), 'utf8')).toBe(ANSWER);
  await asked('y', '', 'y');
  expect(readFileSync(join(home.path, `${offered}-2.json`), 'utf8')).toBe(ANSWER);
  expect(await asked('-', 'y')).toContain(SECRET);
  const sent = server.requests.length;
  expect(await asked('-', 'n')).not.toContain(SECRET);
  expect(server.requests.slice(sent).filter(({ method }) => method === 'POST')).toEqual([]);
});

// Bodies with members of these names in a refusal, whatever was asked for and wherever they are.
const LEAKS: readonly (readonly [name: string, body: string])[] = [
  ['a member', `{"errorCode":"E1","message":"no luck","details":{"deep":[{"activationData":"${SECRET}"}]}}`],
  ['JSON inside a text', JSON.stringify({ errorCode: 'E1', message: `got {"authenticationData":"${SECRET}"}` })],
  ['a cut body', `{"errorCode":"E1","encryptedPaymentInstrument":"${SECRET}`],
  ['no JSON', `<p>activationData=${SECRET}</p>`],
  ['another spelling of a member', `{"errorCode":"E1","message":"no luck","activation_data":"${SECRET}"}`],
  ['a long body', JSON.stringify({ errorCode: 'E1', message: `activationData: ${SECRET}`, more: 'x'.repeat(100_000) })],
];

describe.each([400])('one-time secrets in a refusal with %d', (status) => {
  test.each(LEAKS)('are left out of every stream and record: %s', async (_name, body) => {
    const home = createHome();
    const server = await startRecordingServer(() => ({ status, body }));
    const calls = [
      [...PROVISION, '--json', '-v', '--retries', '0'],
      [...PROVISION, '--out', 'a.json', '--again', '--retries', '0'],
      ['card', 'get', CARD_ID, '-v', '--retries', '0'],
    ];
    for (const args of calls) {
      const { code, stdout, stderr } = await runFrontdesk(args, { env: server.env, home });
      expect([6, 8, 10]).toContain(code);
      expect(stderr).toContain(String(status));
      expect(stdout + stderr + kept(home.stateDir)).not.toContain(SECRET);
    }
  });
});

const PAIR = `{"fields":[{"name":"activationData","value":"${SECRET}"}]}`;

test.each<[string, Exclude<Reply, string>]>([
  ['a name with an escape, in a cut body', { status: 400, body: `{"activation\\u0044ata":"${SECRET}","x":` }],
  ['a pair of name and value', { status: 400, body: PAIR }],
  ['a pair in a long body', { status: 400, body: `${PAIR.slice(0, -1)},"more":"${'x'.repeat(100_000)}"}` }],
  ['a pair in an error that is a 2xx', { body: `{"errorCode":"E1","message":"${SECRET}","of":"activation-data"}` }],
  ['a pair in a 2xx that is the resource', { body: `{"encryptedPaymentInstrument":"x",${PAIR.slice(1)}` }],
  [
    'headers',
    {
      status: 401,
      headers: {
        'www-authenticate': `Bearer error="x", error_description="activation%44ata ${SECRET}"`,
        'x-request-id': `activation_data.${SECRET}`,
        'x-authentication-data': SECRET,
      },
      body: '',
    },
  ],
])('a provisioning shows no secret in messages, -v and records: %s', async (_what, reply) => {
  const home = createHome();
  const server = await startRecordingServer(() => reply);
  const args = [...PROVISION, '--out', 'a.json', '--json', '-v', '--retries', '0'];
  const { stderr } = await runFrontdesk(args, { env: server.env, home });
  expect(stderr).toContain(`< ${reply.status ?? 200} `);
  expect(stderr + kept(home.stateDir)).not.toContain(SECRET);
});

test('what comes once is printed as it came, also where the token is in it', async () => {
  const home = createHome();
  const server = await startRecordingServer(() => ({ body: { encryptedPaymentInstrument: `x${CARDS_TOKEN}y` } }));
  const { code, stdout } = await runFrontdesk([...PROVISION, '--json'], { env: server.env, home });
  expect({ code, stdout }).toEqual({ code: 0, stdout: `{\n  "encryptedPaymentInstrument": "x${CARDS_TOKEN}y"\n}\n` });
});

// Somebody does this to the file of --out while the request runs.
const MEANWHILE: readonly (readonly [what: string, act: (file: string) => void, name: string, said: RegExp])[] = [
  ['removed', (file) => rmSync(file), 'a.json', /the response is in a\.json$/im],
  [
    'replaced',
    (file) => {
      rmSync(file);
      writeFileSync(file, 'of somebody else');
    },
    'a-2.json',
    /the response is in a-2\.json: a\.json was replaced by another file$/im,
  ],
];

test.each(MEANWHILE)('a file of --out that is %s while the request runs loses nothing', async (_, act, name, said) => {
  const home = createHome();
  const server = await startRecordingServer(({ method }) => {
    if (method === 'POST') act(fileIn(home, 'a.json'));
    return { body: { encryptedPaymentInstrument: SECRET } };
  });
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--out', 'a.json'], { env: server.env, home });
  expect(code).toBe(0);
  expect(stderr).toMatch(said);
  expect(readFileSync(fileIn(home, name), 'utf8')).toBe(ANSWER);
  expect(statSync(fileIn(home, name)).mode & 0o777).toBe(0o600);
  expect(readFileSync(fileIn(home, 'a.json'), 'utf8')).toBe(name === 'a.json' ? ANSWER : 'of somebody else');
  expect(stdout + stderr).not.toContain(SECRET);
});

test('a refusal leaves the file alone that somebody else put in the place of --out', async () => {
  const home = createHome();
  const server = await startRecordingServer(() => {
    rmSync(fileIn(home, 'a.json'));
    writeFileSync(fileIn(home, 'a.json'), 'of somebody else');
    return { status: 409, body: { errorCode: 'E', message: 'no' } };
  });
  const { code } = await runFrontdesk([...PROVISION, '--out', 'a.json'], { env: server.env, home });
  expect(code).toBe(6);
  expect(readFileSync(fileIn(home, 'a.json'), 'utf8')).toBe('of somebody else');
});

test.each([
  ['as text', Buffer.from('{"encryptedPaymentInstrument":"x'), '"{\\"encryptedPaymentInstrument\\":\\"x"\n', false],
  ['as base64', Buffer.from([0xff, 0xfe, 0x00]), '"//4A"\n', true],
])('a 2xx of a provisioning that cannot be read is one JSON string on stdout: %s', async (_, body, text, isEncoded) => {
  const home = createHome();
  const server = await startRecordingServer(() => ({ body }));
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--json'], { env: server.env, home });
  expect({ code, stdout }).toEqual({ code: 8, stdout: text });
  expect(stderr.includes('in base64')).toBe(isEncoded);
});
