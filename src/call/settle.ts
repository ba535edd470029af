import { aimOf, type Operation, settledBy } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { type Ending, MAX_STATUS, NO_ENDING } from '../ending.ts';
import type { HistoryEntry } from '../history/history-event.ts';
import { cutText } from '../json/shorten.ts';
import type { Service, Session } from '../session.ts';

/** The card writes that a look at the card says something about, by the command that the history has them under. */
const LOOKED_AT = new Map<string, Operation>(
  Object.values(OPERATIONS).flatMap((row) => (aimOf(row) === undefined ? [] : [[row.command, row] as const])),
);

/** What a read of a card showed; `httpStatus` and `requestId` are those of the read. */
export interface CardLook {
  readonly status: string | undefined;
  readonly httpStatus: number | undefined;
  readonly requestId: string | undefined;
}

/** Can a look at the card say anything of writes of this command? */
export function canBeLookedAt(operation: string): boolean {
  return LOOKED_AT.has(operation);
}

/** Is a write open no more although its outcome is unknown? A look says nothing of it then. */
export function isClosed({ supersededBy, resolved }: HistoryEntry): boolean {
  return supersededBy !== undefined || resolved !== undefined;
}

/** Card writes of this profile and host that are `unknown`, and that a look may settle, newest first. LOCAL_IO. */
export async function unsettledWrites(
  session: Session,
  { host }: Pick<Service, 'host'>,
  { cardId, sinceMs }: { readonly cardId?: string; readonly sinceMs?: number | undefined } = {},
): Promise<readonly HistoryEntry[]> {
  const { readHistory } = await import('../history/read.ts');
  const isWanted = (entry: HistoryEntry) =>
    !isClosed(entry) && entry.profile === session.profile.name && entry.host === host && canBeLookedAt(entry.operation);
  const { entries } = await readHistory(session.stateDir(), {
    id: cardId,
    sinceMs,
    outcome: 'unknown',
    runs: false,
    isWanted,
    limit: Number.MAX_SAFE_INTEGER,
  });
  return entries;
}

function isSettledBy({ operation }: HistoryEntry, { status }: CardLook): boolean {
  const row = LOOKED_AT.get(operation);
  return row !== undefined && status !== undefined && settledBy(row) === status;
}

/** Records what a look settles of the writes that are `unknown` in the history, and returns them. LOCAL_IO. */
export async function recordSettled(
  session: Session,
  cardId: string,
  look: CardLook,
): Promise<readonly HistoryEntry[]> {
  if (!session.keepsHistory || session.places.stateDir === undefined) return [];
  const entries = await unsettledWrites(session, await session.service('cards'), { cardId });
  const settled = entries.filter((entry) => isSettledBy(entry, look));
  for (const entry of settled) await recordLook(session, entry, look);
  return settled;
}

/** Records what a look showed of an `unknown` write; returns the entry as it now is. A reissue is never settled so. */
export async function recordLook(session: Session, entry: HistoryEntry, look: CardLook): Promise<HistoryEntry> {
  const isSettled = isSettledBy(entry, look);
  const before = entry.ending;
  const { attempts, sentAtMs, durationMs } = before;
  const { httpStatus, requestId } = look;
  const observedStatus = look.status && cutText(look.status, MAX_STATUS);
  const ending: Ending = isSettled
    ? {
        ...NO_ENDING,
        outcome: 'confirmed_by_read',
        httpStatus,
        requestId,
        attempts,
        sentAtMs,
        durationMs,
        observedStatus,
      }
    : { ...before, observedStatus };
  const recorder = await session.recorder();
  const { time, user } = await recorder.settle(entry, ending);
  return { ...entry, ending, read: { time, user, before: entry.read?.before ?? before } };
}
