import { isSettledAt, type Operation, settledBy, targetStatus } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { type CallOutcome, NO_OUTCOME, referenceAt, statusAt } from '../call-outcome.ts';
import type { HistoryEntry } from '../history/history-event.ts';
import type { Answer } from '../http/call.ts';
import type { Ports, Profiled, Service, Session } from '../session.ts';
import { closeSuperseded } from './open-guard.ts';

/** The card changes that a card check says something about, by their command in the history. */
const LOOKED_AT = new Map<string, Operation>(
  Object.values(OPERATIONS).flatMap((row) => (targetStatus(row) === undefined ? [] : [[row.command, row] as const])),
);

/** What a card check showed: `lookOf`. */
export type CardLook = Partial<ReturnType<typeof lookOf>>;

/** What a read shows of its card. `httpStatus` and `requestId` are those of the read. */
export function lookOf({ resource, callOutcome: { httpStatus, requestId } }: Pick<Answer, 'resource' | 'callOutcome'>) {
  return { status: statusAt(resource), clientReference: referenceAt(resource), httpStatus, requestId };
}

/** Can a card check say anything about changes of this command? */
export function canBeLookedAt(operation: string): boolean {
  return LOOKED_AT.has(operation);
}

/** Can a card check resolve changes of this command? */
export function isSettledByLook(operation: string): boolean {
  const row = LOOKED_AT.get(operation);
  return row !== undefined && settledBy(row) !== undefined;
}

/** Is a change closed although its outcome is unknown? A card check says nothing about it then. */
export function isClosed({ supersededBy, resolved }: HistoryEntry): boolean {
  return supersededBy !== undefined || resolved !== undefined;
}

/** `unknown` card changes of this profile and host that a check may resolve, newest first. Rejects with LOCAL_IO. */
export async function unsettledWrites(
  session: Profiled,
  { host }: Pick<Service, 'host'>,
  { cardId, sinceMs }: { readonly cardId?: string; readonly sinceMs?: number | undefined } = {},
): Promise<readonly HistoryEntry[]> {
  const { readHistory } = await import('../history/read.ts');
  const isWanted = (entry: HistoryEntry) =>
    !isClosed(entry) && entry.profile === session.profile.name && entry.host === host && canBeLookedAt(entry.operation);
  const filter = { id: cardId, sinceMs, outcome: 'unknown', runs: false, isWanted } as const;
  return (await readHistory(session.stateDir(), { ...filter, limit: Number.MAX_SAFE_INTEGER })).entries;
}

/** Does a card check show what a change aims at? */
export function isSettledBy({ operation }: HistoryEntry, { status }: CardLook): boolean {
  const row = LOOKED_AT.get(operation);
  return row !== undefined && isSettledAt(row, status);
}

/** Records which `unknown` changes a card check resolves, and returns them. Rejects with LOCAL_IO. */
export async function recordSettled(session: Session, cardId: string, look: CardLook) {
  if (!session.keepsHistory || session.places.stateDir === undefined) return [];
  const entries = await unsettledWrites(session, await session.service('cards'), { cardId });
  const looked = await recordLooks(session, entries, () => look);
  return looked.filter(({ callOutcome }) => callOutcome.outcome === 'confirmed_by_read');
}

/**
 * Records what card checks showed of `unknown` changes. `lookAt` returns undefined without a check. Returns the entries
 * as they are now, newest first: one that is resolved supersedes earlier ones, about which a check says nothing then.
 */
export async function recordLooks(
  session: Session,
  entries: readonly HistoryEntry[],
  lookAt: (entry: HistoryEntry) => Promise<CardLook | undefined> | CardLook | undefined,
): Promise<readonly HistoryEntry[]> {
  const superseded = new Map<string, string>();
  const now: HistoryEntry[] = [];
  for (const entry of entries.toSorted((one, other) => (one.time < other.time ? 1 : -1))) {
    const supersededBy = superseded.get(entry.entry);
    const look = supersededBy === undefined ? await lookAt(entry) : undefined;
    const known =
      look === undefined
        ? { ...entry, supersededBy: supersededBy ?? entry.supersededBy }
        : await recordLook(session, entry, look);
    now.push(known);
    const operation = LOOKED_AT.get(entry.operation);
    if (look === undefined || operation === undefined || known.callOutcome.outcome !== 'confirmed_by_read') continue;
    const done = { operation, params: { cardId: entry.id ?? '' }, body: undefined, entry: entry.entry };
    const closed = await closeSuperseded(session, { ...done, begunMs: Date.parse(entry.time) });
    for (const name of closed) superseded.set(name, entry.entry);
  }
  return now;
}

/** Records what a card check showed of an `unknown` change, and returns its entry. Never resolves a reissue. */
async function recordLook(session: Ports, entry: HistoryEntry, look: CardLook): Promise<HistoryEntry> {
  const before = entry.callOutcome;
  const { attempts, sentAtMs, durationMs } = before;
  const { status: observedStatus, httpStatus, requestId, clientReference } = look;
  const known = { ...NO_OUTCOME, httpStatus, requestId, attempts, sentAtMs, durationMs };
  const callOutcome: CallOutcome = {
    ...(isSettledBy(entry, look) ? ({ ...known, outcome: 'confirmed_by_read' } as const) : before),
    observedStatus,
    clientReference,
  };
  const recorder = await session.recorder();
  const { time, user } = await recorder.settle(entry, callOutcome);
  return { ...entry, callOutcome, read: { time, user, before: entry.read?.before ?? before } };
}
