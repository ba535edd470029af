import { expect, it } from 'vitest';
import { type FaultRule, pickFaults, readFaults } from '../../../src/sandbox/faults.ts';
import { repeatableRandom } from './simulated.ts';

const plain = (status: number, retryAfterSeconds?: number) => ({ kind: 'status', status, retryAfterSeconds });
const other = (kind: string) => ({ kind, status: 200, retryAfterSeconds: undefined });

it.each<[text: string, method: string, path: string, effect: object, times?: number | undefined, percent?: number]>([
  ['GET /v1/cards:429', 'GET', '/v1/cards', plain(429)],
  ['post /block:503+retry-after=2', 'POST', '/block', plain(503, 2)],
  ['POST /block:503+retry-after=2*3', 'POST', '/block', plain(503, 2), 3],
  ['* /:timeout@50%', '*', '/', other('timeout'), undefined, 50],
  ['POST /v1/events:reset-after@0.5%', 'POST', '/v1/events', other('reset-after'), undefined, 0.5],
  ['GET cal:1:truncate', 'GET', 'cal:1', other('truncate')],
  ['  GET   /v1 :garbage', 'GET', '/v1', other('garbage')],
  ['GET /v1:reset-before', 'GET', '/v1', other('reset-before')],
  ['GET /v1:204', 'GET', '/v1', plain(204)],
  ['GET /v1:500@50', 'GET', '/v1', plain(500), undefined, 50],
])('reading faults: %s', (text, method, pathPart, effect, times, percent) => {
  expect(readFaults([text])).toEqual([{ method, pathPart, effect, times, percent }]);
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

const effect = { kind: 'timeout', status: 200, retryAfterSeconds: undefined } as const;
const first: FaultRule = { method: 'POST', pathPart: '/block', effect, times: 2, percent: undefined };
const second: FaultRule = { ...first, method: '*', pathPart: '/', effect: { ...effect, kind: 'garbage' }, times: 1 };

it('planning faults asks the first rule that fits and has times left', () => {
  const next = pickFaults([first, second], () => 0);
  const kinds = ['POST', 'GET', 'POST', 'POST', 'GET'].map((method) => next(method, '/v1/cards/1/block')?.kind);
  expect(kinds).toEqual(['timeout', 'garbage', 'timeout', undefined, undefined]);
});

it('planning faults hits about as many requests as the percentage says', () => {
  const next = pickFaults([{ ...first, times: undefined, percent: 25 }], repeatableRandom());
  let hits = 0;
  for (let count = 0; count < 10_000; count += 1) if (next('POST', '/block') !== undefined) hits += 1;
  expect(hits).toBeGreaterThan(2300);
  expect(hits).toBeLessThan(2700);
});
