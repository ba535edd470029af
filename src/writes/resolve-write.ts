import { warning } from '../base/failure.ts';
import { outside } from '../base/json/outside-text.ts';
import type { Session } from '../command/session.ts';
import type { OpenWrite } from '../records/open-files.ts';
import { type HistoryEntry, hostOf, keyOfWrite } from '../records/write-record.ts';
import { commandWords } from '../screen/people-text.ts';
import { isResolvedAt, type Operation, resolvedBy, targetStatus } from '../service/api/operation.ts';
import { OPERATIONS } from '../service/api/operations.ts';
import { type CallOutcome, NO_OUTCOME, referenceAt, statusAt } from '../service/call-outcome.ts';
import type { Answer } from '../service/http/call.ts';
import { closeSuperseded, openWrites } from './open-guard.ts';

/** The card changes that a card check says something about, by their command in the history. */
const CHECKABLE = new Map<string, Operation>(
  Object.values(OPERATIONS).flatMap((row) => (targetStatus(row) === undefined ? [] : [[row.command, row] as const])),
);

/** What a card check showed: `cardCheckOf`. */
export type CardCheck = Partial<ReturnType<typeof cardCheckOf>>;

/** What a read shows of its card. `httpStatus`, `requestId` and `sentAtMs` are those of the read. */
export function cardCheckOf({
  resource,
  callOutcome: { httpStatus, requestId, sentAtMs },
}: Pick<Answer, 'resource' | 'callOutcome'>) {
  return { status: statusAt(resource), clientReference: referenceAt(resource), httpStatus, requestId, sentAtMs };
}

/** Can a card check say anything about changes of this command? */
export function canBeChecked(operation: string): boolean {
  return CHECKABLE.has(operation);
}

/** Can a card check resolve changes of this command? */
export function isResolvedByCheck(operation: string): boolean {
  const row = CHECKABLE.get(operation);
  return row !== undefined && resolvedBy(row) !== undefined;
}

/** `unknown` card changes of this profile and host that a check may resolve, newest first. Rejects with LOCAL_IO. */
export async function unresolvedWrites(
  session: Session,
  { cardId, sinceMs }: { readonly cardId?: string; readonly sinceMs?: number | undefined } = {},
): Promise<readonly HistoryEntry[]> {
  const host = hostOf(session.placeOf('cards'));
  const isWanted = (entry: OpenWrite) =>
    entry.run === undefined &&
    !entry.isInProgress &&
    entry.profile === session.selectedProfile().name &&
    entry.host === host &&
    canBeChecked(entry.operation) &&
    Date.parse(entry.time) >= (sinceMs ?? Number.NEGATIVE_INFINITY) &&
    (cardId === undefined || entry.id?.toLowerCase() === cardId.toLowerCase());
  return ((await openWrites(session)) ?? []).filter(isWanted).toReversed();
}

/** Does a card check show what a change aims at? */
export function isResolvedBy({ operation }: HistoryEntry, { status }: CardCheck): boolean {
  const row = CHECKABLE.get(operation);
  return row !== undefined && isResolvedAt(row, status);
}

/** Records which `unknown` changes a card check resolves, and returns them. Rejects with LOCAL_IO. */
export async function recordResolved(session: Session, cardId: string, check: CardCheck) {
  if (!session.keepsHistory || session.places.stateDir === undefined) return [];
  const entries = await unresolvedWrites(session, { cardId });
  const checked = await recordChecks(session, entries, () => check);
  return checked.filter(({ callOutcome }) => callOutcome.outcome === 'confirmed_by_read');
}

/**
 * Records what card checks showed of `unknown` changes. `lookAt` returns undefined without a check. Returns the entries
 * as they are now, newest first: one that is resolved supersedes earlier ones, about which a check says nothing then.
 * `onRecorded` is called for each that was recorded.
 */
export async function recordChecks(
  session: Session,
  entries: readonly HistoryEntry[],
  checkOf: (entry: HistoryEntry) => Promise<CardCheck | undefined> | CardCheck | undefined,
  onRecorded?: (entry: HistoryEntry, check: CardCheck) => Promise<void>,
): Promise<readonly HistoryEntry[]> {
  const superseded = new Map<string, string>();
  const now: HistoryEntry[] = [];
  for (const entry of entries.toSorted((one, other) => (one.time < other.time ? 1 : -1))) {
    const supersededBy = superseded.get(entry.entry);
    const check = supersededBy === undefined ? await checkOf(entry) : undefined;
    const recorded = check === undefined ? undefined : await recordCheck(session, entry, check);
    if (check !== undefined && recorded !== undefined) await onRecorded?.(recorded, check);
    const left = check === undefined || recorded !== undefined ? entry : await entryNow(session, entry);
    now.push(recorded ?? { ...left, supersededBy: supersededBy ?? left.supersededBy });
    const operation = CHECKABLE.get(entry.operation);
    if (operation === undefined || recorded?.callOutcome.outcome !== 'confirmed_by_read') continue;
    const done = { operation, params: { cardId: entry.id ?? '' }, body: undefined, entry: entry.entry };
    const closed = await closeSuperseded(session, { ...done, begunMs: Date.parse(entry.time) });
    for (const name of closed) superseded.set(name, entry.entry);
  }
  return now;
}

/**
 * Records what a card check showed of an `unknown` change, and returns its entry. Never resolves a reissue. Undefined:
 * others closed it or changed its card since the read began, which then proves nothing. That is said.
 */
async function recordCheck(session: Session, entry: HistoryEntry, check: CardCheck): Promise<HistoryEntry | undefined> {
  const before = entry.callOutcome;
  const { attempts, sentAtMs, durationMs } = before;
  const { status: observedStatus, httpStatus, requestId, clientReference } = check;
  const known = { ...NO_OUTCOME, httpStatus, requestId, attempts, sentAtMs, durationMs };
  const callOutcome: CallOutcome = {
    ...(isResolvedBy(entry, check) ? ({ ...known, outcome: 'confirmed_by_read' } as const) : before),
    observedStatus,
    clientReference,
  };
  const later = await changeSince(session, entry, check);
  const recorder = await session.recorder();
  const checked = later === undefined ? await recorder.recordCheck(entry, callOutcome) : undefined;
  if (checked !== undefined)
    return { ...entry, callOutcome, read: { ...checked, before: entry.read?.before ?? before } };
  const why = later === undefined ? 'it was closed' : `its card was changed (entry ${outside(later.entry)})`;
  const what = `${commandWords(entry.operation)} ${entry.id} (entry ${entry.entry})`;
  const message = `${what}: what the card shows is not recorded, because ${why} while the card was read`;
  await session.notify(warning('NOT_RECORDED', message));
  return undefined;
}

/** A change of the same card that began since a check of it, in any process of this machine. */
async function changeSince({ places }: Session, about: HistoryEntry, { sentAtMs }: CardCheck) {
  if (places.stateDir === undefined || sentAtMs === undefined) return undefined;
  const key = keyOfWrite(about);
  const isWanted = (each: HistoryEntry) => each.entry !== about.entry && keyOfWrite(each) === key;
  const { readHistory } = await import('../records/read.ts');
  return (await readHistory(places.stateDir, { sinceMs: sentAtMs, isWanted, limit: 1 })).entries[0];
}

async function entryNow({ places: { stateDir } }: Session, entry: HistoryEntry): Promise<HistoryEntry> {
  const { showHistory } = await import('../records/read.ts');
  return stateDir === undefined ? entry : showHistory(stateDir, entry.entry);
}
