import { describe, expect, test } from 'vitest';
import { CLOSED_PORT } from '../support/fault-server.ts';
import { CARDS_TOKEN, type Reply, startRecordingServer } from '../support/recording-server.ts';
import { runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// Errors as text and as JSON, and the table of exit codes.

const OTHER_ID = '11111111-2222-3333-4444-555555555555';
const ONCE = ['--retries', '0'];
const GET = ['card', 'get', CARD_ID, ...ONCE];
const BLOCK = ['card', 'block', CARD_ID, '-y', ...ONCE];
const EVENT = ['calendar', 'event', 'create', '--calendar', 'c', '--name', 'n', '--start', '2026-05-01', ...ONCE];
const REFUSAL = { errorCode: 'CARD_NOT_FOUND', message: 'no such card', details: { a: 1 } };

function refusal(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { 'x-request-id': 'req-1', ...headers }, body: REFUSAL };
}

async function failing(args: readonly string[], reply: Reply) {
  const server = await startRecordingServer(() => reply);
  const result = await runFrontdesk([...args, '--json'], { env: server.env });
  expect(result.stdout).toBe('');
  const lines = result.stderr.trimEnd().split('\n');
  return { ...result, server, error: JSON.parse(lines.at(-1) ?? '').error, lines };
}

const ID = '7c0e1111-2222-3333-4444-555566667777';

test.each([
  [['card', 'block', ID, '--reason', 'lost', 'ticket', '4711', '-y'], '--reason "lost ticket 4711"'],
  [['card', 'block', '--reason', 'lost', 'ticket', ID, '-y'], '--reason "lost ticket"'],
  [
    ['calendar', 'event', 'create', '--calendar', 'c', '--name', "Ann's", 'party', '--start', '2027-01-01'],
    `--name "Ann's party"`,
  ],
  [['card', 'reissue', ID, '--reason', 'paid', '$5', '-y'], "--reason 'paid $5'"],
])('a text without quotes (%j) gets the hint to quote it', async (args, quoted) => {
  const server = await startRecordingServer([]);
  const { code, stdout, stderr } = await runFrontdesk(args, { env: server.env });
  expect({ code, stdout, requests: server.requests.length }).toEqual({ code: 2, stdout: '', requests: 0 });
  expect(stderr).toContain(`\nhint: put the text in quotes: ${quoted}\n`);
});

describe('a card id that was pasted with something around it', () => {
  const ID = '7c0e1111-2222-3333-4444-555566667777';

  test.each([`{${ID}}`, `https://desk.example.com/cards/${ID}?tab=log`])(
    'a pasted card ID %j is refused with the whole command to paste',
    async (pasted) => {
      const server = await startRecordingServer([]);
      const args = ['card', 'block', pasted, '--reason', "lost it's gone", '-y'];
      const { code, stdout, stderr } = await runFrontdesk(args, { env: server.env });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(
        `hint: check the ID, then run: frontdesk card block ${ID} --reason 'lost it'\\''s gone'\n`,
      );
    },
  );

  test('several pasted card IDs are all cleaned in the suggested command', async () => {
    const server = await startRecordingServer([]);
    const other = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
    const { stderr } = await runFrontdesk(['card', 'get', `{${ID}}`, other.toUpperCase(), `<${other}>`], {
      env: server.env,
    });
    expect(stderr).toContain('  <cardId> 1: "{7c0e1111-2222-3333-4444-555566667777}" is not a card ID: did you mean');
    expect(stderr).toContain('  <cardId> 3: "<0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101>" is not a card ID: did you mean');
    expect(stderr).toContain(
      `hint: check the ID, then run: frontdesk card get ${ID} ${other.toUpperCase()} ${other}\n`,
    );
    expect(stderr).not.toContain('line 1');
  });

  test('a card ID with a lost digit is named, and no command is suggested', async () => {
    const server = await startRecordingServer([]);
    const { code, stderr } = await runFrontdesk(['card', 'get', ID.slice(0, -1)], { env: server.env });
    expect(code).toBe(2);
    expect(stderr).toBe(
      `frontdesk: <cardId>: "${ID.slice(0, -1)}" is not a card ID (31 digits, not 32). A card ID has 36 characters with dashes, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101\n`,
    );
  });

  test.each([
    [['card', 'get', `${ID} ${OTHER_ID}`, '-o', 'json'], `frontdesk card get ${ID} ${OTHER_ID} -o json`],
    [['card', 'wait', `Card: ${ID}.`, '--status', 'ACTIVE'], `frontdesk card wait ${ID} --status ACTIVE`],
    [['card', 'activate', `<${ID}>`, '-qy'], `frontdesk card activate ${ID} -q`],
  ])('a pasted card ID in %j is refused with `%s`', async (args, command) => {
    const server = await startRecordingServer([]);
    const { code, stderr } = await runFrontdesk(args, { env: server.env });
    expect(code).toBe(2);
    const text = args.includes('json') ? JSON.parse(stderr).error.hint : stderr;
    expect(text).toContain(`check the ID, then run: ${command}`);
    expect(server.requests).toEqual([]);
  });

  test('two card IDs in one text are both named, and no change is suggested', async () => {
    const server = await startRecordingServer([]);
    const { code, stderr } = await runFrontdesk(['card', 'block', `${ID}, ${OTHER_ID}`, '-y'], { env: server.env });
    expect(code).toBe(2);
    expect(stderr).toContain(`holds 2 card IDs: ${ID}, ${OTHER_ID}. Nothing was sent.\n`);
    expect(stderr).not.toContain('hint: check');
    expect(server.requests).toEqual([]);
  });

  test('a pasted card ID beside an option that may hold a secret is suggested alone', async () => {
    const secret = 'Bearer abcdefgh12345678';
    const { stderr } = await runFrontdesk(['card', 'block', `<${ID}>`, '--reason', secret]);
    expect(stderr).toContain(`hint: give the ID alone: ${ID}\n`);
    expect(stderr).not.toContain('abcdefgh');
  });

  test.each([
    [[ID], `frontdesk card get ${ID}`],
    [['card', ID, '-p', 'live', '-y'], `frontdesk card get ${ID} -p live`],
    [['history', ID], `frontdesk history --id ${ID}`],
    [['card', `${ID} ${OTHER_ID}`], `frontdesk card get ${ID} ${OTHER_ID}`],
  ])('a card ID in the place of a command: %j names `%s`', async (args, command) => {
    const { code, stderr } = await runFrontdesk(args);
    expect(code).toBe(2);
    expect(stderr).toContain(`hint: did you mean \`${command}\`?\n`);
  });
});

test.each<[readonly string[], string]>([
  [['card', 'block', '0b7a6c1e/3f52'], '<cardId>'],
  [['card', 'reissue', CARD_ID, 'zz', '--yes'], '<cardId> 2'],
  [['card', 'provision', CARD_ID, '--wallet', 'wallet_c'], '--wallet'],
  [['calendar', 'update', 'c1'], 'nothing to change'],
  [['card', 'block', CARD_ID], '--yes'],
  [['calendar', 'update', 'a', 'b', '--name', 'n'], 'unexpected argument'],
  [['card', 'block', '--from', 'missing.csv', '-y'], '"missing.csv"'],
])('%j says once that nothing was sent', async (args, where) => {
  const server = await startRecordingServer([]);
  const shown = await runFrontdesk(args, { env: server.env });
  expect(shown).toMatchObject({ code: 2, stdout: '' });
  expect(shown.stderr).toContain(where);
  expect(shown.stderr.split(/nothing was sent/i)).toHaveLength(2);
  const { error } = JSON.parse((await runFrontdesk([...args, '--json'], { env: server.env })).stderr);
  expect(error).toMatchObject({ code: 'USAGE', exitCode: 2, outcome: 'not_sent' });
  expect(error.message.split(/nothing was sent/i)).toHaveLength(2);
  expect(server.lines).toEqual([]);
});

test.each<[readonly string[], Readonly<Record<string, string>>, object]>([
  [['card', 'activate', CARD_ID, '--expect', 'status=BLOCKED'], {}, { code: 'PRECONDITION', exitCode: 17 }],
  [['card', 'activate', CARD_ID], { FRONTDESK_STATE_DIR: '/proc/state' }, { code: 'LOCAL_IO', exitCode: 16 }],
  [
    ['api', 'POST', '/v1/events/import', '--yes'],
    { FRONTDESK_STATE_DIR: '/proc/state' },
    { code: 'LOCAL_IO', exitCode: 16 },
  ],
])('%j that a signal ends says that nothing was sent', async (args, env, expected) => {
  const server = await startRecordingServer(() => ({ body: cardText('ACTIVE') }));
  const { stderr } = await runFrontdesk([...args, '--json'], { env: { ...server.env, ...env } });
  const { error } = JSON.parse(stderr);
  expect(error).toMatchObject({ ...expected, outcome: 'not_sent' });
  expect(error.message).toMatch(/\. Nothing was sent\.$/);
  expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
});

test('a refused raw read has no outcome', async () => {
  const { code, stderr } = await runFrontdesk(['api', 'GET', '/v1/cards/..', '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(stderr).error).not.toHaveProperty('outcome');
});

test('two options that exclude each other hide no error of a value', async () => {
  const event = ['calendar', 'event', 'create', '--calendar', 'c1', '--name', 'x', '--start', '2027-01-01'];
  const { code, stderr } = await runFrontdesk([...event, '--url', 'ftp://x', '--no-url']);
  expect(code).toBe(2);
  expect(stderr).toBe(
    'frontdesk: 2 faults, nothing was sent:\n  --url and --no-url: exclude each other\n  --url: must begin with http:// or https:// (or be empty): "ftp://x"\n',
  );
});

test('a JSON error has its documented members in their order', async () => {
  const { error, lines, code } = await failing(BLOCK, refusal(404));
  expect(code).toBe(3);
  expect(lines.length).toBe(1);
  expect(Object.keys(error).slice(0, 4)).toEqual(['code', 'exitCode', 'message', 'hint']);
  expect(error).toMatchObject({
    code: 'NOT_FOUND',
    exitCode: 3,
    operation: 'card.block',
    id: CARD_ID,
    outcome: 'rejected',
    http: { status: 404, requestId: 'req-1' },
    service: REFUSAL,
    attempts: 1,
  });
  const named = ['code', 'exitCode', 'message', 'hint', 'operation', 'id', 'outcome', 'http', 'service', 'attempts'];
  expect(Object.keys(error).filter((name) => named.includes(name))).toEqual(named);
});

test.each([
  ['{"error":{"type":"invalid","param":"email"}}', ' ({"error":{"type":"invalid","param":"email"}})'],
  [`{"errors":["${'x'.repeat(500)}"]}`, ` ({"errors":["${'x'.repeat(107)}…)`],
  ['{}', ''],
])('a JSON error shows the beginning of a body of no known shape: %j', async (body, shown) => {
  const server = await startRecordingServer([{ status: 400, body }]);
  const result = await runFrontdesk(EVENT, { env: server.env });
  expect(result).toMatchObject({ code: 6, stdout: '' });
  expect(result.stderr.split('\n')[0]).toMatch(/the service returned 400/);
  expect(result.stderr).toContain(`the service returned 400${shown}`);
});

test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
  ['a misspelt command', ['card', 'gett', CARD_ID, '--json'], {}],
  ['a misspelt group', ['crad', '-o', 'ndjson'], {}],
  ['an unknown option', ['card', 'get', CARD_ID, '--jsn'], { FRONTDESK_OUTPUT: 'json' }],
  ['a group without its command', ['card', '--json'], {}],
  ['no URL', ['card', 'get', CARD_ID, '--json'], {}],
])('a JSON error is one line on stderr for %s too', async (_, args, env) => {
  const { code, stdout, stderr } = await runFrontdesk(args, { env });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.split('\n').length).toBe(2);
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'USAGE', exitCode: 2 });
});

test('notices in JSON modes are lines {"notice":{"code","message"}}', async () => {
  const server = await startRecordingServer([
    { status: 429, headers: { 'retry-after': '0' }, body: REFUSAL },
    { body: cardText('ACTIVE') },
  ]);
  const { stderr, code } = await runFrontdesk(['card', 'get', CARD_ID, '--json'], { env: server.env });
  expect(code).toBe(0);
  const { notice } = JSON.parse(stderr);
  expect(Object.keys(notice)).toEqual(['code', 'message']);
});

test.each([
  ['without a credential', { FRONTDESK_CARDS_TOKEN: undefined }, { code: 'AUTH', exitCode: 4 }],
  ['without a state folder', { FRONTDESK_STATE_DIR: '/proc/state' }, { code: 'LOCAL_IO', exitCode: 16 }],
])('a change of several cards %s says that nothing was sent', async (_, env, error) => {
  const server = await startRecordingServer([]);
  const args = ['card', 'block', CARD_ID, OTHER_ID, '--yes', '--json'];
  const result = await runFrontdesk(args, { env: { ...server.env, ...env } });
  expect(result).toMatchObject({ code: error.exitCode, stdout: '' });
  expect(JSON.parse(result.stderr).error).toMatchObject({ ...error, outcome: 'not_sent' });
  expect(server.lines).toEqual([]);
});

test('card get of two cards exits with 15 if one cannot be read, and its error has the row', async () => {
  const server = await startRecordingServer(({ url }) =>
    url.endsWith(OTHER_ID) ? refusal(404) : { body: cardText('ACTIVE') },
  );
  const { code, stdout, stderr } = await runFrontdesk([...GET, OTHER_ID, '--json'], { env: server.env });
  expect(code).toBe(15);
  expect(JSON.parse(stdout).map(({ cardId }: { cardId: string }) => cardId)).toEqual([CARD_ID]);
  const [error, summary] = stderr.trimEnd().split('\n');
  expect(JSON.parse(error ?? '').error).toMatchObject({ code: 'NOT_FOUND', id: OTHER_ID, row: 2 });
  expect(Object.keys(JSON.parse(summary ?? '').summary)).toEqual([
    'run',
    'rows',
    'outcomes',
    'requests',
    'earlier',
    'exitCode',
    'resume',
  ]);
});

const MISFIT = 'could not be applied to the result: abs() wants a number as argument 1, got';

test.each([
  ['json', 'abs([0].outcome)', 'null\n', [`--query "abs([0].outcome)": ${MISFIT} string`]],
  ['ndjson', 'abs(outcome)', 'null\nnull\n', ['row 1: --query "abs(outcome)": ', 'row 2: --query "abs(outcome)": ']],
])('a --query in %s that does not fit stops no run: null, a warning for each row, and 15', async (...given) => {
  const [format, query, stdout, warnings] = given;
  const server = await startRecordingServer(({ url }) => ({ body: cardText('BLOCKED', url.split('/')[3]) }));
  const args = [...BLOCK, OTHER_ID, '-j', '1', '-o', format, '--query', query];
  const result = await runFrontdesk(args, { env: server.env });
  expect(result).toMatchObject({ code: 15, stdout });
  const told = result.stderr.trimEnd().split('\n');
  const notices = told.slice(0, -1).map((line) => JSON.parse(line).notice);
  expect(notices).toEqual(warnings.map((text) => ({ code: 'QUERY_MISFIT', message: expect.stringContaining(text) })));
  expect(JSON.parse(told.at(-1) ?? '').summary).toMatchObject({ outcomes: { applied: 2 }, exitCode: 15 });
  expect(server.requests).toHaveLength(2);
});

test.each([
  [GET, ['--json'], 'null\n', 15],
  [['card', 'get', CARD_ID, OTHER_ID], ['-o', 'ndjson', '-j', '1'], 'null\nnull\n', 15],
  [['card', 'activate', CARD_ID], ['--json'], 'null\n', 15],
  [['card', 'activate', CARD_ID], ['--json', '--raw'], '\n', 15],
])(
  'a --query that does not fit a single resource or a row of a read is null: %j %j',
  async (call, how, stdout, code) => {
    const server = await startRecordingServer(({ url }) => ({ body: cardText('ACTIVE', url.split('/')[3]) }));
    const result = await runFrontdesk([...call, ...how, '--query', 'abs(status)'], { env: server.env });
    expect(result).toMatchObject({ code, stdout });
    expect(result.stderr).toContain(`${MISFIT} string`);
  },
);

test('a --query that can fit no document is refused before anything is sent', async () => {
  const server = await startRecordingServer([]);
  const args = [...BLOCK, '--json', '--query', 'sort_by(transactions, amount)'];
  const { code, stderr } = await runFrontdesk(args, { env: server.env });
  expect(code).toBe(2);
  expect(stderr).toContain('sort_by() wants an expression as argument 2: write & before it');
  expect(server.requests).toEqual([]);
});

test('a --query that compares with a name that nothing has is warned of, with the right spelling', async () => {
  const server = await startRecordingServer([{ body: cardText('ACTIVE') }]);
  const result = await runFrontdesk([...GET, '--query', 'status == "ACTIVE"'], { env: server.env });
  expect(result).toMatchObject({
    code: 0,
    stdout: 'false\n',
    stderr: "frontdesk: warning: --query: nothing in the result has a field ACTIVE: the text is written 'ACTIVE'\n",
  });
});

const closed = { FRONTDESK_CARDS_URL: `http://127.0.0.1:${CLOSED_PORT}`, FRONTDESK_CARDS_TOKEN: CARDS_TOKEN };
test.each([
  ['a read of no id', ['card', 'get', 'x'], 2],
  ['a read that reaches nobody', GET, 7],
  ['reads of several cards', ['card', 'get', CARD_ID, OTHER_ID, ...ONCE], 7],
  ['a listing of the history', ['history', '--id', ''], 2],
  ['a setting', ['config', 'get', 'nope'], 2],
  ['a removal that nobody confirms', ['history', 'prune', '--older-than', 'x'], 2],
])('"Nothing was sent." is not said of %s', async (_, args, code) => {
  const result = await runFrontdesk(args, { env: closed });
  expect(result.code).toBe(code);
  expect(result.stderr).not.toMatch(/nothing was (?:sent|changed)/i);
});

test('"Nothing was sent." is not said of a card wait that Ctrl-C ends', async () => {
  const server = await startRecordingServer(({ url }) => ({ body: cardText('ACTIVE', url.split('/')[3]) }));
  const running = startFrontdesk(['card', 'wait', CARD_ID, '--status', 'BLOCKED'], { env: server.env });
  await running.waitForOutput('waiting for BLOCKED');
  running.child.kill('SIGINT');
  const result = await running.result;
  expect(result.signal).toBe('SIGINT');
  expect(result.stderr).toMatch(/cancelled by Ctrl-C\n/);
});

test('a row of a run without a connection names the command that resumes the run', async () => {
  const env = { FRONTDESK_CARDS_URL: `http://127.0.0.1:${CLOSED_PORT}`, FRONTDESK_CARDS_TOKEN: CARDS_TOKEN };
  const result = await runFrontdesk([...BLOCK, OTHER_ID, '-o', 'ndjson'], { env });
  expect(result.code).toBe(7);
  expect(result.stdout).not.toContain('Try again');
  expect(result.stderr).toContain('"resume":"frontdesk runs resume ');
  expect((await runFrontdesk(BLOCK, { env })).stderr).toContain('try again in a minute');
});
