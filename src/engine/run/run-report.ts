import { isUpdate } from '../../api/operation.ts';
import { ALL_OPERATIONS } from '../../api/operations.ts';
import { Failure, type Outcome, warning } from '../../failure.ts';
import { object, oneOf, TEXT } from '../../json/shape.ts';
import { isJson } from '../../output/options.ts';
import { nextCommands } from '../../report/next-commands.ts';
import { REPORT_FORMS, type ReportForm } from '../../report/report-form.ts';
import { OUTCOME_WORDS, type RunFacts } from '../../report/run-facts.ts';
import { type RunFolder, requireReadableHeader, runFolder } from '../../run/run-folder.ts';
import { RUN_VERSION, type RunHeader } from '../../run/run-header.ts';
import { endStateOf, showRun } from '../../run/run-list.ts';
import { CauseCounter } from '../../run/run-tally.ts';
import { openStoredRun, type ReportedRow, reportedRow, type StoredRun } from '../../run/stored-run.ts';
import type { Session } from '../../session.ts';
import { TO_REVERT } from './revert-run.ts';
import { rowFormatOf, rowsOfRun } from './run-input.ts';

interface OpenRun {
  readonly session: Session;
  readonly folder: RunFolder;
  readonly header: RunHeader;
  readonly stored: StoredRun;
  /** What could not be read. */
  readonly notes: string[];
  /** Whether it is known what rows of an update were before: from the older file, or from the plan as it is read. */
  knowsOld: boolean;
}

/** Every row of a run in input order. Where the copy of the input cannot be read, the rows that the journal knows. */
async function* rowsOf(run: OpenRun): AsyncGenerator<ReportedRow> {
  const { session, folder, header, stored, notes } = run;
  let last = 0;
  try {
    for await (const batch of rowsOfRun(session, { header, folder })) {
      for (const { row, id, before } of batch) {
        run.knowsOld ||= before !== undefined;
        yield reportedRow(await stored.records.entry(row), id);
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
    if (isWhole || stored.records.has(row)) yield reportedRow(await stored.records.entry(row), undefined);
  }
}

/** The ways on from a run; none of an operation that this version does not know. */
function waysOf({ header, stored, knowsOld }: OpenRun) {
  const operation = ALL_OPERATIONS.find(({ command }) => command === header.operation);
  const effect = operation?.effect;
  const mayHaveChanged = [...TO_REVERT].some((outcome) => (stored.outcomes[outcome] ?? 0) > 0);
  return {
    canReconcile: effect?.kind === 'write' && typeof effect.readBack === 'object',
    canRevert: operation !== undefined && isUpdate(operation) && knowsOld && mayHaveChanged,
    format: rowFormatOf(header),
  };
}

async function stateOf({ session, header, stored }: OpenRun): Promise<RunFacts['state']> {
  const { clock } = session.context;
  const shown = await showRun({ stateDir: session.stateDir(), clock }, header.run).catch((error: unknown) => {
    if (error instanceof Failure) return undefined;
    throw error;
  });
  return shown?.state ?? endStateOf(stored.end?.state, stored.outcomes);
}

async function factsOf(run: OpenRun, causes: CauseCounter<Outcome>): Promise<RunFacts> {
  const { header, stored, notes, session } = run;
  const state = await stateOf(run);
  const outcomes = new Map([...OUTCOME_WORDS.keys()].map((outcome) => [outcome, stored.outcomes[outcome] ?? 0]));
  return {
    header,
    timeline: stored.timeline,
    state,
    reached: stored.reached,
    stoppedBy: stored.end?.why,
    outcomes,
    causes: causes.all(),
    commands: nextCommands({ header, state, outcomes }, waysOf(run)),
    notes,
    madeMs: session.context.clock.now(),
  };
}

async function* documentOf(run: OpenRun, form: ReportForm): AsyncGenerator<string> {
  const causes = new CauseCounter<Outcome>();
  if (form === 'junit') {
    const { junitReport } = await import('../../report/junit.ts');
    yield* junitReport(await factsOf(run, causes), rowsOf(run));
    return;
  }
  const { htmlReport, ListedRows } = await import('../../report/html.ts');
  const listed = new ListedRows();
  for await (const row of rowsOf(run)) {
    if (row.cause !== undefined) causes.add(row.outcome, row.cause);
    if (form === 'html') listed.add(row);
  }
  const facts = await factsOf(run, causes);
  if (form === 'html') yield htmlReport(facts, listed);
  else yield (await import('../../report/markdown.ts')).markdownReport(facts);
}

/** What `runs report` prints where JSON was asked for. */
export const REPORT_OUTPUT = object({ run: TEXT, as: oneOf(REPORT_FORMS), document: TEXT });

/** Writes the document; where JSON was asked for on the command line, as a member of one JSON object. */
async function writeDocument(session: Session, run: OpenRun, form: ReportForm): Promise<void> {
  const { stdout } = session.context;
  const { output } = session.preferences;
  const isMember = output.source === 'flag' && isJson(output.value);
  if (isMember) await stdout.write(`{"run":${JSON.stringify(run.header.run)},"as":"${form}","document":"`);
  for await (const piece of documentOf(run, form)) {
    await stdout.write(isMember ? JSON.stringify(piece).slice(1, -1) : piece);
  }
  if (isMember) await stdout.write('"}\n');
}

/** Prints one document about a run, whatever its state. USAGE when there is no such run. Sends and changes nothing. */
export async function printRunReport(session: Session, name: string, form: ReportForm): Promise<void> {
  const folder = runFolder(session.stateDir(), name);
  const header = await requireReadableHeader(folder);
  const stored = await openStoredRun(folder, header);
  const notes: string[] = [];
  if (header.version > RUN_VERSION)
    notes.push('A newer frontdesk wrote this run; what this one does not know is left out.');
  if (stored.damage !== undefined) {
    notes.push('The record of the run could not be read to its end: what it says after that is missing here.');
    await session.notify(warning('LOCAL_IO', stored.damage));
  }
  try {
    const knowsOld = typeof header.options['changedFrom'] === 'string';
    await writeDocument(session, { session, folder, header, stored, notes, knowsOld }, form);
  } finally {
    await stored.records.close();
  }
}
