import { type CellRange, parseRange } from './cell.ts';
import { damaged } from './packed.ts';

/** Spreadsheets become too slow for more. */
const MAX_RANGES = 50_000;
/** Columns of all of them. */
const MAX_COVERED = 200_000;
const TOO_MANY = 'it has too many merged cells and conditional formats';

/** Reads the ranges of merged cells and of conditional formats of a sheet. What cannot be read, or too many, is damage. */
export class SheetRanges {
  readonly #part: string;
  #count = 0;
  #covered = 0;

  constructor(part: string) {
    this.#part = part;
  }

  read(reference: string, what: string): CellRange {
    const range = parseRange(reference);
    this.#count += 1;
    if (this.#count > MAX_RANGES) this.#refuse(TOO_MANY);
    return range ?? this.#refuse(`${what} cannot be read`);
  }

  /** The columns that a range covers, of those before `end`. */
  columnsOf({ left, right }: CellRange, end: number): readonly number[] {
    const length = Math.max(0, Math.min(right + 1, end) - left);
    this.#covered += length;
    if (this.#covered > MAX_COVERED) this.#refuse(TOO_MANY);
    return Array.from({ length }, (_, at) => left + at);
  }

  #refuse(problem: string): never {
    throw damaged(`${this.#part}: ${problem}`);
  }
}
