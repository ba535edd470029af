import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cardId, cardNumber, idLines, jsonLines, openPlain, refusal, rowLines } from '../support/plain-service.ts';
import { cardText } from '../support/sample-card.ts';

const ONE = cardId(1);
const TWO = cardId(2);
const GET = ['card', 'get', '--from', '-', '-o', 'ndjson'];
const BLOCK = ['card', 'block', '--from', '-', '--yes', '-o', 'ndjson'];
const SUBSCRIBERS = ['calendar', 'subscribers', 'update', '--from', '-', '--yes', '-o', 'ndjson'];

type Place = Awaited<ReturnType<typeof openPlain>>;

/** One call, one request after the other, and what reached the service, as `target body`. */
async function sent(args: readonly string[], stdin: string | Uint8Array, place?: Place) {
  const its = place ?? (await openPlain());
  const before = its.sent().length;
  const result = await its.run([...args, '-j', '1'], stdin);
  return { ...result, requests: its.sent().slice(before) };
}

/** Message of a call that was refused with exit 2 and sent nothing. */
async function refused(args: readonly string[], stdin: string | Uint8Array, place?: Place): Promise<string> {
  const { code, stdout, stderr, requests } = await sent(args, stdin, place);
  expect({ code, stdout, requests }).toEqual({ code: 2, stdout: '', requests: [] });
  return stderr;
}

const expired = () => refusal(409, 'CARD_EXPIRED');
const TILL = `Card Number;Ticket;Store;Paid\n${ONE};T-1;12;x\n${TWO};T-2;13;x\n${cardId(3)};T-3;12;x\nbad;T-4;13;x\n`;
const TICKETS = `cardId,Ticket\n${ONE},#REF!\n${TWO},="007"\n`;
const EMPTY_BETWEEN = `cardId,reason\n${ONE},lost\n,\n${TWO},lost\n`;
const LINES = `{"cardId":"${ONE}"}\n{"cardId":}\n5\n`;

test.each<[readonly string[], string, string]>([
  [[ONE], `${TWO}\n`, '<cardId> and --from: exclude each other'],
  [['--failed', '-'], idLines(2), '--failed: must be a file'],
  [['--shard', '1/2'], `${ONE}\nzz\n${TWO}\n`, 'line 2: "zz" is not a card ID'],
  [['--expect-rows', '2'], `cardId\nx\n${ONE}\n`, 'line 2'],
  [['--ignore-columns', 'cardId'], `cardId,Note\n${ONE},x\n`, '--ignore-columns: cardId is the column of the ID'],
  [['--where', 'Store=12', '--shard', '1/2'], TILL, '--shard: cannot be given with --where or --rows'],
  [['--rows', '1-2'], LINES, '1 fault in stdin: line 2, column 11'],
  [['--rows', '1-2'], EMPTY_BETWEEN, 'line 3: the row is empty, but rows follow it'],
  [['--reason', '{Ticket}'], `cardId,Ticket\n${ONE},\n`, 'the cell of "Ticket" is empty, which the text of the option'],
  [['--reason', '{Ticket}'], TICKETS, 'row 1, line 2, column Ticket: #REF! is a spreadsheet error'],
  [['--reason', 'T {reason}'], EMPTY_BETWEEN, '--reason: a row sends its cell of {reason} as reason, not this text'],
  [['--reason', '{X}', '--map', 'X=reason'], `cardId,X\n${ONE},a\n`, 'or to send the text, leave out --map'],
  [['--reason', '{Ticket}'], TICKETS, 'row 2, line 3, column Ticket: ="007" is a formula'],
])('one error in the input or its options is exit 2, and nothing is sent: %j', async (args, stdin, problem) => {
  const stderr = await refused([...BLOCK, ...args], stdin);
  expect(jsonLines(stderr).at(-1)).toMatchObject({ error: { code: 'USAGE', exitCode: 2, operation: 'card.block' } });
  expect(stderr).toContain(JSON.stringify(problem).slice(1, -1));
});

test.each([
  ['--changed-from', ['calendar', 'subscribers', 'update']],
  ['--description-file', ['calendar', 'update']],
  ['--description-file', ['calendar', 'event', 'create']],
])('%s and --from of %j cannot both read stdin, which gives its bytes once: exit 2', async (option, command) => {
  const stderr = await refused([...command, '--from', '-', option, '-', '--yes'], 'id,name\nc1,x\n');
  expect(stderr).toContain(`${option} and --from: cannot both read stdin`);
});

test.each<[string, readonly string[], string, readonly string[]]>([
  ['--from-format', ['--from-format', 'ids'], `${ONE}\n`, [`${ONE}/block {}`]],
  ['a first line sep=', [], `sep=|\r\ncardId|reason\r\n${ONE}|a,b\r\n`, [`${ONE}/block {"reason":"a,b"}`]],
  ['rows that cannot be read, left out', ['--rows', '1-1'], LINES, [`${ONE}/block {}`]],
  ['an empty row behind --rows', ['--rows', '1-1'], EMPTY_BETWEEN, [`${ONE}/block {"reason":"lost"}`]],
  ['a cell that is not sent', ['--where', 'Ticket=#REF!'], TICKETS, [`${ONE}/block {}`]],
  ['{id} of a list', ['--reason', 'of {id}'], `${ONE}\n`, [`${ONE}/block {"reason":"of ${ONE}"}`]],
])('rows are taken as the input and its options say: %s', async (_what, args, stdin, requests) => {
  expect(await sent([...BLOCK, ...args], stdin)).toMatchObject({ code: 0, requests });
});

test.each<[readonly string[], number]>([
  [['card', 'block', '--from', '-', '--plan', 'a.plan'], 3],
  [GET, 3],
  [['card', 'get', ONE], 1],
  [['card', 'block', ONE, '--yes'], 1],
  [['card', 'block', ONE, '--plan', 'a.plan'], 1],
])('--expect-rows refuses another number of rows with 17: %j', async (args, rows) => {
  const place = await openPlain();
  const { code, stdout, stderr } = await place.run([...args, '--expect-rows', '2'], rows === 1 ? '' : idLines(rows));
  expect([code, stdout, place.sent(), existsSync(place.pathOf('a.plan'))]).toEqual([17, '', [], false]);
  expect(stderr).toContain(`the input has ${rows} row${rows === 1 ? '' : 's'}, and --expect-rows says 2`);
  // A read says nothing of what was sent.
  expect(stderr.includes('Nothing was sent.')).toBe(args[1] !== 'get');
});

test('--expect-rows takes the number of rows that it says', async () => {
  expect(await sent([...BLOCK, '--expect-rows', '0'], '')).toMatchObject({ code: 0 });
  expect((await sent([...BLOCK, '--expect-rows', '2'], idLines(2))).requests).toHaveLength(2);
  expect((await (await openPlain()).run(['card', 'get', ONE, '--expect-rows', '1'])).code).toBe(0);
});

test('a dry run says that --expect was not compared, and ends with how many rows and empty cells there are', async () => {
  const { stderr } = await sent([...BLOCK, '--dry-run', '--expect', 'status=ACTIVE'], `cardId,reason\n${ONE},\n`);
  expect(stderr.trimEnd().split('\n')).toEqual([
    '{"notice":{"code":"NOT_COMPARED","message":"--expect was not compared, because a dry run reads no card"}}',
    '{"notice":{"code":"LEFT_UNCHANGED","message":"empty cells not sent: 1 in reason"}}',
  ]);
});

test('--shard with --rate says how fast all shards are together', async () => {
  expect((await sent([...BLOCK, '--shard', '1/4', '--rate', '50'], idLines(4))).stderr).toContain(
    '"SHARD_RATE","message":"--rate holds for each shard separately: 4 processes send up to 200 requests a second"',
  );
});

test.each([
  ['json', '', '[]\n'],
  ['ndjson', 'cardId\n', ''],
  ['table', '[]', 'ROW\tID\tOUTCOME\tSTATUS\tMESSAGE\n'],
])('zero rows are exit 0 and a notice (%s)', async (format, stdin, stdout) => {
  const result = await sent(['card', 'block', '--from', '-', '--yes', '-o', format], stdin);
  expect(result).toMatchObject({ code: 0, stdout, requests: [] });
  expect(result.stderr).toContain('nothing to do: the input has no rows');
});

test('zero rows print a summary in the JSON modes, also with --quiet', async () => {
  const summary = { run: null, rows: 0, outcomes: {}, requests: 0, earlier: 0, exitCode: 0, resume: null };
  expect((await sent([...BLOCK, '-q'], '')).stderr).toBe(`${JSON.stringify({ summary })}\n`);
});

test('a run of changes prints one row each, in input order, with exactly these members', async () => {
  const place = await openPlain((request) => (cardNumber(request) === 2 ? expired() : undefined));
  const { code, stdout, stderr } = await sent([...BLOCK, '--run', 'nightly'], idLines(3), place);
  const [first = '', second = '', third = ''] = stdout.trimEnd().split('\n');
  expect(first).toBe(
    `{"row":1,"id":"${ONE}","outcome":"applied","httpStatus":200,"attempts":1,"resource":${cardText('BLOCKED', ONE)}}`,
  );
  const rejected = `{"row":2,"id":"${TWO}","outcome":"rejected","httpStatus":409,"attempts":1,"error":{"code":"REJECTED","exitCode":6,`;
  expect(second.slice(0, rejected.length)).toBe(rejected);
  const service = { errorCode: 'CARD_EXPIRED', message: 'no' };
  const error = { operation: 'card.block', id: TWO, outcome: 'rejected', http: { status: 409 }, service, row: 2 };
  expect(JSON.parse(second)).toMatchObject({ error: { ...error, attempts: 1 } });
  expect(third).toContain('"row":3');
  expect([code, stderr]).toEqual([
    15,
    '{"summary":{"run":"nightly","rows":3,"outcomes":{"applied":2,"rejected":1},"requests":3,"earlier":0,"exitCode":15,"resume":null}}\n',
  ]);
});

test('the table of a run has row, ID, outcome, and status or message, and the summary groups by cause', async () => {
  const place = await openPlain((request) => (cardNumber(request) === 1 ? undefined : expired()));
  const { stdout, stderr } = await place.run(['card', 'block', '--from', '-', '--yes', '--run', 'may'], idLines(3));
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    'ROW\tID\tOUTCOME\tSTATUS\tMESSAGE',
    `1\t${ONE}\tapplied\t200\t`,
    `2\t${TWO}\trejected\t409\tcould not block card ${TWO}: the service returned 409 (CARD_EXPIRED: "no"). Nothing was changed.`,
  ]);
  expect(stderr).toMatch(/^3 cards, run may, \d+ s\n {2}1 applied\n/);
  expect(stderr).toContain(
    '\n  2 rejected: 2 CARD_EXPIRED: "no"\nAll 2 rows: frontdesk runs results may --outcome rejected\n',
  );
});

test('a read of many rows prints resources, and failed rows on stderr with their number, then exit 15', async () => {
  const place = await openPlain((request) => (cardNumber(request) === 2 ? refusal(404, 'NO_CARD') : undefined));
  const { code, stdout, stderr } = await place.run(GET, idLines(3));
  expect([code, stdout]).toEqual([15, `${cardText('ACTIVE', ONE)}\n${cardText('ACTIVE', cardId(3))}\n`]);
  const error = { code: 'NOT_FOUND', exitCode: 3, operation: 'card.get', id: TWO, row: 2 };
  expect(JSON.parse(stderr.split('\n')[0] ?? '')).toMatchObject({ error });
  expect(jsonLines(stderr).at(-1)).toMatchObject({ summary: { run: null, rows: 3, exitCode: 15, resume: null } });
  const one = await place.run(['card', 'get', '--from', '-', '--json'], `${TWO}\n`);
  expect(one).toMatchObject({ code: 15, stdout: '[]\n' });
});

test('a run that stops at a 401 says what to do before it is resumed', async () => {
  const place = await openPlain(() => refusal(401, 'NO'));
  expect((await sent(['card', 'activate', '--from', '-', '--yes', '--run', 'm'], idLines(2), place)).stderr).toMatch(
    /\nstopped: .*did not accept the token in FRONTDESK_CARDS_TOKEN.*\nhint: put a valid token into FRONTDESK_CARDS_TOKEN\nNext: frontdesk runs resume m\nAll 2 rows: frontdesk runs results m --outcome rejected,not_sent\n$/,
  );
  const read = await sent(['card', 'get', '--from', '-'], idLines(2), place);
  expect(read.stderr.match(/^hint: put a valid token/gm)).toHaveLength(1);
  expect(read.stderr).toContain('\nfrontdesk: warning: 1 row was not reached\n');
  const lines = (await sent(GET, idLines(6), place)).stderr.trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('{"error"'))).toHaveLength(1);
  expect(lines).toContainEqual('{"notice":{"code":"NOT_REACHED","message":"5 rows were not reached"}}');
});

test.each<[string, readonly string[], boolean]>([
  ['a write', BLOCK, true],
  ['a read', [...GET, '--quiet'], false],
])('fields that responses lack are reported for five rows, then counted: %s', async (_what, args, isWrite) => {
  const place = await openPlain((request) => ({
    body: cardText('ACTIVE', cardId(cardNumber(request))).replace('"status":"ACTIVE",', ''),
  }));
  const { code, stderr } = await sent(args, idLines(7), place);
  const notices = jsonLines(stderr).flatMap(({ notice }) => (notice ? [`${notice.code} ${notice.message}`] : []));
  const only = (text: string) => (isWrite ? [text] : []);
  expect([code, notices]).toEqual([
    0,
    [
      ...[1, 2, 3, 4, 5].flatMap((row) => [
        ...only(`OTHER_STATUS row ${row}: the response shows no status, not BLOCKED. Check the card`),
        `MISSING_FIELD row ${row}: the response lacks status, which the service documents as required. The rest is shown`,
      ]),
      ...only('OTHER_STATUS 2 more rows with OTHER_STATUS'),
      'MISSING_FIELD 2 more rows with MISSING_FIELD',
    ],
  ]);
});

const OWN = 'cardId,_row,_outcome,_error\n';

test.each([
  ['get --from in.csv', 'in.csv', 'is the file of --from'],
  ['block --yes --from in.csv', 'in.csv', 'is the file of --from'],
  ['block --yes --from in.csv', 'master.csv', 'exists, and it is not one that --failed wrote'],
  [`get ${ONE} ${TWO}`, 'mixed.ndjson', 'exists, and it is not one that --failed wrote'],
  ['block --yes --from in.csv', 'link.csv', 'is a link'],
  ['get --from in.csv', 'pipe.csv', 'is a pipe or a device'],
  ['block --yes --from in.csv', '/dev/full', 'is a pipe or a device'],
])('--failed replaces no file that it did not write, and nothing is sent: %s into %s', async (words, path, problem) => {
  const { file, pathOf, read, run, sent: requests } = await openPlain();
  const mixed = `{"cardId":"mine"}\n{"cardId":"x","_row":1,"_outcome":"rejected","_error":"y"}\n`;
  const files = { 'in.csv': `cardId\n${ONE}\n`, 'master.csv': 'cardId\n1\n', 'own.csv': OWN, 'mixed.ndjson': mixed };
  for (const [name, text] of Object.entries(files)) file(name, text);
  symlinkSync(pathOf('own.csv'), pathOf('link.csv'));
  spawnSync('mkfifo', [pathOf('pipe.csv')]);
  const { code, stderr } = await run(['card', ...words.split(' '), '--failed', path]);
  expect([code, requests()]).toEqual([2, []]);
  expect(stderr).toContain(`--failed: ${path} ${problem}`);
  for (const [name, text] of Object.entries(files)) expect(read(name)).toBe(text);
});

const OURS = ['', OWN, '"x","_row","_outcome","_error"\n1,2,3,4\n'];

test.each(OURS)('--failed replaces a file of its own: %j', async (before) => {
  const { file, read, run } = await openPlain(() => refusal(404, 'CARD_NOT_FOUND'));
  file('left.csv', before);
  expect((await run(['card', 'get', ONE, TWO, '--failed', 'left.csv'])).code).toBe(15);
  expect(read('left.csv')).toContain(`${ONE},1,failed,`);
});

test.each(['/dev/stderr', '/dev/fd/2'])('--failed writes to %s, whatever stands behind it', async (path) => {
  const { run } = await openPlain(expired);
  const { code, stderr } = await run(['card', 'block', ONE, TWO, '--yes', '--quiet', '--failed', path]);
  expect(code).toBe(15);
  expect(stderr).toContain(`cardId,_row,_outcome,_error\r\n${ONE},1,rejected,"REJECTED: `);
});

test('--failed replaces the input if it wrote that file', async () => {
  const place = await openPlain((request) => (cardNumber(request) === 1 ? expired() : undefined));
  place.file('left.csv', `${OWN}${ONE},4,rejected,x\n${TWO},7,not_sent,x\n`);
  const { code } = await place.run(['card', 'block', '--from', 'left.csv', '--failed', 'left.csv', '--yes']);
  expect([code, place.posts()]).toEqual([15, 2]);
  expect(place.read('left.csv')).toMatch(new RegExp(`^${OWN}${ONE},1,rejected,"REJECTED: [^\\n]*\\n$`));
});

const LEFT = ['--failed', 'left.csv'];

test('--failed of a shard replaces its own rows, and none of another shard', async () => {
  const place = await openPlain(expired);
  const block = (shard: string) => place.run([...BLOCK, ...LEFT, '--shard', shard], idLines(4));
  const rows = () =>
    place
      .read('left.csv')
      .split('\n')
      .flatMap((line) => line.split(',')[1] ?? []);
  expect((await block('1/2')).code).toBe(15);
  const other = await block('2/2');
  expect(other).toMatchObject({ code: 2, stdout: '' });
  expect(other.stderr).toContain('--failed: left.csv has rows of another shard. Nothing was sent.');
  expect([place.posts(), rows(), (await block('1/2')).code]).toEqual([2, ['_row', '1', '3'], 15]);
  place.file('left.csv', OWN);
  expect([(await block('2/2')).code, rows()]).toEqual([15, ['_row', '2', '4']]);
});

test.each([
  ['a file of somebody else', 'mine\n', 16],
  ['the rows of another shard', `${OWN}${TWO},2,rejected,x\n`, 16],
  ['an empty file', '', 15],
])('%s that appears during a run at the path of --failed', async (_, content, code) => {
  const { home, pathOf, read, run } = await openPlain(() => {
    writeFileSync(pathOf('left.csv'), content);
    return expired();
  });
  const end = await run([...BLOCK, ...LEFT], `${ONE}\n`);
  expect(end.code).toBe(code);
  expect(read('left.csv')).toContain(code === 16 ? content : `${ONE},1,rejected,`);
  expect(end.stderr.includes('--failed: another file appeared at left.csv, and was left alone')).toBe(code === 16);
  // The temporary file is gone too.
  expect(readdirSync(`${home.path}/work`)).toEqual(['left.csv']);
});

test.each<[string, readonly string[]]>([
  ['cardId,reason\n', []],
  ['cardId\n', ['--plan', 'p.plan']],
])('--failed has no row of an earlier input after a call that had nothing to do: %j', async (stdin, more) => {
  const place = await openPlain(expired);
  const block = (input: string, ...args: readonly string[]) =>
    place.run(['card', 'block', '--from', '-', ...LEFT, ...args], input);
  expect((await block(`${ONE}\n`, '--yes')).code).toBe(15);
  expect(place.read('left.csv')).toContain(ONE);
  expect((await block(stdin, ...more)).code).toBe(0);
  expect(place.read('left.csv')).toMatch(/^cardId,(?:reason,)?_row,_outcome,_error\n$/);
  place.file('left.csv', 'mine\n');
  expect([(await block(stdin)).code, place.read('left.csv'), place.posts()]).toEqual([2, 'mine\n', 1]);
});

const SHAPED = [...BLOCK, '--map', 'Card Number=cardId', '--where', 'Store=12', '--ignore-columns', 'Paid'];
const TICKET = ['--reason', 'lost, ticket {Ticket} {{x}}'];
const THIRD = `${cardId(3)}/block {"reason":"lost, ticket T-3 {x}"}`;

test('--map, --where and {Column} take a file with other headers, and rows that are left out are judged by nothing', async () => {
  const { code, stdout, requests } = await sent([...SHAPED, ...TICKET], TILL);
  expect([code, requests]).toEqual([0, [`${ONE}/block {"reason":"lost, ticket T-1 {x}"}`, THIRD]]);
  expect(stdout).toMatch(/^\{"row":1,.*\n\{"row":3,.*\n$/);
});

test('--rows takes the rows with these numbers, and --expect-rows counts what is left', async () => {
  const rows = (...more: string[]) => sent([...SHAPED, ...TICKET, '--rows', ...more], TILL);
  expect(await rows('2-3', '--expect-rows', '1')).toMatchObject({ code: 0, requests: [THIRD] });
  const none = await rows('2-2');
  expect([none.code, none.requests]).toEqual([0, []]);
  expect(none.stderr).toContain('no row is left of 4 rows after --where and --rows');
  expect(await rows('1-3', '--expect-rows', '3')).toMatchObject({ code: 17, requests: [] });
});

test('a run of some rows of its input is known by their numbers: results, resume and history have each', async () => {
  const place = await openPlain((_request, count) => (count === 2 ? refusal(401, 'NO') : undefined));
  const input = `${TILL}${cardId(5)};T-5;12;x\n`;
  expect((await sent([...SHAPED, ...TICKET, '--rows', '3-5', '--run', 'till'], input, place)).code).toBe(4);
  expect(await place.run(['runs', 'results', 'till', '--as-input', '-o', 'csv'])).toMatchObject({
    code: 0,
    stdout: `Card Number;Ticket;Store;Paid;_outcome\n${cardId(3)};T-3;12;x;applied\n${cardId(5)};T-5;12;x;rejected\n`,
  });
  // Two rows are left after the options, whatever their numbers are.
  await place.run(['profile', 'set', 'default', '--max-rows', '2']);
  const resumed = await place.run(['runs', 'resume', 'till']);
  expect([resumed.code, rowLines(resumed.stdout)]).toEqual([0, ['3 applied 200 1', '5 applied 200 2']]);
  expect(place.server.lines).toEqual([3, 5, 5].map((number) => `POST /v1/cards/${cardId(number)}/block`));
  expect(await place.json('history', '--query', '[].id')).toEqual([cardId(5), cardId(3)]);
});

test('--run with other shaping is another run', async () => {
  const place = await openPlain();
  const args = [...SHAPED, ...TICKET, '--run', 'till'];
  expect((await sent(args, TILL, place)).code).toBe(0);
  expect(await refused([...args, '--rows', '1-9'], TILL, place)).toContain('--rows is not what it was started with');
  const same = TILL.replace('Paid', 'X').replaceAll(';x', ';{x}');
  const text = ['--ignore-columns', 'X', '--reason', 'lost, ticket {Ticket} {X}', '--run', 'till'];
  expect(await refused([...SHAPED.slice(0, -2), ...text], same, place)).toContain(
    ', and a text with {Column} is not what it was started with. Nothing was sent.',
  );
});

test('--run compares --map, --where, --expect and --skip-if in any order', async () => {
  const place = await openPlain();
  const shaping = ['--map=Card Number=cardId', '--map=Ticket=reason', '--where=Store=12', '--where=Paid=x'];
  const rules = ['--expect=status=ACTIVE', '--expect=design=none', '--skip-if=status=BLOCKED', '--skip-if=design=none'];
  const given = [...shaping, ...rules];
  const block = (more: readonly string[]) => place.run([...BLOCK, '--run', 'till', ...more], TILL);
  const first = await block(given);
  const before = place.sent();
  expect(await block(given.toReversed())).toMatchObject({ code: first.code, stdout: first.stdout });
  expect([place.sent(), (await block(given.slice(1))).code]).toEqual([before, 2]);
});

test('of a column in a bad --map nothing else is said', async () => {
  const { file, run } = await openPlain();
  file('cards.csv', `Card Number,reason\n${ONE},lost\n`);
  const { code, stderr } = await run(['card', 'block', '--from', 'cards.csv', '--map', 'Card Number', '--yes']);
  expect([code, stderr]).toEqual([
    2,
    'frontdesk: 2 faults, nothing was sent:\n  --map: must be "<column>=<field>", not "Card Number"\n  1 fault in "cards.csv": line 1: the column cardId (or id) is missing\nhint: read them as these fields: `--map "Card Number=cardId"`\n',
  ]);
});

test('rows of the older file are not said to be missing in an input of which some rows were left out', async () => {
  const place = await openPlain();
  place.file('old.csv', 'id,email\ns1,a@x\ns2,b@x\n');
  const args = [...SUBSCRIBERS, '--changed-from', 'old.csv', '--where', 'id=s1'];
  expect((await sent(args, 'id,email\ns1,n@x\ns2,m@x\n', place)).stderr).toContain(
    '1 row in the older file but not among the rows taken, left unchanged',
  );
});

test('shaping is said in a dry run and in a plan', async () => {
  const place = await openPlain();
  const dry = await sent([...SHAPED, ...TICKET, '--dry-run', '-o', 'table'], TILL, place);
  expect(dry.stderr).toContain('column "Card Number" is read as cardId; 2 rows are left out (--where "Store=12")');
  const planning = [...SHAPED.filter((arg) => arg !== '--yes'), ...TICKET, '--plan', 'p.ndjson'];
  expect((await sent(planning, TILL, place)).code).toBe(0);
  expect(JSON.parse(readFileSync(place.pathOf('p.ndjson'), 'utf8').split('\n')[0] ?? '')).toMatchObject({
    rows: 2,
    shape: { map: ['Card Number=cardId'], where: ['Store=12'], leftOut: 2 },
  });
  const shown = await place.run(['plan', 'show', 'p.ndjson']);
  expect(shown.stderr).toContain(`note: Input: "column 'Card Number' is read as cardId"\n`);
  expect(shown.stderr).toContain(`note: Input: "2 rows are left out (--where 'Store=12')"\n`);
});

test('--expect-changes requires exactly so many rows that differ (17), and an older file (2)', async () => {
  const place = await openPlain();
  place.file('old.csv', 'id,email\ns1,a@x\ns2,b@x\n');
  const update = (...more: string[]) => sent([...SUBSCRIBERS, ...more], 'id,email\ns1,a@y\ns2,b@x\n', place);
  const older = ['--changed-from', 'old.csv', '--expect-changes'];
  const wrong = await update(...older, '2');
  expect([wrong.code, wrong.requests]).toEqual([17, []]);
  expect(wrong.stderr).toContain('1 row differs from the older file, and --expect-changes says 2. Nothing was sent.');
  expect(await update(...older, '1')).toMatchObject({ code: 0, requests: ['s1 {"email":"a@y"}'] });
  expect((await update('--expect-changes', '1')).code).toBe(2);
  expect((await update(...older, '2', '--dry-run')).code).toBe(17);
});
