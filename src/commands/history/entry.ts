import { Failure } from '../../failure.ts';
import type { Unread } from '../../files/io-failure.ts';
import type { HistoryEntry } from '../../history/history-event.ts';
import { readOpenWrites } from '../../history/open-index.ts';
import { readHistory } from '../../history/read.ts';
import { MOMENT_FORMS } from '../../options/read-value.ts';
import { commandWords, localTime } from '../../output/people-text.ts';
import { safeText } from '../../output/text.ts';
import type { Session } from '../../session.ts';

/** `--since`: the first time of the wanted entries. */
export const SINCE = {
  kind: 'moment',
  value: 'age|date',
  text: `use only changes since then: ${MOMENT_FORMS} (local dates)`,
} as const;

/** Entries that are offered if none was named. */
const OFFERED = 20;

/** The records of open writes, and of what closed the others. `unread` gets runs that cannot be read. */
export function recordsOf(session: Session, unread: Unread = new Map()) {
  const { clock, pid } = session.context;
  return readOpenWrites({ stateDir: session.stateDir(), clock, pid, unread });
}

/** Entries of rows of runs, with what closed them, which only the history has. */
export async function withClosings(
  session: Session,
  entries: readonly HistoryEntry[],
): Promise<readonly HistoryEntry[]> {
  if (!entries.some(({ run, callOutcome }) => run !== undefined && callOutcome.outcome === 'unknown')) return entries;
  const records = await recordsOf(session);
  return entries.map((entry) => (entry.run === undefined ? entry : { ...entry, ...records.closingOf(entry.entry) }));
}

/** One of the newest entries, chosen from a list. */
export async function chooseEntry(session: Session): Promise<string> {
  if (!session.prompt.available) throw new Failure('USAGE', '<entry>: is required');
  const { entries } = await readHistory(session.stateDir(), { limit: OFFERED });
  if (entries.length === 0) throw new Failure('USAGE', 'the history has no entry yet');
  const choices = entries.map(({ entry, time, operation, id = '', callOutcome }) => ({
    value: entry,
    text: [localTime(time), commandWords(operation), callOutcome.outcome, safeText(id)].filter(Boolean).join('  '),
  }));
  return session.prompt.choose('Which entry?', choices);
}
