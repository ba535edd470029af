import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Failure } from '../../failure.ts';
import { ignoreErrors } from '../../files/io-failure.ts';
import type { CsvDialect } from '../../output/options.ts';
import { plural } from '../../output/text.ts';
import { RowWriter } from '../../rows/row-file.ts';
import { hashedBy, type InputFile } from '../input-file.ts';
import { warningsOf } from '../values.ts';
import { placeFault, toArgumentFaults, toFaults } from './fault-place.ts';
import { type Duplicates, Findings, type InputOptions } from './findings.ts';
import { type GoodRow, type Interpreted, Interpreter } from './interpret.ts';
import { readRecords } from './read.ts';
import { type InputFault, type InputFormat, isTable, type ReadBatch } from './record.ts';
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
    return { ...one, faults: [placeFault(one.record, format, problem.field, problem.problem)] };
  });
}

function* interpretAll({ records, format }: ReadBatch, interpreter: Interpreter, findings: Findings) {
  for (const record of records) {
    findings.addNames(record.names);
    yield interpreter.interpret(record, format);
  }
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

async function readThrough(
  bytes: AsyncIterable<Uint8Array>,
  options: InputOptions & { readonly name: string },
  findings: Findings,
  writer: RowWriter | undefined,
) {
  const interpreter = new Interpreter(options);
  const { roles, emptyCells, emptied } = interpreter;
  let format = options.format ?? 'csv';
  let columns: readonly string[] | undefined;
  let dialect: CsvDialect | undefined;
  for await (const batch of readRecords(bytes, { ...options, columns: roles.names })) {
    format = batch.format;
    findings.notes.push(...batch.notes);
    dialect = batch.dialect;
    if (batch.header !== undefined && columns === undefined) {
      columns = batch.header.names;
      findings.addNames(columns);
      const wrong = interpreter.checkHeader(batch.header);
      // With a wrong header, each row would be wrong too.
      const { sheet, hidden = [] } = batch.header;
      const isMisread = wrong.length > 0 && (roles.faultsOf(batch.header).length > 0 || sheet !== undefined);
      const { line } = batch.header;
      findings.addFaults(isMisread ? [...wrong, ...batch.faults.filter((fault) => fault.line === line)] : wrong);
      if (isMisread) break;
      findings.hiddenColumns = hidden.filter((name) => roles.roleOf(name) !== 'ignored');
    }
    const judged = await applyRule(interpretAll(batch, interpreter, findings), options, format);
    const faults = await takeRows(judged, format, options, findings, writer);
    findings.rows += batch.records.length;
    findings.addFaults([...batch.faults, ...faults]);
  }
  const garbled = interpreter.garbled.fault;
  if (garbled !== undefined) findings.addFaults([garbled]);
  findings.addFaults(roles.ignoredProblems(findings.columns).map((problem) => ({ line: 1, problem })));
  const shape = interpreter.shape(format, isTable(format) ? columns : undefined);
  return { format, emptyCells, emptied, missing: options.changedFrom?.missing ?? 0, dialect, shape };
}

/**
 * Reads the whole input once: checks every row, finds duplicates, counts, hashes, and writes the rows that will be sent
 * to `rowsTo`, which is removed if there are faults. Keeps some 30 bytes per row. USAGE if the input has faults or
 * cannot be read, LOCAL_IO if its rows cannot be written. `isKept`: the file is for a run, and on the disk at the end.
 */
export async function checkInput(
  file: InputFile,
  options: InputOptions,
  more: { readonly duplicates: Duplicates; readonly rowsTo?: string | undefined; readonly isKept?: boolean },
) {
  const { rowsTo, isKept = false } = more;
  const writer = rowsTo === undefined ? undefined : await RowWriter.open(rowsTo, isKept);
  const hash = createHash('sha256');
  const findings = new Findings(options, more.duplicates);
  let isWhole = false;
  try {
    const read = await readThrough(hashedBy(file.bytes(), hash), { ...options, name: file.name }, findings, writer);
    const failure = faultyInput(file.name, options, findings);
    if (failure !== undefined) throw failure;
    const fileSha256 = await writer?.end();
    isWhole = true;
    const warnings = warningsOf(findings.warnings, findings.suspiciousValues());
    const digests = { sha256: hash.digest('hex'), rowsSha256: findings.rowsSha256(), fileSha256 };
    return { ...findings, ...read, warnings, columns: [...findings.columns], ...digests };
  } finally {
    await writer?.close();
    if (rowsTo !== undefined && !isWhole) await ignoreErrors(rm(rowsTo, { force: true }));
  }
}

/** One USAGE failure with the first faults and their number; undefined without faults. */
function faultyInput(name: string, { isArguments, operation }: InputOptions, { faults, faultCount, notes }: Findings) {
  if (faultCount === 0) return undefined;
  const named =
    isArguments === true ? toArgumentFaults(faults, Object.keys(operation.params.shape)[0] ?? 'id') : toFaults(faults);
  const listed = named.map((fault) => `${fault.where}: ${fault.problem}`);
  const more = faultCount - faults.length;
  const all = more > 0 ? [...listed, `and ${more} more`] : listed;
  const count = faultCount === 1 ? '1 fault' : `${faultCount} faults`;
  // Arguments are either no IDs or given twice. People do the first, so it is explained.
  const areNoIds = isArguments === true && named.every(({ refusedId }) => refusedId !== undefined);
  const what = areNoIds
    ? plural(faultCount, 'of these is not a card id', 'of these are not card ids')
    : `${count} in ${name}`;
  const heading = `${what}, nothing was sent:`;
  return new Failure('USAGE', `${heading} ${all.join('; ')}`, {
    faults: named,
    faultCount,
    hints: [
      ...(faults.some(({ field }) => field === 'reason') ? ['give it with --reason, or in a column reason'] : []),
      // The user may have meant another sheet.
      ...(faults[0]?.sheet === undefined ? [] : notes),
    ],
    ...(all.length > 1 ? { parts: { heading, problems: all } } : {}),
  });
}
