import { warning } from '../../../base/failure.ts';
import { type Unread, unreadFailure } from '../../../base/files/io-failure.ts';
import { jsonOf, list, object, TEXT } from '../../../base/json/shape.ts';
import { localCommand } from '../../../command/command.ts';
import type { Session } from '../../../command/session.ts';
import { YES } from '../../../input/options/common.ts';
import { runFolder } from '../../../records/stored/run-folder.ts';
import { listRuns, lossOf, showRun } from '../../../records/stored/run-list.ts';
import { portsOf } from '../../../runs/run.ts';
import { plural } from '../../../screen/text.ts';
import { confirmLoss } from '../../../writes/ask/missing.ts';
import { LAST, RUN, raise, runNameOf } from './run-name.ts';

const MAX_NAMED = 5;

/** The open writes of a run in the history; none if the records cannot be read, because a run can be removed anyway. */
async function openEntries(session: Session): Promise<(run: string) => readonly string[]> {
  const { readOpenWrites } = await import('../../../records/open-files.ts');
  const reading = readOpenWrites({ stateDir: session.stateDir(), clock: session.context.clock });
  const open = await reading.catch(() => []);
  return (run) => open.flatMap(({ entry }) => (entry.startsWith(`${run}:`) ? [entry] : []));
}

/** Nobody was asked, so nobody has read it in the question. */
function forgottenText(entries: readonly string[]): string {
  const more = entries.length > MAX_NAMED ? ` and ${entries.length - MAX_NAMED} more` : '';
  return `changes whose outcome is unknown were deleted too: ${entries.slice(0, MAX_NAMED).join(', ')}${more}. Nothing keeps the same change from being sent again`;
}

const REMOVED = object({ removed: list(TEXT) });

export const command = localCommand({
  description:
    "Deletes the record of a run and the rows of its input, which hold customers' data. --older-than deletes all runs started before then, except those in progress. After the run of a plan is deleted, the plan could be applied again. Asks first, and leaves (17) what changed before the answer. Outside a terminal, it needs --yes.",
  arguments: RUN,
  options: {
    last: LAST,
    olderThan: { kind: 'age', excludes: { '<run>': '' }, text: 'delete all runs older than this (90d)' },
    yes: YES,
  },
  examples: {
    'Delete one run': 'runs remove 20270402-1800-7f3a2b',
    'Keep three months': 'runs remove --older-than 90d --yes',
  },
  exitCodes: [17],
  output: () => REMOVED,
  async run(session, values) {
    const { removeRun, removeRuns, runsBefore, stampOf } = await import('../../../records/stored/run-removal.ts');
    const { olderThan, yes } = values;
    const unread: Unread = new Map();
    const open = await openEntries(session);
    let removed: readonly string[];
    if (olderThan === undefined) {
      const name = await runNameOf(session, values);
      // First: what is recorded from here on was in no question.
      const as = stampOf(runFolder(session.stateDir(), name));
      // An unreadable run can be removed anyway.
      const known = await showRun(portsOf(session), name).catch(() => undefined);
      const loss = lossOf(name, known, open(name));
      await confirmLoss(session, yes, `Delete run ${name}?${loss === '' ? '' : ` It ${loss}.`}`);
      await removeRun(portsOf(session), name, as);
      removed = [name];
    } else {
      const before = session.context.clock.now() - olderThan.ms;
      const named = await runsBefore(portsOf(session), before, unread);
      const { runs } = await listRuns(portsOf(session));
      const old = runs.filter(({ run }) => named.has(run));
      const losses = old.map((run) => ({ run: run.run, loss: lossOf(run.run, run, open(run.run)) }));
      const lost = losses.filter(({ loss }) => loss !== '');
      const losing = lost.slice(0, MAX_NAMED).map(({ run, loss }) => `${run} ${loss}`);
      const more = lost.length > MAX_NAMED ? ` and ${lost.length - MAX_NAMED} more` : '';
      const among = lost.length === 0 ? '' : ` Among them: ${losing.join('; ')}${more}.`;
      await confirmLoss(session, yes, `Delete all runs started more than ${olderThan.text} ago?${among}`);
      removed = await removeRuns(portsOf(session), named, unread);
    }
    if (removed.length > 0) session.done.push(`${plural(removed.length, 'run')} deleted`);
    const forgotten = yes ? removed.flatMap(open) : [];
    if (forgotten.length > 0) await session.notify(warning('OPEN_FORGOTTEN', forgottenText(forgotten)));
    const text = removed.length === 0 ? 'No run is that old.' : `Removed: ${removed.join(', ')}`;
    await session.print({ kind: 'text', text, json: jsonOf(REMOVED, { removed }), isProse: true });
    raise(unreadFailure('run', unread));
  },
});
