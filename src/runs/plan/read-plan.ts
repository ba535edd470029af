import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';
import { ignoreErrors, ioFailure, orIoFailure } from '../../base/files/io-failure.ts';
import { linesOf } from '../../base/files/lines.ts';
import { openReadable } from '../../base/files/readable.ts';
import { parseJson } from '../../base/json/parse.ts';
import { JsonSyntaxError } from '../../base/json/syntax-error.ts';
import { decodeUtf8 } from '../../base/json/utf8.ts';
import { isJsonObject, type JsonObject } from '../../base/json/value.ts';
import { checkFields, NOTHING_TO_CHANGE } from '../../input/fields.ts';
import { hashedBy, type InputFile } from '../../input/input-file.ts';
import { roundedProblem } from '../../input/records/columns.ts';
import { rowText } from '../../input/records/findings.ts';
import { MAX_RECORD_LENGTH } from '../../input/records/record.ts';
import { seenTable } from '../../input/records/seen-table.ts';
import type { Row } from '../../input/rows/row.ts';
import { isUpdate, type Operation } from '../../service/api/operation.ts';
import { hashFirstLine, headerOf, type PlanHeader, PlanRows } from './plan-file.ts';
import { PlanSurvey } from './plan-view.ts';

/** The last line may have none. */
const LINE_END = /\r?\n?$/;

/**
 * A plan with an intact hash, whose rows were checked like those of any input. `columns`: the ID and fields of the rows, in
 * order of appearance; `rowsSha256`: of the IDs and bodies, as of an input in any format; `lastRow`: 0 without rows.
 */
export type CheckedPlan = Awaited<ReturnType<typeof checkPlan>>;

/** What is known of a plan with an intact hash; the digest is of its bytes. */
export type SealedPlan = Pick<CheckedPlan, 'header' | 'operation' | 'sha256'>;

export interface PlanLine {
  readonly row: Row;
  readonly line: number;
}

interface Problem {
  readonly problem: string;
}

interface PlanFault extends Problem {
  readonly line: number;
  readonly field?: string | undefined;
}

const NO_JSON = 'it cannot be read as JSON';

/** The object of a line, or what is wrong with it; undefined for a blank line. */
function objectIn(bytes: Uint8Array): JsonObject | Problem | undefined {
  if (bytes.length > MAX_RECORD_LENGTH) return { problem: 'it is longer than any line of a plan' };
  try {
    const text = decodeUtf8(bytes);
    if (text.trim() === '') return undefined;
    const value = parseJson(text);
    return isJsonObject(value) ? value : { problem: 'it is not an object' };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { problem: NO_JSON };
    if (error instanceof TypeError) return { problem: 'it is not UTF-8 text' };
    throw error;
  }
}

/** USAGE for a file that is no plan. `name`: in quotes. */
function planFailure(
  name: string,
  { line, field = '', problem }: PlanFault,
  hint = 'make the plan again, or get the original file',
): Failure {
  const part = field === '' ? '' : `${field} `;
  const message = `could not use ${name} as a plan: line ${line}: ${part}${problem}`;
  return Failure.unsent('USAGE', message, { hints: [hint] });
}

/** Checks the lines of a plan against its hash. `name`: of the file, in quotes. `line`: the first one. */
export function openSeal(name: string, header: Pick<PlanHeader, 'sha256' | 'rows'>, line: Buffer) {
  const { sha256, rows: stated } = header;
  const hash = hashFirstLine(line.toString());
  /** Of the file with its original line ends. */
  const plain = hashFirstLine(line.toString().replace(LINE_END, '\n'));
  const changed = (): Failure => {
    if (plain.digest('hex') !== sha256) {
      return planFailure(name, { line: 1, problem: 'its hash does not match: the file was edited or cut off' });
    }
    const pattern = /\.\w+(?="?$)/.exec(name)?.[0] ?? '.plan';
    const hint = `add the line \`*${pattern} -text\` to .gitattributes, commit it, and get the original file`;
    return planFailure(name, { line: 1, problem: 'only its line ends were changed, as git and some editors do' }, hint);
  };
  return {
    /** Adds the next line, with its end. */
    take(bytes: Buffer): void {
      hash.update(bytes);
      plain.update(bytes.toString('latin1').replace(LINE_END, '\n'), 'latin1');
    },
    /** What is wrong with the file after all lines: it was changed, or has this fault in its rows. */
    judge(fault?: PlanFault, rows = stated): Failure | undefined {
      if (hash.digest('hex') !== sha256) return changed();
      if (fault !== undefined) return planFailure(name, fault);
      if (rows === stated) return undefined;
      return planFailure(name, { line: 1, problem: `it says ${stated} rows, not ${rows}` });
    },
  };
}

function firstLine(line: Uint8Array | undefined): ReturnType<typeof headerOf> {
  if (line === undefined) return { problem: 'the file is empty' };
  const object = objectIn(line) ?? { problem: NO_JSON };
  return 'problem' in object ? object : headerOf(object);
}

/** The bytes of a plan. Each piece is first written to a new file, which is on the disk at the end. */
async function* copied(bytes: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  const copying = <T>(work: Promise<T>) => orIoFailure(work, `cannot copy the plan to ${path}`, 'unsent');
  const copy = await copying(open(path, 'wx', 0o600));
  try {
    for await (const piece of bytes) {
      await copying(copy.writeFile(piece));
      yield piece;
    }
    await copying(copy.sync());
  } finally {
    await ignoreErrors(copy.close());
  }
}

/** Returns what checks rows by the rules for any input of their command. */
function rowJudge(operation: Operation) {
  const { params, body: schema } = operation;
  const field = Object.keys(params.shape)[0];
  // A plan compares each card with what it was, which a second change to it would break.
  const seen = operation.family === 'cards' ? seenTable() : undefined;
  return ({ id = '', body = new Map() }: Row, line: number): PlanFault | undefined => {
    const rounded = field === undefined ? undefined : roundedProblem(id);
    if (rounded !== undefined) return { line, field, problem: rounded.problem };
    const [first] = [
      ...(field === undefined ? [] : checkFields(params, { [field]: id }, () => field)),
      ...(isUpdate(operation) && body.size === 0 ? [{ where: '', problem: NOTHING_TO_CHANGE }] : []),
      ...(schema === null ? [] : checkFields(schema, Object.fromEntries(body), (name) => name)),
    ];
    if (first !== undefined) return { line, field: first.where, problem: first.problem };
    const earlier = seen?.(id, line, true) ?? 0;
    if (earlier === 0) return undefined;
    return { line, field, problem: `the same id as in line ${earlier} (${id}). A plan holds a card once` };
  };
}

/** A plan that is read once, each piece first written to the new file `copyTo`. USAGE without a valid line 1. */
async function openPlan(file: InputFile, copyTo?: string) {
  const hash = createHash('sha256');
  const bytes = copyTo === undefined ? file.bytes() : copied(file.bytes(), copyTo);
  const pieces = linesOf(hashedBy(bytes, hash), MAX_RECORD_LENGTH);
  const { value: [first = Buffer.alloc(0), ...more] = [], done } = await pieces.next();
  const head = firstLine(done === true ? undefined : first);
  if ('problem' in head) {
    await pieces.return(undefined);
    throw planFailure(file.name, { line: 1, problem: head.problem });
  }
  const seal = openSeal(file.name, head.header, first);
  async function* lines(): AsyncGenerator<readonly Buffer[]> {
    yield more;
    yield* pieces;
  }
  return { ...head, seal, hash, lines: lines() };
}

/** Line 1 of a plan whose rows were checked when it was first applied. USAGE if it was changed. */
export async function checkSeal(file: InputFile): Promise<SealedPlan> {
  const { header, operation, seal, hash, lines } = await openPlan(file);
  for await (const some of lines) for (const line of some) seal.take(line);
  const failure = seal.judge();
  if (failure !== undefined) throw failure;
  return { header, operation, sha256: hash.digest('hex') };
}

/**
 * Reads a whole plan once. USAGE, naming the line that cannot be read, or line 1 for a file that was changed, cut, or
 * is no plan. `copyTo`: a new file for the bytes that were checked. `onRows` gets the good rows in order, before the
 * plan is known to be whole.
 */
export async function checkPlan(
  file: InputFile,
  {
    copyTo,
    onRows,
  }: {
    readonly copyTo?: string;
    onRows?(rows: readonly PlanLine[], operation: Operation): Promise<void>;
  } = {},
) {
  const { header, operation, seal, hash, lines } = await openPlan(file, copyTo);
  const rows = new PlanRows(operation, header.expect);
  const faultOf = rowJudge(operation);
  const survey = new PlanSurvey();
  const columns = new Set<string>();
  const rowsHash = createHash('sha256');
  let [line, count] = [1, 0];
  let fault: PlanFault | undefined;
  const take = (bytes: Buffer): PlanLine | undefined => {
    line += 1;
    seal.take(bytes);
    const object = objectIn(bytes);
    if (object === undefined) return undefined;
    // A line that cannot be read is where the file is damaged, whatever else is wrong.
    if ('problem' in object) throw planFailure(file.name, { line, problem: object.problem });
    count += 1;
    const row = rows.read(object);
    const found = 'problem' in row ? { line, problem: row.problem } : faultOf(row, line);
    fault ??= found;
    if (found !== undefined || 'problem' in row) return undefined;
    survey.add(row);
    rowsHash.update(rowText(row));
    if (row.input instanceof Map) for (const name of row.input.keys()) columns.add(name);
    return { row, line };
  };
  for await (const some of lines) {
    const good = some.flatMap((bytes) => take(bytes) ?? []);
    await onRows?.(good, operation);
  }
  const failure = seal.judge(fault, count);
  if (failure !== undefined) throw failure;
  const digests = { sha256: hash.digest('hex'), rowsSha256: rowsHash.digest('hex') };
  return { header, operation, lastRow: rows.lastRow, survey, columns: [...columns], ...digests };
}

/** The rows of a plan that was checked before, in pieces of the file. LOCAL_IO if it was changed since. */
export async function* readPlanRows(path: string): AsyncGenerator<readonly Row[]> {
  const damaged = (line: number, problem: string) =>
    Failure.unsent('LOCAL_IO', `the plan is damaged at line ${line} (${path}): ${problem}`);
  let rows: PlanRows | undefined;
  let line = 0;
  const take = (bytes: Uint8Array): Row | undefined => {
    line += 1;
    if (rows === undefined) {
      const head = firstLine(bytes);
      if ('problem' in head) throw damaged(line, head.problem);
      rows = new PlanRows(head.operation, head.header.expect);
      return undefined;
    }
    const object = objectIn(bytes);
    const row = object === undefined || 'problem' in object ? object : rows.read(object);
    if (row !== undefined && 'problem' in row) throw damaged(line, row.problem);
    return row;
  };
  try {
    for await (const lines of linesOf((await openReadable(path)).bytes()))
      yield lines.flatMap((bytes) => take(bytes) ?? []);
  } catch (error) {
    throw ioFailure(`could not read the rows of the plan (${path})`, error, 'unsent');
  }
}
