import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
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
  const server = await startRecordingServer([{ body: ODD_CARD }]);
  const { code, stdout } = await runFrontdesk([...GET, '--json'], { env: server.env });
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      '{',
      '  "zz": [',
      '    1.0,',
      '    {',
      '      "q": 1e400',
      '    }',
      '  ],',
      `  "cardId": "${CARD_ID}",`,
      '  "clientReference": "r",',
      '  "status": "LIMBO",',
      '  "initialBalance": 10.10,',
      '  "currentBalance": 12345678901234567.89,',
      '  "expiryDate": "2031-01-01",',
      '  "design": "d",',
      '  "metadata": {',
      '    "__proto__": {',
      '      "a": -0',
      '    },',
      '    "n": 1E2',
      '  },',
      '  "createdAt": "a",',
      '  "updatedAt": "b"',
      '}',
      '',
    ].join('\n'),
  );
});

test('json of a list command is the List object as sent', async () => {
  const server = await startRecordingServer(lists(['s1']));
  const { stdout } = await runFrontdesk([...LIST, '--json'], { env: server.env });
  expect(stdout).toBe(
    '{\n  "url": "/v1/calendars/cal_1/subscribers",\n  "object": "list",\n  "data": [\n    {\n      "id": "s1",\n      "object": "subscriber",\n      "x": 1.10\n    }\n  ],\n  "more": null\n}\n',
  );
});

test('json of several cards is an array, of one ID one object, of --from with one row an array', async () => {
  const server = await startRecordingServer(({ url }) => ({ body: cardText('ACTIVE', url.split('/')[3]) }));
  const ids = async (args: readonly string[], stdin = '') => {
    const { stdout, code } = await runFrontdesk([...args, '--json'], { env: server.env, stdin });
    expect(code).toBe(0);
    const value = JSON.parse(stdout);
    return Array.isArray(value) ? value.map((card) => card.cardId) : value.cardId;
  };
  expect(await ids(GET)).toBe(CARD_ID);
  expect(await ids([...GET, OTHER_ID])).toEqual([CARD_ID, OTHER_ID]);
  expect(await ids(['card', 'get', '--from', '-'], `${OTHER_ID}\n`)).toEqual([OTHER_ID]);
  expect(await ids(['card', 'get', '--from', '-'], 'cardId\n')).toEqual([]);
});

test('json without a result is [] if the result is an array, never nothing', async () => {
  expect((await runFrontdesk(['history', '--json'])).stdout).toBe('[]\n');
  expect((await runFrontdesk(['runs', '--json'])).stdout).toBe('[]\n');
});

test('--active all merges both lists in every format, with the members of the first response', async () => {
  const server = await startRecordingServer(lists(['s1', 's2'], ['s3']));
  const all = [...LIST, '--active', 'all'];
  const { stdout, stderr } = await runFrontdesk([...all, '--json'], { env: server.env });
  expect(stderr).toBe('');
  const list = JSON.parse(stdout);
  expect(Object.keys(list)).toEqual(['url', 'object', 'data', 'more']);
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual(['s1', 's2', 's3']);
  expect((await runFrontdesk([...all, '-o', 'ndjson', '--query', 'id'], { env: server.env })).stdout).toBe(
    '"s1"\n"s2"\n"s3"\n',
  );
  const csv = await runFrontdesk([...all, '-o', 'csv', '--columns', 'id'], { env: server.env });
  expect(csv.stdout).toBe('id\r\ns1\r\ns2\r\ns3\r\n');
  expect(server.lines.slice(0, 2)).toEqual([
    'GET /v1/calendars/cal_1/subscribers?active=true',
    'GET /v1/calendars/cal_1/subscribers?active=false',
  ]);
});

test.each([
  ['the active half', ten, ['s']],
  ['the inactive half', ['s'], ten],
])('--active all warns when %s is full', async (_, active, inactive) => {
  const server = await startRecordingServer(lists(active, inactive));
  const { code, stderr } = await runFrontdesk([...LIST, '--active', 'all', '--json'], { env: server.env });
  expect(code).toBe(0);
  expect(JSON.parse(stderr).notice.message).toContain('there may be more');
});

test.each([
  [ten, [], 0, true],
  [[...ten, 's11'], [], 0, false],
  [['s1', 's2', 's3'], ['--limit', '3', '--require-complete'], 15, true],
])('B32 a list of %j with %j has all its entries, and is said to be full', async (ids, more, code, isFull) => {
  const server = await startRecordingServer(lists(ids));
  const result = await runFrontdesk([...LIST, ...more, '--json'], { env: server.env });
  expect([result.code, JSON.parse(result.stdout).data.length]).toEqual([code, ids.length]);
  expect(result.stderr.includes('there may be more than')).toBe(isFull);
});

test('--active all prints nothing if one half fails', async () => {
  const server = await startRecordingServer((request, count) =>
    count === 1 ? lists(['s1'])(request, count) : { status: 403, body: {} },
  );
  expect(await runFrontdesk([...LIST, '--active', 'all', '--json'], { env: server.env })).toMatchObject({
    code: 5,
    stdout: '',
  });
});

test('subscribers list sends only the parameters that were given', async () => {
  const server = await startRecordingServer(lists([]));
  await runFrontdesk([...LIST, '--active', 'false'], { env: server.env });
  await runFrontdesk([...LIST, '--active', 'true', '--limit', '100'], { env: server.env });
  expect(server.lines.map((line) => line.split('?')[1])).toEqual(['active=false', 'active=true&limit=100']);
});

test('ndjson is one compact object per line, of a list its entries, of an empty one nothing', async () => {
  const server = await startRecordingServer([{ body: ODD_CARD }]);
  expect((await runFrontdesk([...GET, '-o', 'ndjson'], { env: server.env })).stdout).toBe(`${ODD_CARD}\n`);
  const some = await startRecordingServer(lists(['s1', 's2']));
  expect((await runFrontdesk([...LIST, '-o', 'ndjson'], { env: some.env })).stdout).toBe(
    '{"id":"s1","object":"subscriber","x":1.10}\n{"id":"s2","object":"subscriber","x":1.10}\n',
  );
  const none = await startRecordingServer(lists([]));
  expect(await runFrontdesk([...LIST, '-o', 'ndjson'], { env: none.env })).toMatchObject({ code: 0, stdout: '' });
});

test('csv of many cards has the fixed columns, metadata and transactions as one JSON cell each', async () => {
  const server = await startRecordingServer(({ url }) => ({ body: cardText('ACTIVE', url.split('/')[3]) }));
  const { stdout } = await runFrontdesk([...GET, OTHER_ID, '-o', 'csv'], { env: server.env });
  const [header, row] = stdout.split('\r\n');
  expect(header).toBe(
    'cardId,status,currentBalance,initialBalance,expiryDate,clientReference,design,createdAt,updatedAt,activatedAt,cancelledAt,cancellationAmount,cancellationAction,metadata,transactions',
  );
  expect(row).toContain('"{""store"":""Bergen""}"');
});

test('a table outside a terminal is one header and one row per resource, tab-separated, nothing cut', async () => {
  const long = 'x'.repeat(3000);
  const server = await startRecordingServer([{ body: { id: 'cal_1', name: 'a\tb\nc', description: long } }]);
  const { stdout } = await runFrontdesk(['calendar', 'update', 'cal_1', '--name', 'n'], { env: server.env });
  const lines = stdout.split('\n');
  expect(lines[0]).toBe('ID\tACTIVE\tUPDATED\tNAME\tDESCRIPTION\tIMAGE\tURL');
  expect(lines[1]).toBe(`cal_1\t\t\ta\\tb\\nc\t${long}\t\t`);
  expect(lines.length).toBe(3);
});

test.each<[readonly string[], string]>([
  [
    ['--out', 'kept.json'],
    'PRIMARY ACCOUNT NUMBER PREFIX\tACTIVATION DATA\tAUTHENTICATION DATA\n9999\t<hidden, 2 characters>\t<hidden, 3 characters>\n',
  ],
  [['--show-sensitive'], 'PRIMARY ACCOUNT NUMBER PREFIX\tACTIVATION DATA\tAUTHENTICATION DATA\n9999\tad\tau😀\n'],
  [['-o', 'ndjson'], '{"primaryAccountNumberPrefix":"9999","activationData":"ad","authenticationData":"au😀"}\n'],
])(
  'one-time secrets are hidden in table and csv unless --show-sensitive, and printed in json and ndjson: %j',
  async (flags, expected) => {
    const body = '{"primaryAccountNumberPrefix":"9999","activationData":"ad","authenticationData":"au😀"}';
    const server = await startRecordingServer([{ body }]);
    const args = ['card', 'provision', CARD_ID, '--wallet', 'wallet_b', ...flags];
    expect(await runFrontdesk(args, { env: server.env })).toMatchObject({ code: 0, stdout: expected });
  },
);

test.each(['table', 'json'])('-v shows no one-time secret of the other wallet either (%s)', async (format) => {
  const body =
    '{"encryptedPaymentInstrument":"SECRET","extra":{"activationData":"SECRET","authenticationData":["SECRET"]}}';
  const server = await startRecordingServer([{ body }]);
  const args = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '-v', '-o', format, '--out', 'kept.json'];
  const { code, stderr } = await runFrontdesk(args, { env: server.env });
  expect(code).toBe(0);
  expect(stderr).not.toContain('SECRET');
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
