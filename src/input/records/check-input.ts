import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { Failure, type Notice } from '../../failure.ts';
import { ignoreErrors, orIoFailure } from '../../files/io-failure.ts';
import type { InputFile } from '../input-file.ts';
import { warningsOf } from '../suspicious-values.ts';
import { placeFault, toArgumentFaults, toFaults } from './fault-place.ts';
import { type Duplicates, Findings } from './findings.ts';
import { type Interpreted, Interpreter } from './interpret.ts';
import { readRecords } from './read.ts';
import type { InputFault, InputFormat } from './record.ts';
import type { InputOptions } from './rows.ts';

/** An input without faults. */
export interface CheckedInput
  extends Pick<
    Findings,
    'rows' | 'changed' | 'selected' | 'unchanged' | 'hidden' | 'hiddenColumns' | 'past' | 'first' | 'notes'
  > {
  readonly format: InputFormat;
  /** Empty CSV cells that leave a field as it is, by column. */
  readonly emptyCells: ReadonlyMap<string, number>;
  /** Those of them that had a value in the file of `--changed-from`, by column. */
  readonly emptied: ReadonlyMap<string, number>;
  /** Rows of the file of `--changed-from` that the input lacks. */
  readonly missing: number;
  /** Original columns, in the order in which they first occur. */
  readonly columns: readonly string[];
  /** Ids that look pasted by mistake, the first few, and values that were perhaps not meant. */
  readonly warnings: readonly Notice[];
  /** Hexadecimal, of the bytes as they were read. */
  readonly sha256: string;
  /** Hexadecimal, of the ids and bodies of the rows that will be sent. */
  readonly rowsSha256: string;
}

/** The bytes on their way to the reader. `see` is done with each piece before it is looked at. */
async function* passedOn(
  bytes: AsyncIterable<Uint8Array>,
  see: (piece: Uint8Array) => Promise<void> | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    await see(piece);
    yield piece;
  }
}

/** Rows that a rule of its own refuses become faulty ones. */
async function applyRule(
  read: readonly Interpreted[],
  { checkRows }: InputOptions,
  format: InputFormat,
): Promise<readonly Interpreted[]> {
  if (checkRows === undefined) return read;
  const rows = read.flatMap((found) => (found.kind === 'row' ? [found.row] : []));
  const problems = new Map((await checkRows(rows)).map((problem, index) => [rows[index], problem]));
  return read.map((found) => {
    const problem = found.kind === 'row' ? problems.get(found.row) : undefined;
    if (problem === undefined || found.row === undefined) return found;
    const fault = placeFault(found.row.record, format, problem.field, problem.problem);
    return { kind: 'faults', row: found.row, faults: [fault] };
  });
}

async function readThrough(
  bytes: AsyncIterable<Uint8Array>,
  options: InputOptions & { readonly name: string },
  findings: Findings,
): Promise<Pick<CheckedInput, 'format' | 'emptyCells' | 'emptied' | 'missing'>> {
  const interpreter = new Interpreter(options);
  const { roles, emptyCells, emptied } = interpreter;
  let format = options.format ?? 'csv';
  let isHeaderChecked = false;
  for await (const batch of readRecords(bytes, { ...options, columns: roles.names })) {
    format = batch.format;
    findings.notes.push(...batch.notes);
    if (batch.header !== undefined && !isHeaderChecked) {
      isHeaderChecked = true;
      findings.addNames(batch.header.names);
      const wrong = interpreter.checkHeader(batch.header);
      // By a wrong header each row would be wrong too.
      const { sheet, hidden = [] } = batch.header;
      const isMisread = wrong.length > 0 && (roles.faultsOf(batch.header).length > 0 || sheet !== undefined);
      const { line } = batch.header;
      findings.addFaults(isMisread ? [...wrong, ...batch.faults.filter((fault) => fault.line === line)] : wrong);
      if (isMisread) break;
      findings.hiddenColumns = hidden.filter((name) => roles.roleOf(name) !== 'ignored');
    }
    const faults: InputFault[] = [...batch.faults];
    findings.unreadable ??= batch.faults[0];
    const read = batch.records.map((record) => {
      findings.addNames(record.names);
      return interpreter.interpret(record, format);
    });
    for (const interpreted of await applyRule(read, options, format)) {
      faults.push(...findings.add(interpreted, format));
    }
    findings.rows += batch.records.length;
    findings.addFaults(faults);
  }
  const garbled = interpreter.garbled.fault;
  if (garbled !== undefined) findings.addFaults([garbled]);
  findings.addFaults(roles.ignoredProblems(findings.columns).map((problem) => ({ line: 1, problem })));
  return { format, emptyCells, emptied, missing: options.changedFrom?.missing ?? 0 };
}

/**
 * Reads the whole input once: checks every row, finds duplicates, counts, hashes, and copies the bytes to
 * `copyTo` (a new file of mode 0600, on disk when this resolves; removed again when there are faults). Nothing
 * is kept per row but 20 bytes, so memory does not grow with the input. Rejects with USAGE when the input has faults or
 * cannot be read and LOCAL_IO when it cannot be copied.
 */
export async function checkInput(
  file: InputFile,
  options: InputOptions,
  more: { readonly duplicates: Duplicates; readonly copyTo?: string },
): Promise<CheckedInput> {
  const { copyTo } = more;
  const { seal } = options;
  // stdin cannot be read twice, and a file may change meanwhile.
  const copying = <T>(work: Promise<T>) => orIoFailure(work, `cannot copy the input to ${copyTo}`, 'unsent');
  const copy = copyTo === undefined ? undefined : await copying(open(copyTo, 'wx', 0o600));
  const hash = createHash('sha256');
  const findings = new Findings(options, more.duplicates);
  let isKept = false;
  try {
    const bytes = passedOn(file.bytes(), (piece) => {
      hash.update(piece);
      seal?.update(piece);
      return copy && copying(copy.writeFile(piece));
    });
    const read = await readThrough(bytes, { ...options, name: file.name }, findings);
    const failure = seal === undefined ? faultyInput(file, options, findings) : seal.judge(findings);
    if (failure !== undefined) throw failure;
    await (copy && copying(copy.sync()));
    isKept = true;
    const warnings = warningsOf(findings.warnings, findings.suspiciousValues());
    const digests = { sha256: hash.digest('hex'), rowsSha256: findings.rowsSha256() };
    return { ...findings, ...read, warnings, columns: [...findings.columns], ...digests };
  } finally {
    if (copy !== undefined) await ignoreErrors(copy.close());
    if (copyTo !== undefined && !isKept) await ignoreErrors(rm(copyTo, { force: true }));
  }
}

/** One USAGE failure of a faulty input: the first faults, and how many more there are. Undefined: it has none. */
function faultyInput(
  file: InputFile,
  { isArguments, operation }: InputOptions,
  { faults, faultCount, notes }: Findings,
): Failure | undefined {
  if (faultCount === 0) return undefined;
  const named =
    isArguments === true ? toArgumentFaults(faults, Object.keys(operation.params.shape)[0] ?? 'id') : toFaults(faults);
  const listed = named.map((fault) => `${fault.where}: ${fault.problem}`);
  const more = faultCount - faults.length;
  const all = more > 0 ? [...listed, `and ${more} more`] : listed;
  const count = faultCount === 1 ? '1 fault' : `${faultCount} faults`;
  // Arguments are either no ids or given twice: the first is said in words, since it is what people do.
  const areNoIds = isArguments === true && named.every(({ refusedId }) => refusedId !== undefined);
  const what = areNoIds ? `${faultCount} of these are not card ids` : `${count} in ${file.name}`;
  const heading = `${what}, nothing was sent:`;
  return new Failure('USAGE', `${heading} ${all.join('; ')}`, {
    faults: named,
    faultCount,
    // Another sheet may be the one that was meant.
    hints: faults[0]?.sheet === undefined ? [] : notes,
    ...(all.length > 1 ? { parts: { heading, problems: all } } : {}),
  });
}
