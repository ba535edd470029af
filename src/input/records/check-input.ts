import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';
import { ignoreErrors } from '../../base/files/io-failure.ts';
import type { CsvDialect } from '../../screen/options.ts';
import { plural } from '../../screen/text.ts';
import { idParamOf } from '../../service/api/operation.ts';
import { hashedBy, type InputFile } from '../input-file.ts';
import { RowWriter } from '../rows/row-file.ts';
import { warningsOf } from '../values.ts';
import type { ColumnRoles } from './columns.ts';
import { countOf } from './fault-list.ts';
import { placeFault, toArgumentFaults, toFaults } from './fault-place.ts';
import { type Duplicates, Findings, type InputOptions } from './findings.ts';
import { type GoodRow, type Interpreted, Interpreter } from './interpret.ts';
import { readRecords } from './read.ts';
import { type InputFault, type InputFormat, type InputHeader, isTable, type ReadBatch } from './record.ts';
import { missingColumns, NO_SHAPE, type Shape, Shaper } from './shape.ts';
import { isInShard } from './shard.ts';

/** An input without faults: what was found in it, how it is written, what its rows have in common, and its digests. */
export type CheckedInput = Awaited<ReturnType<typeof checkInput>>;

/** Turns rows that the rule refuses into faulty ones. */
async function applyRule(
  interpreted: Iterable<Interpreted>,
  { checkRows }: InputOptions,
  format: InputFormat,
): Promise<Iterable<Interpreted>> {
  // One row after the other: those of a whole batch live long enough to be moved to V8's old space.
  if (checkRows === undefined) return interpreted;
  const read = [...interpreted];
  const good = read.filter((one): one is GoodRow => one.row !== undefined && one.faults.length === 0);
  const problems = await checkRows(good);
  const problemOf = new Map<Interpreted, (typeof problems)[number]>(good.map((one, index) => [one, problems[index]]));
  return read.map((one) => {
    const problem = problemOf.get(one);
    if (problem === undefined) return one;
    const fault = placeFault(one.record, format, problem.field, problem.problem);
    return { ...one, faults: [{ ...fault, kind: problem.kind }] };
  });
}

function* interpretAll({ records, format }: Pick<ReadBatch, 'records' | 'format'>, interpreter: Interpreter) {
  for (const record of records) yield interpreter.interpret(record, format);
}

/** Checks rows and writes those that will be sent. Returns their faults. */
async function takeRows(
  read: Iterable<Interpreted>,
  format: InputFormat,
  { shard }: InputOptions,
  findings: Findings,
  writer: RowWriter | undefined,
): Promise<readonly InputFault[]> {
  const faults: InputFault[] = [];
  for (const one of read) {
    const { row, record, extra } = one;
    const isSelected = one.faults.length === 0 && !one.isUnchanged && isInShard(record.row, shard);
    faults.push(...findings.add(one, format, isSelected));
    if (row === undefined || !isSelected) continue;
    const writing = writer?.add(row, record.text, extra);
    // An await for each row takes longer than writing it.
    if (writing !== undefined) await writing;
  }
  return faults;
}

function noIds({ operation, name }: InputOptions & { readonly name: string }, roles: ColumnRoles): Failure {
  const columns = roles.fields.map((field) => field.name).join(', ');
  const problem = `${name}: ${operation.command.replaceAll('.', ' ')} takes no IDs. Its columns are ${columns}`;
  return Failure.unsent('USAGE', problem);
}

/** Adds the faults of a header. Is it so wrong that each row would be wrong too? */
function isMisread(
  { header, faults, records }: Pick<ReadBatch, 'faults' | 'records'> & { readonly header: InputHeader },
  asked: Shape,
  interpreter: Interpreter,
  findings: Findings,
): boolean {
  const wrong = interpreter.checkHeader(header, records[0]);
  const { sheet, line, names, columns = names } = header;
  const isUnknown = interpreter.roles.faultsOf(header).length > 0;
  const isSo = missingColumns(asked, columns).length > 0 || (wrong.length > 0 && (isUnknown || sheet !== undefined));
  findings.faults.add(isSo ? [...wrong, ...faults.filter((fault) => fault.line === line)] : wrong);
  return isSo;
}

async function readThrough(
  bytes: AsyncIterable<Uint8Array>,
  options: InputOptions & { readonly name: string },
  findings: Findings,
  writer: RowWriter | undefined,
) {
  const interpreter = new Interpreter(options);
  const { roles, emptyCells } = interpreter;
  let format = options.format ?? 'csv';
  let columns: readonly string[] | undefined;
  let dialect: CsvDialect | undefined;
  const { shape: asked = NO_SHAPE } = options;
  const shaper = new Shaper(asked);
  for await (const read of readRecords(bytes, { ...options, ...roles.reading })) {
    for (const { names } of read.records) findings.addNames(names);
    const header = read.header && shaper.header(read.header);
    const batch = { ...read, header, ...shaper.take(read) };
    format = batch.format;
    if (format === 'ids' && roles.idParam === undefined) throw noIds(options, roles);
    findings.notes.push(...batch.notes);
    dialect = batch.dialect;
    if (batch.header !== undefined && columns === undefined) {
      columns = batch.header.columns ?? batch.header.names;
      findings.addNames(columns);
      if (isMisread({ ...read, header: batch.header }, asked, interpreter, findings)) break;
      const { hidden = [] } = batch.header;
      findings.hiddenColumns = hidden.filter((name) => roles.roleOf(asked.map.get(name) ?? name) !== 'ignored');
    }
    const judged = await applyRule(interpretAll(batch, interpreter), options, format);
    const faults = await takeRows(judged, format, options, findings, writer);
    findings.rows += batch.records.length;
    findings.lastRow = batch.records.at(-1)?.row ?? findings.lastRow;
    // Nothing in an ignored column is a fault, unless it chooses rows.
    const isJudged = (cell: number) =>
      roles.isJudged(header?.names[cell] ?? '') || asked.where.some(({ column }) => column === columns?.[cell]);
    const own = batch.faults.filter(({ cell }) => cell === undefined || isJudged(cell));
    findings.faults.add([...own, ...faults]);
  }
  const garbled = interpreter.garbled.fault;
  if (garbled !== undefined) findings.faults.add([garbled]);
  const ofOptions = [...roles.ignoredProblems(findings.columns), ...missingColumns(asked, findings.columns)];
  findings.faults.add(ofOptions.map((problem) => ({ line: 1, problem })));
  findings.leftOut = shaper.leftOut;
  const shape = interpreter.shape(format, isTable(format) ? columns : undefined);
  const { missing = 0, emptied } = options.changedFrom ?? {};
  return { format, emptyCells, emptied, missing, dialect, shape };
}

/**
 * Reads the whole input once: checks every row, finds duplicates, counts, hashes, and writes the rows that will be sent
 * to `rowsTo`, which is removed if there are faults. Keeps some 30 bytes per row. USAGE if the input has faults or
 * cannot be read, LOCAL_IO if its rows cannot be written. `isStored`: the file is for a run, and on the disk at the end.
 */
export async function checkInput(
  file: InputFile,
  options: InputOptions,
  more: { readonly duplicates: Duplicates; readonly rowsTo?: string | undefined; readonly isStored?: boolean },
) {
  const { rowsTo, isStored = false } = more;
  const writer = rowsTo === undefined ? undefined : await RowWriter.open(rowsTo, isStored);
  const hash = createHash('sha256');
  const findings = new Findings(options, more.duplicates);
  let isWhole = false;
  try {
    const read = await readThrough(hashedBy(file.bytes(), hash), { ...options, name: file.name }, findings, writer);
    const idParam = options.isArguments === true ? (idParamOf(options.operation) ?? 'id') : undefined;
    const failure = faultyInput(file.name, findings, idParam);
    if (failure !== undefined) throw failure;
    const fileSha256 = await writer?.end();
    isWhole = true;
    const warnings = warningsOf(findings.warnings, findings.suspiciousValues());
    const digests = { sha256: hash.digest('hex'), rowsSha256: findings.rowsSha256(), fileSha256 };
    const { faults: _none, ...found } = findings;
    return { ...found, ...read, warnings, columns: [...findings.columns], ...digests };
  } finally {
    await writer?.close();
    if (rowsTo !== undefined && !isWhole) await ignoreErrors(rm(rowsTo, { force: true }));
  }
}

/** The whole `--map` for headers that are nearly names of fields. */
function mapHints(faults: readonly InputFault[]): readonly string[] {
  const options = [...new Set(faults.flatMap(({ map }) => (map === undefined ? [] : [map])))];
  return options.length === 0 ? [] : [`read them as these fields: \`${options.join(' ')}\``];
}

/**
 * One USAGE failure with the first faults and their number; undefined without faults. `idParam`: the rows are IDs of the
 * command line, of this argument.
 */
export function faultyInput(
  name: string,
  { faults: all, notes }: Pick<Findings, 'faults' | 'notes'>,
  idParam?: string,
): Failure | undefined {
  const faultCount = all.count;
  if (faultCount === 0) return undefined;
  const faults = all.listed;
  const named = idParam === undefined ? toFaults(faults) : toArgumentFaults(faults, idParam);
  const listed = named.map((fault) => `${fault.where}: ${fault.problem}`);
  const more = faultCount - countOf(faults);
  const problems = more > 0 ? [...listed, `and ${more} more`] : listed;
  const count = faultCount === 1 ? '1 fault' : `${faultCount} faults`;
  // Arguments are either no IDs or given twice. People do the first, so it is explained.
  const areNoIds = idParam !== undefined && named.every(({ refusedId }) => refusedId !== undefined);
  const what = areNoIds
    ? plural(faultCount, 'of these is not a card ID', 'of these are not card IDs')
    : `${count} in ${name}`;
  return new Failure('USAGE', `${what}: ${problems.join('; ')}`, {
    after: 'unsent',
    faults: named,
    faultCount,
    hints: [
      ...mapHints(faults),
      ...(faults.some(({ field, kind }) => field === 'reason' && kind === 'reason')
        ? ['give it with --reason, or in a column reason']
        : []),
      // The user may have meant another sheet.
      ...(faults[0]?.sheet === undefined ? [] : notes),
    ],
    ...(problems.length > 1 ? { parts: { heading: what, problems } } : {}),
  });
}
