import type { FailureCode, Outcome } from '../failure.ts';
import type { RecordReader } from './journal-reader.ts';
import type { IntentRecord, ResultRecord } from './journal-record.ts';
import { isRowRecord } from './journal-record.ts';
import type { RowStates } from './row-states.ts';

/** What a journal says of one row. */
export interface JournalEntry {
  readonly row: number;
  /** Undefined when the row has no record, or none is needed (an event that is created). */
  readonly id: string | undefined;
  readonly reason: string | undefined;
  /** A row whose request may have left and that has no result is `unknown`; one without a record `not_sent`. */
  readonly outcome: Outcome;
  readonly attempts: number;
  /** Milliseconds since 1970 of the last intent, or of the result when nothing was sent. */
  readonly time: number | undefined;
  /** True when some attempt may have left. */
  readonly wasSent: boolean;
  readonly httpStatus: number | undefined;
  readonly requestId: string | undefined;
  readonly durationMs: number | undefined;
  readonly resultId: string | undefined;
  readonly code: FailureCode | undefined;
  readonly errorCode: string | undefined;
  readonly observedStatus: string | undefined;
}

/**
 * Puts together what a scanned journal says of one row: its intent gives id, reason and time, its result the rest.
 * `reader` may be missing when no row has a record.
 */
export async function readEntry(
  row: number,
  states: RowStates,
  reader: RecordReader | undefined,
): Promise<JournalEntry> {
  const intent = await recordOf(states.intentAt(row), reader);
  const last = await recordOf(states.resultAt(row), reader);
  const state = states.state(row);
  const result = last !== undefined && last.s !== 'intent' ? last : undefined;
  const isOpen = state === 'intent' || state === 'resolved_by_user' || state === 'unknown';
  const known = isOpen && result?.s !== 'unknown' ? undefined : result;
  return {
    row,
    id: intent?.id ?? result?.id,
    reason: intent !== undefined && intent.s === 'intent' ? intent.reason : undefined,
    outcome: isOpen ? 'unknown' : state === 'none' ? 'not_sent' : state,
    attempts: states.attempts(row),
    time: intent?.t ?? result?.t,
    wasSent: intent !== undefined,
    httpStatus: known?.http,
    requestId: known?.req,
    durationMs: known?.ms,
    resultId: known?.rid,
    code: isOpen ? 'OUTCOME_UNKNOWN' : known?.code,
    errorCode: known?.err,
    observedStatus: known?.seen,
  };
}

async function recordOf(
  offset: number,
  reader: RecordReader | undefined,
): Promise<IntentRecord | ResultRecord | undefined> {
  if (offset < 0 || reader === undefined) return undefined;
  const record = await reader.recordAt(offset);
  return isRowRecord(record) ? record : undefined;
}
