import { type CellText, readCell } from './cell.ts';
import { GENERAL, type NumberFormat } from './number-format.ts';
import { damaged } from './packed.ts';
import { parseReference } from './reference.ts';
import { TextCollector, unescapeText } from './shared-strings.ts';
import { isTrue, type XmlHandlers } from './xml.ts';

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

/** Makes rows of the XML of a sheet. Rows and cells that are out of order could be read in two ways: damaged. */
export class SheetReader implements XmlHandlers {
  readonly #context: SheetContext;
  readonly #collector = new TextCollector();
  #rows: SheetRow[] = [];
  #merged: MergedCells[] = [];
  #isData = false;
  #line = 0;
  #isHidden = false;
  #cells = new Map<number, CellText>();
  #column = -1;
  #type = 'n';
  #format = GENERAL;
  #formula: string | undefined;
  #isFormula = false;
  #isValue = false;
  #value = '';

  constructor(context: SheetContext) {
    this.#context = context;
  }

  /** What was completed since the last call. */
  take(): SheetBatch {
    const batch = { rows: this.#rows, lastLine: this.#line, merged: this.#merged };
    this.#rows = [];
    this.#merged = [];
    return batch;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'sheetData') this.#isData = true;
    else if (name === 'mergeCell') this.#addMerged(attributes);
    if (!this.#isData) return;
    if (name === 'row') this.#beginRow(attributes);
    else if (name === 'c') this.#beginCell(attributes);
    else if (name === 'f') {
      this.#isFormula = true;
      this.#formula = '';
    } else if (name === 'v') this.#isValue = true;
    else this.#collector.open(name);
  }

  close(name: string): void {
    if (!this.#isData) return;
    if (name === 'sheetData') this.#isData = false;
    else if (name === 'row') this.#endRow();
    else if (name === 'c') this.#endCell();
    else if (name === 'f') this.#isFormula = false;
    else if (name === 'v') this.#isValue = false;
    else this.#collector.close(name);
  }

  text(text: string): void {
    if (this.#isValue) this.#value += text;
    else if (this.#isFormula) this.#formula = `${this.#formula}${text}`;
    else if (this.#isData) this.#collector.add(text);
  }

  #addMerged({ ref: reference = '' }: Readonly<Record<string, string>>): void {
    const place = parseReference(reference.split(':')[0] ?? '');
    if (place === undefined) throw damaged(`${this.#context.part}: its merged cells cannot be read`);
    this.#merged.push({ reference, line: place.row, column: place.column });
  }

  #beginRow({ r, ht, hidden }: Readonly<Record<string, string>>): void {
    const line = r === undefined ? this.#line + 1 : Number(r);
    if (!Number.isInteger(line) || line <= this.#line || line > MAX_LINES) {
      throw damaged(`${this.#context.part}: its rows are out of order`);
    }
    this.#line = line;
    this.#isHidden = isTrue(hidden) || Number(ht ?? 1) === 0;
    this.#cells = new Map();
    this.#column = -1;
  }

  #beginCell({ r, s, t }: Readonly<Record<string, string>>): void {
    const place = r === undefined ? { column: this.#column + 1, row: this.#line } : parseReference(r);
    if (place === undefined || place.row !== this.#line || place.column <= this.#column || place.column >= MAX_COLUMNS)
      throw damaged(`${this.#context.part}: its cells are out of order`);
    this.#column = place.column;
    this.#type = t ?? 'n';
    this.#format = this.#context.formats[Number(s ?? 0)] ?? GENERAL;
    this.#formula = undefined;
    this.#value = '';
  }

  #endCell(): void {
    const inline = this.#collector.take();
    const value = this.#type === 'inlineStr' ? inline : this.#storedValue();
    const cell = readCell({ type: this.#type, value, formula: this.#formula, format: this.#format });
    if (cell.text !== '' || cell.problem !== undefined) this.#cells.set(this.#column, cell);
  }

  #storedValue(): string {
    if (this.#type === 'str') return unescapeText(this.#value);
    if (this.#type !== 's' || this.#value === '' || this.#formula !== undefined) return this.#value;
    const text = this.#context.sharedStrings[Number(this.#value)];
    if (text === undefined) throw damaged(`${this.#context.part}: a cell points to a text that is not there`);
    return text;
  }

  #endRow(): void {
    if (this.#cells.size === 0) return;
    this.#rows.push({ line: this.#line, cells: this.#cells, isHidden: this.#isHidden });
  }
}
