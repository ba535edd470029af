import { expect, test } from 'vitest';
import { callAt, refused } from '../support/calls.ts';
import { CLOSED_PORT } from '../support/fault-server.ts';
import { CARDS_TOKEN, type Handler } from '../support/recording-server.ts';
import { runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// Errors as text and as JSON, and the table of exit codes.

const OTHER_ID = '11111111-2222-3333-4444-555555555555';
const ONCE = ['--retries', '0'];
const GET = ['card', 'get', CARD_ID, ...ONCE];
const BLOCK = ['card', 'block', CARD_ID, '-y', ...ONCE];
const REFUSAL = { errorCode: 'CARD_NOT_FOUND', message: 'no such card', details: { a: 1 } };
const cards =
  (status: string): Handler =>
  ({ url }) => ({ body: cardText(status, url.split('/')[3]) });

const EVENT = ['calendar', 'event', 'create', '--calendar', 'c', '--start', '2027-01-01'];

test.each([
  [['card', 'block', CARD_ID, '--reason', 'lost', 'ticket', '4711', '-y'], '--reason "lost ticket 4711"'],
  [['card', 'block', '--reason', 'lost', 'ticket', CARD_ID, '-y'], '--reason "lost ticket"'],
  [[...EVENT, '--name', "Ann's", 'party'], `--name "Ann's party"`],
  [['card', 'reissue', CARD_ID, '--reason', 'paid', '$5', '-y'], "--reason 'paid $5'"],
])('a text without quotes (%j) gets the hint to quote it', async (args, quoted) => {
  expect(await refused(args)).toContain(`\nhint: put the text in quotes: ${quoted}\n`);
});

const REASON = ['--reason', "lost it's gone", '-y'];
const FULL = `frontdesk card block ${CARD_ID} --reason 'lost it'\\''s gone'`;
const UPPER = OTHER_ID.replace('1', 'A');

test.each([
  [['card', 'block', `{${CARD_ID}}`, ...REASON], FULL],
  [['card', 'block', `https://desk.example.com/cards/${CARD_ID}?tab=log`, ...REASON], FULL],
  [['card', 'get', `{${CARD_ID}}`, UPPER, `<${OTHER_ID}>`], `frontdesk card get ${CARD_ID} ${UPPER} ${OTHER_ID}`],
  [['card', 'get', `${CARD_ID} ${OTHER_ID}`, '-o', 'json'], `frontdesk card get ${CARD_ID} ${OTHER_ID} -o json`],
  [['card', 'wait', `Card: ${CARD_ID}.`, '--status', 'ACTIVE'], `frontdesk card wait ${CARD_ID} --status ACTIVE`],
  [['card', 'activate', `<${CARD_ID}>`, '-qy'], `frontdesk card activate ${CARD_ID} -q`],
])('a pasted card ID in %j is refused with the whole command to paste: `%s`', async (args, command) => {
  const stderr = await refused(args);
  const text = args.includes('json') ? `${JSON.parse(stderr).error.hint}\n` : stderr;
  expect(text).toContain(`check the ID, then run: ${command}\n`);
});

test('no command is suggested for a card ID beside an option that may hold a secret', async () => {
  const stderr = await refused(['card', 'block', `<${CARD_ID}>`, '--reason', 'Bearer abcdefgh12345678']);
  expect(stderr.replace(/^.*\n/, '')).toBe(`hint: give the ID alone: ${CARD_ID}\n`);
});

test.each([
  [[CARD_ID], `frontdesk card get ${CARD_ID}`],
  [['card', CARD_ID, '-p', 'live', '-y'], `frontdesk card get ${CARD_ID} -p live`],
  [['history', CARD_ID], `frontdesk history --id ${CARD_ID}`],
  [['card', `${CARD_ID} ${OTHER_ID}`], `frontdesk card get ${CARD_ID} ${OTHER_ID}`],
])('a card ID in the place of a command: %j names `%s`', async (args, command) => {
  expect(await refused(args)).toContain(`hint: did you mean \`${command}\`?\n`);
});

test.each<[readonly string[], string]>([
  [['card', 'reissue', CARD_ID, 'zz', '--yes'], '<cardId> 2'],
  [['calendar', 'update', 'c1'], 'nothing to change'],
  [['card', 'block', CARD_ID], '--yes'],
  [['card', 'block', '--from', 'missing.csv', '-y'], '"missing.csv"'],
])('%j says once that nothing was sent', async (args, where) => {
  const shown = await refused(args);
  expect(shown).toContain(where);
  expect(shown.split(/nothing was sent/i)).toHaveLength(2);
  const { error } = JSON.parse(await refused([...args, '--json']));
  expect(error).toMatchObject({ code: 'USAGE', exitCode: 2, outcome: 'not_sent' });
  expect(error.message.split(/nothing was sent/i)).toHaveLength(2);
});

const NO_STATE = { FRONTDESK_STATE_DIR: '/proc/state' };
const NO_TOKEN = { FRONTDESK_CARDS_TOKEN: undefined };
const BOTH = ['card', 'block', CARD_ID, OTHER_ID, '--yes'];

test.each<[readonly string[], Readonly<Record<string, string | undefined>>, string, number]>([
  [['card', 'activate', CARD_ID, '--expect', 'status=BLOCKED'], {}, 'PRECONDITION', 17],
  [['card', 'activate', CARD_ID], NO_STATE, 'LOCAL_IO', 16],
  [['api', 'POST', '/v1/events/import', '--yes'], NO_STATE, 'LOCAL_IO', 16],
  [BOTH, NO_STATE, 'LOCAL_IO', 16],
  [BOTH, NO_TOKEN, 'AUTH', 4],
])('%j that ends before its request says that nothing was sent', async (args, env, code, exitCode) => {
  const { stdout, stderr, server } = await callAt(cards('ACTIVE'), [...args, '--json'], { env });
  const { error } = JSON.parse(stderr);
  expect([stdout, error]).toMatchObject(['', { code, exitCode, outcome: 'not_sent' }]);
  expect(error.message).toMatch(/\. Nothing was sent\.$/);
  expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
});

test('a refused raw read has no outcome', async () => {
  expect(JSON.parse(await refused(['api', 'GET', '/v1/cards/..', '--json'])).error).not.toHaveProperty('outcome');
});

test('two options that exclude each other hide no error of a value', async () => {
  expect(await refused([...EVENT, '--name', 'x', '--url', 'ftp://x', '--no-url'])).toBe(
    'frontdesk: 2 faults, nothing was sent:\n  --url and --no-url: exclude each other\n  --url: must begin with http:// or https:// (or be empty): "ftp://x"\n',
  );
});

test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
  ['a misspelt command', ['card', 'gett', CARD_ID, '--json'], {}],
  ['an unknown option', ['card', 'get', CARD_ID, '--jsn'], { FRONTDESK_OUTPUT: 'json' }],
  ['a group without its command', ['card', '--json'], {}],
  ['no URL', ['card', 'get', CARD_ID, '--json'], { FRONTDESK_CARDS_URL: '' }],
])('a JSON error is one line on stderr for %s too', async (_, args, env) => {
  const stderr = await refused(args, { env });
  expect(stderr.split('\n').length).toBe(2);
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'USAGE', exitCode: 2 });
});

test('notices in JSON modes are lines {"notice":{"code","message"}}', async () => {
  const busy = { status: 429, headers: { 'retry-after': '0' }, body: REFUSAL };
  const { stderr, code } = await callAt([busy, { body: cardText('ACTIVE') }], ['card', 'get', CARD_ID, '--json']);
  expect([code, Object.keys(JSON.parse(stderr).notice)]).toEqual([0, ['code', 'message']]);
});

const MISFIT = 'could not be applied to the result: abs() wants a number as argument 1, got';

test.each([
  ['json', 'abs([0].outcome)', 'null\n', [`--query "abs([0].outcome)": ${MISFIT} string`]],
  ['ndjson', 'abs(outcome)', 'null\nnull\n', ['row 1: --query "abs(outcome)": ', 'row 2: --query "abs(outcome)": ']],
])('a --query in %s that does not fit stops no run: null, a warning for each row, and 15', async (...given) => {
  const [format, query, expected, warnings] = given;
  const args = [...BLOCK, OTHER_ID, '-j', '1', '-o', format, '--query', query];
  const { code, stdout, stderr, server } = await callAt(cards('BLOCKED'), args);
  expect([code, stdout, server.lines.length]).toEqual([15, expected, 2]);
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [{ summary }, ...notices] = lines.reverse();
  const expectedNotices = warnings.map((text) => ({ code: 'QUERY_MISFIT', message: expect.stringContaining(text) }));
  expect(notices.reverse().map(({ notice }) => notice)).toEqual(expectedNotices);
  expect(summary).toMatchObject({ outcomes: { applied: 2 }, exitCode: 15 });
});

test.each([
  [GET, ['--json'], 'null\n'],
  [['card', 'get', CARD_ID, OTHER_ID], ['-o', 'ndjson', '-j', '1'], 'null\nnull\n'],
  [['card', 'activate', CARD_ID], ['--json'], 'null\n'],
  [['card', 'activate', CARD_ID], ['--json', '--raw'], '\n'],
])('a --query that does not fit a resource or a row of a read is null, and 15: %j %j', async (call, how, stdout) => {
  const result = await callAt(cards('ACTIVE'), [...call, ...how, '--query', 'abs(status)']);
  expect(result).toMatchObject({ code: 15, stdout, stderr: expect.stringContaining(`${MISFIT} string`) });
});

test('a --query that compares with a name that nothing has is warned of, with the right spelling', async () => {
  const stderr =
    "frontdesk: warning: --query: nothing in the result has a field ACTIVE: the text is written 'ACTIVE'\n";
  const result = await callAt([{ body: cardText('ACTIVE') }], [...GET, '--query', 'status == "ACTIVE"']);
  expect(result).toMatchObject({ code: 0, stdout: 'false\n', stderr });
});

const closed = { FRONTDESK_CARDS_URL: `http://127.0.0.1:${CLOSED_PORT}`, FRONTDESK_CARDS_TOKEN: CARDS_TOKEN };
test.each([
  ['a read of no id', ['card', 'get', 'x'], 2],
  ['a read that reaches nobody', GET, 7],
  ['reads of several cards', ['card', 'get', CARD_ID, OTHER_ID, ...ONCE], 7],
  ['a listing of the history', ['history', '--id', ''], 2],
  ['a removal that nobody confirms', ['history', 'prune', '--older-than', 'x'], 2],
])('"Nothing was sent." is not said of %s', async (_, args, code) => {
  const result = await runFrontdesk(args, { env: closed });
  expect(result).toMatchObject({ code, stderr: expect.not.stringMatching(/nothing was (?:sent|changed)/i) });
});
