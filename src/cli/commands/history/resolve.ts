import { Failure, usageFailure } from '../../../base/failure.ts';
import { localCommand } from '../../../command/command.ts';
import type { Session } from '../../../command/session.ts';
import { CLOSED_COLUMNS, factsOf, HISTORY_COLUMNS, HISTORY_OUTPUT, historyJson } from '../../../records/entry-table.ts';
import { isUnderWay, mayEndUntil } from '../../../records/open-files.ts';
import { showHistory } from '../../../records/read.ts';
import { requireRun, runFolder } from '../../../records/stored/run-folder.ts';
import { heldRuns } from '../../../records/stored/run-list.ts';
import { resumeRun } from '../../../records/stored/run-store.ts';
import { StoredRun } from '../../../records/stored/stored-run.ts';
import type { HistoryEntry, Resolution } from '../../../records/write-record.ts';
import { portsOf } from '../../../runs/run.ts';
import { outcomeWords, peopleTime } from '../../../screen/people-text.ts';
import { safeText, sentenceCase } from '../../../screen/text.ts';
import type { CallOutcome } from '../../../service/call-outcome.ts';
import { chooseEntry } from './entry.ts';

export const command = localCommand({
  columns: [...HISTORY_COLUMNS, ...CLOSED_COLUMNS],
  description:
    'If an outcome is unknown, records whether the change was applied, as you learned elsewhere. Works for a single change or the row of a run (<run>:<row>). The outcome stays unknown, but the change is no longer open. Resolving again replaces what was recorded. A change that another machine or container began within the last hour (with a longer --retry-max-time, within that) may still be in progress: a terminal asks whether its process has ended, elsewhere it is refused. Sends nothing.',
  arguments: { entry: { text: 'name of the entry, or a part of it', required: true, isOwnQuestion: true } },
  options: {
    as: {
      kind: 'choice',
      value: 'what',
      choices: ['applied', 'not_applied'],
      required: true,
      text: 'what was found out',
      question: 'Was it applied?',
    },
    resultId: { kind: 'text', value: 'id', text: 'with applied: record the ID of the new card or event' },
    note: { kind: 'text', value: 'text', text: 'record how you found out' },
  },
  examples: {
    'The new card exists': 'history resolve 9f3a1c --as applied --result-id 4fbeb052-7396-41ce-8085-9263bed4f505',
    'The service did nothing': 'history resolve 9f3a1c --as not_applied --note "ticket 4711"',
  },
  output: () => HISTORY_OUTPUT,
  check({ as, resultId }) {
    if (resultId === undefined || as !== 'not_applied') return;
    throw usageFailure([{ where: '--result-id', problem: 'needs --as applied' }]);
  },
  async run(session, { entry, as, note: text, resultId }) {
    const found = { as: as === 'applied' ? as : ('not_applied' as const), note: text, resultId };
    const resolved = await resolveEntry(session, entry ?? (await chooseEntry(session)), found);
    session.done.push('what you found out is recorded');
    const columns = [...HISTORY_COLUMNS, ...CLOSED_COLUMNS];
    await session.print({ kind: 'resource', resource: historyJson(resolved), columns, facts: factsOf });
  },
});

type Found = Pick<Resolution, 'as' | 'note' | 'resultId'>;

function refusal(entry: HistoryEntry, problem: string): Failure {
  const what = `entry ${safeText(entry.entry)} ${problem}: only a change with an unknown outcome can be resolved`;
  return new Failure('USAGE', what, { hints: [{ do: 'list what is open' }] });
}

function ended({ outcome }: CallOutcome): string {
  return `ended ${outcomeWords(String(outcome))}, which is known`;
}

/** Why the user cannot resolve an entry; undefined if they can. */
async function obstacle(session: Session, entry: HistoryEntry): Promise<string | undefined> {
  const { outcome, code } = entry.callOutcome;
  if (outcome !== 'unknown') return ended(entry.callOutcome);
  if (entry.run === undefined) return code === undefined && isUnderWay(entry) ? 'is still in progress' : undefined;
  const folder = runFolder(session.stateDir(), entry.run);
  const held = await heldRuns([{ folder }], session.context.clock);
  return held.size === 0 ? undefined : `is a row of run ${entry.run}, which is in progress`;
}

/** A change that began elsewhere may still end there: only a person knows that its process is gone. */
async function confirmGone({ context, prompt }: Session, { entry, run, callOutcome, ...begun }: HistoryEntry) {
  const untilMs = callOutcome.code === undefined && run === undefined && mayEndUntil(begun, context.clock.now());
  if (typeof untilMs !== 'number') return;
  const what = `entry ${safeText(entry)} may still be in progress on another machine or in another container`;
  if (!prompt.available) {
    const until = peopleTime(new Date(untilMs).toISOString());
    throw new Failure('USAGE', `${what}, whose processes are not seen here. It can be resolved after ${until}`, {
      hints: ['resolve it where it was sent, or in a terminal, which asks'],
    });
  }
  if (await prompt.confirm(`${sentenceCase(what)}. Has its process ended?`)) return;
  throw new Failure('CANCELLED', 'not confirmed', { after: 'unchanged' });
}

/**
 * Records it in the history and then in the run of a row. Returns how the row ended, if its process recorded that while
 * its lock was waited for.
 */
async function resolveRow(session: Session, entry: HistoryEntry, run: string, found: Found) {
  const { as, resultId } = found;
  const row = Number(entry.entry.split(':').at(-1));
  const ports = portsOf(session);
  const known = await requireRun(ports.stateDir, run);
  const before = await StoredRun.readWhole(known);
  const { journal, close } = await resumeRun(ports, run);
  try {
    const what = `resolved_${as}` as const;
    const isOpen = journal.states.mayBecome(row, what);
    // A resume sends what its journal says was not applied: it says so last, when nothing else can fail any more.
    const recorder = await session.recorder();
    const [recorded] = await Promise.allSettled([isOpen ? recorder.resolve(entry, found) : undefined]);
    if (isOpen && recorded.status === 'fulfilled') await journal.resolve(row, what, resultId);
    const after = await StoredRun.readWhole(known);
    const { callOutcome } = after.entry(row);
    after.close();
    // A row to be sent again is left to a resume.
    await journal.end(after.left > 0 ? 'stopped' : 'finished', after.outcomes(), before.end?.why);
    if (recorded.status === 'rejected') throw recorded.reason;
    return isOpen ? undefined : callOutcome;
  } finally {
    await close();
  }
}

/** Records what the user found out about a change. Returns its entry as it is now. USAGE if nothing is unknown. */
export async function resolveEntry(session: Session, name: string, found: Found): Promise<HistoryEntry> {
  if (!session.keepsHistory) {
    throw new Failure('USAGE', 'nothing can be recorded while FRONTDESK_NO_HISTORY is set', {
      hints: ['unset FRONTDESK_NO_HISTORY'],
    });
  }
  const entry = await showHistory(session.stateDir(), name);
  const problem = await obstacle(session, entry);
  if (problem !== undefined) throw refusal(entry, problem);
  await confirmGone(session, entry);
  // A row that a later change superseded is left as it is in its run: as not applied, a resume would send it over that.
  const isLeft = entry.supersededBy !== undefined && found.as === 'not_applied';
  if (entry.run !== undefined && !isLeft) {
    const known = await resolveRow(session, entry, entry.run, found);
    if (known !== undefined) throw refusal(entry, ended(known));
  } else await (await session.recorder()).resolve(entry, found);
  const { context } = session;
  const resolved = { ...found, by: context.user, time: new Date(context.clock.now()).toISOString() };
  return { ...entry, resolved };
}
