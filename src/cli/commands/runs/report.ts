import type { ClockPort } from '../../../base/context.ts';
import { FAILURES, OUTCOMES, type Outcome, warningOf } from '../../../base/failure.ts';
import { object, oneOf, TEXT } from '../../../base/json/shape.ts';
import { localCommand } from '../../../command/command.ts';
import { printDocument, refuseShaping } from '../../../command/printing.ts';
import type { Printer, Session } from '../../../command/session.ts';
import { outcomeInRun, type StoredRow } from '../../../records/journal/entry.ts';
import type { OutcomeCounts } from '../../../records/journal/record.ts';
import { supersededRows } from '../../../records/open-rows.ts';
import type { RunState } from '../../../records/stored/run-entry.ts';
import { RUN_VERSION, type RunHeader, requireRun, type StoredRunHandle } from '../../../records/stored/run-folder.ts';
import { endStateOf, heldRuns } from '../../../records/stored/run-list.ts';
import { StoredRun } from '../../../records/stored/stored-run.ts';
import { commandsToResolve, nextCommands } from '../../../runs/next-commands.ts';
import { withoutAddresses } from '../../../runs/report/plain-text.ts';
import type { ReportedRow, RunFacts } from '../../../runs/report/run-facts.ts';
import { RunTimeline } from '../../../runs/report/run-timeline.ts';
import { inRowOrder, MAY_BE_APPLIED, rowFormatOf, rowsOrKnown, shardGaps } from '../../../runs/run-input.ts';
import { CauseCounter, causeOf } from '../../../runs/run-tally.ts';
import { isUpdate } from '../../../service/api/operation.ts';
import { operationNamed } from '../../../service/api/operations.ts';
import { LAST, RUNS, runNamesOf } from './run-name.ts';

const REPORT_FORMS = ['html', 'junit', 'markdown'] as const;
type ReportForm = (typeof REPORT_FORMS)[number];

/** `knowsOld`: are the old values of an update known, from the older file or the plan? */
type Reported = Awaited<ReturnType<typeof openReported>>;

/** A row without customers' data, because more people read a report than the input: an event has its new ID, or none. */
function named(row: StoredRow, knownId = row.id): ReportedRow {
  const callOutcome = outcomeInRun(row);
  const id = knownId ?? callOutcome.resultId;
  return { ...row, callOutcome, id: id && withoutAddresses(id) };
}

/** Every row of a run in input order. If its rows cannot be read, those that the journal knows. */
async function* reportedRows(session: Printer, run: Reported, notes: Set<string>): AsyncGenerator<ReportedRow> {
  const { stored } = run;
  const rows = rowsOrKnown(stored, (failure) => {
    notes.add('The rows of the run could not be read, so some IDs are missing.');
    return session.notify(warningOf(failure));
  });
  for await (const { row, id, before } of rows) {
    run.knowsOld ||= before !== undefined;
    yield named(stored.entry(row), id);
  }
}

/** The commands that can follow a run; none for an operation that this version does not know. */
function commandsOf({ stored: { header, folder }, knowsOld }: Reported, state: RunState, outcomes: OutcomeCounts) {
  const operation = operationNamed(header.operation);
  const mayHaveChanged = [...MAY_BE_APPLIED].some((outcome) => (outcomes[outcome] ?? 0) > 0);
  const ways = {
    ...commandsToResolve(operation),
    canRevert: operation !== undefined && isUpdate(operation) && knowsOld && mayHaveChanged,
    format: rowFormatOf(header),
  };
  return nextCommands({ run: header.run, state, outcomes, superseded: supersededRows(folder).size }, ways);
}

/** The worst state comes first. */
const BY_URGENCY: readonly RunState[] = ['running', 'interrupted', 'stopped', 'unsettled', 'finished'];

/** A thousand shards would have a command each. */
const MAX_COMMANDS = 30;

async function factsOf(
  { runs, timeline, missing, notes }: Shards,
  causes: CauseCounter<Outcome>,
  clock: ClockPort,
): Promise<RunFacts> {
  const stored = runs.map((run) => run.stored);
  const held = await heldRuns(stored, clock);
  const parts = runs.map((run) => {
    const { folder, end } = run.stored;
    const outcomes = run.stored.outcomes();
    const state = held.has(folder) ? 'running' : endStateOf(end?.state, outcomes);
    return { outcomes, state, end, commands: commandsOf(run, state, outcomes) };
  });
  const state = BY_URGENCY.find((known) => parts.some((part) => part.state === known)) ?? 'finished';
  const sum = (outcome: Outcome) => parts.reduce((all, { outcomes }) => all + (outcomes[outcome] ?? 0), 0);
  return {
    header: headerOfAll(stored.map(({ header }) => header)),
    timeline,
    state,
    reached: stored.reduce((all, { reached }) => all + reached, 0),
    stoppedBy: parts.find((part) => part.state === state)?.end?.why,
    outcomes: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, sum(outcome)])),
    missing,
    causes: causes.of(),
    commands: parts.flatMap(({ commands }) => commands).slice(0, MAX_COMMANDS),
    notes: [...notes],
    madeMs: clock.now(),
  };
}

/** The header of one run, or of several shards as one. */
function headerOfAll(headers: readonly RunHeader[]): RunHeader {
  const [first] = headers;
  if (first === undefined) throw new Error('no run to report');
  if (headers.length === 1) return first;
  const { shard: _, ...options } = first.options;
  return {
    ...first,
    run: headers.map(({ run }) => run).join(', '),
    rows: headers.reduce((rows, header) => rows + header.rows, 0),
    startedAt: headers.map(({ startedAt }) => startedAt).sort()[0] ?? first.startedAt,
    options,
  };
}

/** One run, or the shards of one input, for one document. */
interface Shards {
  readonly runs: readonly Reported[];
  readonly timeline: RunTimeline;
  readonly notes: Set<string>;
  /** Rows of the input that no run has. */
  readonly missing: number;
}

function rowsOfAll(session: Session, { runs, notes }: Shards): AsyncIterable<ReportedRow> {
  const sources = runs.map(async function* (run) {
    const more = runs.length === 1 ? {} : { run: run.stored.header.run };
    for await (const row of reportedRows(session, run, notes)) yield { ...row, ...more };
  });
  return inRowOrder(sources, ({ row }) => row);
}

async function* documentOf(session: Session, shards: Shards, form: ReportForm): AsyncGenerator<string> {
  const causes = new CauseCounter<Outcome>();
  const rows = rowsOfAll(session, shards);
  const facts = () => factsOf(shards, causes, session.context.clock);
  if (form === 'junit') {
    const { junitReport } = await import('../../../runs/report/junit.ts');
    return yield* junitReport(await facts(), rows);
  }
  const { htmlReport, ListedRows } = await import('../../../runs/report/html.ts');
  const listed = new ListedRows();
  for await (const row of rows) {
    const cause = causeOf(row.callOutcome);
    if (cause !== undefined) causes.add(row.callOutcome.outcome, cause);
    if (form === 'html') listed.add(row);
  }
  if (form === 'html') yield htmlReport(await facts(), listed);
  else yield (await import('../../../runs/report/markdown.ts')).markdownReport(await facts());
}

const REPORT_OUTPUT = object({ run: TEXT, as: oneOf(REPORT_FORMS), document: TEXT });

async function openReported(session: Printer, run: StoredRunHandle, { timeline, notes }: Shards) {
  const { header } = run;
  timeline.addRun(Date.parse(header.startedAt));
  const stored = await StoredRun.read(run, (record) => timeline.add(record));
  const isNewer = header.version > RUN_VERSION;
  if (isNewer) notes.add('A newer frontdesk wrote this run. What this one does not know is left out.');
  if (stored.damage !== undefined) {
    notes.add('The record of the run could not be read to its end: what it says after that is missing here.');
    await session.notify(warningOf(stored.damage));
  }
  return { stored, knowsOld: typeof header.options['changedFrom'] === 'string' };
}

export const command = localCommand({
  description:
    'Three formats: html is one file to open, print or mail; junit is for CI servers that show test results; markdown is for a job summary. Works for a run in any state, sends nothing, and leaves the run as it is. Rows are named by number and ID: the report contains no token, body, reason, e-mail address or name of a customer.',
  arguments: RUNS,
  options: {
    last: LAST,
    as: {
      kind: 'choice',
      value: 'form',
      choices: REPORT_FORMS,
      required: true,
      text: 'print this kind of report',
      question: 'Which document?',
    },
  },
  exitCodes: [15],
  examples: {
    'A page for the team': 'runs report --last --as html > report.html',
    'Test results for a CI server': 'runs report --last --as junit > report.xml',
    'The summary of a GitHub job': 'runs report --last --as markdown >> "$GITHUB_STEP_SUMMARY"',
  },
  output: () => REPORT_OUTPUT,
  check: (_, { output }) => refuseShaping(output),
  async run(session, values) {
    const names = await runNamesOf(session, values);
    const known = await Promise.all(names.map((name) => requireRun(session.stateDir(), name, true)));
    const { rows: missing, notice } = shardGaps(known.map(({ header }) => header));
    const runs: Reported[] = [];
    const shards: Shards = { runs, timeline: new RunTimeline(), notes: new Set(), missing };
    try {
      for (const run of known) runs.push(await openReported(session, run, shards));
      if (notice !== undefined) shards.notes.add(`Of the shards: ${notice.message}.`);
      const run = runs.map(({ stored }) => stored.header.run).join(', ');
      await printDocument(session, { run, as: values.as }, documentOf(session, shards, values.as));
      if (notice === undefined) return 0;
      await session.notify(notice);
      return FAILURES.PARTIAL.exitCode;
    } finally {
      for (const { stored } of runs) stored.close();
    }
  },
});
