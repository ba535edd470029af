import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWrite, type Operation } from '../api/operation.ts';
import { openFailedFile } from '../bulk/failed-file.ts';
import { isRunName } from '../bulk/run-folder.ts';
import { type ActiveRun, beginRun, type RunPorts, spoolPath } from '../bulk/run-store.ts';
import type { CallCommand } from '../commands/command.ts';
import type { Service, Session } from '../commands/session.ts';
import { Failure, type Fault, usageFailure } from '../failure.ts';
import { ioFailure } from '../files/io-failure.ts';
import { checkFieldTexts } from '../input/check-fields.ts';
import type { ExpectationInput } from '../input/expect.ts';
import { describeFields } from '../input/fields.ts';
import { type InputFile, openInput } from '../input/input-file.ts';
import { lastValue, type RawInput } from '../input/raw-input.ts';
import { type ChangedFrom, readChangedFrom } from '../input/records/changed-from.ts';
import { type CheckedInput, checkInput, faultyInputFailure } from '../input/records/check-input.ts';
import type { Row } from '../input/records/interpret.ts';
import { type InputOptions, rowsOf } from '../input/records/rows.ts';
import { safeText } from '../output/safe-text.ts';
import { printDryRunRows } from './dry-run.ts';
import { executeRun } from './execute-run.ts';
import { nameOfFlag, readExpectations, readGivenFields } from './read-call.ts';
import {
  failureLimitOf,
  type ManyOptions,
  ROW_OPTIONS,
  type RowOptions,
  readManyOptions,
  storeOptions,
} from './run-options.ts';
import { writeEmptySummary } from './run-output.ts';
import { callOf, manyColumns, placeOf } from './run-rows.ts';
import { reasonProblem, refuseReadOnly } from './write-guards.ts';

/** What was asked for, checked as far as the command line goes. */
interface ManyPlan {
  readonly operation: Operation;
  readonly options: ManyOptions;
  readonly rows: RowOptions;
  readonly changedFrom: { readonly index: ChangedFrom; readonly bytes: Uint8Array } | undefined;
}

/** Bytes that are at hand as an input. */
function inputOfBytes(name: string, bytes: Uint8Array): InputFile {
  return {
    name,
    isRereadable: true,
    bytes: async function* () {
      yield bytes;
    },
    close: async () => undefined,
  };
}

/** Several ids of the command line as an input: one JSON object a line, so that no character of an id has a meaning. */
function inputOfWords(words: readonly string[], idParam: string): InputFile {
  const text = words.map((word) => `${JSON.stringify({ [idParam]: word })}\n`).join('');
  return inputOfBytes('the ids given', Buffer.from(text, 'utf8'));
}

/** The older file, read once: what is compared with is what a resume finds again. */
async function loadChangedFrom(
  session: Session,
  operation: Operation,
  path: string,
): Promise<NonNullable<ManyPlan['changedFrom']>> {
  const file = await openInput(path, session.context.stdin, '--changed-from');
  const pieces: Uint8Array[] = [];
  for await (const piece of file.bytes()) pieces.push(Uint8Array.from(piece));
  const bytes = Buffer.concat(pieces);
  const options = { operation, path, csvRaw: session.output.csvRaw };
  return { bytes, index: await readChangedFrom(inputOfBytes(file.name, bytes), options) };
}

function optionFaults(command: CallCommand, input: RawInput, options: ManyOptions, faults: Fault[]) {
  const hasFrom = lastValue(input, 'from') !== undefined;
  if (hasFrom && input.words.length > 0) {
    faults.push({ where: `<${command.arguments[0]?.name ?? 'id'}> and --from`, problem: 'exclude each other' });
  }
  if (options.runName !== undefined && !isRunName(options.runName)) {
    faults.push({
      where: '--run',
      problem: `must be 1 to 64 of A-Z a-z 0-9 . _ -, not dots alone, not "${options.runName}"`,
    });
  }
  if (options.changedFromPath !== undefined && !hasFrom) {
    faults.push({ where: '--changed-from', problem: 'belongs to --from' });
  }
  if (options.changedFromPath === '-' && lastValue(input, 'from') === '-') {
    faults.push({ where: '--changed-from and --from', problem: 'cannot both read stdin' });
  }
  if (options.failedPath === '-') {
    faults.push({ where: '--failed', problem: 'must be a file: stdout carries the results' });
  }
  if (command.writes && input.options.has('no-history')) {
    faults.push({ where: '--no-history', problem: 'a run of many rows always keeps its journal' });
  }
}

async function readPlan(session: Session, command: CallCommand, input: RawInput, faults: Fault[]): Promise<ManyPlan> {
  const options = readManyOptions(input, faults);
  optionFaults(command, input, options, faults);
  const given = await readGivenFields(session, command, input);
  faults.push(...given.faults);
  const { operation } = given;
  const expectations: readonly ExpectationInput[] = readExpectations(
    input,
    lastValue(input, 'from') !== undefined,
    faults,
  );
  const body = operation.body;
  const checked =
    body === null
      ? { values: {}, faults: [] }
      : checkFieldTexts(
          body,
          new Map([...given.fields].filter(([name]) => describeFields(body).some((field) => field.name === name))),
          { nameOf: nameOfFlag(command), source: 'flag', partial: true },
        );
  faults.push(...checked.faults);
  const changedFrom =
    options.changedFromPath === undefined || faults.length > 0
      ? undefined
      : await loadChangedFrom(session, operation, options.changedFromPath);
  return {
    operation,
    options,
    changedFrom,
    rows: {
      defaults: checked.values,
      expectations,
      emptyCells: options.emptyCells,
      csvRaw: session.output.csvRaw,
      shard: options.shard,
      changedFromSha256:
        changedFrom === undefined ? undefined : createHash('sha256').update(changedFrom.bytes).digest('hex'),
    },
  };
}

/** Raises USAGE for what is wrong with the options of a call over many rows; its input is not read yet. */
export async function checkManyOptions(session: Session, command: CallCommand, input: RawInput): Promise<void> {
  const faults: Fault[] = [];
  await readPlan(session, command, input, faults);
  if (faults.length > 0) throw usageFailure(faults);
}

/** A row's `reason` held against the profile's `requireReason`: a fault of the row. */
function reasonCheck(session: Session, operation: Operation): InputOptions['checkRow'] {
  const pattern = session.profile.requireReason;
  const hasReason = operation.body !== null && describeFields(operation.body).some((field) => field.name === 'reason');
  if (pattern === undefined || !hasReason) return undefined;
  return (row: Row) => {
    const reason = row.body?.get('reason');
    const problem = reasonProblem(pattern, typeof reason === 'string' ? reason : undefined);
    return problem === undefined ? undefined : { field: 'reason', problem };
  };
}

/** `Block cards`, of `card.block`; `Update subscribers`, of `calendar.subscribers.update`. */
function wordsOf(operation: string): string {
  const [verb = '', noun = ''] = operation.split('.').reverse();
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${noun.replace(/s$/, '')}s`;
}

/** Asks before many rows are written, or refuses where nobody can be asked (contract section 7). */
async function confirmMany(session: Session, plan: ManyPlan, checked: CheckedInput, service: Service): Promise<void> {
  const { effect } = plan.operation;
  const mustAsk = effect.kind === 'write' && (checked.selected > 1 || effect.confirm) && !session.common.yes;
  if (!mustAsk) return;
  const rows = checked.selected === 1 ? '1 row' : `${checked.selected} rows`;
  if (!session.prompt.available) {
    throw new Failure('USAGE', `${session.operation} of ${rows}: nobody can be asked here, and --yes is missing`, {
      hints: ['add --yes to do it without a question; nothing was sent'],
    });
  }
  const shown = checked.first.map((row) => {
    const cells = row.record.names.map((name, index) => `${name}=${String(row.record.values[index] ?? '')}`);
    return `  row ${row.row}: ${safeText(cells.join(', ')).slice(0, 200)}\n`;
  });
  const rest = checked.selected - checked.first.length;
  const empty = [...checked.emptyCells].map(([column, count]) => `${safeText(column)} ${count}`);
  await session.context.stderr.write(
    [
      ...shown,
      rest > 0 ? `  and ${rest} more\n` : '',
      empty.length > 0 ? `  empty cells leave these as they are: ${empty.join(', ')}\n` : '',
    ].join(''),
  );
  const where = session.profile.isSandbox ? '' : ` on ${session.profile.name} (${service.host})`;
  if (await session.prompt.confirm(`${wordsOf(session.operation)}: ${rows}${where}?`)) return;
  throw new Failure('CANCELLED', `${session.operation} of ${rows}: not confirmed; nothing was sent`, {
    details: { outcome: 'not_sent' },
  });
}

/** A token that ends before the work does is told before it starts: a run stopped half-way by 401 can be avoided. */
async function compareTokenLife(
  session: Session,
  service: Service,
  rows: number,
  rate: number | undefined,
): Promise<void> {
  const remainingMs = await service.remainingMs();
  if (remainingMs === undefined) return;
  const perSecond = rate ?? session.preferences.concurrency.value / 0.25;
  const neededMs = (rows / perSecond) * 1000;
  if (remainingMs >= neededMs) return;
  const { formatDuration } = await import('../input/duration.ts');
  const message = `the token ends in ${formatDuration(Math.max(0, remainingMs))}, and ${rows} rows take about ${formatDuration(neededMs)}; the run can be resumed after a new login`;
  await session.notify({ code: 'TOKEN_TOO_SHORT', level: 'warning', message });
}

function portsOf(session: Session): RunPorts {
  const { clock, pid, random } = session.context;
  return { stateDir: session.stateDir(), clock, pid, random };
}

async function startRun(
  session: Session,
  plan: ManyPlan,
  checked: CheckedInput,
  copy: string,
  service: Service,
): Promise<ActiveRun> {
  const { preferences, context, output, profile, operation } = session;
  return beginRun(portsOf(session), {
    name: plan.options.runName,
    operation,
    profile: profile.name,
    host: placeOf(session, service),
    user: context.user,
    tokenFingerprint: await service.fingerprint(),
    input: {
      sha256: checked.sha256,
      format: checked.format,
      source: { path: copy },
      older: plan.changedFrom?.bytes,
    },
    rows: checked.selected,
    inputRows: checked.rows,
    options: storeOptions(plan.rows, plan.options.pace, {
      concurrency: preferences.concurrency.value,
      timeoutMs: preferences.timeoutMs.value,
      retries: preferences.retries.value,
      retryMaxTimeMs: session.policy.retryMaxTimeMs,
      output: output.format,
    }),
    rowOptions: ROW_OPTIONS,
  });
}

/** Runs a command over several ids or a file (contract section 8). Answers the exit code. */
export async function runMany(session: Session, command: CallCommand, input: RawInput): Promise<number> {
  const faults: Fault[] = [];
  const plan = await readPlan(session, command, input, faults);
  const { operation, options } = plan;
  refuseReadOnlyWrite(session, operation);
  const path = lastValue(input, 'from');
  const open = async (): Promise<InputFile> =>
    path === undefined
      ? inputOfWords(input.words, command.idParam ?? 'id')
      : openInput(path, session.context.stdin, '--from');
  const reading: InputOptions = {
    operation,
    defaults: plan.rows.defaults,
    expectations: plan.rows.expectations,
    emptyCells: plan.rows.emptyCells,
    resendUnknown: options.resendUnknown,
    changedFrom: plan.changedFrom?.index,
    checkRow: reasonCheck(session, operation),
    path: path ?? '',
    format: path === undefined ? 'ndjson' : options.format,
    csvRaw: plan.rows.csvRaw,
    shard: plan.rows.shard,
  };
  if (faults.length > 0) throw usageFailure(faults);
  const copy = await placeForCopy(session, operation);
  try {
    const file = await open();
    const checked = await checkInput(file, reading, { allowDuplicates: options.allowDuplicates, copyTo: copy.path });
    if (checked.kind === 'faulty') throw faultyInputFailure(file, checked);
    return await runChecked(session, command, plan, reading, checked, copy.path);
  } finally {
    await copy.remove();
  }
}

function refuseReadOnlyWrite(session: Session, operation: Operation): void {
  if (isWrite(operation)) refuseReadOnly(session);
}

/** Where the input is copied while it is checked: stdin cannot be read twice, and a file may change meanwhile. */
async function placeForCopy(
  session: Session,
  operation: Operation,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  if (isWrite(operation) && !session.common.dryRun) {
    const path = await spoolPath(portsOf(session));
    return { path, remove: () => rm(path, { force: true }) };
  }
  const { mkdtemp } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  try {
    const folder = await mkdtemp(join(tmpdir(), 'frontdesk-'));
    return { path: join(folder, 'input'), remove: () => rm(folder, { recursive: true, force: true }) };
  } catch (error) {
    throw ioFailure(`cannot make a folder in ${tmpdir()}`, error, 'nothing was sent');
  }
}

async function runChecked(
  session: Session,
  command: CallCommand,
  plan: ManyPlan,
  reading: InputOptions,
  checked: CheckedInput,
  copy: string,
): Promise<number> {
  const { operation, options } = plan;
  for (const warning of checked.warnings) {
    await session.notify({ code: 'SUSPICIOUS_ID', level: 'warning', message: warning });
  }
  const rowsIn = (inputPath: string) =>
    async function* () {
      const file = await openInput(inputPath, session.context.stdin, '--from');
      yield* rowsOf(file, { ...reading, format: checked.format });
    };
  const columns = manyColumns(command, operation);
  const isDryRun = session.common.dryRun && isWrite(operation);
  if (isDryRun) await printDryRunRows(session, rowsIn(copy)(), (row) => callOf(operation, row));
  else if (checked.selected === 0) await session.print({ kind: 'list', document: [], rows: [], columns });
  if (checked.selected === 0) await tellNothingToDo(session, checked);
  if (isDryRun || checked.selected === 0) return 0;
  const service = await session.service(operation.family);
  await confirmMany(session, plan, checked, service);
  await compareTokenLife(session, service, checked.selected, options.pace.rate);
  const failedFile =
    options.failedPath === undefined
      ? undefined
      : await openFailedFile({
          path: options.failedPath,
          inputFormat: reading.path === '' ? 'ids' : checked.format,
          columns: checked.columns,
          csvRaw: plan.rows.csvRaw,
          pid: session.context.pid,
        });
  try {
    const run = isWrite(operation) ? await startRun(session, plan, checked, copy, service) : undefined;
    return await executeRun(session, {
      operation,
      service,
      policy: session.policy,
      rows: rowsIn(run?.folder.input ?? copy),
      rowCount: checked.selected,
      concurrency: session.preferences.concurrency.value,
      rate: options.pace.rate,
      maxFailures: failureLimitOf(options.pace, checked.selected),
      run,
      unknownRows: options.resendUnknown ? 'resend' : 'leave',
      failedFile,
      columns,
      emptyCells: checked.emptyCells,
      unchanged: checked.unchanged,
    });
  } catch (error) {
    await failedFile?.discard().catch(() => undefined);
    throw error;
  }
}

async function tellNothingToDo(session: Session, checked: CheckedInput): Promise<void> {
  const message =
    checked.unchanged > 0
      ? `nothing to do: none of ${checked.unchanged} rows differs from the older file`
      : checked.rows === 0
        ? 'nothing to do: the input has no rows'
        : 'nothing to do: this shard has no rows';
  await session.notify({ code: 'NOTHING_TO_DO', level: 'note', message });
  if (!session.common.dryRun) await writeEmptySummary(session);
}
