import { expect, it } from 'vitest';
import { CLOSED_PORT } from '../../support/fault-server.ts';
import { createClient, TOKEN } from '../../support/library.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

const QUICK = { timeoutMs: 2000, retries: 0, retryMaxTimeMs: 2000 };
it('a call of the library gives a card as JavaScript values and as the text that was sent, with every digit', async () => {
  const body = `{ "cardId": "${CARD_ID}",  "initialBalance": 12345678901234567.89, "currentBalance": 10.10 }`;
  const server = await startRecordingServer([{ body, headers: { 'x-request-id': 'req-1' } }]);
  const client = createClient({ cards: { url: server.url, token: TOKEN } });
  const result = await client.card.get(CARD_ID);
  expect(result).toMatchObject({
    ok: true,
    text: body,
    requestId: 'req-1',
    resource: { cardId: CARD_ID, currentBalance: 10.1 },
  });
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${TOKEN}`);
  await client.close();
});

it('a change of the library has its outcome, its resource and its text', async () => {
  const server = await startRecordingServer([{ body: cardText('BLOCKED') }]);
  const client = createClient({ cards: { url: server.url, token: TOKEN } });
  const result = await client.card.block(CARD_ID, { reason: 'lost' });
  expect(result).toMatchObject({ outcome: 'applied', text: cardText('BLOCKED'), resource: { status: 'BLOCKED' } });
  expect(server.requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
    `POST /v1/cards/${CARD_ID}/block {"reason":"lost"}`,
  ]);
});

it('a change of the library without a readable response has the card as it was checked', async () => {
  const server = await startRecordingServer(['reset', { body: cardText('BLOCKED') }]);
  const client = createClient({ cards: { url: server.url, token: TOKEN } });
  const result = await client.card.block(CARD_ID);
  expect(result).toMatchObject({
    outcome: 'confirmed_by_read',
    text: cardText('BLOCKED'),
    notices: [{ code: 'CONFIRMED_BY_READ' }],
  });
  expect(server.lines).toEqual([`POST /v1/cards/${CARD_ID}/block`, `GET /v1/cards/${CARD_ID}`]);
});

it('a refusal in the library has its code, exit code, HTTP status and the body of the service', async () => {
  const body = { errorCode: 'CARD_NOT_FOUND', message: 'no such card', details: { field: 'cardId' } };
  const server = await startRecordingServer([{ status: 404, body, headers: { 'request-id': 'r-9' } }]);
  const client = createClient({ cards: { url: server.url, token: TOKEN } });
  expect(await client.card.reissue(CARD_ID)).toEqual({
    outcome: 'rejected',
    error: {
      code: 'NOT_FOUND',
      exitCode: 3,
      message: expect.stringContaining(`card ${CARD_ID}: no such card at 127.0.0.1`),
      http: { status: 404, requestId: 'r-9' },
      service: body,
      sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  });
});

it('a call of the library without a connection says that nothing was sent, without a time of sending', async () => {
  const client = createClient({ cards: { url: `http://127.0.0.1:${CLOSED_PORT}`, token: TOKEN }, ...QUICK });
  const [write, read] = [await client.card.activate(CARD_ID), await client.card.get(CARD_ID)];
  expect(write).toMatchObject({ outcome: 'not_sent', error: { code: 'UNREACHABLE', exitCode: 7 } });
  expect(write).not.toHaveProperty('error.sentAt');
  expect(read).toMatchObject({ ok: false, error: { code: 'UNREACHABLE', exitCode: 7 } });
});

it('a message of the library names its options and not those of the command line', async () => {
  const server = await startRecordingServer([
    { status: 429, headers: { 'retry-after': '99' } },
    { status: 401, body: '' },
  ]);
  const client = createClient({ cards: { url: server.url, token: TOKEN } });
  const [busy, refused] = [await client.card.block(CARD_ID), await client.card.get(CARD_ID)];
  expect(busy).toMatchObject({ outcome: 'rejected', error: { code: 'BUSY', exitCode: 11 } });
  expect('error' in busy && busy.error.message).toMatch(
    /that wait is longer than retryMaxTimeMs allows\. Nothing was changed\.$/,
  );
  expect('error' in refused && refused.error.message).toMatch(
    /127\.0\.0\.1:\d+ did not accept the credential \(cards\.token\)/,
  );
});

it('the library sends every operation as the service documents it', async () => {
  const server = await startRecordingServer(({ url }) => ({
    body: url.includes('provision')
      ? { encryptedPaymentInstrument: 'x' }
      : url.includes('/cards/')
        ? cardText('ACTIVE')
        : url.includes('/subscribers?')
          ? { object: 'list', data: [] }
          : {},
  }));
  const service = { url: `${server.url}/prefix/`, token: TOKEN };
  const client = createClient({ cards: service, calendar: service });
  await client.card.activate(CARD_ID);
  await client.card.reissue(CARD_ID);
  await client.card.provision(CARD_ID, { wallet: 'wallet_a', clientDeviceID: 'device-7' });
  await client.calendar.update('cal 1/2', { url: '', active: false, name: undefined });
  await client.calendar.createEvent({ calendar: 'cal_1', name: 'Tour', start: '2027-04-02T18:00', url: null });
  await client.calendar.subscribers.list('cal_1', { active: false, limit: 100 });
  await client.calendar.subscribers.update('sub_1', { first_name: 'Ana' });
  expect(server.requests.map(({ method, url, body }) => `${method} ${url} ${body}`.trimEnd())).toEqual([
    `POST /prefix/v1/cards/${CARD_ID}/activate`,
    `POST /prefix/v1/cards/${CARD_ID}/reissue {}`,
    `POST /prefix/v1/cards/${CARD_ID}/provision/wallet_a {"clientDeviceID":"device-7"}`,
    'POST /prefix/v1/calendars/cal%201%2F2 {"url":"","active":false}',
    'POST /prefix/v1/events {"calendar":"cal_1","name":"Tour","start":"2027-04-02T18:00","url":null}',
    'GET /prefix/v1/calendars/cal_1/subscribers?active=false&limit=100',
    'POST /prefix/v1/subscribers/sub_1 {"first_name":"Ana"}',
  ]);
});

it('the library sends two requests for active: all, and merges both lists with every digit', async () => {
  const half = (id: string) => `{"object":"list","data":[{"id":"${id}","n":1.10}],"url":"/u"}`;
  const server = await startRecordingServer([{ body: half('a') }, { body: half('b') }, { status: 404, body: {} }]);
  const client = createClient({ calendar: { url: server.url, token: TOKEN } });
  const { subscribers } = client.calendar;
  expect(await subscribers.list('cal_1', { active: 'all', limit: 5 })).toMatchObject({
    ok: true,
    text: '{"object":"list","data":[{"id":"a","n":1.10},{"id":"b","n":1.10}],"url":"/u"}',
    resource: { data: [{ id: 'a' }, { id: 'b' }] },
  });
  expect(await subscribers.list('cal_1', { active: 'all' })).toMatchObject({
    ok: false,
    error: { code: 'NOT_FOUND' },
  });
  expect(server.lines).toEqual([
    'GET /v1/calendars/cal_1/subscribers?limit=5&active=true',
    'GET /v1/calendars/cal_1/subscribers?limit=5&active=false',
    'GET /v1/calendars/cal_1/subscribers?active=true',
  ]);
});
