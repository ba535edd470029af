import { note } from '../../../base/failure.ts';
import { type Unread, unreadFailure } from '../../../base/files/io-failure.ts';
import { list } from '../../../base/json/shape.ts';
import { fromPlain } from '../../../base/json/value.ts';
import { localCommand } from '../../../command/command.ts';
import type { Session } from '../../../command/session.ts';
import { WORKBOOK } from '../../../input/options/call-options.ts';
import {
  PEOPLE_COLUMNS,
  RUN_COLUMNS,
  RUN_OUTPUT,
  RUN_STATES,
  type RunState,
} from '../../../records/stored/run-entry.ts';
import { listRuns } from '../../../records/stored/run-list.ts';
import { portsOf } from '../../../runs/run.ts';
import { plural } from '../../../screen/text.ts';
import { raise } from './run-name.ts';

/** The runs of the profile that was named, newest first, and what is left out or could not be read. */
export async function matchingRuns(
  session: Session,
  { state, limit }: { readonly state: RunState | undefined; readonly limit: number },
  limitName: string,
) {
  const unread: Unread = new Map();
  const { runs, older } = await listRuns(portsOf(session), { state, limit, unread, profile: session.common.profile });
  const what = state === undefined ? plural(older, 'older run') : `older runs that are ${state} are`;
  const left = older === 0 ? [] : [note('OLDER_RUNS', `${what} not listed. ${limitName} lists more`)];
  return { runs, left, failure: unreadFailure('run', unread) };
}

export const command = localCommand({
  columns: RUN_COLUMNS,
  description:
    'A run is in one of five states. running: in progress. finished: nothing is left to send, and no outcome is unknown. unsettled: nothing is left to send, but some outcomes are unknown. stopped: it ended in order, for example on Ctrl-C, with rows left to send. interrupted: its process was killed.',
  options: {
    state: { kind: 'choice', value: 'state', choices: RUN_STATES, text: 'list only runs in this state' },
    limit: { kind: 'count', default: '50', text: 'at most that many (1 or more), the newest; the default is 50' },
    out: WORKBOOK.out,
  },
  examples: { 'See your runs': 'runs', 'List runs that were killed': 'runs list --state interrupted' },
  output: () => list(RUN_OUTPUT),
  async run(session, { state, limit }) {
    const { runs, left, failure } = await matchingRuns(session, { state, limit }, '--limit');
    const isForPeople = session.isForPeople();
    const rows = runs.map(({ source, ...run }) => fromPlain(isForPeople ? { ...run, source } : run));
    const none =
      state === undefined
        ? 'No runs yet. A change of several IDs, or of a file, creates one:\n  frontdesk card block --from cards.csv'
        : `No run is ${state}.`;
    const columns = isForPeople && session.output.columns === undefined ? PEOPLE_COLUMNS : RUN_COLUMNS;
    await session.print({ kind: 'list', rows, columns, whenEmpty: none });
    for (const each of left) await session.notify(each);
    raise(failure);
  },
});
