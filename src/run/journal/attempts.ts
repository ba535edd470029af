import { type CallOutcome, NO_OUTCOME } from '../../call-outcome.ts';
import type { Outcome } from '../../failure.ts';

/** What earlier processes sent of a row; `ending` only of one that may have been applied. */
export interface EarlierSends {
  readonly attempts: number;
  readonly ending: CallOutcome | undefined;
}

/**
 * THE rule for the outcome of a row with several attempts: once one of them may have been applied, no refusal and no
 * failure of a repeat takes that back. Only an answer that it was done, or a read that shows it, does.
 */
export function outcomeAfter<Other extends string>(mayBeApplied: boolean, latest: Outcome | Other): Outcome | Other {
  return mayBeApplied && (latest === 'rejected' || latest === 'not_sent') ? 'unknown' : latest;
}

/**
 * The ending of a row by the ending of its latest attempt. `earlier`: that of an attempt which may have been applied.
 * Keeps when the first was sent and what was known of it, and says beside it how the repeat ended.
 */
export function callOutcomeAfter(earlier: CallOutcome | undefined, latest: CallOutcome): CallOutcome {
  const { outcome } = latest;
  if (earlier === undefined || outcome === null || outcomeAfter(true, outcome) === outcome) return latest;
  const answer = [latest.httpStatus, latest.errorCode, latest.message].filter((part) => part !== undefined).join(' ');
  const how = outcome === 'rejected' ? 'was refused' : 'was not sent';
  const repeated = `${how}${answer === '' ? '' : `: ${answer}`}`;
  const { attempts, notices } = latest;
  return { ...NO_OUTCOME, ...earlier, outcome: 'unknown', code: 'OUTCOME_UNKNOWN', attempts, notices, repeated };
}
