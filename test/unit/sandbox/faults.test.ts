import { expect, it } from 'vitest';
import { type FaultRule, pickFaults, readFaults } from '../../../src/sandbox/faults.ts';
import { repeatableRandom } from './simulated.ts';

const always = { times: undefined, percent: undefined };
const plain = (status: number, retryAfterSeconds?: number) => ({ kind: 'status', status, retryAfterSeconds });

const rows: [text: string, rule: object][] = [
  ['GET /v1/cards:429', { method: 'GET', pathPart: '/v1/cards', effect: plain(429), ...always }],
  ['post /block:503+retry-after=2', { method: 'POST', pathPart: '/block', effect: plain(503, 2), ...always }],
  [
    'POST /block:503+retry-after=2*3',
    { method: 'POST', pathPart: '/block', effect: plain(503, 2), times: 3, percent: undefined },
  ],
  ['* /:timeout@50%', { method: '*', pathPart: '/', effect: { kind: 'timeout' }, times: undefined, percent: 50 }],
  [
    'POST /v1/events:reset-after@0.5%',
    { method: 'POST', pathPart: '/v1/events', effect: { kind: 'reset-after' }, times: undefined, percent: 0.5 },
  ],
  ['GET cal:1:truncate', { method: 'GET', pathPart: 'cal:1', effect: { kind: 'truncate' }, ...always }],
  ['  GET   /v1 :garbage', { method: 'GET', pathPart: '/v1', effect: { kind: 'garbage' }, ...always }],
  ['GET /v1:reset-before', { method: 'GET', pathPart: '/v1', effect: { kind: 'reset-before' }, ...always }],
  ['GET /v1:204', { method: 'GET', pathPart: '/v1', effect: plain(204), ...always }],
  ['GET /v1:500@50', { method: 'GET', pathPart: '/v1', effect: plain(500), times: undefined, percent: 50 }],
];
it.each(rows)('reading faults: %s', (text, rule) => {
  expect(readFaults([text])).toEqual({ rules: [rule], faults: [] });
});

const effects =
  'is none of a status from 200 to 599 (503, 503+retry-after=2), timeout, reset-before, reset-after, truncate, garbage';
const form = "it does not have the form '<METHOD> <path part>:<effect>[*times|@percent]'";
const refusedFaults: [text: string, problem: string][] = [
  ['', form],
  ['429', form],
  ['GET', form],
  ['GET /v1', form],
  ['PUT /v1:429', "the method 'PUT' is none of GET, POST, *"],
  ['GET :429', 'the path part is empty (/ fits every path)'],
  [
    'GET /v1/cards/{cardId}:429',
    "the path part '/v1/cards/{cardId}' must be a part of a path as it is sent, such as /block",
  ],
  ['GET /v1:', `the effect '' ${effects}`],
  ['GET /v1:100', `the effect '100' ${effects}`],
  ['GET /v1:600', `the effect '600' ${effects}`],
  ['GET /v1:explode', `the effect 'explode' ${effects}`],
  ['GET /v1:503+retry-after=soon', `the effect '503+retry-after=soon' ${effects}`],
  ['GET /v1:429*0', "the times '*0' are not a whole number from 1 on"],
  ['GET /v1:429*', "the times '*' are not a whole number from 1 on"],
  ['GET /v1:429*3@50%', "the times '*3@50%' are not a whole number from 1 on"],
  ['GET /v1:429@0%', "the chance '@0%' is not a percentage above 0 and up to 100, such as @50%"],
  ['GET /v1:429@101%', "the chance '@101%' is not a percentage above 0 and up to 100, such as @50%"],
  ['GET /v1:429@', "the chance '@' is not a percentage above 0 and up to 100, such as @50%"],
];
it.each(refusedFaults)('a fault that cannot be read: %j', (text, problem) => {
  expect(readFaults([text])).toEqual({ rules: [], faults: [{ where: `--fault '${text}'`, problem }] });
});

it('a fault that cannot be read reports all bad ones together', () => {
  expect(readFaults(['GET /v1:429*x', 'POST /v1:429', 'GET :429']).faults).toEqual([
    { where: "--fault 'GET /v1:429*x'", problem: "the times '*x' are not a whole number from 1 on" },
    { where: "--fault 'GET :429'", problem: 'the path part is empty (/ fits every path)' },
  ]);
});

const first: FaultRule = {
  method: 'POST',
  pathPart: '/block',
  effect: { kind: 'timeout' },
  times: 2,
  percent: undefined,
};
const second: FaultRule = { ...first, method: '*', pathPart: '/', effect: { kind: 'garbage' }, times: 1 };

it('planning faults asks the first rule that fits and has times left', () => {
  const next = pickFaults([first, second], () => 0);
  const kinds = [
    next('POST', '/v1/cards/1/block'),
    next('GET', '/v1/cards/1/block'),
    next('POST', '/v1/cards/1/block'),
    next('POST', '/v1/cards/1/block'),
    next('GET', '/v1/cards/1'),
  ].map((effect) => effect?.kind);
  expect(kinds).toEqual(['timeout', 'garbage', 'timeout', undefined, undefined]);
});

it('planning faults hits about as many requests as the percentage says', () => {
  const next = pickFaults([{ ...first, times: undefined, percent: 25 }], repeatableRandom());
  let hits = 0;
  for (let count = 0; count < 10_000; count += 1) if (next('POST', '/block') !== undefined) hits += 1;
  expect(hits).toBeGreaterThan(2300);
  expect(hits).toBeLessThan(2700);
});
