import { guardWrite, type WriteWay } from '../call/write-guards.ts';
import { note } from '../failure.ts';
import type { FailedFile } from '../run/failed-file.ts';
import { orDiscard } from '../run/failed-file.ts';
import type { ActiveRun } from '../run/stored/run-store.ts';
import type { LeftUnchanged } from '../run/summary.ts';
import type { Service, Session } from '../session.ts';
import { printDryRunRows } from './row-requests.ts';
import type { Run } from './run.ts';
import { rowsOfRun } from './run-input.ts';
import { notifyUnchanged, writeEmptySummary } from './run-output.ts';

/** Many rows that are to be done, of an input or of a plan, as they are known before anything is asked or sent. */
export interface Prepared {
  readonly run: Run;
  /** How the write comes about; undefined: it is a read. */
  readonly way: WriteWay | undefined;
  /** Why there are no rows, where there are none. */
  readonly nothing: string;
  /** What a dry run says at its end. */
  sayCounts?(): Promise<void>;
  /** Says what a person has to know, and asks. Answers the status of the cards that it showed, by row. */
  ask(service: Service): Promise<Run['shown']>;
  /** Opens the file of `--failed`, where one is wanted. */
  openFailed(): Promise<FailedFile | undefined>;
  /** Keeps what is to be sent as a run. */
  keep(): Promise<ActiveRun>;
}

/**
 * THE way to begin many rows: everything up to the first request. Guards first, then the question, then the files, so that
 * what is refused leaves nothing behind. Answers the exit code where there is nothing to send.
 */
export async function begin(session: Session, prepared: Prepared): Promise<Run | number> {
  const { run, way } = prepared;
  const { operation, rowCount, columns } = run;
  if (way !== undefined) guardWrite(session, operation, way);
  const isDryRun = way !== undefined && session.common.dryRun;
  if (isDryRun) {
    await printDryRunRows(session, operation, run.rows());
    if (rowCount > 0) await prepared.sayCounts?.();
  }
  if (rowCount === 0) {
    if (!isDryRun) {
      // What an earlier call left in the file of `--failed` is not about this one.
      await (await prepared.openFailed())?.keep();
      await session.print({ kind: 'list', document: [], rows: [], columns });
    }
    await sayNothingToDo(session, prepared.nothing, run.left);
  }
  if (isDryRun || rowCount === 0) return 0;
  const shown = await prepared.ask(await session.service(operation.family));
  const failedFile = await prepared.openFailed();
  if (way === undefined) return { ...run, failedFile };
  const kept = await orDiscard(failedFile, prepared.keep());
  return { ...run, failedFile, kept, shown, rows: () => rowsOfRun(kept) };
}

/** Says that and why no row is to be sent, and what is left as it is. */
export async function sayNothingToDo(session: Session, nothing: string, left: LeftUnchanged = {}): Promise<void> {
  await session.notify(note('NOTHING_TO_DO', `nothing to do: ${nothing}`));
  await notifyUnchanged(session, { ...left, unchanged: 0, older: undefined });
  if (!session.common.dryRun) await writeEmptySummary(session);
}
