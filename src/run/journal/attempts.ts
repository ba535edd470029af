import { type CallOutcome, NO_OUTCOME } from '../../call-outcome.ts';
import type { Outcome } from '../../failure.ts';

/** What earlier processes sent of a row. `ending` is set if that may have been applied. */
export interface EarlierSends {
  readonly attempts: number;
  readonly ending: CallOutcome | undefined;
}

/**
 * THE rule for a row with several attempts: once one of them may have been applied, no refusal or failure of a repeat
 * takes that back. Only a response or a read that shows the change does.
 */
export function outcomeAfter<Other extends string>(mayBeApplied: boolean, latest: Outcome | Other): Outcome | Other {
  return mayBeApplied && (latest === 'rejected' || latest === 'not_sent') ? 'unknown' : latest;
}

/**
 * The ending of a row after its latest attempt. `earlier`: the ending of an attempt that may have been applied. The
 * result keeps when that was sent and what was known of it, and adds how the repeat ended.
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
