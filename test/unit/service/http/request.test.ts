import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import { buildRequest, describeRequest } from '../../../../src/service/http/request.ts';
import { baseUrl, CARD_ID } from './fakes.ts';

const API = baseUrl('https://api.example.com/gw');

type Input = Parameters<typeof buildRequest>[0];
const NOTHING = { params: {}, query: {}, body: undefined };
const built = (operation: Input['operation'], more: Partial<Input> = {}) =>
  buildRequest({ operation, ...NOTHING, ...more }, API, '1.2.3');
const targetOf = (id: string) => built(OPERATIONS.calendarUpdate, { params: { id } }).target;

it.each([
  ['cal_1', 'cal_1'],
  ['a/b', 'a%2Fb'],
  ['a?b#c;d', 'a%3Fb%23c%3Bd'],
  ['%2e%2e', '%252e%252e'],
  ['...', '...'],
  ['a b+c', 'a%20b%2Bc'],
  ['é😀', '%C3%A9%F0%9F%98%80'],
  ["!'()*", '%21%27%28%29%2A'],
  ['$&', '%24%26'],
])('I2 I3 request target: %j is one segment', (id, segment) => {
  expect(targetOf(id)).toBe(`/gw/v1/calendars/${segment}`);
});

it('G9 request target decodes back to the id byte for byte: 10,000 random ids', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter((id) => id.isWellFormed()),
      (id) => {
        const target = targetOf(id);
        expect(target).toMatch(/^\/gw\/v1\/calendars\/[A-Za-z0-9._~%-]+$/);
        const segments = target.split('/');
        expect(segments).toHaveLength(5);
        expect(decodeURIComponent(segments[4] ?? '')).toBe(id);
      },
    ),
    { numRuns: 10_000 },
  );
});

it('I7 request target keeps an id of 5000 characters whole', () => {
  const id = '語'.repeat(5000);
  expect(decodeURIComponent(targetOf(id).slice('/gw/v1/calendars/'.length))).toBe(id);
});

it('request target puts the query after the path, only what was given', () => {
  const listed = (query: Input['query']) => built(OPERATIONS.subscribersList, { params: { id: 'x' }, query }).target;
  const target = '/gw/v1/calendars/x/subscribers';
  expect([listed({ active: 'false', limit: '100' }), listed({})]).toEqual([`${target}?active=false&limit=100`, target]);
});

it('a raw call puts the target on the wire as it was given, after the path prefix', () => {
  expect(built(OPERATIONS.cardGet, { target: '/v1/x%2Fy?a=b&c' }).target).toBe('/gw/v1/x%2Fy?a=b&c');
});

it('headers and body: a read has neither body nor Content-Type', () => {
  const { headers, ...wire } = built(OPERATIONS.cardGet, { params: { cardId: CARD_ID } });
  expect(wire).toEqual({ method: 'GET', target: `/gw/v1/cards/${CARD_ID}`, body: undefined });
  expect(headers.map((header) => header.join(': '))).toEqual([
    ...['Accept: application/json', 'Accept-Encoding: identity', 'User-Agent: frontdesk/1.2.3'],
  ]);
});

it('headers and body: a body is compact JSON that keeps every digit', () => {
  const body = parseJson('{ "url": null, "n": 12345678901234567.890, "name": "" }');
  const wire = built(OPERATIONS.calendarUpdate, { params: { id: 'x' }, body });
  expect(wire.body).toBe('{"url":null,"n":12345678901234567.890,"name":""}');
  expect(wire.headers.at(-1)).toEqual(['Content-Type', 'application/json']);
});

it('headers and body: --dry-run shows the headers with the token masked', () => {
  const body = parseJson('{"reason":"x"}');
  const call = { operation: OPERATIONS.cardBlock, params: { cardId: CARD_ID }, query: {}, body };
  expect(describeRequest(call, API, '1.2.3')).toEqual({
    method: 'POST',
    url: `https://api.example.com/gw/v1/cards/${CARD_ID}/block`,
    headers: {
      ...{ Accept: 'application/json', 'Accept-Encoding': 'identity', 'User-Agent': 'frontdesk/1.2.3' },
      ...{ 'Content-Type': 'application/json', Authorization: 'Bearer ***' },
    },
    body,
  });
  expect(describeRequest({ ...call, body: undefined }, API, '1.2.3').body).toBeNull();
});
