import { PassThrough } from 'node:stream';
import { ZipFile } from 'yazl';
import type { OutputPort } from '../base/context.ts';
import { Failure } from '../base/failure.ts';
import { getPath, type JsonValue } from '../base/json/value.ts';
import { type Column, cellText, columnLetters } from './column.ts';
import { workbookCell } from './formula-guard.ts';
import type { OutputOptions, RowWriter } from './options.ts';
import { groupThousands, plural } from './text.ts';

/** Limits of a sheet: rows below the header, columns, and UTF-16 units in a cell. */
const MAX_ROWS = 1_048_575;
const MAX_COLUMNS = 16_384;
const MAX_CELL_LENGTH = 32_767;

/** Characters that XML cannot hold, or changes, and half a surrogate pair, which spreadsheets drop. */
const UNFIT = /[\0-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** Would be read as an escaped character, by LibreOffice with fewer digits too. */
const LOOKS_SPELLED = /_(?=x[0-9A-Fa-f]{1,4}_)/g;

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Styles by number: 0 plain, 1 text (format `@`, number 49), 2 bold text, 3 booleans, which LibreOffice shows as 1. */
const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${TYPES}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${TYPES}"><bookViews><workbookView/></bookViews><sheets><sheet name="frontdesk" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${TYPES}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${TYPES}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="&quot;TRUE&quot;;&quot;TRUE&quot;;&quot;FALSE&quot;"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
};
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const WIDTH = 22;

/** A text with the format's escapes, for an element. */
function spelled(text: string): string {
  const plain = text
    .replace(LOOKS_SPELLED, '_x005F_')
    .replace(UNFIT, (unit) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return /^\s|\s$|[\t\n]/.test(plain) ? `<t xml:space="preserve">${plain}</t>` : `<t>${plain}</t>`;
}

/** The content of a cell: a boolean, or a text as in csv. */
function shownOf(value: JsonValue | undefined): string | boolean {
  if (typeof value === 'boolean') return value;
  return workbookCell(cellText(value));
}

function cellOf(reference: string, shown: string | boolean, style: number): string {
  if (shown === '') return '';
  if (typeof shown === 'boolean') return `<c r="${reference}" s="3" t="b"><v>${shown ? 1 : 0}</v></c>`;
  return `<c r="${reference}" s="${style}" t="inlineStr"><is>${spelled(shown)}</is></c>`;
}

/** Most misfit rows that are named. All are counted. */
const NAMED_ROWS = 1000;

/** Longest piece handed on at once. */
const PIECE_LENGTH = 65_536;

/** USAGE for more rows than a sheet holds; 0: their number is not known. */
export function refuseTooManyRows(rows: number): void {
  if (rows <= MAX_ROWS) return;
  const message = `a workbook holds ${groupThousands(MAX_ROWS)} rows below its header, and these are ${groupThousands(rows)}`;
  throw Failure.unsent('USAGE', message, { hints: ['choose -o csv, or take a part of the rows'] });
}

/**
 * Rows as a workbook of one sheet, which grows while the work goes on: text in columns formatted as text, booleans as
 * booleans, a bold frozen header. A row that does not fit is passed to `refuse` and left out, and `close` then rejects
 * with PARTIAL. A failure of the sink rejects the next row or the close.
 */
export class WorkbookWriter implements RowWriter {
  readonly #columns: readonly Column[];
  readonly #refuse: OutputOptions['refuse'];
  readonly #letters: readonly string[];
  readonly #sheet = new PassThrough();
  readonly #sent: Promise<void>;
  readonly #maxRows: number;
  #piece = '';
  #line = 1;
  #rows = 0;
  #refused = 0;

  /** `now`: for the times in the archive. `maxRows`: the rows that the sheet takes. */
  constructor(
    columns: readonly Column[],
    { now, refuse }: Pick<OutputOptions, 'now' | 'refuse'>,
    sink: Pick<OutputPort, 'write'>,
    maxRows = MAX_ROWS,
  ) {
    this.#maxRows = maxRows;
    if (columns.length > MAX_COLUMNS) {
      const message = `a workbook holds ${groupThousands(MAX_COLUMNS)} columns, and these are ${groupThousands(columns.length)}`;
      throw Failure.unsent('USAGE', message, { hints: ['choose some with --columns, or -o csv'] });
    }
    this.#columns = columns;
    this.#refuse = refuse;
    this.#letters = columns.map((_, index) => columnLetters(index));
    const zip = new ZipFile();
    const made = { mtime: new Date(now) };
    for (const [name, xml] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(DECLARATION + xml), name, made);
    zip.addReadStream(this.#sheet, 'xl/worksheets/sheet1.xml', made);
    zip.end();
    this.#sent = this.#pump(zip.outputStream, sink);
    // The next row or the close reports it.
    this.#sent.catch(() => undefined);
    const names = columns.map(({ name }, index) => cellOf(`${this.#letters[index]}1`, name, 2)).join('');
    this.#piece = `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="${columns.length}" width="${WIDTH}" customWidth="1" style="1"/></cols><sheetData><row r="1">${names}</row>`;
  }

  async row(row: JsonValue, number?: number): Promise<void> {
    this.#rows += 1;
    const place = number ?? this.#rows;
    const shown = this.#columns.map(({ name }) => shownOf(getPath(row, name)));
    const long = shown.findIndex((cell) => typeof cell === 'string' && cell.length > MAX_CELL_LENGTH);
    if (long !== -1) {
      const length = `${this.#columns[long]?.name} has ${groupThousands(String(shown[long]).length)} characters`;
      return this.#leaveOut(place, `${length}, and a cell holds ${groupThousands(MAX_CELL_LENGTH)}`);
    }
    if (this.#line > this.#maxRows) return this.#leaveOut(place, `a sheet holds ${groupThousands(this.#maxRows)} rows`);
    this.#line += 1;
    const cells = shown.map((cell, index) => cellOf(`${this.#letters[index]}${this.#line}`, cell, 1));
    this.#piece += `<row r="${this.#line}">${cells.join('')}</row>`;
    if (this.#piece.length > PIECE_LENGTH) await this.#send();
  }

  async close(): Promise<void> {
    this.#piece += '</sheetData></worksheet>';
    await this.#send();
    this.#sheet.end();
    await this.#sent;
    if (this.#refused === 0) return;
    const are = this.#refused === 1 ? 'is' : 'are';
    throw new Failure('PARTIAL', `${plural(this.#refused, 'row')} ${are} not in the workbook, which holds the others`, {
      hints: ['print them with -o csv or --json'],
    });
  }

  async #leaveOut(row: number, problem: string): Promise<void> {
    this.#refused += 1;
    if (this.#refused > NAMED_ROWS) return;
    await this.#refuse?.(new Failure('PARTIAL', `row ${row} is not in the workbook: ${problem}`, { details: { row } }));
  }

  async #pump(bytes: NodeJS.ReadableStream, sink: Pick<OutputPort, 'write'>): Promise<void> {
    try {
      for await (const piece of bytes) await sink.write(Buffer.from(piece));
    } catch (error) {
      this.#sheet.destroy();
      throw error;
    }
  }

  async #send(): Promise<void> {
    const piece = this.#piece;
    this.#piece = '';
    if (this.#sheet.destroyed) return this.#sent;
    if (this.#sheet.write(piece)) return;
    await Promise.race([new Promise((resolve) => this.#sheet.once('drain', resolve)), this.#sent]);
  }
}
