import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { callAt } from '../support/calls.ts';
import { type Handler, type RecordingServer, startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// What stands on which stream, and how each format is written.

const OTHER_ID = '11111111-2222-3333-4444-555555555555';
const GET = ['card', 'get', CARD_ID];
const LIST = ['calendar', 'subscribers', 'list', 'cal_1'];
const PROGRAM = fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url));

const ODD_CARD = `{"zz":[1.0,{"q":1e400}],"cardId":"${CARD_ID}","clientReference":"r","status":"LIMBO","initialBalance":10.10,"currentBalance":12345678901234567.89,"expiryDate":"2031-01-01","design":"d","metadata":{"__proto__":{"a":-0},"n":1E2},"createdAt":"a","updatedAt":"b"}`;

function lists(active: readonly string[], inactive: readonly string[] = []): Handler {
  return ({ url }) => {
    const ids = url.includes('active=false') ? inactive : active;
    const data = ids.map((id) => `{"id":"${id}","object":"subscriber","x":1.10}`).join(',');
    return { body: `{"url":"/v1/calendars/cal_1/subscribers","object":"list","data":[${data}],"more":null}` };
  };
}

const ten = Array.from({ length: 10 }, (_, index) => `s${index}`);

/** Runs a line of shell in which `$F` is the program, for streams that a pipe or the system closes. */
function shell(line: string, server: RecordingServer) {
  const home = createHome();
  const env = {
    ...server.env,
    PATH: process.env['PATH'] ?? '',
    HOME: home.path,
    FRONTDESK_STATE_DIR: home.stateDir,
    FRONTDESK_CONFIG_DIR: home.configDir,
    F: `${process.execPath} ${PROGRAM}`,
    ID: CARD_ID,
  };
  return new Promise<{ stdout: string; stderr: string; code: number }>((resolve) => {
    execFile('bash', ['-c', line], { env }, (error, stdout, stderr) => {
      resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code) });
    });
  });
}

test('json is the resource as the service sent it: every key in its order, every number digit for digit', async () => {
  const { code, stdout } = await callAt([{ body: ODD_CARD }], [...GET, '--json']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\{\n {2}"zz": \[\n {4}1\.0,\n {4}\{\n {6}"q": 1e400\n {4}\}\n {2}\],\n {2}"cardId": /);
  expect(stdout.replaceAll(/\n *|(?<=": ) |(?<=":) /g, '')).toBe(ODD_CARD);
});

test('json of several cards is an array, of one ID one object, of --from with one row an array', async () => {
  const server = await startRecordingServer(({ url }) => ({ body: cardText('ACTIVE', url.split('/')[3]) }));
  const ids = async (args: readonly string[], stdin = '') => {
    const { stdout, code } = await runFrontdesk([...args, '--json'], { env: server.env, stdin });
    expect(code).toBe(0);
    const value = JSON.parse(stdout);
    return Array.isArray(value) ? value.map((card) => card.cardId) : value.cardId;
  };
  expect([await ids(GET), await ids([...GET, OTHER_ID])]).toEqual([CARD_ID, [CARD_ID, OTHER_ID]]);
  expect(await ids(['card', 'get', '--from', '-'], `${OTHER_ID}\n`)).toEqual([OTHER_ID]);
  expect(await ids(['card', 'get', '--from', '-'], 'cardId\n')).toEqual([]);
});

test('--active all merges both lists in every format, with the members of the first response', async () => {
  const server = await startRecordingServer(lists(['s1', 's2'], ['s3']));
  const all = [...LIST, '--active', 'all'];
  const run = (...flags: string[]) => runFrontdesk([...all, ...flags], { env: server.env });
  const { stdout, stderr } = await run('--json');
  const list = JSON.parse(stdout);
  expect([stderr, Object.keys(list)]).toEqual(['', ['url', 'object', 'data', 'more']]);
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual(['s1', 's2', 's3']);
  expect((await run('-o', 'ndjson', '--query', 'id')).stdout).toBe('"s1"\n"s2"\n"s3"\n');
  expect((await run('-o', 'csv', '--columns', 'id')).stdout).toBe('id\r\ns1\r\ns2\r\ns3\r\n');
  expect(server.lines.slice(0, 2)).toEqual([
    'GET /v1/calendars/cal_1/subscribers?active=true',
    'GET /v1/calendars/cal_1/subscribers?active=false',
  ]);
});

test.each([
  ['the active half', ten, ['s']],
  ['the inactive half', ['s'], ten],
])('--active all warns when %s is full', async (_, active, inactive) => {
  const { code, stderr } = await callAt(lists(active, inactive), [...LIST, '--active', 'all', '--json']);
  expect([code, JSON.parse(stderr).notice.message]).toEqual([0, expect.stringContaining('there may be more')]);
});

test.each([
  [ten, [], 0, true],
  [[...ten, 's11'], [], 0, false],
  [['s1', 's2', 's3'], ['--limit', '3', '--require-complete'], 15, true],
])('B32 a list of %j with %j has all its entries, and is said to be full', async (ids, more, code, isFull) => {
  const result = await callAt(lists(ids), [...LIST, ...more, '--json']);
  expect([result.code, JSON.parse(result.stdout).data.length]).toEqual([code, ids.length]);
  expect(result.stderr.includes('there may be more than')).toBe(isFull);
});

test('--active all prints nothing if one half fails', async () => {
  const half: Handler = (request, count) => (count === 1 ? lists(['s1'])(request, count) : { status: 403, body: {} });
  expect(await callAt(half, [...LIST, '--active', 'all', '--json'])).toMatchObject({ code: 5, stdout: '' });
});

test('ndjson is one compact object per line, of a list its entries, of an empty one nothing', async () => {
  const printed = async (handler: Handler, args: readonly string[]) =>
    (await callAt(handler, [...args, '-o', 'ndjson'])).stdout;
  expect(await printed(() => ({ body: ODD_CARD }), GET)).toBe(`${ODD_CARD}\n`);
  const entry = (id: string) => `{"id":"${id}","object":"subscriber","x":1.10}\n`;
  expect(await printed(lists(['s1', 's2']), LIST)).toBe(entry('s1') + entry('s2'));
  expect(await printed(lists([]), LIST)).toBe('');
});

test('csv of many cards has the fixed columns, metadata and transactions as one JSON cell each', async () => {
  const each: Handler = ({ url }) => ({ body: cardText('ACTIVE', url.split('/')[3]) });
  const [header, row] = (await callAt(each, [...GET, OTHER_ID, '-o', 'csv'])).stdout.split('\r\n');
  expect(header).toBe(
    'cardId,status,currentBalance,initialBalance,expiryDate,clientReference,design,createdAt,updatedAt,activatedAt,cancelledAt,cancellationAmount,cancellationAction,metadata,transactions',
  );
  expect(row).toContain('"{""store"":""Bergen""}"');
});

const cards: Handler = ({ url }) => ({ body: cardText('ACTIVE', url.endsWith('reissue') ? OTHER_ID : CARD_ID) });

test('a closed stdin is no terminal', async () => {
  const server = await startRecordingServer(cards);
  expect(await shell('$F card get $ID --query status <&-', server)).toMatchObject({ code: 0, stdout: 'ACTIVE\n' });
  expect((await shell('$F card block $ID <&-', server)).code).toBe(2);
  expect(server.lines).toEqual([`GET /v1/cards/${CARD_ID}`]);
});

test('if the reader of stdout goes away, the rows that were not read are counted', async () => {
  const gone = join(createHome().path, 'gone');
  const server = await startRecordingServer(async ({ url }, count) => {
    // All rows fit into the pipe: the second one is not answered before its reader has gone.
    if (count > 1) await expect.poll(() => existsSync(gone), { timeout: 30_000 }).toBe(true);
    return { body: cardText('ACTIVE', url.split('/')[3]) };
  });
  const many = 'for i in $(seq 40); do echo $ID; done | $F card get --from - -j 1 -o ndjson';
  const { stderr } = await shell(`${many} | (head -c 10 > /dev/null; exec <&-; touch '${gone}')`, server);
  const { summary } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  expect(summary).toMatchObject({ rows: 40, exitCode: 141 });
  const counts: readonly number[] = Object.values(summary.outcomes);
  expect(counts.reduce((sum, rows) => sum + rows, 0)).toBe(40);
});
