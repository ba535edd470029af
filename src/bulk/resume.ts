import { existsSync } from 'node:fs';
import { guardWrite, notConfirmed, requirePerson, type WriteWay } from '../call/write-guards.ts';
import { refuseRunPrinting } from '../command/printing.ts';
import { Failure, note, warning } from '../failure.ts';
import { openInput } from '../input/input-file.ts';
import type { CallOptions } from '../options/call-options.ts';
import { asFormat } from '../output/options.ts';
import { groupThousands, plural } from '../output/text.ts';
import { planRunName } from '../plan/plan-file.ts';
import { orDiscard } from '../run/failed-file.ts';
import { lostRows, type RunHeader, requireRun, type StoredRunHandle, storedRowsOf } from '../run/stored/run-folder.ts';
import { showRun } from '../run/stored/run-list.ts';
import { refuseOtherPlace, resumeRun, staleRunWarning } from '../run/stored/run-store.ts';
import { StoredRun } from '../run/stored/stored-run.ts';
import type { Session } from '../session.ts';
import { executeRun } from './execute-run.ts';
import { approvalsToSend } from './plan-review.ts';
import { runColumns } from './row-requests.ts';
import { openFailed, portsOf } from './run.ts';
import { failedPathOf, limitsOf, operationOfRun, paceOf, rowsOfRun, textOf, unknownRowsOf } from './run-input.ts';

async function confirmResend(session: Session, header: RunHeader): Promise<void> {
  if (session.common.yes) return;
  const hint = 'rows with an unknown outcome may already have been applied. To send them again anyway, add --yes';
  requirePerson(session, 'send rows with an unknown outcome again', hint);
  const question = `Send the rows of ${header.run} with an unknown outcome again? They may already have been applied`;
  if (await session.prompt.confirm(question)) return;
  throw notConfirmed('send rows with an unknown outcome again');
}

/** Says which rows are left, before more is asked or sent. Returns whether the outcome of one may be unknown. */
async function sayWhatIsLeft(session: Session, run: StoredRunHandle): Promise<boolean> {
  const { state, rows, outcomes } = await showRun(portsOf(session), run.header.run);
  // Nothing is known of a damaged journal.
  if (outcomes === undefined) return true;
  const { unknown = 0 } = outcomes;
  const isOver = state === 'finished' || state === 'unsettled';
  // Neither all unsent rows nor they alone: rows that `--expect` held back have ended, those of a refused credential
  // have not.
  const unsent = isOver ? 0 : (await StoredRun.read(run)).left;
  const left = unsent === 0 ? 'nothing is left to send' : `${groupThousands(unsent)} left to send`;
  const open = unknown === 0 ? '' : `, ${groupThousands(unknown)} unknown`;
  await session.notify(note('RUN_LEFT', `run ${run.header.run} is ${state}: of ${plural(rows, 'row')} ${left}${open}`));
  return unknown > 0;
}

/** Resumes a run. Rows that are done are printed from the journal, and not sent again. */
export async function resume(session: Session, given: CallOptions, name: string): Promise<number> {
  const unknownRows = unknownRowsOf(given);
  const ports = portsOf(session);
  const run = await requireRun(ports.stateDir, name);
  const { header } = run;
  session.adoptProfile(header.profile);
  const { value, source } = session.preferences.output;
  if (source !== 'flag') session.useFormat(asFormat(header.options['output']) ?? value);
  const stored = storedRowsOf(run);
  const operation = operationOfRun(header);
  const columns = runColumns(operation);
  await refuseRunPrinting(session.output, columns);
  guardWrite(session, operation, await wayOf(session, run));
  const mayBeUnknown = await sayWhatIsLeft(session, run);
  if (unknownRows === 'resend' && mayBeUnknown) await confirmResend(session, header);
  await session.service(operation.family);
  refuseOtherPlace(header, session.placeOf(operation.family));
  const stale = staleRunWarning(header, ports.clock.now());
  if (stale !== undefined) await session.notify(warning('OLD_RUN', stale));
  // Before the run is resumed: a bad path must leave it unchanged.
  const failedPath = given.failed ?? failedPathOf(header);
  const failedFile = await openFailed(session, failedPath, {
    ...stored,
    // A list of IDs fits any format. IDs of the command line are stored as NDJSON, whatever --failed is called.
    inputFormat: stored.columns.every((name) => name === 'id' || name === 'cardId') ? 'ids' : header.inputFormat,
    csvRaw: header.options['csvRaw'] === true,
    isKept: true,
  });
  const kept = await orDiscard(failedFile, resumeRun(ports, name));
  return executeRun(session, {
    operation,
    rows: () => rowsOfRun(kept),
    rowCount: header.rows,
    pace: paceOf(given, header.options),
    limits: limitsOf(session, header.options),
    kept,
    unknownRows,
    failedFile,
    columns,
    left: { older: textOf(header.options['olderFile']) },
  });
}

/** What a resume sends. Verifies the plan of a plan's run (USAGE) and its approvals anew. */
async function wayOf(session: Session, run: StoredRunHandle): Promise<WriteWay> {
  const { header, folder } = run;
  if (header.inputFormat !== 'plan') {
    const { rows, inputRows } = header;
    return { kind: 'rows', rows: header.options['shard'] === null ? rows : inputRows, inputRows };
  }
  const { plan: path } = folder;
  if (!existsSync(path)) throw lostRows(run, 'are gone');
  const { checkSeal } = await import('../plan/read-plan.ts');
  const { sha256, header: line1 } = await checkSeal(await openInput(path, session.context.stdin, '<run>'));
  const { plan: id, operation } = line1;
  if (sha256 !== header.inputSha256 || planRunName(id) !== header.run || operation !== header.operation) {
    throw Failure.unsent('USAGE', `run ${header.run} keeps another plan (${id})`);
  }
  const { approvals, unusable } = await approvalsToSend(session, path, path);
  return { kind: 'plan', plan: id, rows: header.rows, approved: approvals.length, unusable };
}
