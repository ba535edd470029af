import { expect, it } from 'vitest';
import { parseSeed } from '../../../src/sandbox/seed.ts';
import { KEPT_EVENTS } from '../../../src/sandbox/state.ts';
import { ACTIVE, BLOCKED, CANCELLED, EXPIRED, NOON, play, REISSUED, UNKNOWN, WAITING } from './simulated.ts';

it('reading a card answers the card with the digits of its amounts', () => {
  const reply = play().get(`/v1/cards/${ACTIVE}`);
  expect(reply.status).toBe(200);
  expect(reply.body).toContain('"initialBalance":50.00,"currentBalance":37.25,');
  expect(reply.json.transactions).toEqual([
    { transactionId: 'txn_1001', amount: 50, type: 'LOAD', createdAt: '2025-01-14T09:30:00.000Z' },
    { transactionId: 'txn_1002', amount: 12.75, type: 'PURCHASE', createdAt: '2025-02-02T17:45:12.000Z' },
  ]);
});

it('reading a card finds a card whatever the case of the id and answers the id as it was issued, and keeps numbers in metadata that no JavaScript number can hold', () => {
  expect(play().get(`/v1/cards/${ACTIVE.toUpperCase()}`).json.cardId).toBe(ACTIVE);
  const reply = play().get('/v1/cards/1c8b7d2f-4063-4e9b-8d52-6f308ba1c202');
  expect(reply.body).toContain('"ledgerNumber":12345678901234567.89');
  expect(reply.json.metadata.recipient.name).toBe('山田 花子');
});

it('reading a card answers 404 with the error body of the gift-card API for a card that does not exist', () => {
  const { status, json } = play().get(`/v1/cards/${UNKNOWN}`);
  const message = `there is no card ${UNKNOWN}`;
  expect([status, json]).toEqual([404, { errorCode: 'CARD_NOT_FOUND', message, details: { cardId: UNKNOWN } }]);
});

const send = (sandbox: ReturnType<typeof play>, id: string, attempt: string) =>
  sandbox.post(`/v1/cards/${id}/${attempt}`, attempt === 'activate' ? undefined : '{}');

it.each<[attempt: string, taken: readonly string[], then: string, refused: readonly string[]]>([
  ['activate', [WAITING], 'ACTIVE', [ACTIVE, BLOCKED, CANCELLED]],
  ['block', [ACTIVE, WAITING], 'BLOCKED', [BLOCKED, EXPIRED]],
  ['reissue', [ACTIVE, WAITING, BLOCKED], 'REISSUED', [REISSUED, EXPIRED, CANCELLED]],
  ['provision/wallet_a', [ACTIVE], 'ACTIVE', [WAITING]],
  ['provision/wallet_b', [ACTIVE], 'ACTIVE', [BLOCKED]],
])('a card in the sandbox takes %s at these statuses, and stays so at others: %j', (attempt, taken, then, refused) => {
  const statusOf = (sandbox: ReturnType<typeof play>, id: string) => sandbox.get(`/v1/cards/${id}`).json.status;
  for (const id of taken) {
    const sandbox = play();
    expect([send(sandbox, id, attempt).status, statusOf(sandbox, id)]).toEqual([200, then]);
  }
  for (const id of refused) {
    const sandbox = play();
    expect([send(sandbox, id, attempt).status, statusOf(sandbox, id)]).toEqual([409, statusOf(play(), id)]);
  }
  const unknown = send(play(), UNKNOWN, attempt);
  expect([unknown.status, unknown.json.errorCode]).toEqual([404, 'CARD_NOT_FOUND']);
});

it('a refused card write names the status that forbade it', () => {
  expect(play().post(`/v1/cards/${CANCELLED}/block`, '{"reason":"lost"}').json).toEqual({
    errorCode: 'CARD_NOT_BLOCKABLE',
    message: 'the card was not blocked: its status is CANCELLED',
    details: { status: 'CANCELLED' },
  });
});

it('a card in the sandbox sets updatedAt and activatedAt at an activation and keeps the other members', () => {
  const { json } = play().post(`/v1/cards/${WAITING}/activate`);
  expect(new Set(Object.keys(json))).toEqual(
    new Set([
      ...['cardId', 'clientReference', 'status', 'initialBalance', 'currentBalance', 'expiryDate', 'design'],
      ...['metadata', 'createdAt', 'updatedAt', 'activatedAt', 'cancelledAt', 'cancellationAmount'],
      ...['transactions'],
    ]),
  );
  expect([json.updatedAt, json.activatedAt]).toEqual([NOON, NOON]);
});

it('a card in the sandbox keeps members that the spec does not know', () => {
  const card = { ...play().get(`/v1/cards/${WAITING}`).json, colour: 'red' };
  const sandbox = play(parseSeed(JSON.stringify({ cards: [card] }), 'seed.json'));
  expect(sandbox.post(`/v1/cards/${WAITING}/activate`).json.colour).toBe('red');
});

it('reissue answers the replacement and moves the balance digit for digit', () => {
  const sandbox = play();
  const reply = sandbox.post(`/v1/cards/${ACTIVE}/reissue`, '{"reason":"lost"}');
  expect(reply.json.cardId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(reply.json.cardId).not.toBe(ACTIVE);
  expect(reply.json).toMatchObject({ clientReference: 'order-10001-R', status: 'ACTIVE', createdAt: NOON });
  expect(reply.body).toContain('"initialBalance":37.25,"currentBalance":37.25,');
  expect(sandbox.get(`/v1/cards/${reply.json.cardId}`).json).toEqual(reply.json);
  const original = sandbox.get(`/v1/cards/${ACTIVE}`);
  expect(original.body).toContain('"currentBalance":0.00,');
  expect(original.body).toContain('"cancellationAmount":37.25,');
  expect([original.json.cancellationAction, original.json.transactions.length]).toEqual(['REISSUE', 3]);
  expect(original.json.transactions[2]).toMatchObject({ amount: 37.25, type: 'UNLOAD', createdAt: NOON });
});

it('reissue replaces a card that waits for activation by one that does', () => {
  const { json } = play().post(`/v1/cards/${WAITING}/reissue`, '{}');
  expect(json.status).toBe('WAITING_ACTIVATION');
  expect(json).not.toHaveProperty('activatedAt');
});

const body = '{"clientDeviceID":"d","clientWalletProvider":"p","clientWalletAccountID":"a"}';

it('provisioning answers one text for wallet_a, another at each call', () => {
  const sandbox = play();
  const first = sandbox.post(`/v1/cards/${ACTIVE}/provision/wallet_a`, body).json;
  const second = sandbox.post(`/v1/cards/${ACTIVE}/provision/wallet_a`, body).json;
  expect(Object.keys(first)).toEqual(['encryptedPaymentInstrument']);
  expect(first.encryptedPaymentInstrument).toMatch(/^[A-Za-z0-9+/=]{200,}$/);
  expect(second.encryptedPaymentInstrument).not.toBe(first.encryptedPaymentInstrument);
});

it('provisioning answers three texts for wallet_b', () => {
  const { json } = play().post(`/v1/cards/${ACTIVE}/provision/wallet_b`, '{}');
  expect(Object.keys(json)).toEqual(['primaryAccountNumberPrefix', 'activationData', 'authenticationData']);
  expect(json.primaryAccountNumberPrefix).toBe('999900');
  expect(json.activationData).not.toBe(json.authenticationData);
});

it('updating a calendar changes the fields that were sent and no other', () => {
  const { status, json } = play().post('/v1/calendars/cal_harbour_tours', '{"name":"Tours","active":false}');
  expect(status).toBe(200);
  expect(json).toEqual({
    ...{ id: 'cal_harbour_tours', object: 'calendar', active: false, name: 'Tours' },
    ...{ created: '2024-05-02T08:00:00.000Z', updated: NOON, description: expect.stringMatching(/^Boat tours, /) },
    ...{ image: 'https://images.example.com/harbour.jpg', url: 'https://www.example.com/harbour' },
  });
});

it('updating a calendar tells an empty text from one that was not sent', () => {
  const sandbox = play();
  sandbox.post('/v1/calendars/cal_harbour_tours', '{"description":""}');
  const { json } = sandbox.post('/v1/calendars/cal_harbour_tours', '{}');
  expect([json.description, json.name]).toEqual(['', 'Harbour tours']);
});

it('updating a calendar keeps a description of 40000 characters and answers its first 5000', () => {
  const sandbox = play();
  const body = JSON.stringify({ description: '🎁'.repeat(40_000) });
  const { status, json } = sandbox.post('/v1/calendars/cal_tea_ceremony', body);
  expect([status, json.description]).toEqual([200, '🎁'.repeat(5000)]);
  expect(sandbox.state.calendars.get('cal_tea_ceremony')?.get('description')).toBe('🎁'.repeat(40_000));
});

const ids = (json: { data: { id: string }[] }) => json.data.map(({ id }) => id.slice(-2)).join(' ');
it.each([
  ['', '01 02 03 04 06 07 08 09 10 12'],
  ['?', '01 02 03 04 06 07 08 09 10 12'],
  ['?limit=100', '01 02 03 04 06 07 08 09 10 12 13 15'],
  ['?active=true&limit=3', '01 02 03'],
  ['?active=false', '05 11 14'],
  ['?limit=1&active=false', '05'],
])('listing subscribers answers to the query %j the subscribers %s', (query, found) => {
  const sandbox = play();
  // One that does not say so is active.
  sandbox.state.subscribers.set('sub_0001', new Map(Object.entries({ id: '01', calendar: 'cal_harbour_tours' })));
  const { status, json } = sandbox.get(`/v1/calendars/cal_harbour_tours/subscribers${query}`);
  expect([status, json.object, json.url]).toEqual([200, 'list', '/v1/calendars/cal_harbour_tours/subscribers']);
  expect(ids(json)).toBe(found);
});

it('listing subscribers answers subscribers in the shape of the spec, without the calendar', () => {
  expect(play().get('/v1/calendars/cal_tea_ceremony/subscribers?limit=1').json.data).toEqual([
    {
      ...{ id: 'sub_0016', object: 'subscriber', active: true, first_name: 'Kenji', last_name: 'Sato' },
      ...{ created: '2025-01-16T10:00:00.000Z', updated: '2025-01-16T10:00:00.000Z', email: 'customer16@example.com' },
    },
  ]);
});

it('updating a subscriber changes what was sent, also in the list', () => {
  const sandbox = play();
  const { status, json } = sandbox.post('/v1/subscribers/sub_0016', '{"email":"","active":false}');
  expect(status).toBe(200);
  expect(json).toMatchObject({ email: '', active: false, first_name: 'Kenji', updated: NOON });
  expect(json).not.toHaveProperty('calendar');
  expect(sandbox.get('/v1/calendars/cal_tea_ceremony/subscribers?active=false').json.data[0]).toEqual(json);
});

it('creating an event answers the event, active by default and without an end that was not sent', () => {
  const body = '{"name":"Fog tour","start":"2025-07-01T09:00","calendar":"cal_harbour_tours","url":null}';
  const { status, json } = play().post('/v1/events', body);
  expect(status).toBe(200);
  expect(json.id).toMatch(/^evt_[0-9a-f]{20}$/);
  expect({ ...json, id: 'evt' }).toEqual({
    ...{ id: 'evt', object: 'event', active: true, created: NOON, updated: NOON, name: 'Fog tour' },
    ...{ start: '2025-07-01T09:00', calendar: 'cal_harbour_tours', url: null },
  });
});

it('creating an event keeps the times as they were typed', () => {
  const body =
    '{"name":"n","start":"20250702T180000Z","end":"20250702T240000Z","calendar":"cal_tea_ceremony","active":false}';
  const { json } = play().post('/v1/events', body);
  expect([json.start, json.end, json.active]).toEqual(['20250702T180000Z', '20250702T240000Z', false]);
});

it('creating an event makes another event of the same body', () => {
  const sandbox = play();
  const body = '{"name":"n","start":"2025-07-01","calendar":"cal_tea_ceremony"}';
  const first = sandbox.post('/v1/events', body).json.id;
  expect(sandbox.post('/v1/events', body).json.id).not.toBe(first);
  expect(sandbox.state.events.size).toBe(2);
});

it('creating an event keeps no more events than it says', () => {
  const sandbox = play();
  for (let count = 0; count < KEPT_EVENTS + 5; count += 1) {
    sandbox.post('/v1/events', '{"name":"n","start":"2025-07-01","calendar":"cal_tea_ceremony"}');
  }
  expect(sandbox.state.events.size).toBe(100);
});

it.each([
  ['a calendar', '/v1/calendars/cal_none', '{"name":"x"}', 'CALENDAR_NOT_FOUND'],
  ['a list', '/v1/calendars/cal_none/subscribers', undefined, 'CALENDAR_NOT_FOUND'],
  ['a subscriber', '/v1/subscribers/sub_none', '{"email":"x"}', 'SUBSCRIBER_NOT_FOUND'],
  ['an event', '/v1/events', '{"name":"n","start":"2025-07-01","calendar":"cal_none"}', 'CALENDAR_NOT_FOUND'],
])('what is not there is 404: %s', (_what, target, body, errorCode) => {
  const { status, json } = body === undefined ? play().get(target) : play().post(target, body);
  expect([status, json.errorCode]).toEqual([404, errorCode]);
});
