import { Failure } from '../../failure.ts';
import { unguardCell } from '../../output/formula-guard.ts';
import { nearest } from '../../output/nearest.ts';
import { quoteValue } from '../values.ts';
import { type CellText, parseReference, readCell } from '../xlsx/cell.ts';
import { GENERAL, type NumberFormat, readNumberFormats } from '../xlsx/number-format.ts';
import { damaged, readPacked, WorkbookFault } from '../xlsx/packed.ts';
import { findParts, readElements, readSharedStrings, type Sheet, textOf, unescapeText } from '../xlsx/parts.ts';
import { isTrue, type XmlElement } from '../xlsx/xml.ts';
import { openArchive } from '../xlsx/zip.ts';
import { EMPTY_BETWEEN, emptyEndNote } from './fault-place.ts';
import type { InputFault, RawRecord, ReadBatch, ReadOptions } from './record.ts';

const NAMED_SHEETS = 5;
const MAX_LINES = 1_048_576;
const MAX_COLUMNS = 16_384;
const [SHOWN, HIDDEN] = [1, 2];
/** Values of the rows made at a time: a header may reach the last column, and each row has a value for each name. */
const MAX_VALUES = 500_000;
/** What is read of a sheet: widths and heights before the rows, merged cells after them. */
const READ = ['sheetFormatPr', 'cols/col', 'sheetData/row', 'mergeCells/mergeCell'].map((path) => `worksheet/${path}`);

function listSheets(sheets: readonly Sheet[]): string {
  const named = sheets
    .slice(0, NAMED_SHEETS)
    .map(({ name, isHidden }) => `${quoteValue(name)}${isHidden ? ' (hidden)' : ''}`);
  return sheets.length > NAMED_SHEETS
    ? `${named.join(', ')} and ${sheets.length - NAMED_SHEETS} more`
    : named.join(', ');
}

/** The named sheet, else the first that is not hidden. */
function chooseSheet(sheets: readonly Sheet[], { sheet, isOlder, name }: ReadOptions): Sheet {
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const [first] = visible;
  const named = sheets.find((other) => other.name === sheet);
  if (named !== undefined) return named;
  if (first !== undefined && (sheet === undefined || (isOlder === true && visible.length === 1))) return first;
  const all = `its sheets are ${listSheets(sheets)}`;
  if (sheet === undefined) {
    throw Failure.unsent('USAGE', `${name}: every sheet is hidden. Name one with --sheet: ${all}`);
  }
  const near = nearest(
    sheet,
    sheets.map((other) => other.name),
  );
  const hint = near === undefined ? all : `did you mean ${quoteValue(near)}?`;
  throw Failure.unsent('USAGE', `--sheet: ${name} has no sheet ${quoteValue(sheet)}: ${hint}`);
}

interface SheetContext extends Sheet {
  readonly sharedStrings: readonly string[];
  readonly formats: readonly NumberFormat[];
  readonly raw: boolean;
}

/** Cells by column, from 0; empty ones are missing. */
type Cells = ReadonlyMap<number, CellText>;

/** Makes records of a sheet, with the header in row 1. Rows or cells out of order are damage. */
class SheetReader {
  header: ReadBatch['header'];
  /** Its header has faults: nothing below it is read. */
  isMisread = false;
  readonly #context: SheetContext;
  #records: RawRecord[] = [];
  #faults: InputFault[] = [];
  #row = 0;
  /** Lines of the last row with a value, and of the last row in the file. */
  #line = 0;
  #lastLine = 0;
  /** For each column, what the sheet says: nothing (0), shown or hidden. And the default for it. */
  readonly #columns = new Uint8Array(MAX_COLUMNS);
  #isRowHidden = false;
  #isColumnHidden = false;
  /** Formulas that several cells share, by their number. */
  readonly #shared = new Map<string, string>();

  constructor(context: SheetContext) {
    this.#context = context;
  }

  /** The rows left out behind the last one with a value. */
  get notes(): readonly string[] {
    return this.#lastLine > this.#line ? [emptyEndNote(this.#lastLine - this.#line, this.#line + 1)] : [];
  }

  /** Takes the next elements of the sheet, and returns their rows in pieces. */
  *batches(elements: readonly XmlElement[]): Generator<Pick<ReadBatch, 'records' | 'faults'>> {
    for (const element of elements) {
      if (this.isMisread) break;
      this.#take(element);
      if (this.#records.length * (this.header?.names.length ?? 0) < MAX_VALUES) continue;
      yield this.#taken();
    }
    yield this.#taken();
  }

  #take(element: XmlElement): void {
    const { name, attributes } = element;
    if (name === 'row') this.#readRow(element);
    else if (name === 'mergeCell') this.#readMerged(element);
    else if (name === 'col') this.#readColumn(attributes);
    else {
      const { zeroHeight, defaultRowHeight, defaultColWidth } = attributes;
      this.#isRowHidden = isTrue(zeroHeight) || isZero(defaultRowHeight);
      this.#isColumnHidden = isZero(defaultColWidth);
    }
  }

  #taken(): Pick<ReadBatch, 'records' | 'faults'> {
    const taken = { records: this.#records, faults: this.#faults };
    this.#records = [];
    this.#faults = [];
    return taken;
  }

  #readColumn({ min, max = min, hidden, width }: XmlElement['attributes']): void {
    this.#columns.fill(isTrue(hidden) || isZero(width) ? HIDDEN : SHOWN, Number(min) - 1, Number(max));
  }

  #readRow({ attributes: { r, ht, hidden }, children }: XmlElement): void {
    const line = r === undefined ? this.#lastLine + 1 : Number(r);
    if (!Number.isInteger(line) || line <= this.#lastLine || line > MAX_LINES) {
      throw this.#damaged('its rows are out of order');
    }
    this.#lastLine = line;
    const cells = this.#cellsOf(children, line);
    if (cells.size === 0) return;
    const next = this.#line + 1;
    this.#line = line;
    if (this.header === undefined) this.#readHeader(cells, line);
    else {
      // Rows without a value were left out. These have others after them.
      if (line > next) this.#refuse(next, EMPTY_BETWEEN);
      const saysNothing = ht === undefined && hidden === undefined;
      const isHidden = isTrue(hidden) || isZero(ht) || (saysNothing && this.#isRowHidden);
      this.#keep(cells, line, this.header.names, isHidden);
    }
  }

  #readHeader(cells: Cells, line: number): void {
    const isThere = line === 1;
    const names = isThere ? this.#values(cells, Math.max(...cells.keys()) + 1) : [];
    const rest = this.#isColumnHidden ? HIDDEN : SHOWN;
    const hidden = names.filter((name, column) => name !== '' && (this.#columns[column] || rest) === HIDDEN);
    this.header = { names, line: 1, sheet: this.#context.name, hidden };
    if (!isThere) this.#refuse(1, 'the row is empty, but must contain the names of the columns');
    else for (const [cell, { problem }] of cells) if (problem !== undefined) this.#refuse(1, problem, cell);
    this.isMisread = this.#faults.length > 0;
  }

  #keep(cells: Cells, line: number, names: readonly string[], isHidden: boolean): void {
    this.#row += 1;
    const problems = new Map<number, string>();
    for (const [cell, { problem }] of cells) {
      // A missing header was reported already.
      if (cell >= names.length && names.length > 0) {
        this.#refuse(line, problem ?? 'its column has no name in row 1', cell);
      } else if (problem !== undefined) {
        problems.set(cell, problem);
      }
    }
    const values = this.#values(cells, names.length);
    if (problems.size === 0 && values.every((value) => value === '')) return;
    this.#records.push({ row: this.#row, line, names, values, sheet: this.#context.name, isHidden, problems });
  }

  #values(cells: Cells, length: number): readonly string[] {
    const values = new Array<string>(length).fill('');
    for (const [column, { text }] of cells) {
      if (column < length) values[column] = this.#context.raw ? text : unguardCell(text);
    }
    return values;
  }

  /** Merged cells are a fault: only the first of them has the value that is shown. */
  #readMerged({ attributes: { ref: reference = '' } }: XmlElement): void {
    const place = parseReference(reference.split(':')[0] ?? '');
    if (place === undefined) throw this.#damaged('its merged cells cannot be read');
    const name = this.header?.names[place.column];
    if (name === undefined || place.row > this.#line) return;
    const problem = `is merged (${reference} is shown as one cell, but only its first cell is stored). Split it, and store each cell as text`;
    this.#refuse(place.row, problem, place.column, name);
  }

  #cellsOf(elements: readonly XmlElement[], line: number): Cells {
    const cells = new Map<number, CellText>();
    let last = -1;
    for (const element of elements) {
      if (element.name !== 'c') continue;
      const { r } = element.attributes;
      const { column, row } = r === undefined ? { column: last + 1, row: line } : (parseReference(r) ?? {});
      if (column === undefined || row !== line || column <= last || column >= MAX_COLUMNS) {
        throw this.#damaged('its cells are out of order');
      }
      last = column;
      const cell = this.#cell(element);
      if (cell.text !== '' || cell.problem !== undefined) cells.set(column, cell);
    }
    return cells;
  }

  #cell(element: XmlElement): CellText {
    const { s, t: type = 'n' } = element.attributes;
    let formula: string | undefined;
    let stored = '';
    for (const { name, text, attributes } of element.children) {
      if (name === 'f') formula = this.#formula(text, attributes);
      else if (name === 'v') stored = text;
    }
    const value = type === 'inlineStr' ? textOf(element) : this.#storedValue(type, stored, formula);
    return readCell({ type, value, formula, format: this.#context.formats[Number(s ?? 0)] ?? GENERAL });
  }

  /** A formula. The first of several cells has the text that they share. */
  #formula(text: string, { t: kind, si = '' }: XmlElement['attributes']): string {
    if (kind !== 'shared') return text;
    if (text !== '') this.#shared.set(si, text);
    return this.#shared.get(si) ?? text;
  }

  #storedValue(type: string, value: string, formula: string | undefined): string {
    if (type === 'str') return unescapeText(value);
    if (type !== 's' || value === '' || formula !== undefined) return value;
    const text = this.#context.sharedStrings[Number(value)];
    if (text === undefined) throw this.#damaged('a cell refers to a text that does not exist');
    return text;
  }

  #refuse(line: number, problem: string, cell?: number, column?: string): void {
    this.#faults.push({ line, sheet: this.#context.name, cell, column, problem });
  }

  #damaged(problem: string): WorkbookFault {
    return damaged(`${this.#context.part}: ${problem}`);
  }
}

/** A width or height that shows nothing. */
function isZero(size: string | undefined): boolean {
  return size !== undefined && Number(size) === 0;
}

/** Says which sheet is read if there are others. */
function noteSheets(sheets: readonly Sheet[], read: Sheet, { sheet: asked, name }: ReadOptions): readonly string[] {
  if (sheets.length === 1 || asked !== undefined) return [];
  const others = sheets.filter((other) => other !== read);
  return [`${name}: the sheet ${quoteValue(read.name)} is read, and not ${listSheets(others)} (--sheet names another)`];
}

/**
 * The rows of a sheet (`.xlsx`, Office Open XML) in batches, with the places of their cells. Keeps the packed bytes
 * meanwhile. USAGE if the file cannot be read, unpacks to more than 1 GiB, or has no such sheet.
 */
export async function* readWorkbookRows(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadOptions,
): AsyncGenerator<ReadBatch> {
  try {
    const archive = await openArchive(await readPacked(bytes));
    const { sheets, styles, sharedStrings: texts, countsFrom1904 } = await findParts(archive);
    const sheet = chooseSheet(sheets, options);
    const sharedStrings = texts === undefined ? [] : await readSharedStrings(archive, texts);
    const formats = styles === undefined ? [] : await readNumberFormats(archive, styles, countsFrom1904);
    const reader = new SheetReader({ ...sheet, sharedStrings, formats, raw: options.csvRaw });
    let notes = noteSheets(sheets, sheet, options);
    for await (const elements of readElements(archive, sheet.part, ...READ)) {
      for (const batch of reader.batches(elements)) {
        yield { ...batch, format: 'xlsx', header: reader.header, notes };
        notes = [];
      }
      if (reader.isMisread) return;
    }
    yield { records: [], faults: [], format: 'xlsx', header: reader.header, notes: reader.notes };
  } catch (error) {
    if (!(error instanceof WorkbookFault)) throw error;
    throw Failure.unsent('USAGE', `${options.name} ${error.message}`, { cause: error });
  }
}
