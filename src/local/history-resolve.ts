import { portsOf } from '../bulk/run.ts';
import { Failure } from '../failure.ts';
import type { HistoryEntry, ResolvedEvent } from '../history/history-event.ts';
import { isUnderWay } from '../history/open-index.ts';
import { showHistory } from '../history/read.ts';
import { safeText } from '../output/safe-text.ts';
import { requireRun, runFolder } from '../run/run-folder.ts';
import { heldRuns } from '../run/run-list.ts';
import { resumeRun } from '../run/run-store.ts';
import { StoredRun } from '../run/stored-run.ts';
import type { Session } from '../session.ts';

/** Why a person cannot say what became of a write, or undefined. */
async function obstacle(session: Session, entry: HistoryEntry): Promise<string | undefined> {
  const { outcome, code } = entry.ending;
  if (outcome !== 'unknown') return `ended ${String(outcome).replaceAll('_', ' ')}, which is known`;
  if (entry.run === undefined) return code === undefined && isUnderWay(entry) ? 'is still under way' : undefined;
  const folder = runFolder(session.stateDir(), entry.run);
  const held = await heldRuns([{ folder }], session.context.clock);
  return held.size === 0 ? undefined : `is a row of run ${entry.run}, which a process works on`;
}

/**
 * Tells the run of a row, so that a resume sends it again or never does, and its state and counts are true. Before the
 * history, because what is sent depends on it.
 */
async function resolveRow(session: Session, run: string, row: number, as: ResolvedEvent['as']): Promise<void> {
  const ports = portsOf(session);
  const known = await requireRun(ports.stateDir, run);
  const before = await StoredRun.readWhole(known);
  await before.close();
  const { journal, close } = await resumeRun(ports, run);
  try {
    await journal.resolve(row, `resolved_${as}`);
    const after = await StoredRun.readWhole(known);
    await after.close();
    // One that is to be sent again is left for a resume.
    const isOver = before.end?.state === 'finished' && as === 'applied' && !journal.states.isToDo(row);
    await journal.end(isOver ? 'finished' : 'stopped', after.outcomes(), before.end?.why);
  } finally {
    await close();
  }
}

/** Records what a person found out about a write, and returns its entry as it now is. USAGE where nothing is unknown. */
export async function resolveEntry(
  session: Session,
  name: string,
  found: Pick<ResolvedEvent, 'as' | 'note' | 'resultId'>,
): Promise<HistoryEntry> {
  if (!session.keepsHistory) {
    throw new Failure('USAGE', 'nothing can be recorded while FRONTDESK_NO_HISTORY is set', {
      hints: ['unset FRONTDESK_NO_HISTORY'],
    });
  }
  const entry = await showHistory(session.stateDir(), name);
  const problem = await obstacle(session, entry);
  if (problem !== undefined) {
    throw new Failure(
      'USAGE',
      `entry ${safeText(entry.entry)} ${problem}: only a write of unknown outcome is resolved`,
      {
        hints: ['list what is open: frontdesk history --open'],
      },
    );
  }
  if (entry.run !== undefined) await resolveRow(session, entry.run, Number(entry.entry.split(':').at(-1)), found.as);
  const recorder = await session.recorder();
  await recorder.resolve(entry.entry, found);
  const { context } = session;
  const resolved = { ...found, by: context.user, time: new Date(context.clock.now()).toISOString() };
  return { ...entry, resolved };
}
