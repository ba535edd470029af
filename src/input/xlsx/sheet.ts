import { type CellText, readCell } from './cell.ts';
import { GENERAL, type NumberFormat } from './number-format.ts';
import { damaged, type WorkbookFault } from './packed.ts';
import { parseReference } from './reference.ts';
import { textOf, unescapeText } from './shared-strings.ts';
import { isTrue, type XmlElement } from './xml.ts';

/** A row of a sheet that has something in it. */
export interface SheetRow {
  /** As the sheet counts, from 1. */
  readonly line: number;
  /** Cells by column, from 0; empty ones are missing. */
  readonly cells: ReadonlyMap<number, CellText>;
  /** Not shown, by a filter or by hand. */
  readonly isHidden: boolean;
}

/** Cells that are shown as one. */
export interface MergedCells {
  /** `C7:C9`. */
  readonly reference: string;
  /** Of the first cell, the only one whose value is shown: its line, and its column from 0. */
  readonly line: number;
  readonly column: number;
}

/** A piece of a sheet. Merged cells come after all rows. */
export interface SheetBatch {
  readonly rows: readonly SheetRow[];
  /** Number of the last row that stood in the file, also of one without a value. */
  readonly lastLine: number;
  readonly merged: readonly MergedCells[];
}

/** What the cells of a sheet refer to. */
export interface SheetContext {
  readonly part: string;
  readonly sharedStrings: readonly string[];
  readonly formats: readonly NumberFormat[];
}

const MAX_LINES = 1_048_576;
const MAX_COLUMNS = 16_384;

/** Makes rows of the elements of a sheet. Rows and cells that are out of order could be read in two ways: damaged. */
export class SheetReader {
  readonly #context: SheetContext;
  #line = 0;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  /** Takes the next elements of the sheet. */
  batch(elements: readonly XmlElement[]): SheetBatch {
    const rows: SheetRow[] = [];
    const merged: MergedCells[] = [];
    for (const element of elements) {
      if (element.name === 'row') rows.push(this.#row(element));
      else merged.push(this.#mergedCells(element));
    }
    return { rows: rows.filter(({ cells }) => cells.size > 0), lastLine: this.#line, merged };
  }

  #mergedCells({ attributes: { ref: reference = '' } }: XmlElement): MergedCells {
    const place = parseReference(reference.split(':')[0] ?? '');
    if (place === undefined) throw this.#damaged('its merged cells cannot be read');
    return { reference, line: place.row, column: place.column };
  }

  #row({ attributes: { r, ht, hidden }, children }: XmlElement): SheetRow {
    const line = r === undefined ? this.#line + 1 : Number(r);
    if (!Number.isInteger(line) || line <= this.#line || line > MAX_LINES) {
      throw this.#damaged('its rows are out of order');
    }
    this.#line = line;
    const cells = new Map<number, CellText>();
    let last = -1;
    for (const element of children ?? []) {
      if (element.name !== 'c') continue;
      last = this.#columnOf(element, last);
      const cell = this.#cell(element);
      if (cell.text !== '' || cell.problem !== undefined) cells.set(last, cell);
    }
    return { line, cells, isHidden: isTrue(hidden) || Number(ht ?? 1) === 0 };
  }

  #columnOf({ attributes: { r } }: XmlElement, last: number): number {
    const place = r === undefined ? { column: last + 1, row: this.#line } : parseReference(r);
    if (place === undefined || place.row !== this.#line || place.column <= last || place.column >= MAX_COLUMNS) {
      throw this.#damaged('its cells are out of order');
    }
    return place.column;
  }

  #cell(element: XmlElement): CellText {
    const { s, t: type = 'n' } = element.attributes;
    let formula: string | undefined;
    let stored = '';
    for (const { name, text } of element.children ?? []) {
      if (name === 'f') formula = text;
      else if (name === 'v') stored = text;
    }
    const value = type === 'inlineStr' ? textOf(element) : this.#storedValue(type, stored, formula);
    return readCell({ type, value, formula, format: this.#context.formats[Number(s ?? 0)] ?? GENERAL });
  }

  #storedValue(type: string, value: string, formula: string | undefined): string {
    if (type === 'str') return unescapeText(value);
    if (type !== 's' || value === '' || formula !== undefined) return value;
    const text = this.#context.sharedStrings[Number(value)];
    if (text === undefined) throw this.#damaged('a cell points to a text that is not there');
    return text;
  }

  #damaged(problem: string): WorkbookFault {
    return damaged(`${this.#context.part}: ${problem}`);
  }
}
