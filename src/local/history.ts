import { localCommand } from '../commands/command.ts';
import { type Fault, OUTCOMES, usageFailure, warning } from '../failure.ts';
import { AGE_FORMS, parseAge } from '../input/duration.ts';
import { lastValue } from '../input/raw-input.ts';
import { INTEGER, jsonOf, list, object } from '../json/shape.ts';
import type { Column } from '../output/column.ts';
import { commandWords, shortEntry, shortTime } from '../output/people-text.ts';
import { printList, readLimit, readOneOf } from './lists.ts';
import { confirmLoss, missingText, YES_OPTION } from './missing.ts';

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

function readAge(text: string | undefined, where: string, faults: Fault[]): number | undefined {
  if (text === undefined) return undefined;
  const age = parseAge(text);
  if (age === undefined) faults.push({ where, problem: `must be an age such as ${AGE_FORMS}, not "${text}"` });
  return age;
}

function ageProblem(text: string): string | undefined {
  return parseAge(text) === undefined ? `must be an age such as ${AGE_FORMS}` : undefined;
}

export const historyListCommand = localCommand({
  columns: COLUMNS,
  description:
    'Lists the writes made from this machine, newest first, single ones and the rows of runs: who blocked this card, when, with which outcome. Kept here are no tokens, bodies or provisioning results. An entry without an end (the program was killed) reads unknown.',
  options: [
    { long: 'since', value: 'age', text: 'only writes of the last 30m, 24h, 90d' },
    { long: 'id', value: 'id', text: 'only writes to this id, or that answered with it' },
    { long: 'outcome', value: 'outcome', choices: OUTCOMES, text: 'only writes that ended so' },
    { long: 'limit', value: 'n', text: 'at most that many; the default is 50' },
  ],
  examples: {
    'Who blocked this card?': 'history --id 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    'What must be looked at?': 'history --since 24h --outcome unknown',
  },
  output: async () => list((await import('../history/read.ts')).HISTORY_OUTPUT),
  async run(session, input) {
    const faults: Fault[] = [];
    const age = readAge(lastValue(input, 'since'), '--since', faults);
    const outcome = readOneOf(lastValue(input, 'outcome'), OUTCOMES, '--outcome', faults);
    const limit = readLimit(input, faults);
    if (faults.length > 0) throw usageFailure(faults);
    const { historyJson, readHistory } = await import('../history/read.ts');
    const sinceMs = age === undefined ? undefined : session.context.clock.now() - age;
    const filter = { sinceMs, id: lastValue(input, 'id'), outcome, limit };
    const { entries, unreadableRuns } = await readHistory(session.stateDir(), filter);
    const rows = entries.map(historyJson);
    const isFiltered = input.options.size > 0;
    const none = isFiltered
      ? 'No write matches. See all of them:\n  frontdesk history'
      : 'No write was made from this machine yet; every one is recorded here.';
    await printList(session, { document: rows, rows, columns: COLUMNS }, none);
    for (const run of unreadableRuns) {
      const message = `the record of run ${run} cannot be read; its rows are missing here`;
      await session.notify(warning('RUN_UNREADABLE', message));
    }
  },
});

export const historyShowCommand = localCommand({
  columns: COLUMNS,
  description:
    'Shows one entry of the history, by the name in its last column or any part of it that no other entry has.',
  arguments: [{ name: 'entry', text: 'name of the entry', required: true }],
  examples: {
    'Show an entry': 'history show 20270402T180000000-4d2-9f3a1c',
    'Its request id, for the service desk': 'history show 20270402T180000000-4d2-9f3a1c --json --query requestId',
  },
  output: async () => (await import('../history/read.ts')).HISTORY_OUTPUT,
  async run(session, input) {
    const name =
      input.words[0] ?? (await missingText(session, '<entry>', 'entry (last column of `frontdesk history`)'));
    const { historyJson, showHistory } = await import('../history/read.ts');
    const entry = await showHistory(session.stateDir(), name);
    await session.print({ kind: 'resource', resource: historyJson(entry), columns: COLUMNS });
  },
});

const PRUNED = object({ removed: INTEGER });

export const historyPruneCommand = localCommand({
  description:
    'Deletes old single writes from the history. Asks first; off a terminal it needs --yes. Rows of runs are deleted with their runs: `frontdesk runs remove --older-than 90d`.',
  options: [{ long: 'older-than', value: 'age', required: true, text: 'delete what is older: 90d' }, YES_OPTION],
  examples: {
    'Keep three months': 'history prune --older-than 90d',
    'Keep a week, without a question': 'history prune --older-than 7d --yes',
  },
  output: () => PRUNED,
  async run(session, input) {
    const faults: Fault[] = [];
    const text =
      lastValue(input, 'older-than') ??
      (await missingText(session, '--older-than', 'Delete what is older than (30m, 24h, 90d)', ageProblem));
    const age = readAge(text, '--older-than', faults);
    if (faults.length > 0) throw usageFailure(faults);
    await confirmLoss(session, input, `Delete all single writes older than ${text} from the history?`);
    const { pruneHistory } = await import('../history/prune.ts');
    const { clock, pid } = session.context;
    const removed = await pruneHistory({ stateDir: session.stateDir(), clock, pid }, age ?? 0);
    const shown = removed === 1 ? '1 entry' : `${removed} entries`;
    await session.print({ kind: 'text', text: `${shown} deleted.`, json: jsonOf(PRUNED, { removed }) });
  },
});
