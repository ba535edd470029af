import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { collect, Failure, note, usageFailure, warning } from '../base/failure.ts';
import { describeIoError, orIoFailure } from '../base/files/io-failure.ts';
import { outside } from '../base/json/outside-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/value.ts';
import type { CallCommand, CallValues } from '../command/command.ts';
import { joinFailures, refuseOtherChanges, refuseOtherCount, unsent } from '../command/faults.ts';
import type { Formatted, Ports, Printer, Profiled, Session } from '../command/session.ts';
import type { CallOptions } from '../input/options/call-options.ts';
import { type CheckedInput, checkInput } from '../input/records/check-input.ts';
import type { Duplicates, InputOptions } from '../input/records/findings.ts';
import type { Row } from '../input/rows/row.ts';
import { readRows } from '../input/rows/row-file.ts';
import { isOnlyPrinted } from '../records/stored/run-copy.ts';
import { type RunHeader, readRunHeader, runFolder } from '../records/stored/run-folder.ts';
import { type ActiveRun, spoolPath } from '../records/stored/run-store.ts';
import type { Column } from '../screen/column.ts';
import { groupThousands, plural } from '../screen/text.ts';
import { DEFAULT_LIST_LIMIT, entriesOf, mergeLists } from '../service/api/calendar.ts';
import { isWrite, type Operation } from '../service/api/operation.ts';
import { OPERATIONS } from '../service/api/operations.ts';
import type { CallResult } from '../service/http/call.ts';
import { noteUncompared } from '../writes/dry-run.ts';
import { isFullList } from '../writes/list-call.ts';
import { callService } from '../writes/resource.ts';
import { refuseReadOnly } from '../writes/write-guards.ts';
import { type BulkCall, readBulkCall } from './bulk-call.ts';
import { compareTokenLife, confirmBulk, hiddenNotices, noteCounts } from './confirm-bulk.ts';
import { begin, doRows, executeRun, sayNothingToDo } from './execute-run.ts';
import { sayOpenRows, sayOrRefuseSameInput } from './open-rows.ts';
import { runColumns } from './row-requests.ts';
import { openFailed, portsOf, type Run, startRun } from './run.ts';
import { inputOfRun, ROW_OPTIONS, storeOptions, unknownRowsOf } from './run-input.ts';
import { notifyUnchanged, type RowSink, writeSummary } from './run-output.ts';
import type { RunTask } from './run-task.ts';

/** USAGE for a wrong call over many rows: its options, and its input if that can be judged. */
async function refuseFaults({ faults, reading, open, fieldsAreSound, options }: BulkCall): Promise<void> {
  const failures = faults.length === 0 ? [] : [usageFailure(faults)];
  // A call that is refused neither asks nor sends.
  if (reading.path !== '-') {
    await collect(failures, async () => {
      const file = await open();
      await (fieldsAreSound ? checkInput(file, reading, { duplicates: duplicatesOf(options, reading) }) : file.close());
    });
  }
  if (failures.length > 0) throw joinFailures(failures);
}

/** The same, together with other faults of the call. */
export async function checkBulk(session: Session, command: CallCommand, values: CallValues): Promise<void> {
  await refuseFaults(await readBulkCall(session, command, values));
}

/** Runs a command over several IDs or a file. Returns the exit code. */
export async function runBulk(session: Session, command: CallCommand, values: CallValues): Promise<number> {
  const call = await readBulkCall(session, command, values);
  const isRun = isWrite(call.reading.operation) && call.options.plan === undefined;
  if (isRun) refuseReadOnly(session);
  if (call.faults.length > 0) await refuseFaults(call);
  const isUnsent = isRun ? unsent : <T>(work: Promise<T>): Promise<T> => work;
  const spool = await isUnsent(placeForRows(session, isRun, call.options));
  try {
    const begun = await isUnsent(beginBulk(session, command, call, spool.path));
    return typeof begun === 'number' ? begun : await executeRun(session, begun);
  } finally {
    await spool.remove();
  }
}

/** Where the rows are written while they are checked. */
async function placeForRows(session: Session, isRun: boolean, { run }: CallOptions) {
  const making = () =>
    orIoFailure(mkdtemp(join(tmpdir(), 'frontdesk-')), `cannot make a folder in ${tmpdir()}`, 'unsent');
  const isStored = isRun && !session.common.dryRun && !(await isOnlyPrinted(portsOf(session), run));
  const place = isStored ? spoolPath(portsOf(session)) : making();
  const drop = async () => rm(await place, { recursive: true, force: true });
  const forget = session.dropAtSignal(drop);
  const remove = async (): Promise<void> => {
    forget();
    // The result is known by then, so a copy that cannot be removed is only a warning.
    await drop().catch((error: unknown) =>
      session.notify(warning('LEFT_BEHIND', `could not remove the rows of the input: ${describeIoError(error)}`)),
    );
  };
  return { path: isStored ? await place : join(await place, 'rows'), remove };
}

/** A plan compares each card with what it was, which a second change to it would break. */
function duplicatesOf({ plan, allowDuplicates }: CallOptions, { operation }: InputOptions): Duplicates {
  if (plan !== undefined && operation.family === 'cards') return 'never';
  return allowDuplicates === true ? 'accepted' : 'refused';
}

/** Each row of a read is one of the workbook. The length of a list is not known before. */
async function refuseFullSheet({ output }: Formatted, { query }: Operation, { selected }: CheckedInput): Promise<void> {
  if (output.format !== 'xlsx' || query !== null) return;
  (await import('../screen/workbook.ts')).refuseTooManyRows(selected);
}

/** The run that `--run` resumes. */
async function begunRun(session: Profiled, { run }: CallOptions): Promise<RunHeader | undefined> {
  return run === undefined ? undefined : await readRunHeader(runFolder(session.stateDir(), run));
}

/** A resumed run was checked when it began. */
async function lookForSameInput(session: Session, { options, reading }: BulkCall, { rowsSha256 }: CheckedInput) {
  const { run: name, again } = options;
  const { operation, shard, skipIf } = reading;
  // What each card shows decides, so the same input every night is no accident.
  if (skipIf.length > 0 || (await begunRun(session, options)) !== undefined) return;
  const part = shard === undefined ? null : `${shard.index}/${shard.count}`;
  await sayOrRefuseSameInput(session, { operation, rowsSha256, shard: part, name, isAgain: again === true });
}

/** Everything up to the first request. Returns the exit code if there is nothing to send. */
async function beginBulk(session: Session, command: CallCommand, call: BulkCall, spool: string): Promise<Run | number> {
  const { options, reading } = call;
  const { operation } = reading;
  const isWriting = isWrite(operation);
  const duplicates = duplicatesOf(options, reading);
  const isStored = isWriting && !session.common.dryRun && options.plan === undefined;
  const checked = await checkInput(await call.open(), reading, { duplicates, rowsTo: spool, isStored });
  const { selected, shape } = checked;
  refuseOtherCount(options.expectRows, checked.rows);
  refuseOtherChanges(options.expectChanges, checked.changed);
  await refuseFullSheet(session, operation, checked);
  await notifyInput(session, call, checked);
  const columnsOfRead = operation.query === null ? command.columns : [CALENDAR, ...command.columns];
  const run: Run = {
    operation,
    rows: () => readRows(spool, shape),
    rowCount: selected,
    pace: options,
    again: options.again === true,
    unknownRows: unknownRowsOf(options),
    columns: isWriting ? runColumns(operation) : columnsOfRead,
    left: { ...checked, source: sourceName(call), older: olderName(options) },
  };
  const openFailed = () => openFailedOf(session, call, checked);
  if (options.plan !== undefined) {
    const { makePlan } = await import('./make-plan.ts');
    await (selected === 0 ? sayNothingToDo(session, nothingIn(checked), checked) : notifyUnchanged(session, checked));
    return makePlan(session, run, call, checked, openFailed);
  }
  // A run of no rows is never begun, so one of that name is another, and is refused.
  if (isStored && selected === 0 && (await begunRun(session, options))) await keepRun(session, call, checked, spool);
  const begun = await begin(session, {
    run,
    // Of a shard the whole input counts: otherwise each row could be sent as a shard.
    scope: isWriting ? { kind: 'rows', rows: checked.rows } : undefined,
    nothing: nothingIn(checked),
    async sayCounts() {
      await noteUncompared(session, { expects: reading.expectations, skipIf: reading.skipIf });
      await noteCounts(session, call, checked);
    },
    async ask(service) {
      if (isWriting) await lookForSameInput(session, call, checked);
      else if (operation === OPERATIONS.cardGet && session.isForPeople())
        await sayOpenRows(session, operation, run.rows());
      const shown = await confirmBulk(session, call, checked, service, run.rows);
      await compareTokenLife(session, service, selected, options.rate);
      return shown;
    },
    openFailed,
    keep: () => keepRun(session, call, checked, spool),
  });
  return typeof begun !== 'number' && operation.query !== null ? listBulk(session, begun, call) : begun;
}

function nothingIn({ unchanged, rows, leftOut }: CheckedInput): string {
  if (unchanged > 0) return `none of ${unchanged} rows differs from the older file`;
  if (rows === 0 && leftOut > 0) return `no row is left of ${plural(leftOut, 'row')} after --where and --rows`;
  return rows === 0 ? 'the input has no rows' : 'this shard has no rows';
}

/** Other files that the call reads or makes, by option. */
function othersOf({ options, reading }: BulkCall): ReadonlyMap<string, string> {
  const named: readonly (readonly [string, string | undefined])[] = [
    ['--from', reading.path],
    ['--changed-from', options.changedFrom],
    ['--plan', options.plan],
    ['--out', options.out],
  ];
  return new Map(
    named.flatMap(([option, path = '']) => (path === '' || path === '-' ? [] : [[option, path] as const])),
  );
}

async function openFailedOf(session: Session, call: BulkCall, checked: CheckedInput) {
  const { options, reading } = call;
  const { failed, plan } = options;
  const begun = await begunRun(session, options);
  // Its rows are those that it began with, whatever they come in now.
  if (begun !== undefined) return openFailed(session, failed, { ...inputOfRun(begun), others: othersOf(call) });
  return openFailed(session, failed, {
    inputFormat: reading.path === '' ? 'ids' : checked.format,
    columns: checked.columns,
    dialect: checked.dialect,
    shape: checked.shape,
    csvRaw: reading.csvRaw,
    isStored: isWrite(reading.operation) && plan === undefined,
    others: othersOf(call),
    shard: reading.shard,
  });
}

/** What the user should know of how the input is read. */
async function notifyInput(session: Printer, { reading, options }: BulkCall, checked: CheckedInput): Promise<void> {
  for (const message of [...(reading.changedFrom?.notes ?? []), ...checked.notes]) {
    await session.notify(note(checked.format === 'xlsx' ? 'WORKBOOK' : 'INPUT', message));
  }
  for (const hidden of hiddenNotices(checked)) await session.notify(hidden);
  for (const each of checked.warnings) await session.notify(each);
  const { shard, rate } = options;
  if (shard === undefined || rate === undefined) return;
  const [each, unit] = Number.isInteger(rate) ? [rate, 'second'] : [Math.round(rate * 60), 'minute'];
  const most = `${shard.count} processes send up to ${groupThousands(shard.count * each)} requests a ${unit}`;
  await session.notify(note('SHARD_RATE', `--rate holds for each shard separately: ${most}`));
}

/** The name of the `--changed-from` file in a run and its summary. */
function olderName({ changedFrom }: CallOptions): string | undefined {
  return changedFrom === undefined || changedFrom === '-' ? undefined : basename(changedFrom);
}

/** The name of the input file; undefined: stdin or the command line. */
export function sourceName({ reading: { path } }: Pick<BulkCall, 'reading'>): string | undefined {
  return path === '' || path === '-' ? undefined : basename(path);
}

async function keepRun(session: Session, call: BulkCall, checked: CheckedInput, spool: string): Promise<ActiveRun> {
  const { run } = call.options;
  const { sha256, rowsSha256, format, lastRow, selected, fileSha256, shape, columns, dialect } = checked;
  if (fileSha256 === undefined) throw new Error('the rows were not written');
  const source = sourceName(call);
  const older = olderName(call.options);
  const begun = await begunRun(session, call.options);
  if (begun !== undefined) {
    const folder = runFolder(session.stateDir(), begun.run);
    await (await import('./resume.ts')).sayWhatIsLeft(session, { folder, header: begun }, call.options);
  }
  return startRun(session, {
    name: run,
    operation: session.operation,
    host: session.placeOf(call.reading.operation.family),
    inputSha256: sha256,
    rowsSha256,
    inputFormat: format,
    spool,
    stored: { sha256: fileSha256, shape, columns: [...columns], ...(dialect && { dialect }) },
    rows: selected,
    inputRows: lastRow,
    rowOptions: ROW_OPTIONS,
    options: {
      ...storeOptions(call.reading, call.options),
      ...(source === undefined ? {} : { source }),
      ...(older === undefined ? {} : { olderFile: older }),
    },
  });
}

/** The only member of an entry that is not the service's: the calendar of its list. An entry that is no object is its `value`. */
const CALENDAR: Column = { name: 'calendar', header: 'CALENDAR', keep: true };

function withCalendar(entry: JsonValue, calendar: string): JsonObject {
  const named: readonly (readonly [string, JsonValue])[] = isJsonObject(entry) ? [...entry] : [['value', entry]];
  const members = named.filter(([name]) => name !== CALENDAR.name);
  return new Map<string, JsonValue>([[CALENDAR.name, calendar], ...members]);
}

/** So many calendars are named in a warning. */
const MAX_NAMED = 10;

/** Reads one list, or with `--active all` its two halves as one. `onFull`: there may be more. */
function listReader(
  session: Ports,
  { operation }: Run,
  { query, options }: BulkCall,
  onFull: (row: number) => void,
): RunTask<Row>['send'] {
  const { policy } = session;
  const limit = Number(query['limit'] ?? DEFAULT_LIST_LIMIT);
  const halves = options.active === 'all' ? [{ active: 'true' }, { active: 'false' }] : [{}];
  return async ({ row, params }, { pacer, stopping, abort }) => {
    const lists: JsonValue[] = [];
    let last: CallResult | undefined;
    for (const half of halves) {
      const call = { operation, params, query: { ...query, ...half }, body: undefined };
      last = await callService(session, call, { policy, listener: {}, pacer, stopping, abort });
      if (last.kind === 'failed') return last;
      lists.push(last.resource);
    }
    if (last?.kind !== 'answered') throw new Error('a list without a response');
    if (lists.some((list) => isFullList(list, limit))) onFull(row);
    return { ...last, resource: mergeLists(lists) };
  };
}

/**
 * Lists of several calendars: in json an array of the Lists as sent, elsewhere their entries with the calendar. A list
 * that fails is reported like a failed row (15). Returns the exit code.
 */
export async function listBulk(session: Session, run: Run, call: BulkCall): Promise<number> {
  const isWhole = session.output.format === 'json';
  const writer = await session.openRows(run.columns, run.rowCount);
  const full: string[] = [];
  const isFull = new Set<number>();
  const send = listReader(session, run, call, (row) => isFull.add(row));
  const sink: RowSink = async ({ row, resource = null }) => {
    if (isFull.delete(row.row)) full.push(outside(row.id ?? ''));
    if (isWhole) return writer.row(resource);
    for (const entry of entriesOf(resource)) await writer.row(withCalendar(entry, row.id ?? ''), row.row);
  };
  let report = await doRows(session, run, { isWrite: false, send, printing: { writer, sink } });
  if (full.length > 0) {
    const more = full.length > MAX_NAMED ? ` and ${full.length - MAX_NAMED} more` : '';
    const named = `${full.slice(0, MAX_NAMED).join(', ')}${more}`;
    const message = `${full.length} of ${plural(run.rowCount, 'list')} may have more entries (${named}), and the service documents no paging`;
    const failure = new Failure('PARTIAL', message);
    const isRequired = call.options.requireComplete === true;
    await (isRequired ? session.report(failure) : session.notify(warning('MAY_BE_INCOMPLETE', message)));
    if (isRequired && report.exitCode === 0) report = { ...report, exitCode: failure.exitCode };
  }
  await writeSummary(session, run, report);
  return report.exitCode;
}
