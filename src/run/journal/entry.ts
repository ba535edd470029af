import { decodeOutcome, LOST_OUTCOME, NO_OUTCOME, type WriteOutcome } from '../../call-outcome.ts';
import type { RecordReader } from './reader.ts';
import { isResolution, isRowRecord } from './record.ts';
import type { RowState, RowStates } from './row-states.ts';

/** What a journal has of one row. ID and reason are missing if the row has no record. */
export interface StoredRow {
  readonly row: number;
  readonly id: string | undefined;
  readonly reason: string | undefined;
  /** Names of the fields that an update sets. */
  readonly fields?: readonly string[] | undefined;
  /** Stands for the body of an event. */
  readonly digest?: string | undefined;
  /** Milliseconds since 1970: the last intent, or the result if nothing was sent. */
  readonly timeMs: number | undefined;
  /** `unknown` if the request may have left and has no result, `not_sent` if there is no record. */
  readonly callOutcome: WriteOutcome;
  /** What `history resolve` recorded of an unknown outcome. */
  readonly resolved?: 'applied' | 'not_applied' | undefined;
  /** The message of its failure. Undefined after `history resolve`, and in journals of older versions. */
  readonly said?: string | undefined;
  /** With `applied`: the ID of the new card or event, from `history resolve`. */
  readonly foundId?: string | undefined;
}

/** Reads what a scanned journal has of one row: ID, reason and time from its intent, the call outcome from its result. */
export async function readEntry(row: number, states: RowStates, reader: RecordReader | undefined): Promise<StoredRow> {
  const intent = await recordOf(states.intentAt(row), reader);
  const result = await recordOf(states.resultAt(row), reader);
  return {
    row,
    id: intent?.id ?? result?.id,
    ...(intent?.s === 'intent' ? { reason: intent.reason, fields: intent.f, digest: intent.d } : { reason: undefined }),
    timeMs: intent?.t ?? result?.t,
    callOutcome: outcomeOfRow(row, states, intent?.t, result),
    resolved: RESOLVED.get(states.state(row)),
    foundId: states.foundId(row),
    said: saidOf(result, states.state(row)),
  };
}

const RESOLVED = new Map<string, StoredRow['resolved']>([
  ['resolved_applied', 'applied'],
  ['resolved_not_applied', 'not_applied'],
]);

/** How a row counts in its run: `history resolve` closes an unknown one. */
export function outcomeInRun({
  callOutcome,
  resolved,
  foundId,
}: Pick<StoredRow, 'callOutcome' | 'resolved' | 'foundId'>): WriteOutcome {
  if (resolved === undefined) return callOutcome;
  const { attempts, sentAtMs } = callOutcome;
  const known = { ...NO_OUTCOME, attempts, sentAtMs };
  if (resolved === 'applied') {
    return { ...known, outcome: 'applied', resultId: foundId, message: 'a person recorded that it was applied' };
  }
  return { ...known, outcome: 'not_sent', code: 'PARTIAL', message: 'a person recorded that it was not applied' };
}

/** The message of the result, unless a later resolution or a later intent says more. */
function saidOf(result: RowRecord, state: RowState): string | undefined {
  return result !== undefined && 'said' in result && result.s === state ? result.said : undefined;
}

type RowRecord = Awaited<ReturnType<typeof recordOf>>;

function outcomeOfRow(row: number, states: RowStates, intentMs: number | undefined, result: RowRecord): WriteOutcome {
  const state = states.state(row);
  const attempts = states.attempts(row);
  if (state === 'none') return { ...NO_OUTCOME, outcome: 'not_sent', attempts };
  const isOpen = state === 'intent' || state === 'unknown' || isResolution(state);
  const callOutcome = result === undefined || (isOpen && result.s !== 'unknown') ? undefined : decodeOutcome(result);
  const known = callOutcome ?? LOST_OUTCOME;
  // Version 0.1.0 recorded no other time than that of the intent.
  const sentAtMs = known.sentAtMs ?? (known.outcome === 'not_sent' ? undefined : intentMs);
  return { ...known, attempts, sentAtMs };
}

async function recordOf(offset: number, reader: RecordReader | undefined) {
  const record = offset < 0 ? undefined : await reader?.recordAt(offset);
  return record !== undefined && isRowRecord(record) ? record : undefined;
}
