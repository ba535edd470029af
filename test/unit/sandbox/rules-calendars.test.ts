import { expect, it } from 'vitest';
import { KEPT_EVENTS } from '../../../src/sandbox/state.ts';
import { NOON, play } from './simulated.ts';

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
  expect(status).toBe(200);
  expect(json.description).toBe('🎁'.repeat(5000));
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
