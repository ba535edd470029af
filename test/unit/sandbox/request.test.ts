import { expect, it } from 'vitest';
import { ACTIVE, play, type Sent } from './simulated.ts';

const CARD = `/v1/cards/${ACTIVE}`;
const SUBSCRIBERS = '/v1/calendars/cal_harbour_tours/subscribers';
const EVENT = { name: 'n', start: '2025-07-01', calendar: 'cal_harbour_tours' };

const event = (changes: object) => JSON.stringify({ ...EVENT, ...changes });

const [BLOCK_CARD, CALENDAR] = [`${CARD}/block`, '/v1/calendars/cal_harbour_tours'];
const as = (authorization: string | null, target = CARD): Sent => ({ target, authorization });
const typed = (contentType: string | null): Sent => ({ target: BLOCK_CARD, method: 'POST', body: '{}', contentType });
const FORM = 'application/x-www-form-urlencoded';

it.each<[what: string, sent: Sent, status: number, errorCode: string]>([
  ['no token', as(null), 401, 'UNAUTHORIZED'],
  ['a wrong token', as('Bearer x'), 401, 'UNAUTHORIZED'],
  ['another scheme', as('Basic cards-token'), 401, 'UNAUTHORIZED'],
  ["the calendar API's token on the gift-card API", as('Bearer calendar-token'), 401, 'UNAUTHORIZED'],
  ["the gift-card API's token on the calendar API", as('Bearer cards-token', SUBSCRIBERS), 401, 'UNAUTHORIZED'],
  ['an unknown path', { target: '/v1/carts/1' }, 404, 'PATH_UNKNOWN'],
  ['the root', { target: '/' }, 404, 'PATH_UNKNOWN'],
  ['a slash at the end', { target: `${CARD}/` }, 404, 'PATH_UNKNOWN'],
  ['dot segments', { target: '/v1/calendars/../subscribers/sub_0001', method: 'POST' }, 404, 'PATH_UNKNOWN'],
  ['an unknown wallet', { target: `${CARD}/provision/wallet_c`, method: 'POST', body: '{}' }, 404, 'PATH_UNKNOWN'],
  ['a wrong method', { target: CARD, method: 'DELETE' }, 405, 'METHOD_NOT_ALLOWED'],
  ['a read of an action', { target: `${CARD}/block` }, 405, 'METHOD_NOT_ALLOWED'],
  ['a malformed card id', { target: '/v1/cards/12345' }, 400, 'PATH_INVALID'],
  ['an id that is not UTF-8', { target: '/v1/calendars/%ff/subscribers' }, 400, 'PATH_INVALID'],
  ['an encoded dot segment', { target: '/v1/calendars/%2e%2e/subscribers' }, 400, 'PATH_INVALID'],
  ['an empty id', { target: '/v1/calendars//subscribers' }, 400, 'PATH_INVALID'],
  ['an id of 5001 characters', { target: `/v1/calendars/${'a'.repeat(5001)}/subscribers` }, 400, 'PATH_INVALID'],
  ['a query where none is shown', { target: `${CARD}?expand=1` }, 400, 'QUERY_INVALID'],
  ['an unknown parameter', { target: `${SUBSCRIBERS}?offset=10` }, 400, 'QUERY_INVALID'],
  ['a parameter twice', { target: `${SUBSCRIBERS}?limit=1&limit=2` }, 400, 'QUERY_INVALID'],
  ...'limit=0 limit=101 limit=1.5 limit=1e1 limit=05 limit= active=yes active=1 active=all'
    .split(' ')
    .map((q): [string, Sent, number, string] => [q, { target: `${SUBSCRIBERS}?${q}` }, 400, 'QUERY_INVALID']),
  ['a body on a read', { target: CARD, body: '{}' }, 400, 'BODY_NOT_ALLOWED'],
  ['a body on activate', { target: `${CARD}/activate`, method: 'POST', body: '{}' }, 400, 'BODY_NOT_ALLOWED'],
  ['no body on block', { target: `${CARD}/block`, method: 'POST' }, 400, 'BODY_MISSING'],
  ['no body on an event', { target: '/v1/events', method: 'POST' }, 400, 'BODY_MISSING'],
  ['a body without content type', typed(null), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['a form', typed(FORM), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['another charset', typed('application/json; charset=latin1'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
])('the sandbox refuses: %s', (_what, sent, status, errorCode) => {
  const reply = play().send(sent);
  expect([[reply.status, reply.json.errorCode], typeof reply.json.message]).toEqual([[status, errorCode], 'string']);
});

const NO_DAY = 'start: names a day that does not exist: month 2 of 2025 has 28 days';
const EXAMPLES = 'an ISO 8601 date, such as 2026-05-01, 2026-05-01T18:30 or 2026-05-01T18:30:00+02:00';
const AT = '(line 1, column 10 (at reason): expected ":" after the name)';
const TWICE = '(line 1, column 15 (at reason): the name "reason" occurs twice in one object)';

it.each<[target: string, body: string, problem: string]>([
  [BLOCK_CARD, '{"reason"', `it is not JSON ${AT}`],
  [BLOCK_CARD, '[]', 'it is not a JSON object'],
  [BLOCK_CARD, 'null', 'it is not a JSON object'],
  [BLOCK_CARD, '{"reason":"a","reason":"b"}', `it is not JSON ${TWICE}`],
  [BLOCK_CARD, '{"Reason":"a"}', 'Reason: is not a field of this operation'],
  [BLOCK_CARD, '{"__proto__":"a"}', '__proto__: is not a field of this operation'],
  [BLOCK_CARD, '{"reason":null}', 'reason: <wrong type>'],
  [`${CARD}/reissue`, '{"reason":5}', 'reason: <wrong type>'],
  [`${CARD}/provision/wallet_a`, '{"clientDeviceId":"d"}', 'clientDeviceId: is not a field of this operation'],
  [CALENDAR, '{"active":"true"}', 'active: <wrong type>'],
  [CALENDAR, '{"url":null}', 'url: <wrong type>'],
  [CALENDAR, `{"name":"${'x'.repeat(5001)}"}`, 'name: has 5001 characters, but the limit is 5000'],
  [CALENDAR, `{"description":"${'x'.repeat(40_001)}"}`, 'description: has 40001 characters, but the limit is 40000'],
  ['/v1/subscribers/sub_0001', '{"firstName":"x"}', 'firstName: is not a field of this operation'],
  ['/v1/events', '{"name":"n","start":"2025-07-01"}', 'calendar: <wrong type>'],
  ['/v1/events', event({ end: null }), 'end: <wrong type>'],
  ['/v1/events', event({ start: '2025-02-30' }), `${NO_DAY}: write ${EXAMPLES}`],
  ['/v1/events', event({ end: 'tomorrow' }), `end: is not ${EXAMPLES} (with a T between day and time)`],
  ['/v1/events', event({ location: 'x'.repeat(5001) }), 'location: has 5001 characters, but the limit is 5000'],
])('a body that breaks a rule: %s refuses body %#', (target, body, problem) => {
  const reply = play().post(target, body);
  // What is wrong with a type is said in the words of the schema library, which may change.
  const said = reply.json.message.replace(/Invalid input: .+$/, '<wrong type>');
  expect([reply.status, reply.json.errorCode, said]).toEqual([400, 'BODY_INVALID', `the body was refused: ${problem}`]);
});

it('a body that breaks a rule is refused with every field at fault', () => {
  const reply = play().post('/v1/subscribers/sub_0001', '{"email":1,"active":"x"}');
  expect(reply.json.details.fields.map(({ field }: { field: string }) => field)).toEqual(['email', 'active']);
});

it('a body that breaks a rule changes nothing', () => {
  const sandbox = play();
  const before = sandbox.get(CARD).body;
  sandbox.post(`${CARD}/block`, '{"reason":"lost","force":true}');
  expect(sandbox.get(CARD).body).toBe(before);
});

it('the sandbox takes a content type with the charset that JSON has', () => {
  expect(play().send(typed('application/json; charset=utf-8')).status).toBe(200);
});

it('the sandbox takes parameters of the query in their encoded form', () => {
  expect(play().get(`${SUBSCRIBERS}?%6cimit=%31`).json.data).toHaveLength(1);
});

it('the sandbox never answers the token it was sent', () => {
  const reply = play().send({ target: CARD, authorization: 'Bearer secret-of-somebody' });
  expect(reply.body).not.toContain('secret-of-somebody');
  expect(reply.headers).toEqual([['www-authenticate', 'Bearer']]);
});

it('the sandbox names which method a path takes', () => {
  expect(play().send({ target: CARD, method: 'PUT' }).headers).toEqual([['allow', 'GET']]);
});
