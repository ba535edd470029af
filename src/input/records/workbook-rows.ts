import { Failure } from '../../failure.ts';
import { unguardCell } from '../../output/formula-guard.ts';
import { nearest } from '../../output/nearest.ts';
import { quoteGiven } from '../given.ts';
import { WorkbookFault } from '../xlsx/packed.ts';
import type { MergedCells, SheetBatch, SheetRow } from '../xlsx/sheet.ts';
import { openWorkbook, type Workbook } from '../xlsx/workbook.ts';
import { EMPTY_BETWEEN, emptyEndNote } from './fault-place.ts';
import type { InputFault, RawRecord, ReadBatch, ReadOptions } from './record.ts';

const NAMED_SHEETS = 5;

function listSheets(sheets: Workbook['sheets']): string {
  const named = sheets
    .slice(0, NAMED_SHEETS)
    .map(({ name, isHidden }) => `${quoteGiven(name)}${isHidden ? ' (hidden)' : ''}`);
  return sheets.length > NAMED_SHEETS
    ? `${named.join(', ')} and ${sheets.length - NAMED_SHEETS} more`
    : named.join(', ');
}

/** The sheet to read: the one that is named, else the first that is not hidden. */
function chooseSheet({ sheets }: Workbook, { sheet, isOlder, name }: ReadOptions): string {
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const [first] = visible;
  if (sheets.some((other) => other.name === sheet)) return sheet ?? '';
  if (first !== undefined && (sheet === undefined || (isOlder === true && visible.length === 1))) return first.name;
  const all = `its sheets are ${listSheets(sheets)}`;
  if (sheet === undefined) {
    throw Failure.unsent('USAGE', `${name}: every sheet is hidden; --sheet names the one to read; ${all}`);
  }
  const near = nearest(
    sheet,
    sheets.map((other) => other.name),
  );
  const hint = near === undefined ? all : `did you mean ${quoteGiven(near)}?`;
  throw Failure.unsent('USAGE', `--sheet: ${name} has no sheet ${quoteGiven(sheet)}; ${hint}`);
}

/** Makes records of the rows of one sheet. Its first row is the header. */
class RowMaker {
  header: ReadBatch['header'];
  readonly #sheet: string;
  readonly #raw: boolean;
  #row = 0;
  #line = 0;
  #lastLine = 0;

  constructor(sheet: string, raw: boolean) {
    this.#sheet = sheet;
    this.#raw = raw;
  }

  /** What was left out behind the last row with a value. */
  get notes(): readonly string[] {
    return this.#lastLine > this.#line ? [emptyEndNote(this.#lastLine - this.#line, this.#line + 1)] : [];
  }

  batch({ rows, lastLine, merged }: SheetBatch): Pick<ReadBatch, 'records' | 'faults'> {
    this.#lastLine = lastLine;
    const records: RawRecord[] = [];
    const faults: InputFault[] = [];
    for (const row of rows) {
      const next = this.#line + 1;
      this.#line = row.line;
      if (this.header === undefined) faults.push(...this.#readHeader(row));
      else {
        // The reader of the sheet leaves out rows without a value; here one is known to have others after it.
        if (row.line > next) faults.push({ line: next, sheet: this.#sheet, problem: EMPTY_BETWEEN });
        records.push(this.#record(row, this.header.names, faults));
      }
    }
    for (const cells of merged) faults.push(...this.#mergedFault(cells));
    return { records, faults };
  }

  /** Of merged cells in the table, of which only the first has the value that is shown. */
  #mergedFault({ reference, line, column }: MergedCells): readonly InputFault[] {
    const name = this.header?.names[column];
    if (name === undefined || line > this.#line) return [];
    const place = { line, sheet: this.#sheet, cell: column, column: name };
    const problem = `is merged (${reference} is shown as one cell, and only its first cell is stored); split it, and store as text what each cell should say`;
    return [{ ...place, problem }];
  }

  #readHeader({ line, cells }: SheetRow): readonly InputFault[] {
    const place = { line: 1, sheet: this.#sheet };
    this.header = { names: line === 1 ? this.#values(cells, Math.max(...cells.keys()) + 1) : [], ...place };
    if (line !== 1) return [{ ...place, problem: 'the row is empty; it has to hold the names of the columns' }];
    return [...cells].flatMap(([cell, { problem }]) => (problem === undefined ? [] : [{ ...place, cell, problem }]));
  }

  #record({ line, cells, isHidden }: SheetRow, names: readonly string[], faults: InputFault[]): RawRecord {
    this.#row += 1;
    const problems = new Map<number, string>();
    for (const [cell, { problem }] of cells) {
      // A header that is missing was named already.
      if (cell >= names.length && names.length > 0) {
        faults.push({ line, sheet: this.#sheet, cell, problem: problem ?? 'its column has no name in row 1' });
      } else if (problem !== undefined) {
        problems.set(cell, problem);
      }
    }
    const values = this.#values(cells, names.length);
    return { row: this.#row, line, names, values, sheet: this.#sheet, isHidden, problems };
  }

  #values(cells: SheetRow['cells'], length: number): readonly string[] {
    return Array.from({ length }, (_, column) => {
      const text = cells.get(column)?.text ?? '';
      return this.#raw ? text : unguardCell(text);
    });
  }
}

/** Says which sheet is read where others might be meant. */
function noteSheets({ sheets }: Workbook, sheet: string, { sheet: asked, name }: ReadOptions): readonly string[] {
  if (sheets.length === 1 || asked !== undefined) return [];
  const others = sheets.filter((other) => other.name !== sheet);
  return [
    `${name}: the sheet ${quoteGiven(sheet)} is read; there ${others.length === 1 ? 'is' : 'are'} also ${listSheets(others)} (--sheet names another)`,
  ];
}

/**
 * The rows of a workbook's sheet, in batches, with the places of their cells. USAGE when the file is no workbook
 * that can be read, or has no such sheet.
 */
export async function* readWorkbookRows(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadOptions,
): AsyncGenerator<ReadBatch> {
  try {
    const workbook = await openWorkbook(bytes);
    const sheet = chooseSheet(workbook, options);
    const maker = new RowMaker(sheet, options.csvRaw);
    let notes = noteSheets(workbook, sheet, options);
    for await (const piece of workbook.read(sheet)) {
      yield { ...maker.batch(piece), format: 'xlsx', header: maker.header, notes };
      notes = [];
    }
    yield { records: [], faults: [], format: 'xlsx', header: maker.header, notes: maker.notes };
  } catch (error) {
    if (!(error instanceof WorkbookFault)) throw error;
    throw Failure.unsent('USAGE', `${options.name} ${error.message}`, { cause: error });
  }
}
