import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callAt, refused } from '../support/calls.ts';
import { CALENDAR_TOKEN, CARDS_TOKEN, startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

const CARD_PATH = `/v1/cards/${CARD_ID}`;

const GET = ['api', 'GET', CARD_PATH];

test.each([
  ['/v1/calendars/a%2Fb/subscribers?limit=2&x=%20', CALENDAR_TOKEN],
  ['/v1/subscribers/s_1', CALENDAR_TOKEN],
  ['/v1/events?from=../..', CALENDAR_TOKEN],
  ['/v1/cards?status=ACTIVE', CARDS_TOKEN],
])('api GET sends %s exactly as typed, with the token of its API', async (path, token) => {
  const { code, server } = await callAt([{ body: {} }], ['api', 'GET', path]);
  expect([code, server.lines]).toEqual([0, [`GET ${path}`]]);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${token}`);
});

test('api GET takes the API from --family if the path does not show it, and keeps the path prefix', async () => {
  const server = await startRecordingServer([{ body: {} }]);
  const env = { ...server.env, FRONTDESK_CALENDAR_URL: `${server.url}/gateway` };
  const { code } = await runFrontdesk(['api', 'GET', '/v2/x', '--family', 'calendar'], { env });
  expect([code, server.lines]).toEqual([0, ['GET /gateway/v2/x']]);
});

test('api --include prints status and headers before the body', async () => {
  const headers = { 'x-request-id': 'r\u009b1', 'x-echo': CARDS_TOKEN };
  const { code, stdout } = await callAt([{ status: 203, headers, body: { a: 1 } }], [...GET, '--include']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^HTTP\/1\.1 203\n[\s\S]*\n\n\{\n {2}"a": 1\n\}\n$/)]);
  for (const line of ['x-request-id: r\\x9b1\n', 'x-echo: ***\n']) expect(stdout).toContain(line);
});

test.each([
  [['-o', 'csv'], '-o: a body is printed as JSON, not as csv'],
  [['-o', 'xlsx', '--out', 'x.xlsx'], ''],
  [['--columns', 'name'], '--columns: needs a table'],
])('api GET prints no table (%j)', async (flags, problem) => {
  expect(await refused(['api', 'GET', '/v1/cards', ...flags])).toContain(problem);
});

test.each([
  [['gett', '/v1/cards/x'], 'did you mean GET?'],
  [['DELETE', '/v1/cards/x'], '<method>: must be GET or POST, not "DELETE"'],
  [['GET'], '<path>: is required'],
  [[], '<method>: is required'],
  [['GET', '/v2/x'], '--family: is required'],
  [['GET', '/v1/cards/x', '--family', 'calendar'], '--family: says calendar, but the path belongs to cards'],
  [['GET', '/v1/cards/x', '--data', '{}'], '--data: a GET has no body'],
  [['POST', '/v1/events/import', '--yes', '--data', '{"a":1,\n"b":}'], '--data: line 2, column 5'],
  [['POST', '/v1/events/import', '--yes', '--data', '{bad}'], 'hint: quote the JSON for the shell, or give a file'],
  [['POST', '/v1/events/import', '--yes', '--data', '@missing.json'], '--data: could not read "missing.json"'],
  [['GET', '/v1/cards/x', '--include', '--json'], '--include: prints headers as text'],
  [['POST', '/v1/cards/import/rows'], 'it needs confirmation, and there is no terminal to ask on'],
])('api refuses %j before anything is sent', async (args, expected) => {
  expect(await refused(['api', ...args])).toContain(expected);
});

test.each([
  [['/v1/cards/x/block', '--data', '{"reason":"a b"}'], ": frontdesk card block x --reason 'a b'"],
  [[`${CARD_PATH}/%42LOCK/?x=1`], `: frontdesk card block ${CARD_ID}`],
  [[CARD_PATH], `: frontdesk card get ${CARD_ID}`],
  [['/V1/Cards/x/Block'], ': frontdesk card block x'],
  [[`${CARD_PATH}/provision/wallet_a`], `: frontdesk card provision ${CARD_ID} --wallet wallet_a`],
  [['/v1/events', '--data', '{"odd":1}'], ', whose options `--help` lists: frontdesk calendar event create'],
])('api POST %j is refused with the command that there is for it, and nothing is sent', async (args, hint) => {
  for (const env of [{}, { FRONTDESK_READ_ONLY: '1' }]) {
    const stderr = await refused(['api', 'POST', ...args, '--yes'], { env });
    expect(stderr).toContain('<path>: is the path of `frontdesk ');
    expect(stderr).toContain(`hint: use its command${hint}\n`);
  }
});

const block = ['api', 'POST', `${CARD_PATH}/notes`, '--yes'];
const rows = ['api', 'POST', '/v1/cards/import/rows', '--yes'];

test.each([
  ['the argument', ['--data', '{"reason":"lost","amount":1.10}'], ''],
  ['a file', ['--data', '@body.json'], ''],
  ['stdin', ['--data', '@-'], '{ "reason": "lost", "amount": 1.10 }\n'],
])('api POST sends the JSON of %s, every digit as it is', async (_, args, stdin) => {
  const home = createHome();
  writeFileSync(join(home.path, 'work', 'body.json'), '\ufeff{"reason":"lost","amount":1.10}\n');
  const reply = [{ body: cardText('BLOCKED') }];
  const { code, stdout, server } = await callAt(reply, [...block, ...args, '--json'], { home, stdin });
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: 'BLOCKED' }]);
  const headers = { 'content-type': 'application/json' };
  expect(server.requests).toMatchObject([{ method: 'POST', headers, body: '{"reason":"lost","amount":1.10}' }]);
});

test('api POST records the change in the history under its method and path', async () => {
  const reply = [{ body: { id: 'evt_9', object: 'event' } }];
  const { home } = await callAt(reply, ['api', 'POST', '/v1/events/import', '--yes', '--data', '{"name":"x"}']);
  const { stdout } = await runFrontdesk(['history', '--json'], { home });
  const entry = { operation: 'api', id: 'POST /v1/events/import', outcome: 'applied', httpStatus: 200, resultId: null };
  expect(JSON.parse(stdout)).toMatchObject([entry]);
  expect(stdout).not.toContain('"x"');
});

test('api POST --dry-run prints the request, needs no credential and sends nothing', async () => {
  const args = [...block.slice(0, 3), '--data', '{"reason":1.10}', '--dry-run', '--json'];
  const { code, stdout } = await runFrontdesk(args, { env: { FRONTDESK_CARDS_URL: 'https://cards.example.com/api' } });
  expect([code, stdout]).toEqual([0, expect.stringContaining('"reason": 1.10')]);
  const requests = [{ method: 'POST', url: `https://cards.example.com/api${CARD_PATH}/notes` }];
  expect(JSON.parse(stdout)).toMatchObject({ dryRun: true, requests });
});

test.each([
  ['500', { status: 500, body: {} }],
  ['503 with Retry-After', { status: 503, headers: { 'retry-after': '0' }, body: {} }],
])('api POST on another path: %s is an unknown outcome and is never sent twice', async (_, reply) => {
  const result = await callAt([reply], [...rows, '--data', '[]', '--json']);
  expect(result).toMatchObject({ code: 8, stdout: '' });
  const error = { code: 'OUTCOME_UNKNOWN', operation: 'api', id: 'POST /v1/cards/import/rows', outcome: 'unknown' };
  expect(JSON.parse(result.stderr)).toMatchObject({ error });
});

test.each([
  ['429', { status: 429, headers: { 'retry-after': '0' }, body: {} }, 11],
  ['409', { status: 409, body: {} }, 6],
  ['an empty 2xx', { status: 204 }, 0],
])('api POST on another path: after %s it is not sent again', async (_, reply, code) => {
  const { server, home, ...result } = await callAt(() => reply, [...rows, '--json']);
  expect([result, server.requests.length]).toMatchObject([{ code, stdout: '' }, 1]);
  // Nothing is known of it, nor whether it is the same again.
  expect(await runFrontdesk([...rows, '--json'], { env: server.env, home })).toMatchObject({ code });
});
