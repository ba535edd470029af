import { OPERATIONS } from '../api/operations.ts';
import { textAt } from '../json/value.ts';
import type { CallInput } from './call.ts';
import { whatHappened } from './failure-details.ts';
import type { Accepted, Verdict } from './response.ts';
import type { Observation } from './unknown-outcome.ts';

/** Between the two reads: a request that was delayed on its way may land in between. */
export const READ_BACK_PAUSE_MS = 2000;

interface ReadBackPort {
  /** Reads the card; undefined when there is no time left or the run is stopping. */
  read(input: CallInput): Promise<Verdict | undefined>;
  /** Waits between two reads; false when there is no time for it or the run is stopping. */
  pause(): Promise<boolean>;
}

/** What looking at the card after an ambiguous write came to. */
export interface ReadBackResult {
  /** The card as read, when it shows the status that settles the write. */
  readonly settled: Accepted | undefined;
  readonly observation: Observation;
}

/** Reads the card, and once more after a pause. Only `settledBy` settles a write: a delayed request can still land. */
export async function readBack(
  cardId: string,
  settledBy: string | undefined,
  maxReads: number,
  port: ReadBackPort,
): Promise<ReadBackResult> {
  const input: CallInput = { operation: OPERATIONS.cardGet, params: { cardId }, query: {}, body: undefined };
  const seen: Verdict[] = [];
  for (let read = 1; read <= maxReads; read += 1) {
    if (read > 1 && !(await port.pause())) break;
    const verdict = await port.read(input);
    if (verdict === undefined) break;
    seen.push(verdict);
    if (verdict.kind === 'accepted' && textAt(verdict.resource, 'status') === settledBy) {
      return { settled: verdict, observation: observe(seen) };
    }
  }
  return { settled: undefined, observation: observe(seen) };
}

function observe(seen: readonly Verdict[]): Observation {
  const cards = seen.filter((verdict) => verdict.kind === 'accepted').map((verdict) => verdict.resource);
  const updates = cards.map((card) => textAt(card, 'updatedAt'));
  const last = cards.at(-1);
  const lastVerdict = seen.at(-1);
  return {
    reads: seen.length,
    status: last === undefined ? undefined : textAt(last, 'status'),
    updatedAt: updates.at(-1),
    isUnchanged: updates.length < 2 ? undefined : updates[0] === updates.at(-1),
    problem: lastVerdict?.kind === 'failed' ? whatHappened(lastVerdict) : undefined,
  };
}
