import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  cardId,
  cardNumber,
  idLines,
  lastLine,
  playService,
  REPLACEMENT_ID,
  refusal,
  rowLines,
} from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, runFrontdesk } from '../support/run-frontdesk.ts';
import { cardText } from '../support/sample-card.ts';

const ONE = cardId(1);
const TWO = cardId(2);
const BLOCK = ['card', 'block', '--from', '-', '--yes', '-o', 'ndjson'];
const ACTIVATE = ['card', 'activate', '--from', '-', '--yes', '-j', '1', '-o', 'ndjson'];
const SUBSCRIBERS = ['calendar', 'subscribers', 'update', '--from', '-', '--yes', '-o', 'ndjson'];
const EVENTS = ['calendar', 'event', 'create', '--from', '-', '--yes', '-o', 'ndjson'];

/** Runs against a service that does what it is asked, one request after the other; what it saw, as `target body`. */
async function sent(args: readonly string[], stdin: string | Uint8Array, home?: Home) {
  const server = await startRecordingServer(playService());
  const result = await runFrontdesk([...args, ...(args.includes('-j') ? [] : ['-j', '1'])], {
    env: server.env,
    stdin,
    ...(home === undefined ? {} : { home }),
  });
  const requests = server.requests.map(({ url, body }) => `${url.split('/').slice(3).join('/')} ${body}`);
  return { ...result, requests };
}

/** Message of a call that was refused with exit 2 and sent nothing. */
async function refused(args: readonly string[], stdin: string | Uint8Array, home?: Home): Promise<string> {
  const result = await sent(args, stdin, home);
  expect(result.requests).toEqual([]);
  expect(result.stdout).toBe('');
  expect(result.code).toBe(2);
  return result.stderr;
}

test('--from reads the format that --from-format names', async () => {
  const result = await sent(['card', 'get', '--from', '-', '--from-format', 'ids', '-o', 'ndjson'], `${ONE}\n`);
  expect(result).toMatchObject({ code: 0, requests: [`${ONE} `] });
});

test('--ignore-columns skips columns, and keeps them in the file of --failed, which is read in the same way', async () => {
  const { path } = createHome();
  const failed = join(path, 'failed.csv');
  const input = `cardId,Note,reason\n${ONE},x,"a"\n`;
  const args = [...BLOCK, '--ignore-columns', 'Note,reason', '--failed', failed];
  const server = await startRecordingServer(() => ({ status: 404, body: {} }));
  await runFrontdesk(args, { env: server.env, stdin: input });
  expect(server.requests.map(({ body }) => body)).toEqual(['{}']);
  expect(readFileSync(failed, 'utf8').split('\n')[1]).toMatch(new RegExp(`^${ONE},x,a,1,rejected,`));
  const again = await sent([...BLOCK, '--ignore-columns', 'Note,reason'], readFileSync(failed));
  expect(again.requests).toEqual([`${ONE}/block {}`]);
  expect(await refused([...BLOCK, '--ignore-columns', 'Nota'], input)).toContain(
    '--ignore-columns: the input has no column \\"Nota\\": did you mean Note?',
  );
  expect(await refused([...BLOCK, '--ignore-columns', 'Note,cardId'], input)).toContain(
    '--ignore-columns: cardId is the column of the ID',
  );
});

test('--expect-rows refuses another number of rows with 17, of reads, plans, dry runs and shards too', async () => {
  const { path } = createHome();
  for (const args of [
    [...BLOCK, '--shard', '1/2'],
    ['card', 'block', '--from', '-', '--plan', join(path, 'a.plan')],
    ['card', 'get', '--from', '-'],
  ]) {
    const result = await sent([...args, '--expect-rows', '2'], idLines(3));
    expect(result).toMatchObject({ code: 17, requests: [], stdout: '' });
    expect(result.stderr).toContain('the input has 3 rows, and --expect-rows says 2');
    // A read says nothing of what was sent.
    expect(result.stderr.includes('Nothing was sent.')).toBe(args[1] !== 'get');
  }
  expect(existsSync(join(path, 'a.plan'))).toBe(false);
  for (const args of [
    ['card', 'get', ONE],
    ['card', 'block', ONE, '--yes'],
    ['card', 'block', ONE, '--plan', join(path, 'a.plan')],
  ]) {
    const server = await startRecordingServer(playService());
    const result = await runFrontdesk([...args, '--expect-rows', '2'], { env: server.env });
    expect(result).toMatchObject({ code: 17, stdout: '' });
    expect(result.stderr).toContain('the input has 1 row, and --expect-rows says 2');
    expect(result.stderr.includes('Nothing was sent.')).toBe(args[1] !== 'get');
    expect(server.lines).toEqual([]);
  }
  expect(existsSync(join(path, 'a.plan'))).toBe(false);
  const server = await startRecordingServer(playService());
  const one = await runFrontdesk(['card', 'get', ONE, '--expect-rows', '1'], { env: server.env });
  expect(one).toMatchObject({ code: 0 });
  expect(server.lines).toHaveLength(1);
  expect(await sent([...BLOCK, '--expect-rows', '0'], '')).toMatchObject({ code: 0 });
  expect((await sent([...BLOCK, '--expect-rows', '2'], idLines(2))).requests).toHaveLength(2);
  expect(await refused([...BLOCK, '--expect-rows', '2'], `cardId\nx\n${ONE}\n`)).toContain('line 2');
});

test('a dry run says that --expect was not compared, and ends with how many rows and empty cells there are', async () => {
  const args = [...BLOCK, '--dry-run', '--expect', 'status=ACTIVE'];
  const { stderr } = await sent(args, `cardId,reason\n${ONE},\n`);
  expect(stderr.trimEnd().split('\n')).toEqual([
    '{"notice":{"code":"NOT_COMPARED","message":"--expect was not compared, because a dry run reads no card"}}',
    '{"notice":{"code":"LEFT_UNCHANGED","message":"empty cells not sent: 1 in reason"}}',
  ]);
});

test('--shard with --rate says how fast all shards are together', async () => {
  const { stderr } = await sent([...BLOCK, '--shard', '1/4', '--rate', '50'], idLines(4));
  expect(stderr).toContain(
    '"SHARD_RATE","message":"--rate holds for each shard separately: 4 processes send up to 200 requests a second"',
  );
});

test('a text with a NUL is read as it was written', async () => {
  const name = 'Ann\u0000Berg';
  const list = { object: 'list', data: [{ id: 'sub_1', first_name: name }], url: '/v1/x' };
  const server = await startRecordingServer(({ method }) => ({
    body: method === 'GET' ? list : { id: 'sub_1', first_name: name },
  }));
  const columns = ['--columns', 'id,first_name'];
  const written = await runFrontdesk(['calendar', 'subscribers', 'list', 'cal_1', '-o', 'csv', ...columns], {
    env: server.env,
  });
  await runFrontdesk([...SUBSCRIBERS, '-q'], { env: server.env, stdin: written.stdout });
  expect(server.requests.map(({ body }) => body)).toEqual(['', JSON.stringify({ first_name: name })]);
});

test('one error in the input is exit 2, and nothing is sent', async () => {
  const stderr = await refused(BLOCK, `cardId,reson\n${ONE},x\n`);
  expect(stderr).toContain('column 2: unknown column \\"reson\\": did you mean reason?');
  expect(lastLine(stderr)).toMatchObject({ error: { code: 'USAGE', exitCode: 2, operation: 'card.block' } });
});

test('IDs on the command line together with --from are refused', async () => {
  expect(await refused([...BLOCK, ONE], `${TWO}\n`)).toContain('<cardId> and --from: exclude each other');
});

test('--failed - is refused, because stdout has the results', async () => {
  expect(await refused([...BLOCK, '--failed', '-'], idLines(2))).toContain('--failed: must be a file');
});

test.each([
  ['--max-failures', '0'],
  ['--rate', '0'],
  ['--shard', '0/3'],
  ['--from-format', 'xml'],
  ['--empty-cells', 'drop'],
  ['--run', 'a/b'],
])('a wrong limit of a run is refused: %s %s', async (option, value) => {
  expect(await refused([...BLOCK, option, value], idLines(2))).toContain(option);
});

test('one shard checks the whole input', async () => {
  expect(await refused([...BLOCK, '--shard', '1/2'], `${ONE}\nzz\n${cardId(2)}\n`)).toContain(
    'line 2: \\"zz\\" is not a card ID',
  );
});

test('--allow-duplicates accepts the same ID twice', async () => {
  expect((await sent([...BLOCK, '--allow-duplicates'], `${ONE}\n${ONE}\n`)).requests).toHaveLength(2);
  const events = 'name,start,calendar\nA,2026-05-01,c\nA,2026-05-01,c\n';
  expect((await sent([...EVENTS, '--allow-duplicates'], events)).requests).toHaveLength(2);
});

test('--resend-unknown accepts rows with an unknown outcome', async () => {
  const result = await sent([...BLOCK, '--resend-unknown'], `cardId,_outcome\n${ONE},unknown\n`);
  expect(result).toMatchObject({ code: 0, requests: [`${ONE}/block {}`] });
});

test.each([
  ['json', '', '[]\n', 0],
  ['ndjson', 'cardId\n', '', 0],
  ['table', '[]', 'ROW\tID\tOUTCOME\tSTATUS\tMESSAGE\n', 0],
])('zero rows are exit 0 and a notice (%s)', async (format, stdin, stdout, code) => {
  const result = await sent(['card', 'block', '--from', '-', '--yes', '-o', format], stdin);
  expect(result).toMatchObject({ code, stdout, requests: [] });
  expect(result.stderr).toContain('nothing to do: the input has no rows');
});

test('zero rows print a summary in the JSON modes, also with --quiet', async () => {
  const result = await sent([...BLOCK, '-q'], '');
  expect(result.stderr).toBe(
    '{"summary":{"run":null,"rows":0,"outcomes":{},"requests":0,"earlier":0,"exitCode":0,"resume":null}}\n',
  );
});

test('a run of changes prints one row each, in input order, with exactly these members', async () => {
  const server = await startRecordingServer(
    playService((request) => (cardNumber(request) === 2 ? refusal(409, 'CARD_EXPIRED') : undefined)),
  );
  const result = await runFrontdesk([...BLOCK, '--run', 'nightly'], { env: server.env, stdin: idLines(3) });
  const [first = '', second = '', third = ''] = result.stdout.trimEnd().split('\n');
  const resource = cardText('BLOCKED', ONE);
  expect(first).toBe(
    `{"row":1,"id":"${ONE}","outcome":"applied","httpStatus":200,"attempts":1,"resource":${resource}}`,
  );
  expect(
    second.startsWith(
      `{"row":2,"id":"${TWO}","outcome":"rejected","httpStatus":409,"attempts":1,"error":{"code":"REJECTED","exitCode":6,`,
    ),
  ).toBe(true);
  expect(JSON.parse(second)).toMatchObject({
    error: {
      operation: 'card.block',
      id: TWO,
      outcome: 'rejected',
      http: { status: 409 },
      service: { errorCode: 'CARD_EXPIRED', message: 'no' },
      attempts: 1,
      row: 2,
    },
  });
  expect(third).toContain('"row":3');
  expect(result.stderr).toBe(
    '{"summary":{"run":"nightly","rows":3,"outcomes":{"applied":2,"rejected":1},"requests":3,"earlier":0,"exitCode":15,"resume":null}}\n',
  );
  expect(result.code).toBe(15);
});

test('the table of a run has row, ID, outcome, and status or message, and the summary groups by cause', async () => {
  const server = await startRecordingServer(
    playService((request) => (cardNumber(request) === 1 ? undefined : refusal(409, 'CARD_EXPIRED'))),
  );
  const result = await runFrontdesk(['card', 'block', '--from', '-', '--yes', '--run', 'may'], {
    env: server.env,
    stdin: idLines(3),
  });
  const lines = result.stdout.split('\n');
  expect(lines[0]).toBe('ROW\tID\tOUTCOME\tSTATUS\tMESSAGE');
  expect(lines[1]).toBe(`1\t${ONE}\tapplied\t200\t`);
  expect(lines[2]).toBe(
    `2\t${TWO}\trejected\t409\tcould not block card ${TWO}: the service returned 409 (CARD_EXPIRED: "no"). Nothing was changed.`,
  );
  expect(result.stderr).toMatch(/^3 cards, run may, \d+ s\n {2}1 applied\n/);
  expect(result.stderr).toContain(
    '\n  2 rejected: 2 CARD_EXPIRED: "no"\nAll 2 rows: frontdesk runs results may --outcome rejected\n',
  );
});

test('the ID in the response to a reissue or a new event is kept as resultId', async () => {
  const cards = await sent(['card', 'reissue', ONE, TWO, '--yes', '-o', 'ndjson'], '');
  expect(cards.stdout.split('\n')[0]).toMatch(
    new RegExp(`^\\{"row":1,"id":"${ONE}",.*"resultId":"${REPLACEMENT_ID}"\\}$`),
  );
  const events = await sent(EVENTS, 'name,start,calendar\nA,2026-05-01,c\n');
  expect(JSON.parse(events.stdout)).toMatchObject({ row: 1, id: null, outcome: 'applied', resultId: 'evt_1' });
});

test('a read of many rows prints resources, and failed rows on stderr with their number, then exit 15', async () => {
  const server = await startRecordingServer(
    playService((request) => (cardNumber(request) === 2 ? refusal(404, 'CARD_NOT_FOUND') : undefined)),
  );
  const result = await runFrontdesk(['card', 'get', '--from', '-', '-o', 'ndjson'], {
    env: server.env,
    stdin: idLines(3),
  });
  expect(result.code).toBe(15);
  expect(result.stdout).toBe(`${cardText('ACTIVE', ONE)}\n${cardText('ACTIVE', cardId(3))}\n`);
  expect(JSON.parse(result.stderr.split('\n')[0] ?? '')).toMatchObject({
    error: { code: 'NOT_FOUND', exitCode: 3, operation: 'card.get', id: TWO, row: 2 },
  });
  expect(lastLine(result.stderr)).toMatchObject({ summary: { run: null, rows: 3, exitCode: 15, resume: null } });
});

test('--from with one row is an array with the many-row exit codes', async () => {
  const server = await startRecordingServer(playService(() => refusal(404, 'CARD_NOT_FOUND')));
  const result = await runFrontdesk(['card', 'get', '--from', '-', '--json'], { env: server.env, stdin: `${ONE}\n` });
  expect(result).toMatchObject({ code: 15, stdout: '[]\n' });
});

test('a run that stops at a 401 says what to do before it is resumed', async () => {
  const server = await startRecordingServer(playService(() => refusal(401, 'NO')));
  const args = ['card', 'activate', '--from', '-', '--yes', '-j', '1', '--run', 'm'];
  const written = await runFrontdesk(args, { env: server.env, stdin: idLines(2) });
  expect(written.stderr).toMatch(
    /\nstopped: .*did not accept the token in FRONTDESK_CARDS_TOKEN.*\nhint: put a valid token into FRONTDESK_CARDS_TOKEN\nNext: frontdesk runs resume m\nAll 2 rows: frontdesk runs results m --outcome rejected,not_sent\n$/,
  );
  const read = await runFrontdesk(['card', 'get', '--from', '-', '-j', '1'], { env: server.env, stdin: idLines(2) });
  expect(read.stderr.match(/^hint: put a valid token/gm)).toHaveLength(1);
  expect(read.stderr).toContain('\nfrontdesk: warning: 1 row was not reached\n');
});

const withoutStatus = cardText('ACTIVE', ONE).replace('"status":"ACTIVE",', '');
const lacking = (server: { env: Readonly<Record<string, string>> }, args: readonly string[], rows: number) =>
  runFrontdesk([...args, '-j', '1'], { env: server.env, stdin: idLines(rows) });
const notices = (stderr: string) =>
  stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { notice?: { code: string; message: string } })
    .flatMap(({ notice }) => (notice === undefined ? [] : [`${notice.code} ${notice.message}`]));
const NOT_SHOWN = 'the response shows no status, not BLOCKED. Check the card';
const LACKS = 'the response lacks status, which the service documents as required. The rest is shown';

test.each([
  ['a write', BLOCK, [`OTHER_STATUS row 1: ${NOT_SHOWN}`]],
  ['a read', ['card', 'get', '--from', '-', '-o', 'ndjson', '--quiet'], []],
])('a field that the response to a row lacks is reported with the row: %s', async (_what, args, warned) => {
  const server = await startRecordingServer(
    playService((request) => (cardNumber(request) === 1 ? { body: withoutStatus } : undefined)),
  );
  const result = await lacking(server, args, 2);
  expect(result.code).toBe(0);
  expect(notices(result.stderr)).toEqual([...warned, `MISSING_FIELD row 1: ${LACKS}`]);
});

test('fields that responses lack are reported for five rows, then counted', async () => {
  const server = await startRecordingServer(
    playService((request) => ({ body: withoutStatus.replace(ONE, cardId(cardNumber(request))) })),
  );
  const result = await lacking(server, BLOCK, 7);
  expect(notices(result.stderr)).toEqual([
    ...[1, 2, 3, 4, 5].flatMap((row) => [
      `OTHER_STATUS row ${row}: ${NOT_SHOWN}`,
      `MISSING_FIELD row ${row}: ${LACKS}`,
    ]),
    'OTHER_STATUS 2 more rows with OTHER_STATUS',
    'MISSING_FIELD 2 more rows with MISSING_FIELD',
  ]);
});

test('--expect without a value compares with the column of the row', async () => {
  const server = await startRecordingServer(playService());
  const result = await runFrontdesk([...ACTIVATE, '--expect', 'clientReference'], {
    env: server.env,
    stdin: `cardId,clientReference\n${ONE},order-1\n${TWO},order-2\n`,
  });
  expect(result.code).toBe(15);
  expect(rowLines(result.stdout)).toEqual(['1 applied 200 1', '2 not_sent null 0 PRECONDITION']);
  expect(server.lines).toEqual([`GET /v1/cards/${ONE}`, `POST /v1/cards/${ONE}/activate`, `GET /v1/cards/${TWO}`]);
});

test('--failed keeps all original columns of the rows that did not succeed, and is itself valid input', async () => {
  const home = createHome();
  const server = await startRecordingServer(
    playService((request) => (cardNumber(request) === 1 ? undefined : refusal(409, 'CARD_EXPIRED'))),
  );
  const input = `cardId;reason;clientReference\r\n${ONE};a;r1\r\n${TWO};"say ""x"";y";=1+1\r\n${cardId(3)};;\r\n`;
  const run = (args: readonly string[]) => runFrontdesk(args, { env: server.env, home, stdin: input });
  expect((await run([...BLOCK, '-j', '1', '--failed', 'left.csv'])).code).toBe(15);
  const left = readFileSync(join(home.path, 'work', 'left.csv'), 'utf8');
  expect(left).toBe(
    'cardId;reason;clientReference;_row;_outcome;_error\r\n' +
      `${TWO};"say ""x"";y";'=1+1;2;rejected;"REJECTED: could not block card ${TWO}: the service returned 409 (CARD_EXPIRED: ""no""). Nothing was changed."\r\n` +
      `${cardId(3)};;;3;rejected;"REJECTED: could not block card ${cardId(3)}: the service returned 409 (CARD_EXPIRED: ""no""). Nothing was changed."\r\n`,
  );
  const again = await run(['card', 'block', '--from', 'left.csv', '--yes', '-j', '1', '-o', 'ndjson']);
  expect(rowLines(again.stdout)).toEqual(['1 rejected 409 1 REJECTED', '2 rejected 409 1 REJECTED']);
  expect(server.requests.slice(3).map(({ body }) => body)).toEqual(['{"reason":"say \\"x\\";y"}', '{}']);
});

test('--failed replaces no file that it did not write, for reads too, and nothing is sent', async () => {
  const home = createHome();
  const server = await startRecordingServer([]);
  const input = join(home.path, 'cards.csv');
  const work = join(home.path, 'work');
  mkdirSync(work, { recursive: true });
  writeFileSync(input, `cardId\n${ONE}\n${TWO}\n`);
  writeFileSync(join(work, 'master.csv'), 'cardId,name\n1,a\n');
  writeFileSync(join(work, 'ours.csv'), 'cardId,_row,_outcome,_error\r\n');

  symlinkSync(join(work, 'ours.csv'), join(work, 'link.csv'));
  spawnSync('mkfifo', [join(work, 'pipe.csv')]);
  for (const [verb, path, problem] of [
    ['get', input, 'is the file of --from'],
    ['block', input, 'is the file of --from'],
    ['block', 'master.csv', 'exists, and it is not one that --failed wrote'],
    ['block', 'link.csv', 'is a link'],
    ['get', 'pipe.csv', 'is a pipe or a device'],
    ['block', '/dev/full', 'is a pipe or a device'],
  ] as const) {
    const args = ['card', verb, ...(verb === 'get' ? [] : ['--yes']), '--from', input, '--failed', path];
    const { code, stderr } = await runFrontdesk(args, { env: server.env, home });
    expect([path, code, stderr.includes(`--failed: ${path} ${problem}`)]).toEqual([path, 2, true]);
  }
  expect(readFileSync(join(work, 'master.csv'), 'utf8')).toBe('cardId,name\n1,a\n');
  expect(readFileSync(input, 'utf8')).toBe(`cardId\n${ONE}\n${TWO}\n`);
});

test('--failed replaces no NDJSON in which it did not write every row', async () => {
  const home = createHome();
  const work = join(home.path, 'work');
  mkdirSync(work, { recursive: true });
  const mixed = '{"cardId":"mine"}\n{"cardId":"x","_row":1,"_outcome":"rejected","_error":"y"}\n';
  writeFileSync(join(work, 'mixed.ndjson'), mixed);
  const idle = await startRecordingServer([]);
  const args = ['card', 'get', ONE, TWO, '--failed'];
  expect((await runFrontdesk([...args, 'mixed.ndjson'], { env: idle.env, home })).code).toBe(2);
  expect(readFileSync(join(work, 'mixed.ndjson'), 'utf8')).toBe(mixed);
});

test('--failed replaces an empty file and one that it wrote', async () => {
  const home = createHome();
  const work = join(home.path, 'work');
  mkdirSync(work, { recursive: true });
  for (const before of ['', 'x,_row,_outcome,_error\r\n', '"x","_row","_outcome","_error"\n1,2,3,4\n']) {
    const server = await startRecordingServer(playService(() => refusal(404, 'CARD_NOT_FOUND')));
    writeFileSync(join(work, 'left.csv'), before);
    const { code } = await runFrontdesk(['card', 'get', ONE, TWO, '--failed', 'left.csv'], { env: server.env, home });
    expect(code).toBe(15);
    expect(readFileSync(join(work, 'left.csv'), 'utf8')).toContain(`${ONE},1,failed,`);
  }
});

test.each(['/dev/stderr', '/dev/fd/2'])('--failed writes to %s, whatever stands behind it', async (path) => {
  const server = await startRecordingServer(playService(() => refusal(409, 'CARD_EXPIRED')));
  const args = ['card', 'block', ONE, TWO, '--yes', '--quiet', '--failed', path];
  const { code, stderr } = await runFrontdesk(args, { env: server.env });
  expect(code).toBe(15);
  expect(stderr).toContain(`cardId,_row,_outcome,_error\r\n${ONE},1,rejected,"REJECTED: `);
});

test('--failed replaces the input if it wrote that file', async () => {
  const home = createHome();
  const work = join(home.path, 'work');
  mkdirSync(work, { recursive: true });
  const header = 'cardId,_row,_outcome,_error\n';
  writeFileSync(join(work, 'left.csv'), `${header}${ONE},4,rejected,x\n${TWO},7,not_sent,x\n`);
  const server = await startRecordingServer(
    playService((request) => (cardNumber(request) === 1 ? refusal(409, 'CARD_EXPIRED') : undefined)),
  );
  const args = ['card', 'block', '--from', 'left.csv', '--failed', 'left.csv', '--yes'];
  expect((await runFrontdesk(args, { env: server.env, home })).code).toBe(15);
  expect(server.requests).toHaveLength(2);
  expect(readFileSync(join(work, 'left.csv'), 'utf8')).toMatch(
    new RegExp(`^${header}${ONE},1,rejected,"REJECTED: [^\\n]*\\n$`),
  );
});

test('--failed of a shard replaces its own rows, and none of another shard', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService(() => refusal(409, 'CARD_EXPIRED')));
  const left = join(home.path, 'work', 'left.csv');
  const args = ['card', 'block', '--from', '-', '--yes', '--failed', 'left.csv', '--shard'];
  const block = (shard: string, stdin = idLines(4)) => runFrontdesk([...args, shard], { env: server.env, home, stdin });
  const rows = () =>
    readFileSync(left, 'utf8')
      .split('\n')
      .flatMap((line) => line.split(',')[1] ?? []);
  expect((await block('1/2')).code).toBe(15);
  const refused = await block('2/2');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('--failed: left.csv has rows of another shard. Nothing was sent.');
  expect(server.requests).toHaveLength(2);
  expect(rows()).toEqual(['_row', '1', '3']);
  expect((await block('1/2')).code).toBe(15);
  writeFileSync(left, 'cardId,_row,_outcome,_error\n');
  expect((await block('2/2')).code).toBe(15);
  expect(rows()).toEqual(['_row', '2', '4']);
});

test.each([
  ['a file of somebody else', 'mine\n', 16],
  ['the rows of another shard', `cardId,_row,_outcome,_error\n${TWO},2,rejected,x\n`, 16],
  ['an empty file', '', 15],
])('%s that appears during a run at the path of --failed', async (_, content, code) => {
  const home = createHome();
  const left = join(home.path, 'work', 'left.csv');
  const server = await startRecordingServer(() => {
    writeFileSync(left, content);
    return refusal(409, 'CARD_EXPIRED');
  });
  const args = ['card', 'block', '--from', '-', '--yes', '--failed', 'left.csv'];
  const end = await runFrontdesk(args, { env: server.env, home, stdin: `${ONE}\n` });
  expect(end.code).toBe(code);
  expect(readFileSync(left, 'utf8')).toContain(code === 16 ? content : `${ONE},1,rejected,`);
  expect(end.stderr.includes('--failed: another file appeared at left.csv, and was left alone')).toBe(code === 16);
  // The temporary file is gone too.
  expect(readdirSync(join(home.path, 'work'))).toEqual(['left.csv']);
});

test('a row that is marked as done is an error in a change, unless its outcome column is ignored', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const rows = (outcome: string) => `cardId,_outcome\n${ONE},${outcome}\n`;
  const run = (outcome: string, ...more: readonly string[]) =>
    runFrontdesk(['card', 'block', '--from', '-', '--yes', ...more], { env: server.env, home, stdin: rows(outcome) });
  for (const outcome of ['applied', 'confirmed_by_read']) {
    const { code, stderr } = await run(outcome);
    expect([outcome, code]).toEqual([outcome, 2]);
    expect(stderr).toContain('frontdesk runs results <run> --outcome rejected,not_sent --as-input');
  }
  expect((await run('unknown', '--ignore-columns', '_outcome')).code).toBe(2);
  expect(server.requests).toEqual([]);
  expect((await run('applied', '--ignore-columns', '_outcome')).code).toBe(0);
  expect((await run('rejected')).code).toBe(0);
  expect(server.requests).toHaveLength(2);
});

test('a first line sep= names the delimiter and is no row', async () => {
  const delimiter = '|';
  const server = await startRecordingServer(playService());
  const stdin = `sep=${delimiter}\r\ncardId${delimiter}reason\r\n${ONE}${delimiter}a,b\r\n`;
  const { code } = await runFrontdesk(['card', 'block', '--from', '-', '--yes'], { env: server.env, stdin });
  expect([code, server.requests.map(({ body }) => body)]).toEqual([0, ['{"reason":"a,b"}']]);
});

test('--failed has no row of an earlier input after a call that had nothing to do', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService(() => refusal(409, 'CARD_EXPIRED')));
  const left = join(home.path, 'work', 'left.csv');
  const block = (stdin: string, ...more: string[]) =>
    runFrontdesk(['card', 'block', '--from', '-', '--failed', 'left.csv', ...more], { env: server.env, home, stdin });
  const inputs = [['cardId,reason\n'], ['cardId\n', '--plan', 'p.plan']];
  for (const [stdin = '', ...more] of inputs) {
    expect((await block(`cardId\n${ONE}\n`, '--yes')).code).toBe(15);
    expect(readFileSync(left, 'utf8')).toContain(ONE);
    expect((await block(stdin, ...more)).code).toBe(0);
    expect(readFileSync(left, 'utf8')).toMatch(/^cardId,(?:reason,)?_row,_outcome,_error\n$/);
  }
  writeFileSync(left, 'mine\n');
  expect((await block('cardId\n')).code).toBe(2);
  expect(readFileSync(left, 'utf8')).toBe('mine\n');
  expect(server.requests).toHaveLength(inputs.length);
});

test.each([
  ['--changed-from', ['calendar', 'subscribers', 'update']],
  ['--description-file', ['calendar', 'update']],
  ['--description-file', ['calendar', 'event', 'create']],
])('%s and --from of %j cannot both read stdin, which gives its bytes once: exit 2', async (option, command) => {
  const server = await startRecordingServer([]);
  const args = [...command, '--from', '-', option, '-', '--yes'];
  const { code, stdout, stderr } = await runFrontdesk(args, { env: server.env, stdin: 'id,name\nc1,x\n' });
  expect({ code, stdout, lines: server.lines }).toEqual({ code: 2, stdout: '', lines: [] });
  expect(stderr).toContain(`${option} and --from: cannot both read stdin`);
});

const TILL = `Card Number;Ticket;Store;Paid\n${ONE};T-1;12;x\n${TWO};T-2;13;x\n${cardId(3)};T-3;12;x\nbad;T-4;13;x\n`;
const SHAPED = [...BLOCK, '--map', 'Card Number=cardId', '--where', 'Store=12', '--ignore-columns', 'Paid'];
const TICKET = ['--reason', 'lost, ticket {Ticket} {{x}}'];

test('--map, --where and {Column} take a file with other headers, and rows that are left out are judged by nothing', async () => {
  const result = await sent([...SHAPED, ...TICKET], TILL);
  expect(result.code).toBe(0);
  expect(result.requests).toEqual([
    `${ONE}/block {"reason":"lost, ticket T-1 {x}"}`,
    `${cardId(3)}/block {"reason":"lost, ticket T-3 {x}"}`,
  ]);
  expect(result.stdout).toMatch(/^\{"row":1,.*\n\{"row":3,.*\n$/);
});

test('--rows takes the rows with these numbers, and --expect-rows counts what is left', async () => {
  const trial = await sent([...SHAPED, ...TICKET, '--rows', '2-3', '--expect-rows', '1'], TILL);
  expect([trial.code, trial.requests]).toEqual([0, [`${cardId(3)}/block {"reason":"lost, ticket T-3 {x}"}`]]);
  const none = await sent([...SHAPED, ...TICKET, '--rows', '2-2'], TILL);
  expect([none.code, none.requests]).toEqual([0, []]);
  expect(none.stderr).toContain('no row is left of 4 rows after --where and --rows');
  const other = await sent([...SHAPED, ...TICKET, '--rows', '1-3', '--expect-rows', '3'], TILL);
  expect([other.code, other.requests]).toEqual([17, []]);
});

test('a run of some rows of its input is known by their numbers: results, resume and history have each', async () => {
  const home = createHome();
  const server = await startRecordingServer(
    playService((_request, count) => (count === 2 ? refusal(401, 'NO') : undefined)),
  );
  const options = { env: server.env, home };
  const begin = [...SHAPED, ...TICKET, '--rows', '3-5', '--run', 'till', '-j', '1'];
  const input = `${TILL}${cardId(5)};T-5;12;x\n`;
  expect((await runFrontdesk(begin, { ...options, stdin: input })).code).toBe(4);
  const results = await runFrontdesk(['runs', 'results', 'till', '--as-input', '-o', 'csv'], options);
  expect({ code: results.code, stdout: results.stdout }).toEqual({
    code: 0,
    stdout: `Card Number;Ticket;Store;Paid;_outcome\n${cardId(3)};T-3;12;x;applied\n${cardId(5)};T-5;12;x;rejected\n`,
  });
  // Two rows are left after the options, whatever their numbers are.
  await runFrontdesk(['profile', 'set', 'default', '--max-rows', '2'], options);
  const resumed = await runFrontdesk(['runs', 'resume', 'till'], options);
  expect(resumed.code).toBe(0);
  expect(rowLines(resumed.stdout)).toEqual(['3 applied 200 1', '5 applied 200 2']);
  expect(server.requests.map(({ url }) => url)).toEqual([3, 5, 5].map((number) => `/v1/cards/${cardId(number)}/block`));
  const history = await runFrontdesk(['history', '-o', 'json', '--query', '[].id'], options);
  expect(JSON.parse(history.stdout)).toEqual([cardId(5), cardId(3)]);
});

test('--rows leaves out what cannot be read in other rows of NDJSON', async () => {
  const input = `{"cardId":"${ONE}"}\n{"cardId":}\n5\n`;
  const trial = await sent([...BLOCK, '--rows', '1-1'], input);
  expect([trial.code, trial.requests]).toEqual([0, [`${ONE}/block {}`]]);
  expect(await refused([...BLOCK, '--rows', '1-2'], input)).toContain('1 fault in stdin: line 2, column 11');
});

test('an empty row is judged where --rows and --where take it', async () => {
  const input = `cardId,reason\n${ONE},lost\n,\n${TWO},lost\n`;
  for (const taken of [
    ['--rows', '1-1'],
    ['--where', 'reason=lost', '--rows', '1-1'],
    ['--rows', '2-2'],
  ]) {
    expect((await sent([...BLOCK, ...taken], input)).requests).toHaveLength(1);
  }
  expect((await sent([...BLOCK, '--where', 'reason=lost'], input)).requests).toHaveLength(2);
  for (const taken of [
    ['--rows', '1-2'],
    ['--where', 'reason!=x'],
  ]) {
    expect(await refused([...BLOCK, ...taken], input)).toContain('line 3: the row is empty, but rows follow it');
  }
});

test.each([
  ['a list of IDs', `${ONE}\n${TWO}\n`],
  ['an array of IDs', JSON.stringify([ONE, TWO])],
])('{id} in a text stands for the ID of %s', async (_what, input) => {
  expect((await sent([...BLOCK, '--reason', 'sweep of {id}'], input)).requests).toEqual([
    `${ONE}/block {"reason":"sweep of ${ONE}"}`,
    `${TWO}/block {"reason":"sweep of ${TWO}"}`,
  ]);
});

test('--run with other shaping is another run', async () => {
  const home = createHome();
  const args = [...SHAPED, ...TICKET, '--run', 'till'];
  expect((await sent(args, TILL, home)).code).toBe(0);
  expect(await refused([...args, '--rows', '1-9'], TILL, home)).toContain('--rows is not what it was started with');
  const same = TILL.replace('Paid', 'X').replaceAll(';x', ';{x}');
  const text = ['--ignore-columns', 'X', '--reason', 'lost, ticket {Ticket} {X}'];
  const shaped = SHAPED.filter((word) => word !== '--ignore-columns' && word !== 'Paid');
  expect(await refused([...shaped, ...text, '--run', 'till'], same, home)).toContain(
    ', and a text with {Column} is not what it was started with. Nothing was sent.',
  );
});

test('--run compares --map, --where, --expect and --skip-if in any order', async () => {
  const { env, requests } = await startRecordingServer(playService());
  const home = createHome();
  const pairs = [
    ['--map', 'Card Number=cardId'],
    ['--map', 'Ticket=reason'],
    ['--where', 'Store=12'],
    ['--where', 'Paid=x'],
    ['--expect', 'status=ACTIVE'],
    ['--expect', 'clientReference=order-10001'],
    ['--skip-if', 'status=BLOCKED'],
    ['--skip-if', 'design=none'],
  ];
  const block = (given: readonly string[][]) =>
    runFrontdesk([...BLOCK, '--run', 'till', ...given.flat()], { home, env, stdin: TILL });
  const first = await block(pairs);
  const sentFirst = requests.length;
  const again = await block(pairs.toReversed());
  expect(again).toMatchObject({ code: first.code, stdout: first.stdout });
  expect(requests).toHaveLength(sentFirst);
  expect((await block(pairs.slice(1))).code).toBe(2);
});

test('of a column in a bad --map nothing else is said', async () => {
  const home = createHome();
  writeFileSync(join(home.path, 'cards.csv'), `Card Number,reason\n${ONE},lost\n`);
  const args = ['card', 'block', '-p', 'sandbox', '--from', 'cards.csv', '--map', 'Card Number', '--yes'];
  const { code, stderr } = await runFrontdesk(args, { home, cwd: home.path });
  expect(code).toBe(2);
  expect(stderr).toContain(
    'frontdesk: 2 faults, nothing was sent:\n  --map: must be "<column>=<field>", not "Card Number"\n  1 fault in "cards.csv": line 1: the column cardId (or id) is missing\nhint: read them as these fields: `--map "Card Number=cardId"`\n',
  );
});

test('--failed keeps the columns and the delimiter of the file, and is input with the same options', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService(() => refusal(409, 'CARD_NOT_BLOCKABLE')));
  const options = { env: server.env, home };
  await runFrontdesk([...SHAPED, ...TICKET, '--rows', '1-1', '--failed', 'failed.csv'], { ...options, stdin: TILL });
  const failed = readFileSync(join(home.path, 'work', 'failed.csv'), 'utf8');
  expect(failed).toMatch(
    new RegExp(`^Card Number;Ticket;Store;Paid;_row;_outcome;_error\n${ONE};T-1;12;x;1;rejected;`),
  );
  expect((await sent([...SHAPED, ...TICKET], failed)).requests).toEqual([
    `${ONE}/block {"reason":"lost, ticket T-1 {x}"}`,
  ]);
});

test.each([
  [
    ['--map', 'Card Number=cardNumber'],
    '--map: "Card Number=cardNumber" names no field: the fields are cardId, reason, id',
  ],
  [
    ['--map', 'Card Number=cardId', '--where', 'Shop=1'],
    '--where: the input has no column "Shop": its columns are "Card Number", "Ticket", "Store", "Paid"',
  ],
  [['--where', 'Store=12', '--shard', '1/2'], '--shard: cannot be given with --where or --rows'],
])('shaping that cannot be is refused: %j', async (args, problem) => {
  expect(await refused([...BLOCK, ...args], TILL)).toContain(problem.replaceAll('"', '\\"'));
});

test.each<[string, readonly string[], string, string]>([
  ['without the column of the ID', BLOCK, `{"Ref":"${ONE}"}\n{"cardId":"${TWO}"}\n`, 'Ref=cardId'],
  [
    'without the column of a text',
    BLOCK,
    `{"cardId":"${ONE}","Ref":"x"}\n{"cardId":"${TWO}","reason":"y"}\n`,
    'Ref=reason',
  ],
  [
    'with both columns of what --expect compares',
    [...BLOCK, '--expect', 'clientReference'],
    `{"cardId":"${ONE}","Ref":"x"}\n{"cardId":"${TWO}","clientReference":"y","Ref":"z"}\n`,
    'Ref=clientReference',
  ],
])(
  'a row in JSON that has the member of a field that --map reads from another is refused: %s',
  async (_, args, text, map) => {
    const [, field] = map.split('=');
    expect(await refused([...args, '--map', map], text)).toContain(
      `line 2: the row has a member ${field}, and --map reads that field from \\"Ref\\"`,
    );
  },
);

test('a row whose cell a text needs and that is empty is a fault', async () => {
  const text = `cardId,Ticket\n${ONE},\n`;
  expect(await refused([...BLOCK, '--reason', 'ticket {Ticket}'], text)).toContain(
    'the cell of \\"Ticket\\" is empty, which the text of the option needs',
  );
});

test('a cell that a text takes is judged like one of a field, for it is sent', async () => {
  const text = `cardId,Ticket\n${ONE},#REF!\n${TWO},="007"\n`;
  const refusal = await refused([...BLOCK, '--reason', 'ticket {Ticket}'], text);
  expect(refusal).toContain('row 1, line 2, column Ticket: #REF! is a spreadsheet error');
  expect(refusal).toContain('row 2, line 3, column Ticket: =\\"007\\" is a formula');
  expect((await sent([...BLOCK, '--where', 'Ticket=#REF!'], text)).requests).toEqual([`${ONE}/block {}`]);
});

test('rows of the older file are not said to be missing in an input of which some rows were left out', async () => {
  const home = createHome();
  writeFileSync(join(home.path, 'work', 'old.csv'), 'id,email\ns1,a@x\ns2,b@x\n');
  const args = [...SUBSCRIBERS, '--changed-from', 'old.csv', '--where', 'id=s1'];
  expect((await sent(args, 'id,email\ns1,n@x\ns2,m@x\n', home)).stderr).toContain(
    '1 row in the older file but not among the rows taken, left unchanged',
  );
});

test('shaping is said in a dry run and in a plan', async () => {
  const home = createHome();
  const dry = await sent([...SHAPED, ...TICKET, '--dry-run', '-o', 'table'], TILL, home);
  expect(dry.stderr).toContain('column "Card Number" is read as cardId; 2 rows are left out (--where "Store=12")');
  const planned = await sent([...SHAPED.filter((arg) => arg !== '--yes'), ...TICKET, '--plan', 'p.ndjson'], TILL, home);
  expect(planned.code).toBe(0);
  const [header = ''] = readFileSync(join(home.path, 'work', 'p.ndjson'), 'utf8').split('\n');
  expect(JSON.parse(header)).toMatchObject({
    rows: 2,
    shape: { map: ['Card Number=cardId'], where: ['Store=12'], leftOut: 2 },
  });
  const shown = await runFrontdesk(['plan', 'show', 'p.ndjson'], { home });
  expect(shown.stderr).toContain(`note: Input: "column 'Card Number' is read as cardId"\n`);
  expect(shown.stderr).toContain(`note: Input: "2 rows are left out (--where 'Store=12')"\n`);
});
