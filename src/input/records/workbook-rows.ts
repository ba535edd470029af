import { Failure } from '../../base/failure.ts';
import { unguardCell } from '../../screen/formula-guard.ts';
import { type PackedCells, packCells, quoteValue, unpackCells } from '../values.ts';
import { type CellRange, type CellText, parseRange, parseReference, readCell, type StoredCell } from '../xlsx/cell.ts';
import { type CellFormats, formatOf, NO_FORMATS, NO_ZEROS, rangesOf, readCellFormats } from '../xlsx/cell-format.ts';
import { CoveredCells } from '../xlsx/drawings.ts';
import { FilledCells } from '../xlsx/filled-cells.ts';
import { damaged, readPacked, WorkbookFault } from '../xlsx/packed.ts';
import {
  findParts,
  readElements,
  readSharedStrings,
  refuseFilledAnew,
  type Sheet,
  textOf,
  unescapeText,
} from '../xlsx/parts.ts';
import { COLLAPSED, ElementOrder, SHEET_ELEMENTS, Visibility } from '../xlsx/sheet-elements.ts';
import { SheetRanges } from '../xlsx/sheet-ranges.ts';
import { wholeNumber, type XmlElement } from '../xlsx/xml.ts';
import { openArchive } from '../xlsx/zip.ts';
import { chooseSheet, noteSheets } from './choose-sheet.ts';
import { zerosProblem } from './columns.ts';
import { emptyBetween, emptyEndNote } from './fault-place.ts';
import type { InputFault, Problem, RawRecord, ReadBatch, ReadOptions } from './record.ts';

const MAX_LINES = 1_048_576;
const MAX_COLUMNS = 16_384;
const NO_VALUE = 'is filled by a formula of another cell, and the file has no value of it. Store its value as text';
const NOT_SHOWN = 'has more than a spreadsheet shows';

interface SheetContext extends Sheet {
  readonly sharedStrings: readonly (string | undefined)[];
  readonly formats: CellFormats;
  readonly covered: CoveredCells;
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
  readonly #order = new ElementOrder();
  readonly #visibility = new Visibility();
  /** Lines of the last row with a value, and of the last row in the file. */
  #line = 0;
  #lastLine = 0;
  /** The style of each column, of the row, and the last column that the sheet says something of. */
  readonly #columnStyles = new Float64Array(MAX_COLUMNS);
  #rowStyle = 0;
  #lastColumn = 0;
  /** Formulas that several cells share, by their number. */
  readonly #shared = new Map<string, string>();
  readonly #filled = new FilledCells();
  readonly #ranges: SheetRanges;

  constructor(context: SheetContext) {
    this.#context = context;
    this.#ranges = new SheetRanges(context.part);
  }

  /** The rows left out behind the last one with a value. */
  get notes(): readonly string[] {
    return this.#lastLine > this.#line ? [emptyEndNote(this.#lastLine - this.#line, this.#line + 1)] : [];
  }

  /** Takes the next elements of the sheet, and returns their rows. */
  take(elements: readonly XmlElement[]): Pick<ReadBatch, 'records' | 'faults'> {
    for (const element of elements) if (!this.isMisread) this.#take(element);
    const taken = { records: this.#records, faults: this.#faults };
    this.#records = [];
    this.#faults = [];
    return taken;
  }

  #take(element: XmlElement): void {
    const { name, attributes } = element;
    if (!this.#order.isKeptBy(name)) throw this.#damaged(`${quoteValue(name)} is out of order`);
    if (name === 'row') this.#readRow(element);
    else if (name === 'mergeCell') this.#readMerged(element);
    else if (name === 'col') this.#readColumn(attributes);
    else if (name === 'conditionalFormatting' || name === 'ext') this.#readConditional(element);
    else if (name === 'sheetFormatPr') this.#visibility.setDefaults(attributes);
    else if (name === 'sheetView') this.#visibility.readView(element);
    else {
      const problem = `${NOT_SHOWN} (${quoteValue(name)} among its rows): save it in a spreadsheet`;
      this.#refuse(this.#lastLine + 1, { kind: 'not shown', problem });
    }
  }

  #readColumn(attributes: XmlElement['attributes']): void {
    const { min = '', max = min, style = '0' } = attributes;
    const [first, last] = [wholeNumber(min), wholeNumber(max)];
    if (first <= this.#lastColumn || last < first) {
      throw this.#damaged('its columns are out of order');
    }
    this.#lastColumn = last;
    if (this.#visibility.readColumns(attributes, first - 1, last).isOddEnd) this.#refuse(1, COLLAPSED, first - 2);
    this.#columnStyles.fill(wholeNumber(style), first - 1, last);
  }

  #readRow({ attributes, children }: XmlElement): void {
    const { r, s = '0' } = attributes;
    const line = r === undefined ? this.#lastLine + 1 : /^[1-9]\d*$/.test(r) ? Number(r) : 0;
    if (line <= this.#lastLine || line > MAX_LINES) {
      throw this.#damaged('its rows are out of order');
    }
    const { isHidden, isOddEnd } = this.#visibility.readRow(attributes, line);
    if (isOddEnd) this.#refuse(this.#lastLine, COLLAPSED);
    this.#lastLine = line;
    this.#rowStyle = wholeNumber(s);
    const cells = this.#cellsOf(children, line);
    if (cells.size === 0) return;
    const next = this.#line + 1;
    this.#line = line;
    if (this.header === undefined) this.#readHeader(cells, line, isHidden);
    else {
      // Rows without a value were left out. These have others after them.
      if (line > next) this.#faults.push({ ...emptyBetween(next, this.#row), sheet: this.#context.name });
      this.#keep(cells, line, this.header.names, isHidden);
    }
  }

  /** In a hidden row the name of no column is seen. */
  #readHeader(cells: Cells, line: number, isHidden: boolean): void {
    const isThere = line === 1;
    const names = isThere ? unpackCells(this.#values(cells, MAX_COLUMNS)) : [];
    const hidden = names.filter((name, column) => name !== '' && (isHidden || this.#visibility.isHidden(column)));
    this.header = { names, line: 1, sheet: this.#context.name, hidden };
    if (!isThere) this.#refuse(1, { problem: 'the row is empty, but must contain the names of the columns' });
    else for (const [cell, { problem }] of cells) if (problem !== undefined) this.#refuse(1, problem, cell);
    this.isMisread = this.#faults.length > 0;
  }

  #keep(cells: Cells, line: number, names: readonly string[], isHidden: boolean): void {
    this.#row += 1;
    const problems = new Map<number, Problem>();
    for (const [cell, { problem }] of cells) {
      // A missing header was reported already.
      if (cell >= names.length && names.length > 0) {
        this.#refuse(
          line,
          problem ?? { problem: 'its column has no name in row 1: write one there, or delete the cell' },
          cell,
        );
      } else if (problem !== undefined) {
        problems.set(cell, problem);
      }
    }
    for (const [cell, { text, problem }] of cells) {
      const zeros = problem === undefined && cell < names.length ? zerosProblem(text) : undefined;
      if (zeros !== undefined) problems.set(cell, zeros);
    }
    const values = this.#values(cells, names.length);
    if (problems.size === 0 && values.length === 0) return;
    this.#records.push({ row: this.#row, line, names, values, sheet: this.#context.name, isHidden, problems });
  }

  #values(cells: Cells, length: number): PackedCells {
    const { raw } = this.#context;
    const named = [...cells].filter(([column]) => column < length);
    return packCells(named.map(([column, { text }]) => [column, raw ? text : unguardCell(text)]));
  }

  /** Merged cells are a fault: only the first of them has the value that is shown. */
  #readMerged({ attributes: { ref: reference = '' } }: XmlElement): void {
    const range = this.#ranges.read(reference, 'its merged cells');
    const problem = `is merged (${reference} is shown as one cell, but only its first cell is stored). Split it, and store each cell as text`;
    this.#refuseRange(range, range.top, { kind: 'merged', problem });
  }

  /** A number format that depends on a condition may show other digits than are stored, and an icon or a bar none. */
  #readConditional(element: XmlElement): void {
    for (const range of rangesOf(element, this.#context.formats.conditional)) {
      const cells = this.#ranges.read(range, 'the cells of a conditional format');
      const problem = `is in a range (${range}) whose conditional format has a number format or hides values, so a spreadsheet may show something else. Remove that format`;
      this.#refuseRange(cells, Math.max(Math.min(2, cells.bottom), cells.top), { kind: 'conditional', problem });
    }
  }

  /** In each column: it is not known yet which of them is ignored. */
  #refuseRange(range: CellRange, line: number, problem: Problem): void {
    if (range.top > this.#line) return;
    const names = this.header?.names ?? [];
    for (const column of this.#ranges.columnsOf(range, names.length)) {
      this.#refuse(line, problem, column, names[column], range.bottom);
    }
  }

  #cellsOf(elements: readonly XmlElement[], line: number): Cells {
    const cells = new Map<number, CellText>();
    let last = -1;
    for (const element of elements) {
      if (element.name === 'extLst') continue;
      if (element.name !== 'c') {
        const problem = `${NOT_SHOWN} (${quoteValue(element.name)} among its cells): save it in a spreadsheet`;
        this.#refuse(line, { kind: 'not shown', problem });
        continue;
      }
      const { r } = element.attributes;
      const { column, row } = r === undefined ? { column: last + 1, row: line } : (parseReference(r) ?? {});
      if (column === undefined || row !== line || column <= last || column >= MAX_COLUMNS) {
        throw this.#damaged('its cells are out of order');
      }
      last = column;
      const cell = this.#cell(element, line, column);
      if (cell.text !== '' || cell.problem !== undefined) cells.set(column, cell);
    }
    this.#context.covered.mark(line, cells);
    return cells;
  }

  #cell({ attributes, children }: XmlElement, line: number, column: number): CellText {
    const { s, t: type = 'n' } = attributes;
    const parts = new Map(children.map((child) => [child.name, child]));
    const [f, v, is] = [parts.get('f'), parts.get('v'), parts.get('is')];
    const isOdd = children.some(
      ({ name, children: more }) => !IN_CELL.has(name) || (name !== 'is' && name !== 'extLst' && more.length > 0),
    );
    const isInline = type === 'inlineStr';
    if (isOdd || parts.size < children.length || (isInline ? v : is) !== undefined) return this.#tooMuch(children);
    const formula = f === undefined ? undefined : this.#formula(f, line, column);
    const value = isInline ? (is === undefined ? '' : textOf(is)) : this.#storedValue(type, v?.text ?? '', formula);
    if (value === undefined) return this.#tooMuch(children);
    const isZero = (type === 'n' || type === 'b') && value !== '' && Number(value) === 0;
    const cell: StoredCell = {
      type,
      value,
      formula,
      format:
        isZero && this.#visibility.hidesZeros
          ? NO_ZEROS
          : formatOf(this.#context.formats, s, this.#rowStyle, this.#columnStyles[column] ?? 0),
      isFilled: f === undefined && this.#filled.has(column, line, value),
    };
    return readCell(cell);
  }

  #tooMuch(children: readonly XmlElement[]): CellText {
    const names = children.map(({ name }) => name).join(', ');
    const problem = `${NOT_SHOWN} (${quoteValue(names)} in its cell). Store the intended value as text`;
    return { text: '', problem: { kind: 'not shown', problem } };
  }

  /** A formula. The first of several cells has the text that they share; an array fills others without one. */
  #formula({ text, attributes: { t: kind, si = '', ref = '' } }: XmlElement, line: number, column: number): string {
    if (kind === 'shared') {
      if (text !== '') this.#shared.set(si, text);
      return this.#shared.get(si) ?? text;
    }
    if (kind === 'array' || kind === 'dataTable') {
      const range = parseRange(ref);
      if (range === undefined || range.top !== line || range.left !== column) {
        throw this.#damaged('a formula fills other cells than those behind it');
      }
      this.#filled.add(range);
    }
    return text;
  }

  #storedValue(type: string, value: string, formula: string | undefined): string | undefined {
    if (type === 'str') return unescapeText(value);
    if (type !== 's' || value === '' || formula !== undefined) return value;
    const { sharedStrings } = this.#context;
    const index = /^\d+$/.test(value) ? Number(value) : -1;
    if (index < 0 || index >= sharedStrings.length) throw this.#damaged('a cell refers to a text that does not exist');
    return sharedStrings[index];
  }

  /** The faults of what would be read as empty, or not at all, though a spreadsheet shows something. */
  end(): readonly InputFault[] {
    for (const [column, first, last] of this.#filled.unseen) {
      const name = this.header?.names[column];
      if (name !== undefined) this.#refuse(first, { kind: 'filled', problem: NO_VALUE }, column, name, last);
    }
    return this.take([]).faults;
  }

  #refuse(line: number, problem: Problem, cell?: number, column?: string, last = line): void {
    const row = line > 1 && cell !== undefined ? line - 1 : undefined;
    // Empty rows have no number, so this may be the line of an earlier one.
    const ofRow = row === undefined ? undefined : row - (this.#line - 1 - this.#row);
    this.#faults.push({ line, row, ofRow, lastRow: last - 1, sheet: this.#context.name, cell, column, ...problem });
  }

  #damaged(problem: string): WorkbookFault {
    return damaged(`${this.#context.part}: ${problem}`);
  }
}

const IN_CELL: ReadonlySet<string> = new Set(['f', 'v', 'is', 'extLst']);

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
    const { sheets, styles, sharedStrings: texts } = await findParts(archive);
    const sheet = chooseSheet(sheets, options);
    await refuseFilledAnew(archive, sheet);
    const covered = await CoveredCells.read(archive, sheet);
    const sharedStrings = texts === undefined ? [] : await readSharedStrings(archive, texts);
    const formats = styles === undefined ? NO_FORMATS : await readCellFormats(archive, styles);
    const reader = new SheetReader({ ...sheet, sharedStrings, formats, covered, raw: options.csvRaw });
    let notes = noteSheets(sheets, sheet, options);
    for await (const elements of readElements(archive, sheet.part, ...SHEET_ELEMENTS)) {
      yield { ...reader.take(elements), format: 'xlsx', header: reader.header, notes };
      notes = [];
      if (reader.isMisread) return;
    }
    yield { records: [], faults: reader.end(), format: 'xlsx', header: reader.header, notes: reader.notes };
  } catch (error) {
    if (!(error instanceof WorkbookFault)) throw error;
    throw Failure.unsent('USAGE', `${options.name} ${error.message}`, { cause: error });
  }
}
