import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FAILURES, Failure, type FailureCode, OUTCOMES, type Outcome } from '../../../src/base/failure.ts';
import { parseJson } from '../../../src/base/json/parse.ts';
import {
  type CallOutcome,
  callOutcomeAfter,
  decodeOutcome,
  encodeOutcome,
  isDone,
  isGood,
  isHeldBack,
  isStillToDo,
  LOST_OUTCOME,
  NO_OUTCOME,
  outcomeAfter,
  outcomeOfFailure,
  referenceAt,
  statusAt,
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

it.each<[string, (callOutcome: CallOutcome) => unknown]>([
  ['as it was written', (callOutcome) => encodeOutcome(callOutcome, {})],
  ['that has its own names', (callOutcome) => callOutcome],
])('an outcome is read from a line %s', (_what, lineOf) => {
  fc.assert(
    fc.property(callOutcomes, (callOutcome) => {
      expect(decodeOutcome(JSON.parse(JSON.stringify(lineOf(callOutcome))))).toEqual(callOutcome);
    }),
  );
});

it('a call outcome has short names in a line and nothing that is not known, and is unknown unless it says more', () => {
  const callOutcome: CallOutcome = { ...NO_OUTCOME, outcome: 'applied', httpStatus: 200, attempts: 1, durationMs: 7 };
  expect(JSON.stringify(encodeOutcome(callOutcome, {}))).toBe('{"s":"applied","a":1,"http":200,"ms":7}');
  expect(encodeOutcome(NO_OUTCOME, {})).toMatchObject({ s: 'unknown', a: 0 });
});

it.each([
  ['without an outcome', {}],
  ['with an outcome that is none', { s: 'maybe', a: 1 }],
  ['with a code that this version does not know', { s: 'rejected', a: 1, code: 'NEW_CODE' }],
])('a call outcome: a record %s is none', (_what, record) => expect(decodeOutcome(record)).toBeUndefined());

it('a call outcome leaves out members of another kind, as no version writes them', () => {
  const record = { s: 'applied', a: '1', http: 'x', req: 1, notes: [{ code: 1 }, null] };
  expect(decodeOutcome(record)).toEqual({ ...NO_OUTCOME, outcome: 'applied' });
});

it('the message of a row in a line with short names is not the message of its outcome', () => {
  const record = { s: 'unknown', a: 1, http: 500, message: 'The request was sent at 17:00:57Z.' };
  expect(decodeOutcome(record)).toEqual({ ...NO_OUTCOME, outcome: 'unknown', attempts: 1, httpStatus: 500 });
});

it('the call outcome of a failure has what its details have, the message of the service cut', () => {
  const service = new Map(Object.entries({ errorCode: 'CARD_EXPIRED', message: 'm'.repeat(400) }));
  const sent = { outcome: 'rejected', attempts: 2 } as const;
  const sentAt = '2026-05-01T12:00:00.007Z';
  const details = { ...sent, http: { status: 409, requestId: 'r-1' }, sentAt, service };
  const failure = new Failure('REJECTED', 'block card 1 was rejected', { details });
  expect(outcomeOfFailure(failure, { durationMs: 9 })).toEqual({
    ...{ ...NO_OUTCOME, ...sent, httpStatus: 409, requestId: 'r-1', sentAtMs: Date.parse(sentAt), durationMs: 9 },
    ...{ code: 'REJECTED', errorCode: 'CARD_EXPIRED', message: `${'m'.repeat(299)}…` },
  });
});

it.each<[Outcome | null, FailureCode | undefined, string]>([
  ['applied', undefined, 'done, good'],
  ['confirmed_by_read', undefined, 'done, good'],
  ['skipped', undefined, 'good'],
  ['rejected', 'REJECTED', 'to do for now'],
  ['rejected', 'AUTH', 'to do for now'],
  ['unknown', 'OUTCOME_UNKNOWN', ''],
  ['unknown', 'PRECONDITION', ''],
  ['not_sent', 'PRECONDITION', 'held back, to do for now'],
  ['not_sent', 'NOT_FOUND', 'held back, to do for now'],
  ['not_sent', 'REJECTED', 'held back, to do for now'],
  ['not_sent', 'UNREACHABLE', 'to do, to do for now'],
  ['not_sent', undefined, 'to do, to do for now'],
  [null, 'PRECONDITION', ''],
])('a row that ended %s with %s is: %s', (outcome, code, expected) => {
  const is = {
    done: isDone(outcome),
    good: isGood(outcome),
    'held back': isHeldBack(outcome, code),
    'to do': isStillToDo(outcome, code, false),
    'to do for now': isStillToDo(outcome, code, true),
  };
  const words = Object.entries(is).flatMap(([word, isSo]) => (isSo ? [word] : []));
  expect(words.join(', ')).toBe(expected);
});

it('what is known of a card is its status and its reference, cut and marked if they are long', () => {
  const card = parseJson(`{"status":"ACTIVE","clientReference":"${'r'.repeat(300)}"}`);
  expect([statusAt(card), referenceAt(card)]).toEqual(['ACTIVE', expect.stringMatching(/^r{220,256}… /)]);
  expect([statusAt(parseJson('{}')), referenceAt(undefined)]).toEqual([undefined, undefined]);
});

it('a change in flight when its process ended is unknown', () => {
  expect(LOST_OUTCOME).toEqual({ ...NO_OUTCOME, outcome: 'unknown', code: 'OUTCOME_UNKNOWN' });
});

it.each<[object, boolean]>([
  [{ code: 'A', message: 'b', level: 'note' }, true],
  [{ code: 'A', message: 'b', level: 'warning' }, true],
  [{ code: 'A', message: 'b', level: 'error' }, false],
  [{ code: 1, message: 'b', level: 'note' }, false],
  [{ code: 'A', message: 1, level: 'note' }, false],
  [{ message: 'b', level: 'note' }, false],
  [{ code: 'A', level: 'note' }, false],
  [{ code: 'A', message: 'b' }, false],
])('a notice of a record, %j, is one: %s', (notice, isOne) => {
  expect(decodeOutcome({ s: 'applied', a: 1, notes: [notice] })?.notices).toEqual(isOne ? [notice] : []);
});

it.each<[Partial<CallOutcome>, string | undefined]>([
  [{ outcome: 'applied' }, undefined],
  [{ outcome: null }, undefined],
  [{ outcome: 'rejected', httpStatus: 409, errorCode: 'E', message: 'no' }, 'was refused: 409 E no'],
  [{ outcome: 'rejected', httpStatus: 409 }, 'was refused: 409'],
  [{ outcome: 'not_sent' }, 'was not sent'],
  [{ outcome: 'skipped' }, 'was not sent'],
])('once a row may have been applied, a repeat that ends as %j takes nothing back: %s', (latest, repeated) => {
  const notices = [{ code: 'A', message: 'b', level: 'note' }] as const;
  const earlier: CallOutcome = { ...NO_OUTCOME, outcome: 'unknown', attempts: 1, httpStatus: 500, sentAtMs: 7 };
  const now: CallOutcome = { ...NO_OUTCOME, attempts: 2, notices, ...latest };
  const kept = { ...earlier, code: 'OUTCOME_UNKNOWN', attempts: 2, notices, repeated };
  expect(callOutcomeAfter(earlier, now)).toEqual(repeated === undefined ? now : kept);
  expect(callOutcomeAfter(undefined, now)).toBe(now);
});

it.each<[boolean, Outcome, Outcome]>([
  [true, 'rejected', 'unknown'],
  [true, 'not_sent', 'unknown'],
  [true, 'unknown', 'unknown'],
  [true, 'applied', 'applied'],
  [true, 'confirmed_by_read', 'confirmed_by_read'],
  [false, 'rejected', 'rejected'],
  [false, 'not_sent', 'not_sent'],
])('after a send that may have been applied (%s), %s counts as %s', (mayBeApplied, latest, outcome) => {
  expect(outcomeAfter(mayBeApplied, latest)).toBe(outcome);
});
