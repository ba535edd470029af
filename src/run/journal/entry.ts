import { decodeOutcome, LOST_OUTCOME, NO_OUTCOME, type WriteOutcome } from '../../call-outcome.ts';
import type { RecordReader } from './reader.ts';
import { isResolution, isRowRecord } from './record.ts';
import type { RowState, RowStates } from './row-states.ts';

/** What a journal has of one row; its id and its reason only where it has a record. */
export interface StoredRow {
  readonly row: number;
  readonly id: string | undefined;
  readonly reason: string | undefined;
  /** Names of the fields that an update sets. */
  readonly fields?: readonly string[] | undefined;
  /** What stands for the body of an event. */
  readonly digest?: string | undefined;
  /** Milliseconds since 1970 of the last intent, or of the result when nothing was sent. */
  readonly timeMs: number | undefined;
  /** A row whose request may have left and that has no result is `unknown`; one without a record `not_sent`. */
  readonly ending: WriteOutcome;
  /** What a person found out of a row whose outcome is unknown. */
  readonly resolved?: 'applied' | 'not_applied' | undefined;
  /** What was said of it when it did not succeed; undefined too where a person closed it, or older versions wrote. */
  readonly said?: string | undefined;
  /** With applied: the id of the new card or event that they found. */
  readonly foundId?: string | undefined;
}

/** What a scanned journal has of one row: id, reason and time by its intent, the ending by its result. */
export async function readEntry(row: number, states: RowStates, reader: RecordReader | undefined): Promise<StoredRow> {
  const intent = await recordOf(states.intentAt(row), reader);
  const result = await recordOf(states.resultAt(row), reader);
  return {
    row,
    id: intent?.id ?? result?.id,
    ...(intent?.s === 'intent' ? { reason: intent.reason, fields: intent.f, digest: intent.d } : { reason: undefined }),
    timeMs: intent?.t ?? result?.t,
    ending: outcomeOfRow(row, states, intent?.t, result),
    resolved: RESOLVED.get(states.state(row)),
    foundId: states.foundId(row),
    said: saidOf(result, states.state(row)),
  };
}

const RESOLVED = new Map<string, StoredRow['resolved']>([
  ['resolved_applied', 'applied'],
  ['resolved_not_applied', 'not_applied'],
]);

/** How a row counts in its run: what a person found out of an unknown one closes it. */
export function outcomeInRun({
  ending,
  resolved,
  foundId,
}: Pick<StoredRow, 'ending' | 'resolved' | 'foundId'>): WriteOutcome {
  if (resolved === undefined) return ending;
  const { attempts, sentAtMs } = ending;
  const known = { ...NO_OUTCOME, attempts, sentAtMs };
  if (resolved === 'applied') {
    return { ...known, outcome: 'applied', resultId: foundId, message: 'a person recorded that it was applied' };
  }
  return { ...known, outcome: 'not_sent', code: 'PARTIAL', message: 'a person recorded that it was not applied' };
}

/** A later word of a person, or an intent without a result, says more than what was said then. */
function saidOf(result: RowRecord, state: RowState): string | undefined {
  return result !== undefined && 'said' in result && result.s === state ? result.said : undefined;
}

type RowRecord = Awaited<ReturnType<typeof recordOf>>;

function outcomeOfRow(row: number, states: RowStates, intentMs: number | undefined, result: RowRecord): WriteOutcome {
  const state = states.state(row);
  const attempts = states.attempts(row);
  if (state === 'none') return { ...NO_OUTCOME, outcome: 'not_sent', attempts };
  const isOpen = state === 'intent' || state === 'unknown' || isResolution(state);
  const ending = result === undefined || (isOpen && result.s !== 'unknown') ? undefined : decodeOutcome(result);
  const known = ending ?? LOST_OUTCOME;
  // Version 0.1.0 kept no other time than that of the intent.
  const sentAtMs = known.sentAtMs ?? (known.outcome === 'not_sent' ? undefined : intentMs);
  return { ...known, attempts, sentAtMs };
}

async function recordOf(offset: number, reader: RecordReader | undefined) {
  const record = offset < 0 ? undefined : await reader?.recordAt(offset);
  return record !== undefined && isRowRecord(record) ? record : undefined;
}
