import { expect, it } from 'vitest';
import { Failure, type FailureDetails, type FailureOptions, type Outcome } from '../../../src/base/failure.ts';
import type { RowState } from '../../../src/records/journal/row-states.ts';
import {
  failedCall,
  journalResult,
  messageToStore,
  type RowResult,
  type RunRow,
  reasonOfRow,
  sentResult,
  stateResult,
  unsentResult,
  withEarlier,
} from '../../../src/records/row-outcome.ts';
import type { CallOutcome, WriteOutcome } from '../../../src/service/call-outcome.ts';
import { answered, ended, failed } from '../runs/fakes.ts';

const ROW = { row: 7, id: 'card-7' };
const SENT_AT = '2026-05-01T12:00:00.007Z';
const SENT_CLOCK = '12:00:00Z';

const write = { command: 'card.block', isWrite: true, mayHaveLeft: true };

it('a row that was sent has the resource and no failure when it was answered', () => {
  expect(sentResult(ROW, answered(new Map([['status', 'BLOCKED']]), 'new-7'), write)).toEqual({
    row: ROW,
    callOutcome: ended({ outcome: 'applied', httpStatus: 200, attempts: 1, resultId: 'new-7' }),
    resource: new Map([['status', 'BLOCKED']]),
    failure: undefined,
    source: 'sent',
  });
});

it.each<[string, CallOutcome['outcome'], boolean, CallOutcome['outcome']]>([
  ['as the call says, rejected', 'rejected', true, 'rejected'],
  ['as the call says, although it may have left', 'not_sent', true, 'not_sent'],
  ['unknown where the call does not say and it may have left', null, true, 'unknown'],
  ['not sent where the call does not say and nothing left', null, false, 'not_sent'],
])('a row that was sent is %s', (_what, said, mayHaveLeft, outcome) => {
  const result = sentResult(ROW, failed('INTERNAL', { outcome: said ?? undefined }), { ...write, mayHaveLeft });
  expect(result).toMatchObject({ row: ROW, callOutcome: { outcome, code: 'INTERNAL' }, source: 'sent' });
  expect(result.resource).toBeUndefined();
  expect(result.failure?.details).toEqual({ attempts: 1, operation: 'card.block', row: 7, id: 'card-7', outcome });
});

it('a row that was sent has no outcome when it only was to be read', () => {
  const result = sentResult(ROW, failed('NOT_FOUND'), { ...write, command: 'card.get', isWrite: false });
  expect(result.callOutcome.outcome).toBeNull();
  expect(result.failure?.details).toEqual({ attempts: 1, operation: 'card.get', row: 7, id: 'card-7' });
});

const REPEAT = { do: 'repeat', words: 'run the command again' } as const;
const LOG_IN = { do: 'log in' } as const;

it.each<[string, FailureOptions, 'write' | 'read']>([
  ['could not block card card-7: x. Nothing was changed.', { details: { outcome: 'rejected' } }, 'write'],
  ['could not block card card-7: x. Nothing was sent.', { details: { outcome: 'not_sent' } }, 'write'],
  ['could not block card card-7: x', { details: { outcome: 'unknown' } }, 'write'],
  [
    'block card card-7: this change WAS applied, but x',
    { after: 'applied', details: { outcome: 'rejected' } },
    'write',
  ],
  ['could not read the file: x. Nothing was sent.', { attempted: 'read the file', after: 'unsent' }, 'write'],
  ['could not block card card-7: x', {}, 'read'],
])('a row that failed says: %s', (message, known, kind) => {
  const call = failedCall(new Failure('INTERNAL', 'x', { hints: [REPEAT, LOG_IN, 'look'], ...known }));
  const { failure } = sentResult(ROW, call, { ...write, isWrite: kind === 'write' });
  expect(failure).toMatchObject({ message, hints: kind === 'write' ? [LOG_IN, 'look'] : [REPEAT, LOG_IN, 'look'] });
});

it.each<[string, FailureDetails, string | undefined]>([
  ['nothing of the service', {}, 'x'],
  ['a code and words', { service: new Map([['errorCode', 'E']]) }, 'x'],
  ['details of the service', { service: new Map([['details', 'Ada']]) }, undefined],
  ['another body', { body: 'Ada' }, undefined],
])('a row whose failure quotes %s is kept with its message, or without', (_what, details, message) => {
  expect(messageToStore({ ...result, failure: new Failure('REJECTED', 'x', { details }) })).toBe(message);
  expect(messageToStore({ ...result, failure: undefined })).toBeUndefined();
});

it('a row that was sent may have failed before it was a call', () => {
  const failure = new Failure('USAGE', 'no credential', { details: { outcome: 'not_sent' } });
  const callOutcome = ended({ outcome: 'not_sent', code: 'USAGE' });
  expect(failedCall(failure)).toEqual({ kind: 'failed', failure, callOutcome });
});

const reason = Failure.unsent('CANCELLED', 'SIGINT stopped the run', { hints: ['take it up again'], exitCode: 143 });
const STOPPED = 'could not block card card-7: SIGINT stopped the run. Nothing was sent.';

it('a row of which nothing was sent because the run stopped was not reached', () => {
  const result = unsentResult(ROW, 'card.block', reason);
  expect(result).toMatchObject({ row: ROW, source: 'not_reached' });
  expect(result.callOutcome).toEqual(ended({ outcome: 'not_sent', code: 'CANCELLED' }));
  const details = { operation: 'card.block', id: 'card-7', row: 7, outcome: 'not_sent', attempts: 0 };
  const { hints } = reason;
  expect(result.failure).toMatchObject({ code: 'CANCELLED', exitCode: 143, message: STOPPED, hints, details });
});

it('a row of which nothing was sent because the run stopped was under way, with the attempts that the service had refused', () => {
  const result = unsentResult(ROW, 'card.block', reason, 2);
  expect(result).toMatchObject({ source: 'sent', callOutcome: { outcome: 'not_sent', attempts: 2 } });
  // A journal keeps no more of it.
  expect(journalResult(ROW, 'card.block', result.callOutcome).failure?.message).toBe(STOPPED);
  expect(result.failure).toMatchObject({ message: STOPPED, details: { attempts: 2 } });
  expect(unsentResult(ROW, 'card.block', reason, 0).source).toBe('sent');
});

const stored = (known: Partial<WriteOutcome>) => ended({ outcome: 'unknown', ...known });

it.each(['applied', 'confirmed_by_read'] as const)('a row from the journal that is %s succeeded', (outcome) => {
  const callOutcome = stored({ outcome, attempts: 1, httpStatus: 200 });
  const result = journalResult(ROW, 'card.block', callOutcome);
  expect(result).toEqual({ row: ROW, callOutcome, resource: undefined, failure: undefined, source: 'journal' });
});

const OPENING = { id: undefined, body: new Map([['name', 'Opening']]) };
const REFUSED = { outcome: 'rejected', code: 'NOT_FOUND', httpStatus: 404 } as const;
const MAYBE = 'It may or may not have been applied.';
const UNKNOWN = 'OUTCOME UNKNOWN - block card card-7. The request';
const KILLED = `${UNKNOWN} may have been sent. Its process ended before the response. ${MAYBE}`;
const LOCAL =
  'stdout, a file or a record could not be written; the message says whether the change was applied. Nothing was sent.';
const BAD_GATEWAY = { code: 'OUTCOME_UNKNOWN', httpStatus: 502, message: 'bad gateway', sentAtMs: Date.parse(SENT_AT) };
const BROKEN = { code: 'OUTCOME_UNKNOWN', message: 'the connection closed', observedStatus: 'ACTIVE' };

it.each<[Outcome, Readonly<Record<string, unknown>>, string]>([
  [
    'rejected',
    { code: 'NOT_FOUND', httpStatus: 404, errorCode: 'CARD_NOT_FOUND', message: 'no such card' },
    'no such card: the service returned 404 (CARD_NOT_FOUND: "no such card"). Nothing was changed.',
  ],
  ['rejected', { code: 'REJECTED', httpStatus: 400 }, 'the service returned 400. Nothing was changed.'],
  ['not_sent', { code: 'UNREACHABLE', message: 'cannot connect' }, 'cannot connect. Nothing was sent.'],
  ['not_sent', { code: 'PRECONDITION' }, 'the card did not match what was expected. Nothing was sent.'],
  ['not_sent', { code: 'LOCAL_IO' }, LOCAL],
  ['not_sent', {}, 'the run has not reached this row. Nothing was sent.'],
  ['unknown', BAD_GATEWAY, `${UNKNOWN} was sent at ${SENT_CLOCK}. The service returned 502 ("bad gateway"). ${MAYBE}`],
  ['unknown', BROKEN, `${UNKNOWN} was sent. The connection closed. ${MAYBE} Card check: status ACTIVE.`],
  [
    'unknown',
    { ...BROKEN, repeated: 'was not sent: x' },
    `${UNKNOWN} was sent. The connection closed. Card check: status ACTIVE. A retry was not sent: x. ${MAYBE}`,
  ],
  // Its process was killed while it was under way, or kept no code.
  ['unknown', { code: 'OUTCOME_UNKNOWN' }, KILLED],
  ['unknown', {}, KILLED],
])('a row from the journal that is %s and of which is known %o', (outcome, known, words) => {
  const result = journalResult(ROW, 'card.block', stored({ outcome, ...known }));
  const code = known['code'] ?? (outcome === 'unknown' ? 'OUTCOME_UNKNOWN' : 'PARTIAL');
  const message = outcome === 'unknown' ? words : `could not block card card-7: ${words}`;
  expect(result).toMatchObject({ callOutcome: { outcome }, failure: { message, code, details: { outcome } } });
  expect(result.failure?.exitCode === 8).toBe(outcome === 'unknown');
  expect([result.source, result.resource]).toEqual(['journal', undefined]);
});

it.each<[Partial<RunRow>, string, Partial<WriteOutcome>, string]>([
  [{}, 'card.block', { httpStatus: 300, message: 'm' }, 'block card card-7: the service returned 300 ("m")'],
  [{}, 'card.block', { httpStatus: 299, message: 'm' }, 'block card card-7: the service returned 299 (m)'],
  [{}, 'card.block', { httpStatus: 409, errorCode: 'A B' }, 'block card card-7: the service returned 409 ("A B")'],
  [{}, 'card.melt', { httpStatus: 404 }, 'card melt card-7: the service returned 404'],
  [OPENING, 'calendar.event.create', { httpStatus: 404 }, 'create event "Opening": the service returned 404'],
])('a row from the journal, %o of %s that ended as %o: could not %s', (row, command, known, words) => {
  const { failure } = journalResult({ ...ROW, ...row }, command, stored({ outcome: 'rejected', ...known }));
  expect(failure?.message).toBe(`could not ${words}. Nothing was changed.`);
});

it.each<[RowState, Outcome]>([
  ['none', 'unknown'],
  ['intent', 'unknown'],
  ['resolved_applied', 'unknown'],
  ['unknown', 'unknown'],
  ['rejected', 'rejected'],
  ['applied', 'applied'],
])('a row whose record cannot be read, with the state %s, is %s', (state, outcome) => {
  const { callOutcome, failure } = stateResult(ROW, 'card.block', state);
  expect(callOutcome).toEqual(ended({ outcome }));
  expect(failure?.details.outcome).toBe(outcome === 'applied' ? undefined : outcome);
});

const SEEN = { outcome: 'unknown', observedStatus: 'X' } as const;

it.each<[string, Partial<WriteOutcome>, Partial<RowResult>?]>([
  ['', { outcome: 'applied' }],
  ['', { outcome: 'unknown' }, { source: 'in_flight' }],
  ['no response', { outcome: 'unknown' }],
  ['no response, the card read "A B"', { outcome: 'unknown', observedStatus: 'A B' }],
  ['no response, the card read X, and a retry was not sent', { ...SEEN, repeated: 'was not sent' }],
  ['the service returned 502 "A B"', { outcome: 'unknown', httpStatus: 502, errorCode: 'A B' }],
  ['no such card', { ...REFUSED, message: 'm' }],
  ['"m" (404)', { ...REFUSED, message: 'm' }, { row: { ...ROW, id: undefined } }],
  ['the run has not reached this row', { outcome: 'not_sent' }],
  ['the service returned 409', { outcome: 'rejected', httpStatus: 409 }],
  ['"m" (300 E)', { outcome: 'rejected', httpStatus: 300, errorCode: 'E', message: 'm' }],
  ['m (299)', { outcome: 'rejected', httpStatus: 299, message: 'm' }],
])('the reason of a row: %s', (reason, known, more) => {
  expect(reasonOfRow({ ...journalResult(ROW, 'card.block', stored(known)), ...more }, 'card')).toBe(reason);
});

it('a row from the journal has everything that was kept in its details', () => {
  const sent = { httpStatus: 502, requestId: 'r-7', attempts: 3, sentAtMs: Date.parse(SENT_AT), resultId: 'new-7' };
  const said = { code: 'OUTCOME_UNKNOWN', errorCode: 'UPSTREAM', message: 'bad gateway', observedStatus: 'REISSUED' };
  const { failure } = journalResult(ROW, 'card.reissue', stored({ ...sent, ...(said as Partial<WriteOutcome>) }));
  const row = { operation: 'card.reissue', row: 7, id: 'card-7', outcome: 'unknown', attempts: 3 };
  const service = new Map(Object.entries({ errorCode: 'UPSTREAM', message: 'bad gateway' }));
  const answer = { http: { status: 502, requestId: 'r-7' }, service, sentAt: SENT_AT, resultId: 'new-7' };
  expect(failure?.details).toEqual({ ...row, ...answer, observed: new Map([['status', 'REISSUED']]) });
});

it('a row from the journal has nothing in its details that was not kept, and a time only where something may have left', () => {
  const { failure } = journalResult(ROW, 'card.block', stored({ outcome: 'rejected', sentAtMs: 5, message: 'm' }));
  const kept = { operation: 'card.block', row: 7, outcome: 'rejected', attempts: 0, id: 'card-7' };
  const none = { http: undefined, service: undefined, sentAt: undefined, observed: undefined, resultId: undefined };
  expect(failure?.details).toEqual({ ...kept, ...none });
  expect(journalResult(ROW, 'card.block', stored({ outcome: 'unknown' })).failure?.details.sentAt).toBeUndefined();
});

it('a row from the journal is named by its number where it has no id', () => {
  const row = { row: 7, id: undefined };
  expect(journalResult(row, 'calendar.event.create', stored({ outcome: 'not_sent' })).failure?.message).toBe(
    'could not create event (row 7): the run has not reached this row. Nothing was sent.',
  );
});

const before = new Failure('UNREACHABLE', 'cannot connect', {
  hints: ['check the network'],
  details: { outcome: 'not_sent', attempts: 1, row: 7 },
});
const unreached = ended({ outcome: 'not_sent', code: 'UNREACHABLE', attempts: 1 });
const result: RowResult = { ...unsentResult(ROW, 'card.block', reason, 1), callOutcome: unreached, failure: before };

const sent = { attempts: 1, sentAtMs: Date.parse(SENT_AT), message: 'the connection broke' };
const first = ended({ outcome: 'unknown', code: 'OUTCOME_UNKNOWN', ...sent });
const earlier = { attempts: 1, callOutcome: first };

it('a row whose earlier attempt may have been applied stays unknown when the repeat was not sent, and says both', () => {
  const doubtful = withEarlier(result, 'card.block', earlier);
  expect(doubtful).toMatchObject({ row: ROW, source: 'sent', earlierAttempts: 1 });
  expect(doubtful.callOutcome).toEqual({ ...first, attempts: 2, repeated: 'was not sent' });
  expect(doubtful.failure).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    exitCode: 8,
    message: `OUTCOME UNKNOWN - block card card-7. The request was sent at ${SENT_CLOCK}. The connection broke. A retry was not sent. It may or may not have been applied.`,
    details: { outcome: 'unknown', attempts: 2, row: 7, sentAt: SENT_AT },
  });
});

it('a row whose earlier attempt may have been applied stays unknown when the repeat was refused, and says both', () => {
  const said = { code: 'REJECTED', httpStatus: 409, errorCode: 'CARD_BLOCKED', observedStatus: 'BLOCKED' } as const;
  const refused = ended({ outcome: 'rejected', attempts: 1, ...said });
  const checked = { ...earlier, callOutcome: { ...first, observedStatus: 'ACTIVE' } };
  const doubtful = withEarlier({ ...result, callOutcome: refused }, 'card.block', checked);
  const repeated = 'was refused: 409 CARD_BLOCKED';
  expect(doubtful.callOutcome).toEqual({ ...first, attempts: 2, repeated, observedStatus: 'BLOCKED' });
  expect(doubtful.failure?.message).toBe(
    `OUTCOME UNKNOWN - block card card-7. The request was sent at ${SENT_CLOCK}. The connection broke. Card check: status BLOCKED. A retry was refused: 409 CARD_BLOCKED. It may or may not have been applied.`,
  );
});

const KNOWN_NOW = ['applied', 'confirmed_by_read', 'unknown'] as const;

it.each(KNOWN_NOW)('a row whose earlier attempt may have been applied is %s when the repeat is', (outcome) => {
  const callOutcome = { ...result.callOutcome, outcome };
  const now = withEarlier({ ...result, callOutcome }, 'card.block', earlier);
  expect(now.callOutcome).toEqual({ ...callOutcome, attempts: callOutcome.attempts + 1 });
  expect(now.failure).toMatchObject({ problem: 'cannot connect', details: { attempts: 2 } });
});

it('a row has the attempts of earlier processes that the service refused, and its own', () => {
  const refused = { attempts: 2, callOutcome: undefined };
  expect(withEarlier(result, 'card.block', refused)).toMatchObject({
    callOutcome: { outcome: 'not_sent', attempts: 3 },
    failure: { details: { attempts: 3 } },
  });
  expect(withEarlier({ ...result, failure: undefined }, 'card.block', refused).failure).toBeUndefined();
});

it('a row whose earlier attempt may have been applied stays unknown although it counts no attempt', () => {
  expect(withEarlier(result, 'card.block', { ...earlier, attempts: 0 }).callOutcome.outcome).toBe('unknown');
});

it('a row whose earlier attempt may have been applied is as it ended where no earlier process sent it', () => {
  expect(withEarlier(result, 'card.block', { attempts: 0, callOutcome: undefined })).toBe(result);
});
