import { canReconcile, isUpdate } from '../../api/operation.ts';
import { ALL_OPERATIONS } from '../../api/operations.ts';
import { FAILURES, Failure, type Outcome, warning } from '../../failure.ts';
import { object, oneOf, TEXT } from '../../json/shape.ts';
import { isJson } from '../../output/options.ts';
import { nextCommands } from '../../report/next-commands.ts';
import { REPORT_FORMS, type ReportForm } from '../../report/report-form.ts';
import { type ReportedRow, reportedRow } from '../../report/reported-row.ts';
import { OUTCOME_WORDS, type RunFacts } from '../../report/run-facts.ts';
import type { OutcomeCounts } from '../../run/journal/record.ts';
import { requireReadableHeader, runFolder } from '../../run/run-folder.ts';
import { RUN_VERSION, type RunHeader } from '../../run/run-header.ts';
import { endStateOf, showRun } from '../../run/run-list.ts';
import { CauseCounter } from '../../run/run-tally.ts';
import { RunTimeline } from '../../run/run-timeline.ts';
import { StoredRun } from '../../run/stored-run.ts';
import type { Session } from '../../session.ts';
import { TO_REVERT } from './revert-run.ts';
import { rowFormatOf, rowsOfRun } from './run-input.ts';
import { gapsNotice, inRowOrder, shardGaps } from './shards.ts';

interface OpenRun {
  readonly session: Session;
  readonly header: RunHeader;
  readonly stored: StoredRun;
  readonly outcomes: OutcomeCounts;
  /** Of all runs of the document. */
  readonly timeline: RunTimeline;
  /** What could not be read. */
  readonly notes: string[];
  /** Whether it is known what rows of an update were before: from the older file, or from the plan as it is read. */
  knowsOld: boolean;
}

/** Every row of a run in input order. Where the copy of the input cannot be read, the rows that the journal knows. */
async function* rowsOf(run: OpenRun): AsyncGenerator<ReportedRow> {
  const { session, header, stored, notes } = run;
  let last = 0;
  try {
    for await (const batch of rowsOfRun(session, stored)) {
      for (const { row, id, before } of batch) {
        run.knowsOld ||= before !== undefined;
        yield reportedRow(await stored.entry(row), id);
        last = row;
      }
    }
    return;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notes.push('The copy of the input could not be read, so some ids are missing.');
    await session.notify(warning(error.code, error.message));
  }
  // Of a part of an input it is not known which rows were to come.
  const isWhole = header.rows === header.inputRows;
  for (let row = last + 1; row <= header.inputRows; row += 1) {
    if (isWhole || stored.has(row)) yield reportedRow(await stored.entry(row), undefined);
  }
}

/** The ways on from a run; none of an operation that this version does not know. */
function waysOf({ header, outcomes, knowsOld }: OpenRun) {
  const operation = ALL_OPERATIONS.find(({ command }) => command === header.operation);
  const mayHaveChanged = [...TO_REVERT].some((outcome) => (outcomes[outcome] ?? 0) > 0);
  return {
    canReconcile: operation !== undefined && canReconcile(operation),
    canRevert: operation !== undefined && isUpdate(operation) && knowsOld && mayHaveChanged,
    format: rowFormatOf(header),
  };
}

async function stateOf({ session, header, stored, outcomes }: OpenRun): Promise<RunFacts['state']> {
  const { clock } = session.context;
  const shown = await showRun({ stateDir: session.stateDir(), clock }, header.run).catch((error: unknown) => {
    if (error instanceof Failure) return undefined;
    throw error;
  });
  return shown?.state ?? endStateOf(stored.end?.state, outcomes);
}

/** The worst state comes first. */
const BY_URGENCY: readonly RunFacts['state'][] = ['running', 'interrupted', 'stopped', 'unsettled', 'finished'];
/** Of a thousand shards each has its own. */
const MAX_COMMANDS = 30;

async function factsOf(runs: readonly OpenRun[], causes: CauseCounter<Outcome>): Promise<RunFacts> {
  const [first] = runs;
  if (first === undefined) throw new Error('no run to report');
  const parts = await Promise.all(
    runs.map(async (run) => {
      const { header } = run;
      const state = await stateOf(run);
      const outcomes = new Map([...OUTCOME_WORDS.keys()].map((outcome) => [outcome, run.outcomes[outcome] ?? 0]));
      return { run, state, outcomes, commands: nextCommands({ header, state, outcomes }, waysOf(run)) };
    }),
  );
  const state = BY_URGENCY.find((known) => parts.some((part) => part.state === known)) ?? 'finished';
  const sum = (count: (part: (typeof parts)[number]) => number) => parts.reduce((all, part) => all + count(part), 0);
  return {
    header: headerOfAll(
      runs.map(({ header }) => header),
      first.header,
    ),
    timeline: first.timeline,
    state,
    reached: sum(({ run }) => run.stored.reached),
    stoppedBy: parts.find((part) => part.state === state)?.run.stored.end?.why,
    outcomes: new Map(
      [...OUTCOME_WORDS.keys()].map((outcome) => [outcome, sum((part) => part.outcomes.get(outcome) ?? 0)]),
    ),
    causes: causes.of(),
    commands: parts.flatMap(({ commands }) => commands).slice(0, MAX_COMMANDS),
    notes: [...new Set(runs.flatMap(({ notes }) => notes))],
    madeMs: first.session.context.clock.now(),
  };
}

/** The header of one run, or of several shards as if they were one. */
function headerOfAll(headers: readonly RunHeader[], first: RunHeader): RunHeader {
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

function rowsOfAll(runs: readonly OpenRun[]): AsyncIterable<ReportedRow> {
  const [first] = runs;
  if (first !== undefined && runs.length === 1) return rowsOf(first);
  const sources = runs.map(async function* (run) {
    for await (const row of rowsOf(run)) yield { ...row, run: run.header.run };
  });
  return inRowOrder(sources, ({ row }) => row);
}

async function* documentOf(runs: readonly OpenRun[], form: ReportForm): AsyncGenerator<string> {
  const causes = new CauseCounter<Outcome>();
  if (form === 'junit') {
    const { junitReport } = await import('../../report/junit.ts');
    yield* junitReport(await factsOf(runs, causes), rowsOfAll(runs));
    return;
  }
  const { htmlReport, ListedRows } = await import('../../report/html.ts');
  const listed = new ListedRows();
  for await (const row of rowsOfAll(runs)) {
    if (row.cause !== undefined) causes.add(row.outcome, row.cause);
    if (form === 'html') listed.add(row);
  }
  const facts = await factsOf(runs, causes);
  if (form === 'html') yield htmlReport(facts, listed);
  else yield (await import('../../report/markdown.ts')).markdownReport(facts);
}

/** What `runs report` prints where JSON was asked for. */
export const REPORT_OUTPUT = object({ run: TEXT, as: oneOf(REPORT_FORMS), document: TEXT });

/** Writes the document; where JSON was asked for on the command line, as a member of one JSON object. */
async function writeDocument(session: Session, runs: readonly OpenRun[], form: ReportForm): Promise<void> {
  const { stdout } = session.context;
  const { output } = session.preferences;
  const isMember = output.source === 'flag' && isJson(output.value);
  const names = runs.map(({ header }) => header.run).join(', ');
  if (isMember) await stdout.write(`{"run":${JSON.stringify(names)},"as":"${form}","document":"`);
  for await (const piece of documentOf(runs, form)) {
    await stdout.write(isMember ? JSON.stringify(piece).slice(1, -1) : piece);
  }
  if (isMember) await stdout.write('"}\n');
}

async function openForReport(session: Session, name: string, earlier?: RunTimeline): Promise<OpenRun> {
  const folder = runFolder(session.stateDir(), name);
  const header = await requireReadableHeader(folder);
  const startedMs = Date.parse(header.startedAt);
  earlier?.addRun(startedMs);
  const timeline = earlier ?? new RunTimeline(startedMs);
  const stored = await StoredRun.read(folder, header, (record) => timeline.add(record));
  const notes: string[] = [];
  if (header.version > RUN_VERSION)
    notes.push('A newer frontdesk wrote this run; what this one does not know is left out.');
  if (stored.damage !== undefined) {
    notes.push('The record of the run could not be read to its end: what it says after that is missing here.');
    await session.notify(warning('LOCAL_IO', stored.damage.message));
  }
  const knowsOld = typeof header.options['changedFrom'] === 'string';
  return { session, header, stored, outcomes: stored.outcomes(), timeline, notes, knowsOld };
}

/**
 * Prints one document about a run, or about the shards of one input, whatever their state. USAGE when there is no such
 * run, or they do not belong together. Sends and changes nothing. Answers 15 when shards are missing or doubled, else 0.
 */
export async function printRunReport(session: Session, names: readonly string[], form: ReportForm): Promise<number> {
  const runs: OpenRun[] = [];
  try {
    for (const name of names) runs.push(await openForReport(session, name, runs[0]?.timeline));
    const gaps = shardGaps(runs.map(({ header }) => header));
    const notice = gapsNotice(gaps);
    if (notice !== undefined)
      runs[0]?.notes.push(`${notice.message.charAt(0).toUpperCase()}${notice.message.slice(1)}.`);
    await writeDocument(session, runs, form);
    if (notice === undefined) return 0;
    await session.notify(notice);
    return FAILURES.PARTIAL.exitCode;
  } finally {
    for (const { stored } of runs) await stored.close();
  }
}
