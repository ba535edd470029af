import { portsOf } from '../bulk/run.ts';
import { localCommand } from '../command/command.ts';
import { Failure, note, OUTCOMES, usageFailure } from '../failure.ts';
import { type Unread, unreadFailure } from '../files/io-failure.ts';
import { fromPlain } from '../json/plain.ts';
import { ANY, anyOf, jsonOf, list, object, oneOf, TEXT } from '../json/shape.ts';
import { MANY, PLAN, YES } from '../options/common.ts';
import { plural } from '../output/safe-text.ts';
import { HEADER_COLUMNS } from '../plan/plan-columns.ts';
import { REPORT_FORMS } from '../report/report-form.ts';
import { PEOPLE_COLUMNS, RUN_COLUMNS, RUN_OUTPUT, RUN_STATES, type RunOverview } from '../run/run-entry.ts';
import { requireRunName } from '../run/run-folder.ts';
import { lastRunName, listRuns, lossOf, showRun } from '../run/run-list.ts';
import type { Session } from '../session.ts';
import { confirmLoss } from './missing.ts';

const RUN = {
  run: {
    text: 'id of the run, or any part of it that no other run has',
    required: false,
    isOwnQuestion: true,
    names: 'run',
  },
} as const;
const LAST = { text: 'the run that was begun last', excludes: { '<run>': '' } } as const;

function raise(failure: Failure | undefined): void {
  if (failure !== undefined) throw failure;
}

/** Older ones can be named. */
const OFFERED_RUNS = 20;

/** The run that is meant: by its id, or `--last`; on a terminal it is asked for. */
async function runNameOf(
  session: Session,
  given: { readonly run: string | undefined; readonly last: boolean },
): Promise<string> {
  if (given.run !== undefined) return requireRunName(session.stateDir(), given.run);
  if (given.last) return lastRunName(portsOf(session));
  if (!session.prompt.available) {
    throw usageFailure([{ where: '<run>', problem: 'is required, or --last' }], ['list them: frontdesk runs']);
  }
  const runs = await listRuns(portsOf(session));
  if (runs.length === 0) throw new Failure('USAGE', 'there is no run yet');
  const textOf = ({ run, state, rows }: RunOverview) => `${run}  ${state}, ${plural(rows, 'row')}`;
  const offered = runs.slice(0, OFFERED_RUNS).map((entry) => ({ value: entry.run, text: textOf(entry) }));
  return session.prompt.choose('Which run?', offered);
}

/** One run or several that are meant; several are the shards of one input. */
async function runNamesOf(
  session: Session,
  { run, last }: { readonly run: readonly string[]; readonly last: boolean },
): Promise<readonly string[]> {
  const words = run.length === 0 ? [undefined] : run;
  return [...new Set(await Promise.all(words.map((word) => runNameOf(session, { run: word, last }))))];
}

const RUNS = {
  run: { ...RUN.run, text: `${RUN.run.text}; several: the shards of one input`, variadic: true },
} as const;

export const runsListCommand = localCommand({
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

export const runsShowCommand = localCommand({
  columns: RUN_COLUMNS,
  description: 'Shows one run: its state and how many rows ended in which way.',
  arguments: RUN,
  options: { last: LAST },
  examples: {
    'Show the last run': 'runs show --last',
    'How many rows of a run ended how': 'runs show 20270402-1800-7f3a2b --json --query outcomes',
  },
  output: () => RUN_OUTPUT,
  async run(session, given) {
    const { source, ...run } = await showRun(portsOf(session), await runNameOf(session, given));
    const { isForPeople } = session;
    const columns = isForPeople ? [...RUN_COLUMNS, { name: 'source', header: 'FILE' }] : RUN_COLUMNS;
    await session.print({ kind: 'resource', resource: fromPlain(isForPeople ? { ...run, source } : run), columns });
  },
});

/** With --as-input, beside the members of the original row. */
const INPUT_ROW = object({ _outcome: oneOf(OUTCOMES) });

export const runsResultsCommand = localCommand({
  description:
    'Prints the rows of a run again, in input order, from its record. --as-input prints the original rows with _outcome instead, as an input of the same command.',
  arguments: RUNS,
  options: {
    last: LAST,
    outcome: {
      kind: 'choices',
      value: 'list',
      choices: OUTCOMES,
      text: 'only rows with these outcomes, with commas between',
    },
    asInput: { text: 'the original rows and _outcome' },
  },
  exitCodes: [0, 1, 2, 4, 15, 16, 141],
  examples: {
    'What went wrong?': 'runs results --last --outcome rejected,unknown',
    'The rows that were not sent, as a file to send': 'runs results --last --outcome not_sent --as-input -o csv',
  },
  output: async () => {
    const { STORED_ROW_OUTPUT } = await import('../run/row-result.ts');
    return anyOf(list(STORED_ROW_OUTPUT), list(INPUT_ROW));
  },
  async run(session, given) {
    const { printRunResults } = await import('../bulk/run-results.ts');
    const outcomes = given.outcome === undefined ? undefined : new Set(given.outcome);
    return printRunResults(session, await runNamesOf(session, given), outcomes, given.asInput);
  },
});

export const runsResumeCommand = localCommand({
  description:
    'Goes on with a run that stopped or was killed. Done rows are not repeated; rows whose request may have left are unknown and stay untouched unless --reconcile (cards: read and compare) or --resend-unknown (asks: they may have been applied). The run keeps its own options.',
  arguments: RUN,
  options: {
    last: LAST,
    reconcile: { excludes: { 'resend-unknown': '' }, text: 'settle unknown rows by reading their cards' },
    resendUnknown: { text: 'send unknown rows again; asks first' },
    yes: YES,
    concurrency: { ...MANY.concurrency, text: 'requests at a time' },
    rate: { ...MANY.rate, text: 'requests that leave in any one second, at most' },
    maxFailures: { ...MANY.maxFailures, text: 'stop at that many failed rows; earlier ones do not count' },
    failed: { ...MANY.failed, text: 'write the rows that did not succeed there' },
  },
  exitCodes: [0, 1, 2, 4, 5, 7, 8, 15, 16, 141],
  examples: {
    'Go on with the last run': 'runs resume --last',
    'Find out what became of unknown rows': 'runs resume --last --reconcile',
  },
  output: async () => list((await import('../run/row-result.ts')).rowOutput(ANY)),
  async run(session, given) {
    const { resume } = await import('../bulk/resume.ts');
    return resume(session, given, await runNameOf(session, given));
  },
});

export const runsRevertCommand = localCommand({
  columns: HEADER_COLUMNS,
  description:
    'Writes a plan that puts back what a run with --changed-from changed: the old cells of the rows that ended applied, confirmed_by_read or unknown. It sends nothing; look at the plan and apply it. Rows whose old values are not known, or whose id this machine wrote again later, are reported (15), and the plan holds the others. A run of cards or events has no way back.',
  arguments: RUN,
  options: {
    last: LAST,
    plan: {
      kind: 'path',
      notStdin: 'a new file: a plan appears when it is complete',
      makes: true,
      required: true,
      text: 'where the plan is written: a new file',
      question: 'The plan (a new file)',
    },
    planExpires: PLAN.planExpires,
    overLater: { text: 'plan rows too whose id this machine wrote again later' },
  },
  exitCodes: [0, 1, 2, 4, 15, 16, 141],
  examples: {
    'Take the last run back: plan it': 'runs revert --last --plan back.plan',
    'Take one back by its id': 'runs revert 20270402-1800-7f3a2b --plan back.plan',
  },
  output: async () => (await import('../plan/plan-file.ts')).PLAN_HEADER_OUTPUT,
  async run(session, given) {
    const { revertRun } = await import('../bulk/revert-run.ts');
    const run = await runNameOf(session, given);
    return revertRun(session, { path: given.plan, lifeMs: given.planExpires.ms }, run, given.overLater === true);
  },
});

export const runsReportCommand = localCommand({
  description:
    'Prints one document about a run, whatever its state: html, one file to open, print or mail; junit, for CI servers that show test results; markdown, for a job summary. Rows are named by number and id: no token, body, reason, e-mail address or name is in it. It sends nothing and leaves the run as it is.',
  arguments: RUNS,
  options: {
    last: LAST,
    as: {
      kind: 'choice',
      value: 'form',
      choices: REPORT_FORMS,
      required: true,
      text: 'which document',
      question: 'Which document?',
    },
  },
  exitCodes: [0, 1, 2, 4, 15, 16, 141],
  examples: {
    'A page for the team': 'runs report --last --as html > report.html',
    'Test results for a CI server': 'runs report --last --as junit > report.xml',
    'The summary of a GitHub job': 'runs report --last --as markdown >> "$GITHUB_STEP_SUMMARY"',
  },
  output: async () => (await import('../bulk/run-report.ts')).REPORT_OUTPUT,
  async run(session, given) {
    const { printRunReport } = await import('../bulk/run-report.ts');
    return printRunReport(session, await runNamesOf(session, given), given.as);
  },
});

/** Runs that the question before their removal names. */
const MAX_NAMED = 5;

const REMOVED = object({ removed: list(TEXT) });

export const runsRemoveCommand = localCommand({
  description:
    "Deletes what a run kept: its record and the copy of its input, which holds customers' data. With --older-than all runs that were begun before and that no process works on. A plan is applied once only as long as its run is kept. Asks first; off a terminal it needs --yes.",
  arguments: RUN,
  options: {
    last: LAST,
    olderThan: { kind: 'age', excludes: { '<run>': '' }, text: 'runs begun before that: 90d' },
    yes: YES,
  },
  examples: {
    'Delete one run': 'runs remove 20270402-1800-7f3a2b',
    'Keep three months': 'runs remove --older-than 90d --yes',
  },
  output: () => REMOVED,
  async run(session, given) {
    const { removeRun, removeRunsOlderThan } = await import('../run/run-store.ts');
    const { olderThan, yes } = given;
    const unread: Unread = new Map();
    let removed: readonly string[];
    if (olderThan === undefined) {
      const name = await runNameOf(session, given);
      // What cannot be read can be removed all the same.
      const known = await showRun(portsOf(session), name).catch(() => undefined);
      await confirmLoss(session, yes, `Remove run ${name}${lossOf(name, known)}?`);
      await removeRun(portsOf(session), name);
      removed = [name];
    } else {
      const before = session.context.clock.now() - olderThan.ms;
      const lost = (await listRuns(portsOf(session), new Map())).filter(
        (run) => Date.parse(run.startedAt) < before && lossOf(run.run, run) !== '',
      );
      const named = lost.map((run) => `${run.run}${lossOf(run.run, run)}`).slice(0, MAX_NAMED);
      const more = lost.length > MAX_NAMED ? ` and ${lost.length - MAX_NAMED} more` : '';
      const among = lost.length === 0 ? '' : ` Among them: ${named.join('; ')}${more}.`;
      await confirmLoss(session, yes, `Remove all runs begun more than ${olderThan.text} ago?${among}`);
      removed = await removeRunsOlderThan(portsOf(session), olderThan.ms, unread);
    }
    const text = removed.length === 0 ? 'No run is that old.' : `Removed: ${removed.join(', ')}`;
    await session.print({ kind: 'text', text, json: jsonOf(REMOVED, { removed }) });
    raise(unreadFailure('run', unread));
  },
});
