import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FAILURES, Failure, type FailureCode, OUTCOMES } from '../../../src/base/failure.ts';
import {
  type CallOutcome,
  decodeOutcome,
  encodeOutcome,
  NO_OUTCOME,
  outcomeOfFailure,
} from '../../../src/service/call-outcome.ts';

const known = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const text = known(fc.string({ unit: 'grapheme' }));
const whole = known(fc.nat());
// Object.keys widens to texts; these are the keys of the table.
const codes = Object.keys(FAILURES) as FailureCode[];

const callOutcomes: fc.Arbitrary<CallOutcome> = fc.record({
  outcome: fc.constantFrom(...OUTCOMES),
  httpStatus: whole,
  requestId: text,
  attempts: fc.nat(),
  sentAtMs: whole,
  durationMs: whole,
  resultId: text,
  code: known(fc.constantFrom(...codes)),
  errorCode: text,
  message: text,
  observedStatus: text,
  notices: fc.array(
    fc.record({ code: fc.string(), message: fc.string(), level: fc.constantFrom('note' as const, 'warning' as const) }),
    { maxLength: 2 },
  ),
});

it('an outcome is read from a line as it was written', () => {
  fc.assert(
    fc.property(callOutcomes, (callOutcome) => {
      expect(decodeOutcome(JSON.parse(JSON.stringify(encodeOutcome(callOutcome, {}))))).toEqual(callOutcome);
    }),
  );
});

it('an outcome is read from a line that has its own names', () => {
  fc.assert(
    fc.property(callOutcomes, (callOutcome) => {
      expect(decodeOutcome(JSON.parse(JSON.stringify(callOutcome)))).toEqual(callOutcome);
    }),
  );
});

it('a call outcome of a write that does not say whether it was applied is kept as unknown', () => {
  expect(encodeOutcome(NO_OUTCOME, {})).toMatchObject({ s: 'unknown', a: 0 });
});

it('a call outcome has short names in a line, and nothing that is not known', () => {
  const callOutcome: CallOutcome = { ...NO_OUTCOME, outcome: 'applied', httpStatus: 200, attempts: 1, durationMs: 7 };
  expect(JSON.stringify(encodeOutcome(callOutcome, {}))).toBe('{"s":"applied","a":1,"http":200,"ms":7}');
});

it.each([
  ['without an outcome', {}],
  ['with an outcome that is none', { s: 'maybe', a: 1 }],
  ['with a code that this version does not know', { s: 'rejected', a: 1, code: 'NEW_CODE' }],
])('a call outcome: a record %s is none', (_what, record) => {
  expect(decodeOutcome(record)).toBeUndefined();
});

it('a call outcome leaves out members of another kind, as no version writes them', () => {
  const record = { s: 'applied', a: '1', http: 'x', req: 1, notes: [{ code: 1 }, null] };
  expect(decodeOutcome(record)).toEqual({ ...NO_OUTCOME, outcome: 'applied' });
});

it('the message of a row in a line with short names is not the message of its outcome', () => {
  const record = { s: 'unknown', a: 1, http: 500, message: 'The request was sent at 17:00:57Z.' };
  expect(decodeOutcome(record)).toEqual({ ...NO_OUTCOME, outcome: 'unknown', attempts: 1, httpStatus: 500 });
});

it('the call outcome of a failure has what its details have, the message of the service cut', () => {
  const service = new Map([
    ['errorCode', 'CARD_EXPIRED'],
    ['message', 'm'.repeat(400)],
  ]);
  const failure = new Failure('REJECTED', 'block card 1 was rejected', {
    details: {
      outcome: 'rejected',
      http: { status: 409, requestId: 'r-1' },
      attempts: 2,
      sentAt: '2026-05-01T12:00:00.007Z',
      service,
    },
  });
  expect(outcomeOfFailure(failure, { durationMs: 9 })).toEqual({
    ...NO_OUTCOME,
    outcome: 'rejected',
    httpStatus: 409,
    requestId: 'r-1',
    attempts: 2,
    sentAtMs: Date.parse('2026-05-01T12:00:00.007Z'),
    durationMs: 9,
    code: 'REJECTED',
    errorCode: 'CARD_EXPIRED',
    message: `${'m'.repeat(299)}…`,
  });
});
