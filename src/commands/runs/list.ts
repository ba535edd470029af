import { portsOf } from '../../bulk/run.ts';
import { localCommand } from '../../command/command.ts';
import { note } from '../../failure.ts';
import { type Unread, unreadFailure } from '../../files/io-failure.ts';
import { fromPlain } from '../../json/plain.ts';
import { list } from '../../json/shape.ts';
import { plural } from '../../output/safe-text.ts';
import { PEOPLE_COLUMNS, RUN_COLUMNS, RUN_OUTPUT, RUN_STATES } from '../../run/run-entry.ts';
import { listRuns } from '../../run/run-list.ts';
import { raise } from './run-name.ts';

export const command = localCommand({
  columns: RUN_COLUMNS,
  description:
    'Lists the runs of many rows that this machine keeps, newest first. finished: a resume would send nothing, and no row is unknown; unsettled: likewise, but some rows are unknown; stopped: it ended in order with rows left, also by Ctrl-C; interrupted: its process was killed; running: a process works on it.',
  options: {
    state: { kind: 'choice', value: 'state', choices: RUN_STATES, text: 'only runs in that state' },
    limit: { kind: 'count', default: '50', text: 'at most that many, the newest; the default is 50' },
  },
  examples: { 'See what was run': 'runs', 'Runs that were killed': 'runs list --state interrupted' },
  output: () => list(RUN_OUTPUT),
  async run(session, { state, limit }) {
    const unread: Unread = new Map();
    const runs = (await listRuns(portsOf(session), unread)).filter((run) => state === undefined || run.state === state);
    const rows = runs.slice(0, limit).map((run) => fromPlain(run));
    const document = runs.slice(0, limit).map(({ source: _, ...run }) => fromPlain(run));
    const none =
      state === undefined
        ? 'There is no run yet. A write of several ids, or of a file, makes one:\n  frontdesk card block --from cards.csv'
        : `No run is ${state}.`;
    const columns = session.isForPeople && session.output.columns === undefined ? PEOPLE_COLUMNS : RUN_COLUMNS;
    await session.print({ kind: 'list', document, rows, columns, whenEmpty: none });
    if (runs.length > limit) {
      await session.notify(
        note('OLDER_RUNS', `${plural(runs.length - limit, 'older run')} not shown; --limit shows more`),
      );
    }
    raise(unreadFailure('run', unread));
  },
});
