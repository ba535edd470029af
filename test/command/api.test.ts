import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CALENDAR_TOKEN, CARDS_TOKEN, startRecordingServer } from '../support/recording-server.ts';
import { createHome, NO_PAUSE, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

const CARD_PATH = `/v1/cards/${CARD_ID}`;

test('api GET prints the response digit for digit as indented JSON, whatever its members are', async () => {
  const server = await startRecordingServer([{ body: '{"b":1.10,"a":[12345678901234567.89],"cardId":"other"}' }]);
  const result = await runFrontdesk(['api', 'GET', CARD_PATH], { env: server.env });
  expect(result).toMatchObject({
    code: 0,
    stderr: '',
    stdout: '{\n  "b": 1.10,\n  "a": [\n    12345678901234567.89\n  ],\n  "cardId": "other"\n}\n',
  });
  expect(server.lines).toEqual([`GET ${CARD_PATH}`]);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${CARDS_TOKEN}`);
});

test.each([
  ['an array', '[1,"a"]', '[\n  1,\n  "a"\n]\n'],
  ['a text', '"a"', '"a"\n'],
  ['a number', '1.50', '1.50\n'],
  ['null', 'null', 'null\n'],
])('api GET prints %s as it was sent', async (_, body, expected) => {
  const server = await startRecordingServer([{ body }]);
  const result = await runFrontdesk(['api', 'GET', '/v1/cards', '--json'], { env: server.env });
  expect(result).toMatchObject({ code: 0, stdout: expected });
});

test.each([
  ['/v1/calendars/a%2Fb/subscribers?limit=2&x=%20', CALENDAR_TOKEN],
  ['/v1/subscribers/s_1', CALENDAR_TOKEN],
  ['/v1/events?from=../..', CALENDAR_TOKEN],
  ['/v1/cards?status=ACTIVE', CARDS_TOKEN],
])('api GET sends %s exactly as typed, with the token of its API', async (path, token) => {
  const server = await startRecordingServer([{ body: {} }]);
  const result = await runFrontdesk(['api', 'GET', path], { env: server.env });
  expect(result.code).toBe(0);
  expect(server.lines).toEqual([`GET ${path}`]);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${token}`);
});

test('api GET takes the API from --family if the path does not show it, and keeps the path prefix', async () => {
  const server = await startRecordingServer([{ body: {} }]);
  const env = { ...server.env, FRONTDESK_CALENDAR_URL: `${server.url}/gateway` };
  const result = await runFrontdesk(['api', 'GET', '/v2/x', '--family', 'calendar'], { env });
  expect(result.code).toBe(0);
  expect(server.lines).toEqual(['GET /gateway/v2/x']);
});

test('api --include prints status and headers before the body', async () => {
  const server = await startRecordingServer([
    { status: 203, headers: { 'x-request-id': 'r\u009b1', 'x-echo': CARDS_TOKEN }, body: { a: 1 } },
  ]);
  const result = await runFrontdesk(['api', 'GET', CARD_PATH, '--include'], { env: server.env });
  expect(result.code).toBe(0);
  expect(result.stdout).toMatch(/^HTTP\/1\.1 203\n/);
  expect(result.stdout).toContain('x-request-id: r\\x9b1\n');
  expect(result.stdout).toContain('x-echo: ***\n');
  expect(result.stdout).toMatch(/\n\n\{\n {2}"a": 1\n\}\n$/);
});

test('api GET prints csv and chosen columns as tables', async () => {
  const body = [{ id: 1, name: '=x' }];
  const csv = await runFrontdesk(['api', 'GET', '/v1/cards', '-o', 'csv'], {
    env: (await startRecordingServer([{ body }])).env,
  });
  expect(csv).toMatchObject({ code: 0, stdout: "id,name\r\n1,'=x\r\n" });
  const table = await runFrontdesk(['api', 'GET', '/v1/cards', '--columns', 'name'], {
    env: (await startRecordingServer([{ body }])).env,
  });
  expect(table).toMatchObject({ code: 0, stdout: 'name\n=x\n' });
});

test.each([
  [404, 3],
  [302, 6],
])('api GET with a response of %i exits with %i and an empty stdout', async (status, code) => {
  const server = await startRecordingServer([{ status, body: { errorCode: 'E', message: 'm' } }]);
  const result = await runFrontdesk(['api', 'GET', CARD_PATH, '--json'], { env: server.env });
  expect(result).toMatchObject({ code, stdout: '' });
  expect(JSON.parse(result.stderr)).toMatchObject({
    error: { exitCode: code, operation: 'api', id: CARD_PATH, http: { status } },
  });
  expect(result.stderr).not.toContain('"outcome"');
});

test('api GET with a response that is not JSON exits with 10', async () => {
  const server = await startRecordingServer([{ body: '<html>' }]);
  const result = await runFrontdesk(['api', 'GET', CARD_PATH, '--retries', '0'], { env: server.env });
  expect(result).toMatchObject({ code: 10, stdout: '' });
});

test.each([
  'https://evil.example/v1/cards/x',
  '/v1/cards/%2e%2e/x',
  '/v1/cards/a b',
  '/v1/cards/a\r\nHost: evil.example',
])('api refuses the path %j before anything is sent', async (path) => {
  const server = await startRecordingServer([]);
  const result = await runFrontdesk(['api', 'GET', path], { env: server.env });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toMatch(/^frontdesk: <path>: /);
});

test('api refuses a wrong path and shows how to write one', async () => {
  const result = await runFrontdesk(['api', 'GET', '/v1/calendars/a é%']);
  expect(result.stderr).toContain('hint: write it as /v1/calendars/a%20%C3%A9%25\n');
});

test.each([
  [['gett', '/v1/cards/x'], 'did you mean GET?'],
  [['DELETE', '/v1/cards/x'], '<method>: must be GET or POST, not "DELETE"'],
  [['GET'], '<path>: is required'],
  [[], '<method>: is required'],
  [['GET', '/v2/x'], '--family: is required'],
  [['GET', '/v1/cards/x', '--family', 'calendar'], '--family: says calendar, but the path belongs to cards'],
  [['GET', '/v1/events', '--family', 'cards'], '--family: says cards, but the path belongs to calendar'],
  [['GET', '/v2/x', '--family', 'card'], 'did you mean cards?'],
  [['GET', '/v1/cards/x', '--data', '{}'], '--data: a GET has no body'],
  [['GET', '/v1/cards/x', '--again'], '--again: belongs to a reissue, a provisioning or an event'],
  [['GET', '/other', '--family', 'cards', '--again'], '--again: belongs to a reissue, a provisioning or an event'],
  [['POST', '/v1/events', '--yes', '--data', '{"a":1,\n"b":}'], '--data: line 2, column 5'],
  [['POST', '/v1/events', '--yes', '--data', '{"a":1,"a":2}'], '--data: line 1, column 8'],
  [['POST', '/v1/events', '--yes', '--data', '{bad}'], 'hint: quote the JSON for the shell, or give a file'],
  [['POST', '/v1/events', '--yes', '--data', ''], '--data: line 1, column 1'],
  [['POST', '/v1/events', '--yes', '--data', '@missing.json'], '--data: could not read "missing.json"'],
  [['GET', '/v1/cards/x', '--include', '--json'], '--include: prints headers as text'],
  [['GET', '/v1/cards/x', '--include', '-o', 'ndjson'], '--include: prints headers as text'],
  [['POST', '/v1/events', '--data', '{}'], 'it needs confirmation, and there is no terminal to ask on'],
  [['POST', `${CARD_PATH}/activate`], 'it needs confirmation, and there is no terminal to ask on'],
])('api refuses %j before anything is sent', async (args, expected) => {
  const server = await startRecordingServer([]);
  const result = await runFrontdesk(['api', ...args], { env: server.env });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain(expected);
});

test('api names all errors of a call together', async () => {
  const result = await runFrontdesk(['api', 'PUT', 'x', '--family', 'no', '--data', '{']);
  expect(result.code).toBe(2);
  for (const where of ['<method>', '<path>', '--family', '--data']) expect(result.stderr).toContain(`${where}: `);
});

const block = ['api', 'POST', `${CARD_PATH}/block`, '--yes'];

test.each([
  ['the argument', ['--data', '{"reason":"lost","amount":1.10}'], ''],
  ['a file', ['--data', '@body.json'], ''],
  ['stdin', ['--data', '@-'], '{ "reason": "lost", "amount": 1.10 }\n'],
])('api POST sends the JSON of %s, every digit as it is', async (_, args, stdin) => {
  const home = createHome();
  writeFileSync(join(home.path, 'work', 'body.json'), '\ufeff{"reason":"lost","amount":1.10}\n');
  const server = await startRecordingServer([{ body: cardText('BLOCKED') }]);
  const result = await runFrontdesk([...block, ...args, '--json'], { env: server.env, home, stdin });
  expect(result.code).toBe(0);
  expect(server.requests[0]).toMatchObject({ method: 'POST', body: '{"reason":"lost","amount":1.10}' });
  expect(server.requests[0]?.headers['content-type']).toBe('application/json');
  expect(JSON.parse(result.stdout)).toMatchObject({ status: 'BLOCKED' });
});

test('api POST without --data sends no body', async () => {
  const server = await startRecordingServer([{ body: cardText('ACTIVE') }]);
  const result = await runFrontdesk(['api', 'POST', `${CARD_PATH}/activate`, '--yes'], { env: server.env });
  expect(result.code).toBe(0);
  expect(server.requests[0]).toMatchObject({ body: '' });
  expect(server.requests[0]?.headers['content-type']).toBeUndefined();
});

test('api POST records the change in the history under its path', async () => {
  const home = createHome();
  const server = await startRecordingServer([{ body: { id: 'evt_9', object: 'event' } }]);
  await runFrontdesk(['api', 'POST', '/v1/events', '--yes', '--data', '{"name":"x"}'], { env: server.env, home });
  const history = await runFrontdesk(['history', '--json'], { home });
  expect(JSON.parse(history.stdout)).toMatchObject([
    { operation: 'api', id: '/v1/events', outcome: 'applied', httpStatus: 200, resultId: 'evt_9' },
  ]);
  expect(history.stdout).not.toContain('"x"');
});

test('api POST --dry-run prints the request, needs no credential and sends nothing', async () => {
  const result = await runFrontdesk([...block.slice(0, 3), '--data', '{"reason":1.10}', '--dry-run', '--json'], {
    env: { FRONTDESK_CARDS_URL: 'https://cards.example.com/api' },
  });
  expect(result.code).toBe(0);
  expect(result.stdout).toContain('"reason": 1.10');
  expect(JSON.parse(result.stdout)).toMatchObject({
    dryRun: true,
    requests: [{ method: 'POST', url: `https://cards.example.com/api${CARD_PATH}/block` }],
  });
});

test.each([
  ['after a lost answer of block the card is checked', `${CARD_PATH}/block`, cardText('BLOCKED'), 0],
  ['a lost answer of block that the card does not show is unknown', `${CARD_PATH}/block`, cardText('ACTIVE'), 8],
])('api POST: %s', async (_, path, shown, code) => {
  const server = await startRecordingServer((request) => (request.method === 'POST' ? 'reset' : { body: shown }));
  const args = ['api', 'POST', path, '--yes', '--data', '{}', '--json'];
  const result = await runFrontdesk(args, { env: { ...server.env, ...NO_PAUSE } });
  expect(result.code).toBe(code);
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  expect(server.requests.filter(({ method }) => method === 'GET').length).toBeGreaterThanOrEqual(1);
});

test.each([
  ['500', { status: 500, body: {} }],
  ['no JSON', { body: 'done' }],
])('api POST on another path: %s is an unknown outcome and is never sent twice', async (_, reply) => {
  const server = await startRecordingServer([reply]);
  const result = await runFrontdesk(['api', 'POST', '/v1/cards/import', '--yes', '--data', '[]', '--json'], {
    env: server.env,
  });
  expect(result).toMatchObject({ code: 8, stdout: '' });
  expect(JSON.parse(result.stderr)).toMatchObject({
    error: { code: 'OUTCOME_UNKNOWN', operation: 'api', id: '/v1/cards/import', outcome: 'unknown' },
  });
});

test('api POST hides the one-time secrets of a provisioning, in the history too', async () => {
  const home = createHome();
  const secret = 'c2VjcmV0LXBheWxvYWQ=';
  const path = `${CARD_PATH}/provision/wallet_a`;
  const server = await startRecordingServer(() => ({ body: { encryptedPaymentInstrument: secret } }));
  const args = ['api', 'POST', path, '--yes', '--data', '{}'];
  const table = await runFrontdesk(args, { env: server.env, home });
  expect(table).toMatchObject({ code: 2, stdout: '' });
  const query = await runFrontdesk([...args, '--json', '--query', 'nope'], { env: server.env, home });
  expect(query).toMatchObject({ code: 2, stdout: '' });
  expect(JSON.parse(query.stderr).error.message).toContain('--query');
  expect(server.requests).toEqual([]);
  const json = await runFrontdesk([...args, '--json', '--verbose'], { env: server.env, home });
  expect(json.stdout).toContain(secret);
  expect(json.stderr).not.toContain(secret);
  const history = await runFrontdesk(['history', '--json'], { home });
  expect(history.stdout).not.toContain(secret);
});

function homeWith(url: string, profile: Record<string, unknown>) {
  const home = createHome();
  mkdirSync(home.configDir, { mode: 0o700 });
  const settings = { version: 1, currentProfile: 'live', profiles: { live: { cardsUrl: url, ...profile } } };
  writeFileSync(join(home.configDir, 'settings.json'), JSON.stringify(settings));
  return home;
}
const env = { FRONTDESK_CARDS_TOKEN: CARDS_TOKEN };

test.each([
  [`${CARD_PATH}/block`, '{"reason":"lost"}', 2],
  [`${CARD_PATH}/reissue`, '{}', 2],
  [`${CARD_PATH}/%62lock`, '{"reason":"lost"}', 2],
  [`${CARD_PATH}/Block/`, '{"reason":"lost"}', 2],
  [`${CARD_PATH}/block;x?y=1`, '{"reason":["T-1"]}', 2],
  [`${CARD_PATH}/block`, '{"reason":"lost, T-1"}', 0],
  [`${CARD_PATH}/activate`, '{}', 0],
])('api POST finds a required reason in the body: %s %s exits with %i', async (path, body, code) => {
  const server = await startRecordingServer(code === 0 ? [{ body: cardText('BLOCKED') }] : []);
  const home = homeWith(server.url, { requireReason: 'T-[0-9]+' });
  const result = await runFrontdesk(['api', 'POST', path, '--yes', '--data', body], { env, home });
  expect(result.code).toBe(code);
  if (code === 2) expect(result.stderr).toContain('--data: reason: ');
});

test('api prints in the output format of the profile', async () => {
  const server = await startRecordingServer([{ body: { a: 1 } }]);
  const home = homeWith(server.url, { output: 'ndjson' });
  const result = await runFrontdesk(['api', 'GET', CARD_PATH], { env, home });
  expect(result).toMatchObject({ code: 0, stdout: '{"a":1}\n' });
});
