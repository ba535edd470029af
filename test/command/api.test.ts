import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CALENDAR_TOKEN, CARDS_TOKEN, startRecordingServer } from '../support/recording-server.ts';
import { createHome, NO_PAUSE, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

const CARD_PATH = `/v1/cards/${CARD_ID}`;

describe('what is typed from memory', () => {
  test.each([
    [['api', `cards/${CARD_ID}`], `GET /v1/cards/${CARD_ID}`],
    [['api', `v1/cards/${CARD_ID}`], `GET /v1/cards/${CARD_ID}`],
    [['api', `/v1/cards/${CARD_ID}`], `GET /v1/cards/${CARD_ID}`],
    [['api', 'get', `/v1/cards/${CARD_ID}`], `GET /v1/cards/${CARD_ID}`],
    [['api', 'post', 'subscribers/sub_1', '--data', '{}', '-y'], 'POST /v1/subscribers/sub_1'],
  ])('%j is %s', async (args, line) => {
    const server = await startRecordingServer([{ body: {} }]);
    expect((await runFrontdesk(args, { env: server.env })).code).toBe(0);
    expect(server.lines).toEqual([line]);
  });
});

describe('api GET', () => {
  test('prints the answer digit for digit as indented JSON, whatever its members are', async () => {
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
  ])('prints %s as it was sent', async (_, body, expected) => {
    const server = await startRecordingServer([{ body }]);
    const result = await runFrontdesk(['api', 'GET', '/v1/cards', '--json'], { env: server.env });
    expect(result).toMatchObject({ code: 0, stdout: expected });
  });

  test.each([
    ['/v1/calendars/a%2Fb/subscribers?limit=2&x=%20', CALENDAR_TOKEN],
    ['/v1/subscribers/s_1', CALENDAR_TOKEN],
    ['/v1/events?from=../..', CALENDAR_TOKEN],
    ['/v1/cards?status=ACTIVE', CARDS_TOKEN],
  ])('sends %s exactly as typed, with the token of its interface', async (path, token) => {
    const server = await startRecordingServer([{ body: {} }]);
    const result = await runFrontdesk(['api', 'GET', path], { env: server.env });
    expect(result.code).toBe(0);
    expect(server.lines).toEqual([`GET ${path}`]);
    expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${token}`);
  });

  test('takes the API from --family where the path does not tell, and keeps the path prefix', async () => {
    const server = await startRecordingServer([{ body: {} }]);
    const env = { ...server.env, FRONTDESK_CALENDAR_URL: `${server.url}/gateway` };
    const result = await runFrontdesk(['api', 'GET', '/v2/x', '--family', 'calendar'], { env });
    expect(result.code).toBe(0);
    expect(server.lines).toEqual(['GET /gateway/v2/x']);
  });

  test('--include prints status and headers before the body', async () => {
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

  test('prints csv and chosen columns as tables', async () => {
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
  ])('an answer of %i ends with %i and an empty stdout', async (status, code) => {
    const server = await startRecordingServer([{ status, body: { errorCode: 'E', message: 'm' } }]);
    const result = await runFrontdesk(['api', 'GET', CARD_PATH, '--json'], { env: server.env });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(JSON.parse(result.stderr)).toMatchObject({
      error: { exitCode: code, operation: 'api', id: CARD_PATH, http: { status } },
    });
    expect(result.stderr).not.toContain('"outcome"');
  });

  test('an answer that is not JSON ends with 10', async () => {
    const server = await startRecordingServer([{ body: '<html>' }]);
    const result = await runFrontdesk(['api', 'GET', CARD_PATH, '--retries', '0'], { env: server.env });
    expect(result).toMatchObject({ code: 10, stdout: '' });
  });
});

describe('api refuses before anything is sent', () => {
  test.each([
    'https://evil.example/v1/cards/x',
    '/v1/cards/%2e%2e/x',
    '/v1/cards/a b',
    '/v1/cards/a\r\nHost: evil.example',
  ])('the path %j', async (path) => {
    const server = await startRecordingServer([]);
    const result = await runFrontdesk(['api', 'GET', path], { env: server.env });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/^frontdesk: <path>: /);
  });

  test('shows how a path is to be written', async () => {
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
  ])('%j', async (args, expected) => {
    const server = await startRecordingServer([]);
    const result = await runFrontdesk(['api', ...args], { env: server.env });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(expected);
  });

  test('names all faults together', async () => {
    const result = await runFrontdesk(['api', 'PUT', 'x', '--family', 'no', '--data', '{']);
    expect(result.code).toBe(2);
    for (const where of ['<method>', '<path>', '--family', '--data']) expect(result.stderr).toContain(`${where}: `);
  });
});

describe('api POST', () => {
  const block = ['api', 'POST', `${CARD_PATH}/block`, '--yes'];

  test.each([
    ['the argument', ['--data', '{"reason":"lost","amount":1.10}'], ''],
    ['a file', ['--data', '@body.json'], ''],
    ['stdin', ['--data', '@-'], '{ "reason": "lost", "amount": 1.10 }\n'],
  ])('sends the JSON of %s, digits as they are', async (_, args, stdin) => {
    const home = createHome();
    writeFileSync(join(home.path, 'work', 'body.json'), '\ufeff{"reason":"lost","amount":1.10}\n');
    const server = await startRecordingServer([{ body: cardText('BLOCKED') }]);
    const result = await runFrontdesk([...block, ...args, '--json'], { env: server.env, home, stdin });
    expect(result.code).toBe(0);
    expect(server.requests[0]).toMatchObject({ method: 'POST', body: '{"reason":"lost","amount":1.10}' });
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(result.stdout)).toMatchObject({ status: 'BLOCKED' });
  });

  test('without --data sends no body', async () => {
    const server = await startRecordingServer([{ body: cardText('ACTIVE') }]);
    const result = await runFrontdesk(['api', 'POST', `${CARD_PATH}/activate`, '--yes'], { env: server.env });
    expect(result.code).toBe(0);
    expect(server.requests[0]).toMatchObject({ body: '' });
    expect(server.requests[0]?.headers['content-type']).toBeUndefined();
  });

  test('records the write in the history under its path', async () => {
    const home = createHome();
    const server = await startRecordingServer([{ body: { id: 'evt_9', object: 'event' } }]);
    await runFrontdesk(['api', 'POST', '/v1/events', '--yes', '--data', '{"name":"x"}'], { env: server.env, home });
    const history = await runFrontdesk(['history', '--json'], { home });
    expect(JSON.parse(history.stdout)).toMatchObject([
      { operation: 'api', id: '/v1/events', outcome: 'applied', httpStatus: 200, resultId: 'evt_9' },
    ]);
    expect(history.stdout).not.toContain('"x"');
  });

  test('--dry-run prints the request, needs no credential and sends nothing', async () => {
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
    ['a lost answer of block is read back', `${CARD_PATH}/block`, cardText('BLOCKED'), 0],
    ['a lost answer of block that the card does not show is unknown', `${CARD_PATH}/block`, cardText('ACTIVE'), 8],
  ])('%s', async (_, path, shown, code) => {
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
  ])('elsewhere %s is an unknown outcome and is never sent twice', async (_, reply) => {
    const server = await startRecordingServer([reply]);
    const result = await runFrontdesk(['api', 'POST', '/v1/cards/import', '--yes', '--data', '[]', '--json'], {
      env: server.env,
    });
    expect(result).toMatchObject({ code: 8, stdout: '' });
    expect(JSON.parse(result.stderr)).toMatchObject({
      error: { code: 'OUTCOME_UNKNOWN', operation: 'api', id: '/v1/cards/import', outcome: 'unknown' },
    });
  });

  test('hides the one-time secrets of a provisioning from people, in a history too', async () => {
    const home = createHome();
    const secret = 'c2VjcmV0LXBheWxvYWQ=';
    const path = `${CARD_PATH}/provision/wallet_a`;
    const server = await startRecordingServer(() => ({ body: { encryptedPaymentInstrument: secret } }));
    const args = ['api', 'POST', path, '--yes', '--data', '{}'];
    const table = await runFrontdesk(args, { env: server.env, home });
    expect(table).toMatchObject({ code: 2, stdout: '' });
    expect(server.requests).toEqual([]);
    const json = await runFrontdesk([...args, '--json', '--verbose'], { env: server.env, home });
    expect(json.stdout).toContain(secret);
    expect(json.stderr).not.toContain(secret);
    const history = await runFrontdesk(['history', '--json'], { home });
    expect(history.stdout).not.toContain(secret);
  });
});

describe('api and the profile', () => {
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
  ])('a required reason is looked for in the body: %s %s ends with %i', async (path, body, code) => {
    const server = await startRecordingServer(code === 0 ? [{ body: {} }] : []);
    const home = homeWith(server.url, { requireReason: 'T-[0-9]+' });
    const result = await runFrontdesk(['api', 'POST', path, '--yes', '--data', body], { env, home });
    expect(result.code).toBe(code);
    if (code === 2) expect(result.stderr).toContain('--data: reason: ');
  });

  test("the profile's own output format counts", async () => {
    const server = await startRecordingServer([{ body: { a: 1 } }]);
    const home = homeWith(server.url, { output: 'ndjson' });
    const result = await runFrontdesk(['api', 'GET', CARD_PATH], { env, home });
    expect(result).toMatchObject({ code: 0, stdout: '{"a":1}\n' });
  });
});
