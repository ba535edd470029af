import { createHash, type Hash } from 'node:crypto';
import type { Operation } from '../api/operation.ts';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../json/value.ts';
import { hashFirstLine, type PlanHeader } from './plan-file.ts';
import { LineProblem, linesOf, type PlannedRow, parseHeader, parseLine, RowReader } from './plan-lines.ts';

const BATCH_ROWS = 256;
const RETURN = 0x0d;

/** A plan whose every byte was looked at: it is what was written. */
export interface VerifiedPlan {
  readonly header: PlanHeader;
  readonly operation: Operation;
  /** Number of the last row, in the whole input; 0 when there is none. */
  readonly lastRow: number;
  /** Hexadecimal, of the bytes as they are. */
  readonly fileSha256: string;
  /** Body fields that occur, in the order in which they first occur. */
  readonly fields: readonly string[];
}

/** USAGE for a problem of a line; anything else as it is. */
function planFailure(name: string, line: number, error: unknown): unknown {
  if (!(error instanceof LineProblem)) return error;
  const problem = `line ${error.line ?? line}: ${error.message}`;
  return new Failure('USAGE', `${name} cannot be used as a plan: ${problem}; nothing was sent`, {
    hints: [error.hint ?? 'make the plan again, or fetch the file as it was'],
  });
}

interface Verification {
  /** The path in quotes, for messages. */
  readonly name: string;
  /** Hears each row in order; a text that it answers is a fault of that row. */
  onRow?(row: PlannedRow): string | undefined;
}

/**
 * Reads a plan once, from its first byte to its last, with no more than one line in memory. USAGE, naming the line,
 * for a line that cannot be read; naming line 1 for a file that was changed, cut, or is no plan at all.
 */
export async function verifyPlan(
  pieces: AsyncIterable<Uint8Array>,
  { name, onRow }: Verification,
): Promise<VerifiedPlan> {
  const check = new PlanCheck(name, onRow);
  const whole = createHash('sha256');
  let line = 0;
  try {
    for await (const { bytes, isWhole } of linesOf(pieces)) {
      line += 1;
      whole.update(bytes);
      if (isWhole) whole.update('\n');
      check.take(bytes, isWhole, line);
    }
    return { ...check.end(), fileSha256: whole.digest('hex') };
  } catch (error) {
    throw planFailure(name, Math.max(1, line), error);
  }
}

/** `name`: in quotes. */
function changedLineEnds(name: string): LineProblem {
  const pattern = /\.\w+(?="?$)/.exec(name)?.[0] ?? '.plan';
  return new LineProblem(
    'only its line ends were changed, as git and some editors do',
    1,
    `add the line \`*${pattern} -text\` to .gitattributes, commit it, and fetch the file as it was written`,
  );
}

/** What is known of a plan while its lines come in. */
class PlanCheck {
  readonly #name: string;
  readonly #onRow: Verification['onRow'];
  /** Of the file with the line ends that it was written with; undefined: it has them so far. */
  #plainHash: Hash | undefined;
  readonly #fields = new Set<string>();
  /** Undefined until line 1 was read. */
  #begun: (ReturnType<typeof parseHeader> & { readonly hash: Hash; readonly reader: RowReader }) | undefined;
  #lastNames: readonly string[] | undefined;
  #lastRow = 0;
  #rows = 0;
  /** A line that can be read and says what cannot be: reported only when the file is what was written. */
  #fault: LineProblem | undefined;

  constructor(name: string, onRow: Verification['onRow']) {
    this.#name = name;
    this.#onRow = onRow;
  }

  take(bytes: Buffer, isWhole: boolean, line: number): void {
    const end = isWhole ? '\n' : '';
    const hasReturn = bytes.at(-1) === RETURN;
    if (this.#begun === undefined) {
      const head = parseHeader(bytes);
      const text = bytes.toString('utf8');
      const hash = hashFirstLine(text + end);
      if (hasReturn) this.#plainHash = hashFirstLine(`${text.slice(0, -1)}\n`);
      this.#begun = { ...head, hash, reader: new RowReader(head.operation) };
      return;
    }
    const { hash, reader } = this.#begun;
    if (!isWhole) this.#plainHash ??= hash.copy();
    this.#plainHash?.update(hasReturn ? bytes.subarray(0, -1) : bytes).update('\n');
    hash.update(bytes).update(end);
    // Whatever else is wrong, a line that is no JSON is where the file is damaged.
    const object = parseLine(bytes);
    try {
      this.#takeRow(reader, object, line);
    } catch (error) {
      if (!(error instanceof LineProblem)) throw error;
      this.#fault ??= new LineProblem(error.message, line);
    }
  }

  #takeRow(reader: RowReader, object: JsonObject, line: number): void {
    const row = reader.read(object, line);
    if (row.row <= this.#lastRow) throw new LineProblem('its row does not follow the one before');
    this.#lastRow = row.row;
    this.#rows += 1;
    if (row.record.names !== this.#lastNames) for (const name of row.body?.keys() ?? []) this.#fields.add(name);
    this.#lastNames = row.record.names;
    const problem = reader.problem(row) ?? (this.#fault === undefined ? this.#onRow?.(row) : undefined);
    if (problem !== undefined) throw new LineProblem(problem);
  }

  end(): Omit<VerifiedPlan, 'fileSha256'> {
    if (this.#begun === undefined) throw new LineProblem('the file is empty', 1);
    const { header, operation, hash } = this.#begun;
    if (hash.digest('hex') !== header.sha256) {
      if (this.#plainHash?.digest('hex') === header.sha256) throw changedLineEnds(this.#name);
      throw new LineProblem('its hash is not that of the file, which was changed or cut', 1);
    }
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#rows !== header.rows) throw new LineProblem(`it says ${header.rows} rows, not ${this.#rows}`, 1);
    return { header, operation, lastRow: this.#lastRow, fields: [...this.#fields] };
  }
}

/** The rows of a plan that was verified. USAGE when the file is no longer what it was. */
export async function* plannedRows(
  pieces: AsyncIterable<Uint8Array>,
  operation: Operation,
  name: string,
): AsyncGenerator<readonly PlannedRow[]> {
  const reader = new RowReader(operation);
  let line = 0;
  let batch: PlannedRow[] = [];
  try {
    for await (const { bytes } of linesOf(pieces)) {
      line += 1;
      if (line > 1) batch.push(reader.read(parseLine(bytes), line));
      if (batch.length < BATCH_ROWS) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    throw planFailure(name, line, error);
  }
  if (batch.length > 0) yield batch;
}
