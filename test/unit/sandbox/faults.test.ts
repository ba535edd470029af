import { expect, it } from 'vitest';
import { type FaultRule, pickFaults, readFaults } from '../../../src/sandbox/faults.ts';
import { repeatableRandom } from './simulated.ts';

const always = { times: undefined, percent: undefined };
const plain = (status: number, retryAfterSeconds?: number) => ({ kind: 'status', status, retryAfterSeconds });
const other = (kind: string) => ({ kind, status: 200, retryAfterSeconds: undefined });

const rows: [text: string, rule: object][] = [
  ['GET /v1/cards:429', { method: 'GET', pathPart: '/v1/cards', effect: plain(429), ...always }],
  ['post /block:503+retry-after=2', { method: 'POST', pathPart: '/block', effect: plain(503, 2), ...always }],
  [
    'POST /block:503+retry-after=2*3',
    { method: 'POST', pathPart: '/block', effect: plain(503, 2), times: 3, percent: undefined },
  ],
  ['* /:timeout@50%', { method: '*', pathPart: '/', effect: other('timeout'), times: undefined, percent: 50 }],
  [
    'POST /v1/events:reset-after@0.5%',
    { method: 'POST', pathPart: '/v1/events', effect: other('reset-after'), times: undefined, percent: 0.5 },
  ],
  ['GET cal:1:truncate', { method: 'GET', pathPart: 'cal:1', effect: other('truncate'), ...always }],
  ['  GET   /v1 :garbage', { method: 'GET', pathPart: '/v1', effect: other('garbage'), ...always }],
  ['GET /v1:reset-before', { method: 'GET', pathPart: '/v1', effect: other('reset-before'), ...always }],
  ['GET /v1:204', { method: 'GET', pathPart: '/v1', effect: plain(204), ...always }],
  ['GET /v1:500@50', { method: 'GET', pathPart: '/v1', effect: plain(500), times: undefined, percent: 50 }],
];
it.each(rows)('reading faults: %s', (text, rule) => {
  expect(readFaults([text])).toEqual([rule]);
});

const refused = [
  ...['', '429', 'GET', 'GET /v1', 'PUT /v1:429', 'GET :429', 'GET /v1/cards/{cardId}:429', 'GET /v1:'],
  ...['GET /v1:100', 'GET /v1:600', 'GET /v1:explode', 'GET /v1:503+retry-after=soon', 'GET /v1:429*0'],
  ...['GET /v1:429*', 'GET /v1:429*3@50%', 'GET /v1:429@0%', 'GET /v1:429@101%', 'GET /v1:429@'],
];
it('readFaults names all that cannot be read, and says how they are written', () => {
  expect(() => readFaults([...refused, 'POST /v1:429'])).toThrow(
    expect.objectContaining({
      code: 'USAGE',
      faults: refused.map((text) => ({
        where: `--fault '${text}'`,
        problem: "is not '<METHOD> <part of the path>:<effect>'",
      })),
      hints: [
        "write it as in --fault 'POST /block:503+retry-after=2*3' or 'GET /v1/cards:429@50%'. The effects are a status from 200 to 599, timeout, reset-before, reset-after, truncate and garbage",
      ],
    }),
  );
});

const first: FaultRule = {
  method: 'POST',
  pathPart: '/block',
  effect: { kind: 'timeout', status: 200, retryAfterSeconds: undefined },
  times: 2,
  percent: undefined,
};
const second: FaultRule = {
  ...first,
  method: '*',
  pathPart: '/',
  effect: { ...first.effect, kind: 'garbage' },
  times: 1,
};

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
