import { Failure } from '../failure.ts';
import type { HistoryEntry, ResolvedEvent } from '../history/history-event.ts';
import { isUnderWay } from '../history/open-index.ts';
import { showHistory } from '../history/read.ts';
import { safeText } from '../output/safe-text.ts';
import { runFolder } from '../run/run-folder.ts';
import { heldRuns } from '../run/run-list.ts';
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
  const recorder = await session.recorder();
  await recorder.resolve(entry.entry, found);
  const { context } = session;
  const resolved = { ...found, by: context.user, time: new Date(context.clock.now()).toISOString() };
  return { ...entry, resolved };
}
