import { ioFailure } from '../base/files/io-failure.ts';
import type { Profiled } from '../command/session.ts';
import { supersededRows } from '../records/open-rows.ts';
import { readHistory } from '../records/read.ts';
import { sinceNow } from '../records/sent-since.ts';
import type { StoredRunHandle } from '../records/stored/run-folder.ts';
import { StoredRun } from '../records/stored/stored-run.ts';
import { type HistoryEntry, hostOf, subjectOfWrite } from '../records/write-record.ts';
import { isUpdate } from '../service/api/operation.ts';
import { operationNamed } from '../service/api/operations.ts';
import type { Held } from '../writes/judge.ts';

/** Most later changes that are read: no run has as many rows. */
const MAX_LATER = 2_000_000;

/** The newest later change of each ID of a run, in this machine's records. */
export async function laterWrites(
  session: Profiled,
  { header }: Pick<StoredRunHandle, 'header'>,
): Promise<ReadonlyMap<string, HistoryEntry>> {
  const host = hostOf(header.host);
  // A raw call is recognized by its path.
  const isWanted = (entry: HistoryEntry) =>
    entry.run !== header.run &&
    entry.profile === header.profile &&
    entry.host === host &&
    entry.callOutcome.outcome !== 'rejected' &&
    entry.callOutcome.outcome !== 'not_sent' &&
    subjectOfWrite(entry).row?.command === header.operation;
  const filter = { sinceMs: Date.parse(header.startedAt), isWanted, limit: MAX_LATER };
  const { entries } = await readHistory(session.stateDir(), filter);
  return new Map(entries.toReversed().map((entry) => [subjectOfWrite(entry).subject ?? '', entry]));
}

/**
 * The rows that stay unknown, because a later change superseded them; before they are sent again (`isResend`), also
 * those of an update whose object was changed since, in whatever fields: the old values would undo that.
 */
export async function rowsLeftUnknown(
  session: Profiled,
  run: StoredRunHandle,
  isResend: boolean,
): Promise<ReadonlySet<number>> {
  const left = new Set(supersededRows(run.folder));
  const operation = operationNamed(run.header.operation);
  if (!isResend || operation === undefined || !isUpdate(operation)) return left;
  const later = await laterWrites(session, run);
  const stored = await StoredRun.read(run);
  try {
    for (const row of stored.unknownRows()) {
      const { id = '', callOutcome } = stored.entry(row);
      const write = later.get(id);
      // In one millisecond nobody knows which was first. Rows of this run itself are not among them.
      if (write !== undefined && Date.parse(write.time) >= (callOutcome.sentAtMs ?? 0)) left.add(row);
    }
  } finally {
    stored.close();
  }
  return left;
}

const LATER: Held = { why: 'shown', text: 'a later change superseded it, and this would undo that' };

/** What holds an unknown row back right before it is sent again: a later change that was made while others were. */
export function laterCheck(session: Profiled, run: StoredRunHandle) {
  const stateDir = session.stateDir();
  let known = '';
  let left: Promise<ReadonlySet<number>> | undefined;
  return async ({ row }: { readonly row: number }): Promise<Held | undefined> => {
    try {
      if (supersededRows(run.folder).has(row)) return LATER;
      const { files } = await sinceNow(stateDir, run.header.operation, 0);
      const now = JSON.stringify([...(files ?? [])].filter(([path]) => path !== run.folder.journal));
      if (now !== known) left = rowsLeftUnknown(session, run, true);
      known = now;
      return (await left)?.has(row) ? LATER : undefined;
    } catch (error) {
      const attempt = `could not read the records of later changes (${stateDir})`;
      return { why: 'records', failure: ioFailure(attempt, error, 'unsent') };
    }
  };
}
