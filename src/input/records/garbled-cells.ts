import type { JsonObject } from '../../json/value.ts';
import { isGarbled } from '../garbled.ts';
import { quoteValue } from '../values.ts';
import type { InputFault } from './record.ts';

/** Cells that are those of the older file, opened in another encoding and saved: what a whole file has, or no cell of it. */
export class GarbledCells {
  #cells = 0;
  #first: { readonly line: number; readonly text: string } | undefined;

  look(line: number, body: JsonObject | undefined, was: JsonObject): void {
    for (const [name, old] of was) {
      const value = body?.get(name);
      if (typeof old !== 'string' || typeof value !== 'string' || !isGarbled(old, value)) continue;
      this.#cells += 1;
      this.#first ??= { line, text: `${name}: ${quoteValue(old)} became ${quoteValue(value)}` };
    }
  }

  /** What is wrong with the file. Undefined: nothing. */
  get fault(): InputFault | undefined {
    if (this.#first === undefined) return undefined;
    const { line, text } = this.#first;
    const cells = this.#cells === 1 ? '1 cell is' : `${this.#cells} cells are`;
    const problem = `${cells} the older text, opened as Windows-1252 or Latin-1 and saved (${text}): export it as a workbook (-o xlsx) or import it as UTF-8, and change it there`;
    return { line, problem };
  }
}
