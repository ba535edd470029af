import { expect, it } from 'vitest';
import { Failure } from '../../../src/base/failure.ts';
import { NO_OUTCOME } from '../../../src/service/call-outcome.ts';
import { failureOfEnd } from '../../../src/writes/deliver.ts';

const CARD = 'provision card 7c0e';

/** What the record of a change's end says of its outcome, as `after`. */
const SURE = { applied: 'applied', confirmed_by_read: 'confirmed' } as const;
const AFTER = { ...SURE, rejected: 'rejected', not_sent: 'unsent', unknown: 'unknown' } as const;

const RECORD = 'could not write the end of entry e1 to the history (/s): no space left on the device (ENOSPC)';

const PLACES = {
  'no response that is given once': {},
  'the response in its place': { where: 'is in a.json' },
  'the response elsewhere': { where: 'is on stdout', problem: 'a.json could not be written: no space left (ENOSPC)' },
  'the response lost': { where: 'is lost, and cannot be retrieved', problem: 'a.json could not be written: x (EIO)' },
};

/** A change that was skipped sent nothing, and has no end. */
const SENT = ['applied', 'confirmed_by_read', 'rejected', 'not_sent', 'unknown'] as const;

const CASES = SENT.flatMap((outcome) =>
  [false, true].flatMap((isRecordLost) =>
    Object.entries(PLACES).flatMap(([place, taken]) =>
      (outcome === 'unknown' ? [false, true] : [false]).map((isRepeated) => ({
        name: `${outcome}, record ${isRecordLost ? 'lost' : 'kept'}, ${place}${isRepeated ? ', repeated' : ''}`,
        ...{ outcome, isRecordLost, taken, isRepeated },
      })),
    ),
  ),
);

it.each(CASES)('the end of a change says each fact once: $name', ({ outcome, isRecordLost, taken, isRepeated }) => {
  const own = {
    applied: undefined,
    confirmed_by_read: undefined,
    rejected: Failure.unchanged('REJECTED', 'the service returned 409', { details: { outcome } }),
    not_sent: Failure.unsent('UNREACHABLE', 'connection refused', { details: { outcome } }),
    unknown: new Failure('OUTCOME_UNKNOWN', `The request was sent.${isRepeated ? ' A retry ended with: 409.' : ''}`, {
      attempted: CARD,
      details: { outcome },
    }),
  }[outcome];
  const lost = isRecordLost
    ? new Failure('LOCAL_IO', RECORD, { after: AFTER[outcome], details: { outcome } })
    : undefined;
  const result = {
    callOutcome: { ...NO_OUTCOME, outcome, resultId: 'new-1' },
    ...(own === undefined ? {} : { failure: own }),
  };
  const end = failureOfEnd(CARD, result, { lost, saved: taken });
  const isResponseLost = 'problem' in taken;
  if (!isRecordLost && !isResponseLost) {
    expect(end).toBeUndefined();
    return;
  }
  const isLocal = outcome !== 'unknown' && (isRecordLost || own === undefined);
  expect([end?.code, end?.details.outcome]).toEqual([isLocal ? 'LOCAL_IO' : own?.code, outcome]);
  // The ID of a new card may stand nowhere else.
  if (own === undefined && isResponseLost) expect(end?.details.resultId).toBe('new-1');
  const times = (text: string) => (end?.message.split(text).length ?? 0) - 1;
  expect(times(RECORD)).toBe(isRecordLost ? 1 : 0);
  expect(times('where' in taken ? taken.where : 'no place')).toBe('where' in taken ? 1 : 0);
  expect(times('a.json could not be written')).toBe(isResponseLost ? 1 : 0);
  expect(times('OUTCOME UNKNOWN')).toBe(outcome === 'unknown' ? 1 : 0);
  expect(times('A retry ended with')).toBe(isRepeated ? 1 : 0);
  expect(times('WAS applied')).toBe(outcome === 'applied' ? 1 : 0);
  expect(times('counts as applied')).toBe(outcome === 'confirmed_by_read' ? 1 : 0);
  expect(times('Nothing was changed.')).toBe(outcome === 'rejected' ? 1 : 0);
  expect(times('Nothing was sent.')).toBe(outcome === 'not_sent' ? 1 : 0);
});
