import { parseRange } from './cell.ts';
import { damaged } from './packed.ts';

/** Spreadsheets become too slow for more. */
const MAX_RANGES = 50_000;

/** Reads the ranges of merged cells and of conditional formats of a sheet. What cannot be read, or too many, is damage. */
export class SheetRanges {
  readonly #part: string;
  #count = 0;

  constructor(part: string) {
    this.#part = part;
  }

  read(reference: string, what: string) {
    const range = parseRange(reference);
    this.#count += 1;
    if (this.#count > MAX_RANGES) throw damaged(`${this.#part}: it has too many merged cells and conditional formats`);
    if (range === undefined) throw damaged(`${this.#part}: ${what} cannot be read`);
    return range;
  }
}
