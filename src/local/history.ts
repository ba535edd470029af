import { localCommand } from '../commands/command.ts';
import { OUTCOMES, type Outcome, warning } from '../failure.ts';
import { INTEGER, jsonOf, list, object } from '../json/shape.ts';
import { YES } from '../options/common.ts';
import type { Span } from '../options/option.ts';
import type { Column } from '../output/column.ts';
import { commandWords, shortEntry, shortTime } from '../output/people-text.ts';
import type { Session } from '../session.ts';
import { printList } from './lists.ts';
import { confirmLoss } from './missing.ts';

/** The time to the second and the command as typed: on a terminal of 80 columns that leaves room for the rest. */
const COLUMNS: readonly Column[] = [
  { name: 'time', header: 'TIME', keep: true, people: shortTime },
  { name: 'user', header: 'USER', spare: true },
  { name: 'profile', header: 'PROFILE', spare: true },
  { name: 'host', header: 'HOST', wide: true },
  { name: 'operation', header: 'OPERATION', keep: true, people: commandWords },
  { name: 'id', header: 'ID', keep: true, below: 'labelled' },
  { name: 'resultId', header: 'RESULT ID', keep: true, below: 'labelled' },
  { name: 'reason', header: 'REASON', below: 'labelled' },
  { name: 'outcome', header: 'OUTCOME', tone: 'outcome' },
  { name: 'httpStatus', header: 'STATUS', align: 'right', spare: true },
  { name: 'requestId', header: 'REQUEST ID', wide: true },
  { name: 'durationMs', header: 'MS', align: 'right', wide: true },
  { name: 'run', header: 'RUN', wide: true },
  { name: 'entry', header: 'ENTRY', keep: true, people: shortEntry },
];

/** Which writes are listed. */
interface HistoryFilter {
  readonly since?: Span | undefined;
  readonly id?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly limit: number;
}

/** Prints the writes that match, newest first. */
export async function printHistory(session: Session, { since, id, outcome, limit }: HistoryFilter): Promise<void> {
  const { historyJson, readHistory } = await import('../history/read.ts');
  const sinceMs = since === undefined ? undefined : session.context.clock.now() - since.ms;
  const { entries, unreadableRuns } = await readHistory(session.stateDir(), { sinceMs, id, outcome, limit });
  const rows = entries.map(historyJson);
  const none =
    (since ?? id ?? outcome) === undefined
      ? 'No write was made from this machine yet; every one is recorded here.'
      : 'No write matches. See all of them:\n  frontdesk history';
  await printList(session, { document: rows, rows, columns: COLUMNS }, none);
  for (const run of unreadableRuns) {
    const message = `the record of run ${run} cannot be read; its rows are missing here`;
    await session.notify(warning('RUN_UNREADABLE', message));
  }
}

export const historyListCommand = localCommand({
  columns: COLUMNS,
  description:
    'Lists the writes made from this machine, newest first, single ones and the rows of runs: who blocked this card, when, with which outcome. Kept here are no tokens, bodies or provisioning results. An entry without an end (the program was killed) reads unknown.',
  options: {
    since: { kind: 'age', text: 'only writes of the last 30m, 24h, 90d' },
    id: { kind: 'text', value: 'id', text: 'only writes to this id, or that answered with it' },
    outcome: { kind: 'choice', value: 'outcome', choices: OUTCOMES, text: 'only writes that ended so' },
    limit: { kind: 'count', default: '50', text: 'at most that many; the default is 50' },
  },
  examples: {
    'Who blocked this card?': 'history --id 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    'What must be looked at?': 'history --since 24h --outcome unknown',
  },
  output: async () => list((await import('../history/read.ts')).HISTORY_OUTPUT),
  run: printHistory,
});

export const historyShowCommand = localCommand({
  columns: COLUMNS,
  description:
    'Shows one entry of the history, by the name in its last column or any part of it that no other entry has.',
  arguments: {
    entry: { text: 'name of the entry', required: true, question: 'entry (last column of `frontdesk history`)' },
  },
  examples: {
    'Show an entry': 'history show 20270402T180000000-4d2-9f3a1c',
    'Its request id, for the service desk': 'history show 20270402T180000000-4d2-9f3a1c --json --query requestId',
  },
  output: async () => (await import('../history/read.ts')).HISTORY_OUTPUT,
  async run(session, { entry }) {
    const { historyJson, showHistory } = await import('../history/read.ts');
    const found = await showHistory(session.stateDir(), entry);
    await session.print({ kind: 'resource', resource: historyJson(found), columns: COLUMNS });
  },
});

const PRUNED = object({ removed: INTEGER });

export const historyPruneCommand = localCommand({
  description:
    'Deletes old single writes from the history. Asks first; off a terminal it needs --yes. Rows of runs are deleted with their runs: `frontdesk runs remove --older-than 90d`.',
  options: {
    olderThan: {
      kind: 'age',
      required: true,
      text: 'delete what is older: 90d',
      question: 'Delete what is older than (30m, 24h, 90d)',
    },
    yes: YES,
  },
  examples: {
    'Keep three months': 'history prune --older-than 90d',
    'Keep a week, without a question': 'history prune --older-than 7d --yes',
  },
  output: () => PRUNED,
  async run(session, { olderThan, yes }) {
    await confirmLoss(session, yes, `Delete all single writes older than ${olderThan.text} from the history?`);
    const { pruneHistory } = await import('../history/prune.ts');
    const { clock, pid } = session.context;
    const removed = await pruneHistory({ stateDir: session.stateDir(), clock, pid }, olderThan.ms);
    const shown = removed === 1 ? '1 entry' : `${removed} entries`;
    await session.print({ kind: 'text', text: `${shown} deleted.`, json: jsonOf(PRUNED, { removed }) });
  },
});
