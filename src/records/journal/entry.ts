import { decodeOutcome, LOST_OUTCOME, NO_OUTCOME, type WriteOutcome } from '../../service/call-outcome.ts';
import type { RecordReader } from './reader.ts';
import { type IntentRecord, isResolution, isRowRecord } from './record.ts';
import type { RowStates } from './row-states.ts';

export type StoredRow = ReturnType<typeof readEntry>;

/** Reads what a scanned journal has of one row: ID, reason and time from its intent, the call outcome from its result. */
export function readEntry(row: number, states: RowStates, reader: RecordReader | undefined) {
  const intent = recordOf(states.intentAt(row), reader);
  const result = recordOf(states.resultAt(row), reader);
  const state = states.state(row);
  const { reason, f: fields, d: digest }: Partial<IntentRecord> = intent?.s === 'intent' ? intent : {};
  return {
    row,
    /** Undefined if the row has no record. */
    id: intent?.id ?? result?.id,
    reason,
    /** Names of the fields that an update sets. */
    fields,
    /** Stands for the body of an event. */
    digest,
    /** Milliseconds since 1970: the last intent, or the result if nothing was sent. */
    timeMs: intent?.t ?? result?.t,
    /** `unknown` if the request may have left and has no result, `not_sent` if there is no record. */
    callOutcome: outcomeOfRow(row, states, intent?.t, result),
    /** What `history resolve` recorded of an unknown outcome. */
    resolved: RESOLVED.get(state),
    /** If that is `applied`: the ID of the new card or event. */
    foundId: states.foundId(row),
    /** The message of its failure, unless a later resolution or intent says more. */
    message: result !== undefined && 'message' in result && result.s === state ? result.message : undefined,
  };
}

const RESOLVED = new Map<string, 'applied' | 'not_applied'>([
  ['resolved_applied', 'applied'],
  ['resolved_not_applied', 'not_applied'],
]);

/** How a row counts in its run: `history resolve` closes an unknown one. */
export function outcomeInRun(stored: Pick<StoredRow, 'callOutcome' | 'resolved' | 'foundId'>): WriteOutcome {
  const { callOutcome, resolved, foundId } = stored;
  if (resolved === undefined) return callOutcome;
  const { attempts, sentAtMs } = callOutcome;
  const known = { ...NO_OUTCOME, attempts, sentAtMs };
  if (resolved === 'applied') {
    return { ...known, outcome: 'applied', resultId: foundId, message: 'a person recorded that it was applied' };
  }
  return { ...known, outcome: 'not_sent', code: 'PARTIAL', message: 'a person recorded that it was not applied' };
}

type RowRecord = ReturnType<typeof recordOf>;

function outcomeOfRow(row: number, states: RowStates, intentMs: number | undefined, result: RowRecord): WriteOutcome {
  const state = states.state(row);
  const attempts = states.attempts(row);
  if (state === 'none') return { ...NO_OUTCOME, outcome: 'not_sent', attempts };
  const isOpen = state === 'intent' || state === 'unknown' || isResolution(state);
  const callOutcome = result === undefined || (isOpen && result.s !== 'unknown') ? undefined : decodeOutcome(result);
  const known = callOutcome ?? LOST_OUTCOME;
  // Of a row without an end, the time of its intent is all that is known.
  const sentAtMs = known.sentAtMs ?? (known.outcome === 'not_sent' ? undefined : intentMs);
  return { ...known, attempts, sentAtMs };
}

function recordOf(offset: number, reader: RecordReader | undefined) {
  const record = offset < 0 ? undefined : reader?.recordAt(offset);
  return record !== undefined && isRowRecord(record) ? record : undefined;
}
