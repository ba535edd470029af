import { decodeEnding, NO_ENDING, type WriteEnding } from '../../ending.ts';
import type { RecordReader } from './reader.ts';
import { type IntentRecord, isRowRecord, type ResultRecord } from './record.ts';
import type { RowStates } from './row-states.ts';

/** What a journal has of one row. */
export interface StoredRow {
  readonly row: number;
  /** Undefined when the row has no record, or none is needed (an event that is created). */
  readonly id: string | undefined;
  readonly reason: string | undefined;
  /** Milliseconds since 1970 of the last intent, or of the result when nothing was sent. */
  readonly timeMs: number | undefined;
  /** A row whose request may have left and that has no result is `unknown`; one without a record `not_sent`. */
  readonly ending: WriteEnding;
}

/**
 * Puts together what a scanned journal has of one row: its intent gives id, reason and time, its result the ending.
 * `reader` may be missing when no row has a record.
 */
export async function readEntry(row: number, states: RowStates, reader: RecordReader | undefined): Promise<StoredRow> {
  const intent = await recordOf(states.intentAt(row), reader);
  const result = await recordOf(states.resultAt(row), reader);
  return {
    row,
    id: intent?.id ?? result?.id,
    reason: intent?.s === 'intent' ? intent.reason : undefined,
    timeMs: intent?.t ?? result?.t,
    ending: endingOfRow(row, states, intent?.t, result),
  };
}

function endingOfRow(
  row: number,
  states: RowStates,
  intentMs: number | undefined,
  result: IntentRecord | ResultRecord | undefined,
): WriteEnding {
  const state = states.state(row);
  const attempts = states.attempts(row);
  if (state === 'none') return { ...NO_ENDING, outcome: 'not_sent', attempts };
  const isOpen = state === 'intent' || state === 'resolved_by_user' || state === 'unknown';
  const ending = result === undefined || (isOpen && result.s !== 'unknown') ? undefined : decodeEnding(result);
  const known = ending ?? ({ ...NO_ENDING, outcome: 'unknown', code: 'OUTCOME_UNKNOWN' } as const);
  // Version 0.1.0 kept no other time than that of the intent.
  const sentAtMs = known.sentAtMs ?? (known.outcome === 'not_sent' ? undefined : intentMs);
  return { ...known, attempts, sentAtMs };
}

async function recordOf(
  offset: number,
  reader: RecordReader | undefined,
): Promise<IntentRecord | ResultRecord | undefined> {
  if (offset < 0 || reader === undefined) return undefined;
  const record = await reader.recordAt(offset);
  return isRowRecord(record) ? record : undefined;
}
