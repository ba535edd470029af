import { existsSync } from 'node:fs';
import { Failure, note, warning } from '../base/failure.ts';
import { outside } from '../base/json/outside-text.ts';
import { unsent } from '../command/faults.ts';
import { refuseRunPrinting } from '../command/printing.ts';
import type { Session } from '../command/session.ts';
import { openInput } from '../input/input-file.ts';
import type { CallOptions } from '../input/options/call-options.ts';
import { FIRST_ROWS } from '../input/records/findings.ts';
import { eachRow, type Row } from '../input/rows/row.ts';
import { openOrCopy } from '../records/stored/run-copy.ts';
import { lostRows, requireRun, type StoredRunHandle } from '../records/stored/run-folder.ts';
import { showRun } from '../records/stored/run-list.ts';
import { refuseOtherPlace, resumeRun, staleRunWarning } from '../records/stored/run-store.ts';
import { StoredRun } from '../records/stored/stored-run.ts';
import { asFormat } from '../screen/options.ts';
import { peopleTime } from '../screen/people-text.ts';
import { groupThousands, plural } from '../screen/text.ts';
import type { Operation } from '../service/api/operation.ts';
import { recordsNow } from '../writes/open-guard.ts';
import { guardWrite, type WriteScope } from '../writes/write-guards.ts';
import { confirmResend } from './confirm-bulk.ts';
import { executeRun } from './execute-run.ts';
import { orDiscard } from './failed-file.ts';
import { rowsLeftUnknown } from './later-writes.ts';
import { listingOf } from './next-commands.ts';
import { planRunName } from './plan/plan-file.ts';
import { runColumns } from './row-requests.ts';
import { openFailed, portsOf } from './run.ts';
import {
  inputOfRun,
  limitsOf,
  operationOfRun,
  paceOf,
  reasonCheck,
  rowsOfRun,
  textOf,
  unknownRowsOf,
} from './run-input.ts';

/** The first rows with an unknown outcome, and how many there are. */
async function unknownRowsIn(session: Session, run: StoredRunHandle) {
  const stored = await StoredRun.read(run);
  const superseded = await rowsLeftUnknown(session, run, true);
  const unknown = new Set([...stored.unknownRows(), ...stored.rowsInFlight()].filter((row) => !superseded.has(row)));
  const rows: Row[] = [];
  for await (const row of eachRow(rowsOfRun(run))) {
    if (rows.length === FIRST_ROWS || rows.length === unknown.size) break;
    if (unknown.has(row.row)) rows.push(row);
  }
  return { rows, count: unknown.size, all: `: ${listingOf(run.header.run, ['unknown'])}` };
}

/** Says which rows are left and sent, before more is asked or sent. Returns whether the outcome of one may be unknown. */
export async function sayWhatIsLeft(
  session: Session,
  run: StoredRunHandle,
  { failed, resendUnknown }: CallOptions,
): Promise<boolean> {
  const { state, rows, outcomes } = await showRun(portsOf(session), run.header.run);
  // Nothing is known of a damaged journal.
  if (outcomes === undefined) return true;
  const { unknown = 0 } = outcomes;
  const isOver = state === 'finished' || state === 'unsettled';
  // Neither all unsent rows nor they alone: rows that `--expect` held back have ended, those of a refused credential
  // have not.
  const unsent = isOver ? 0 : (await StoredRun.read(run)).left;
  const { size: superseded } = await rowsLeftUnknown(session, run, resendUnknown === true);
  const isResend = resendUnknown === true && unknown > superseded;
  const counts = [
    ...(unsent > 0 ? [`${groupThousands(unsent)} left to send`] : isResend ? [] : ['nothing is left to send']),
    ...(unknown > superseded
      ? [`${groupThousands(unknown - superseded)} unknown${isResend ? ' to send again' : ''}`]
      : []),
    ...(superseded > 0 ? [`${groupThousands(superseded)} unknown that a later change superseded`] : []),
  ];
  const { run: name, user, startedAt, options } = run.header;
  const whose = `run ${name} of ${outside(user)}, begun ${peopleTime(startedAt)}, is ${state}`;
  // Only a hint: what a run's header says never chooses a path, because it may have come with a checkout.
  const wrote = failed === undefined ? textOf(options['failed']) : undefined;
  const hint = wrote === undefined ? '' : `. It began with --failed ${outside(wrote)}`;
  await session.notify(note('RUN_LEFT', `${whose}: of ${plural(rows, 'row')} ${counts.join(', ')}${hint}`));
  return unknown > superseded;
}

/** USAGE if the profile, as it is now, requires another reason of a row that may be sent. */
async function refuseReasons(session: Session, operation: Operation, run: StoredRunHandle, isResend: boolean) {
  const check = reasonCheck(session, operation);
  if (check === undefined) return;
  const { header } = run;
  const stored = await StoredRun.read(run);
  for await (const rows of rowsOfRun(run)) {
    const left = rows.flatMap((row) => (stored.mayBeSent(row.row, isResend) ? [{ row }] : []));
    const problems = await check(left);
    const at = problems.findIndex((problem) => problem !== undefined);
    if (at < 0) continue;
    const where = `row ${left[at]?.row.row}: reason: ${problems[at]?.problem}`;
    throw Failure.unsent('USAGE', `could not resume run ${header.run}: ${where}`, {
      hints: [{ do: 'print the rows that are left', about: header.run }],
    });
  }
}

/** Resumes a run. Rows that are done are printed from the journal, and not sent again. */
export async function resume(session: Session, options: CallOptions, name: string): Promise<number> {
  const unknownRows = unknownRowsOf(options);
  const ports = portsOf(session);
  const run = await unsent(requireRun(ports.stateDir, name));
  const { header } = run;
  session.adoptProfile(header.profile);
  const { value, source } = session.preferences.output;
  if (source !== 'flag') session.useFormat(asFormat(header.options['output']) ?? value);
  const operation = operationOfRun(header);
  const columns = runColumns(operation);
  await refuseRunPrinting(session.output, columns);
  guardWrite(session, operation, await scopeOf(session, run));
  await refuseReasons(session, operation, run, unknownRows === 'resend');
  const mayBeUnknown = await sayWhatIsLeft(session, run, options);
  const service = await session.service(operation.family);
  refuseOtherPlace(header, session.placeOf(operation.family));
  const stale = staleRunWarning(header, ports.clock.now());
  if (stale !== undefined) await session.notify(warning('OLD_RUN', stale));
  const since = await recordsNow(session, operation);
  const isAgain = unknownRows === 'resend' && mayBeUnknown;
  const shown = isAgain
    ? await confirmResend(session, operation, service, await unknownRowsIn(session, run))
    : undefined;
  // Before the run is resumed: a bad path must leave it unchanged.
  const failedFile = await openFailed(session, options.failed, inputOfRun(header));
  const stored = await orDiscard(
    failedFile,
    openOrCopy(ports, header.run, (at) => resumeRun(at, header.run)),
  );
  return executeRun(session, {
    operation,
    rows: () => rowsOfRun(stored),
    rowCount: header.rows,
    pace: paceOf(options, header.options),
    limits: limitsOf(session, header.options),
    stored,
    unknownRows,
    shown,
    since,
    failedFile,
    columns,
    left: { source: textOf(header.options['source']), older: textOf(header.options['olderFile']) },
  });
}

/** What a resume sends. Verifies the plan of a plan's run (USAGE) anew. */
async function scopeOf(session: Session, run: StoredRunHandle): Promise<WriteScope> {
  const { header, folder } = run;
  if (header.inputFormat !== 'plan') {
    const { where, rows } = header.options;
    const isWhole = where === undefined && rows === undefined;
    return { kind: 'rows', rows: isWhole ? header.inputRows : header.rows };
  }
  const { plan: path } = folder;
  if (!existsSync(path)) throw lostRows(run, 'are gone');
  const { checkSeal } = await import('./plan/read-plan.ts');
  const { sha256, header: line1 } = await checkSeal(await openInput(path, session.context.stdin, '<run>'));
  const { plan: id, operation } = line1;
  if (sha256 !== header.inputSha256 || planRunName(id) !== header.run || operation !== header.operation) {
    throw Failure.unsent('USAGE', `run ${header.run} keeps another plan (${id})`);
  }
  return { kind: 'plan' };
}
