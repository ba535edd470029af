import { createHash, type Hash } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { InputFault } from '../input/records/record.ts';
import type { ReadThrough, Seal } from '../input/records/rows.ts';
import type { PlanHeader } from './plan-file.ts';

const NEWLINE = 0x0a;
const OWN_NAMES = /("(?:plan|sha256)"\s*:\s*)"[0-9a-f]*"/g;

/** Begins the hash of a plan with its line 1, in which the two values that follow from the hash are empty. */
export function hashFirstLine(line: string): Hash {
  // A quote inside a text is escaped, so that what looks like a member is one.
  return createHash('sha256').update(line.replace(OWN_NAMES, '$1""'));
}

/** USAGE for what makes a file no plan. `name`: in quotes. */
export function planFailure(
  name: string,
  { line, column, field = column, problem }: InputFault,
  hint = 'make the plan again, or fetch the file as it was',
): Failure {
  const part = field === undefined ? '' : `${field} `;
  const message = `${name} cannot be used as a plan: line ${line}: ${part}${problem}`;
  return Failure.unsent('USAGE', message, { hints: [hint] });
}

/** Holds the bytes of a plan against the hash in its header. */
export class PlanSeal implements Seal {
  readonly #name: string;
  readonly #header: PlanHeader;
  /** Line 1, as far as it has come. */
  #start = Buffer.alloc(0);
  #hash: Hash | undefined;
  /** Of the file with the line ends that it was written with, where that of line 1 is another. */
  #plain: Hash | undefined;
  /** A carriage return at the end of a piece. */
  #return = '';
  #last: number | undefined;

  /** `name`: in quotes. */
  constructor(name: string, header: PlanHeader) {
    this.#name = name;
    this.#header = header;
  }

  update(piece: Uint8Array): void {
    if (this.#hash !== undefined) {
      this.#take(this.#hash, piece);
      return;
    }
    this.#start = Buffer.concat([this.#start, piece]);
    const end = this.#start.indexOf(NEWLINE) + 1;
    if (end > 0) this.#take(this.#begin(end), this.#start.subarray(end));
  }

  judge({ unreadable, faults: [fault], rows }: ReadThrough): Failure | undefined {
    // Whatever else is wrong, a line that cannot be read is where the file is damaged.
    if (unreadable !== undefined) return planFailure(this.#name, unreadable);
    const { sha256, rows: said } = this.#header;
    const hash = this.#hash ?? this.#begin(this.#start.length);
    const plain = (this.#plain ?? hash.copy()).update(this.#last === NEWLINE ? '' : '\n');
    if (hash.digest('hex') !== sha256) return this.#changed(plain.digest('hex') === sha256);
    if (fault !== undefined) return planFailure(this.#name, fault);
    if (rows === said) return undefined;
    return planFailure(this.#name, { line: 1, problem: `it says ${said} rows, not ${rows}` });
  }

  #begin(end: number): Hash {
    const line = this.#start.toString('utf8', 0, end);
    this.#last = this.#start[end - 1];
    if (line.endsWith('\r\n')) this.#plain = hashFirstLine(`${line.slice(0, -2)}\n`);
    this.#hash = hashFirstLine(line);
    return this.#hash;
  }

  #take(hash: Hash, piece: Uint8Array): void {
    if (piece.length === 0) return;
    hash.update(piece);
    this.#last = piece.at(-1);
    if (this.#plain === undefined) return;
    const text = this.#return + Buffer.from(piece).toString('latin1');
    this.#return = text.endsWith('\r') ? '\r' : '';
    this.#plain.update(text.slice(0, text.length - this.#return.length).replaceAll('\r\n', '\n'), 'latin1');
  }

  #changed(areLineEnds: boolean): Failure {
    if (!areLineEnds) {
      return planFailure(this.#name, {
        line: 1,
        problem: 'its hash is not that of the file, which was changed or cut',
      });
    }
    const pattern = /\.\w+(?="?$)/.exec(this.#name)?.[0] ?? '.plan';
    return planFailure(
      this.#name,
      { line: 1, problem: 'only its line ends were changed, as git and some editors do' },
      `add the line \`*${pattern} -text\` to .gitattributes, commit it, and fetch the file as it was written`,
    );
  }
}
