import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CALENDAR_TOKEN, CARDS_TOKEN, startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';
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

test.each([
  [['-o', 'csv'], '-o: a body is printed as JSON, not as csv'],
  [['-o', 'xlsx', '--out', 'x.xlsx'], ''],
  [['--columns', 'name'], '--columns: needs a table'],
])('api GET prints no table (%j)', async (flags, problem) => {
  const server = await startRecordingServer([]);
  const result = await runFrontdesk(['api', 'GET', '/v1/cards', ...flags], { env: server.env });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain(problem);
  expect(server.requests).toEqual([]);
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
  [['POST', '/v1/events/import', '--yes', '--data', '{"a":1,\n"b":}'], '--data: line 2, column 5'],
  [['POST', '/v1/events/import', '--yes', '--data', '{"a":1,"a":2}'], '--data: line 1, column 8'],
  [['POST', '/v1/events/import', '--yes', '--data', '{bad}'], 'hint: quote the JSON for the shell, or give a file'],
  [['POST', '/v1/events/import', '--yes', '--data', ''], '--data: line 1, column 1'],
  [['POST', '/v1/events/import', '--yes', '--data', '@missing.json'], '--data: could not read "missing.json"'],
  [['GET', '/v1/cards/x', '--include', '--json'], '--include: prints headers as text'],
  [['GET', '/v1/cards/x', '--include', '-o', 'ndjson'], '--include: prints headers as text'],
  [['POST', '/v1/cards/import/rows'], 'it needs confirmation, and there is no terminal to ask on'],
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

test.each([
  [
    ['/v1/cards/x/block', '--data', '{"reason":"a b"}'],
    "hint: use its command: frontdesk card block x --reason 'a b'\n",
  ],
  [[`${CARD_PATH}/%42LOCK/?x=1`], `hint: use its command: frontdesk card block ${CARD_ID}\n`],
  [[CARD_PATH], `hint: use its command: frontdesk card get ${CARD_ID}\n`],
  [['/V1/Cards/x/Block'], 'hint: use its command: frontdesk card block x\n'],
  [
    [`${CARD_PATH}/provision/wallet_a`],
    `hint: use its command: frontdesk card provision ${CARD_ID} --wallet wallet_a\n`,
  ],
  [
    ['/v1/events', '--data', '{"odd":1}'],
    'hint: use its command, whose options `--help` lists: frontdesk calendar event create\n',
  ],
])('api POST %j is refused with the command that there is for it, and nothing is sent', async (args, hint) => {
  const server = await startRecordingServer([]);
  for (const env of [server.env, { ...server.env, FRONTDESK_READ_ONLY: '1' }]) {
    const result = await runFrontdesk(['api', 'POST', ...args, '--yes'], { env });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('<path>: is the path of `frontdesk ');
    expect(result.stderr).toContain(hint);
  }
  expect(server.requests).toEqual([]);
});

const block = ['api', 'POST', `${CARD_PATH}/notes`, '--yes'];

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
  const result = await runFrontdesk(['api', 'POST', `${CARD_PATH}/notes`, '--yes'], { env: server.env });
  expect(result.code).toBe(0);
  expect(server.requests[0]).toMatchObject({ body: '' });
  expect(server.requests[0]?.headers['content-type']).toBeUndefined();
});

test('api POST records the change in the history under its method and path', async () => {
  const home = createHome();
  const server = await startRecordingServer([{ body: { id: 'evt_9', object: 'event' } }]);
  await runFrontdesk(['api', 'POST', '/v1/events/import', '--yes', '--data', '{"name":"x"}'], {
    env: server.env,
    home,
  });
  const history = await runFrontdesk(['history', '--json'], { home });
  expect(JSON.parse(history.stdout)).toMatchObject([
    { operation: 'api', id: 'POST /v1/events/import', outcome: 'applied', httpStatus: 200, resultId: null },
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
    requests: [{ method: 'POST', url: `https://cards.example.com/api${CARD_PATH}/notes` }],
  });
});

test.each([
  ['500', { status: 500, body: {} }],
  ['503 with Retry-After', { status: 503, headers: { 'retry-after': '0' }, body: {} }],
])('api POST on another path: %s is an unknown outcome and is never sent twice', async (_, reply) => {
  const server = await startRecordingServer([reply]);
  const result = await runFrontdesk(['api', 'POST', '/v1/cards/import/rows', '--yes', '--data', '[]', '--json'], {
    env: server.env,
  });
  expect(result).toMatchObject({ code: 8, stdout: '' });
  expect(JSON.parse(result.stderr)).toMatchObject({
    error: { code: 'OUTCOME_UNKNOWN', operation: 'api', id: 'POST /v1/cards/import/rows', outcome: 'unknown' },
  });
});

test.each([
  ['429', { status: 429, headers: { 'retry-after': '0' }, body: {} }, 11],
  ['409', { status: 409, body: {} }, 6],
  ['an empty 2xx', { status: 204 }, 0],
])('api POST on another path: after %s it is not sent again', async (_, reply, code) => {
  const server = await startRecordingServer(() => reply);
  const home = createHome();
  const run = () =>
    runFrontdesk(['api', 'POST', '/v1/cards/import/rows', '--yes', '--json'], { env: server.env, home });
  expect(await run()).toMatchObject({ code, stdout: '' });
  expect(server.requests).toHaveLength(1);
  // Nothing is known of it, nor whether it is the same again.
  expect(await run()).toMatchObject({ code });
});
