import { type CellObject, utils, type WorkSheet, write } from '@e965/xlsx';
import writeExcelFile from 'write-excel-file/node';
import { makeZip, type ZipFile } from './zip.ts';

type Value = string | number | boolean | Date | null;
export interface Sheet {
  readonly name: string;
  readonly rows: readonly (readonly Value[])[];
}

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** A workbook as SheetJS writes it: texts as shared texts or in the cells. */
export function sheetJsWorkbook(sheets: readonly Sheet[], texts: 'shared' | 'inline' = 'shared'): Buffer {
  const book = utils.book_new();
  for (const { name, rows } of sheets) {
    const sheet: WorkSheet = utils.aoa_to_sheet(rows.map((row) => [...row]));
    utils.book_append_sheet(book, sheet, name);
  }
  return write(book, { type: 'buffer', bookType: 'xlsx', bookSST: texts === 'shared', compression: true });
}

/** The same with a cell of one's own in one place, such as `{ t: 'n', f: '1+1', v: 2 }`. */
export function sheetJsWorkbookWith(rows: Sheet['rows'], place: string, cell: CellObject): Buffer {
  const book = utils.book_new();
  const sheet: WorkSheet = { ...utils.aoa_to_sheet(rows.map((row) => [...row])), [place]: cell };
  utils.book_append_sheet(book, sheet, 'Rows');
  return write(book, { type: 'buffer', bookType: 'xlsx' });
}

/** A workbook as write-excel-file writes it. */
export function writtenWorkbook(sheets: readonly Sheet[]): Promise<Buffer> {
  const data = sheets.map(({ name, rows }) => ({
    sheet: name,
    data: rows.map((row) =>
      row.map((value) => (value instanceof Date ? { value, type: Date, format: 'dd/mm/yyyy' } : value)),
    ),
  }));
  return writeExcelFile(data).toBuffer();
}

export interface HandMade {
  /** Inside `sheetData`. */
  readonly rows: string;
  /** Inside `sst`. */
  readonly texts?: string;
  /** Inside `styleSheet`. */
  readonly styles?: string;
  readonly sheetName?: string;
  /** Replaces or adds parts; undefined removes one. */
  readonly parts?: Readonly<Record<string, string | undefined>>;
  readonly change?: (files: ZipFile[]) => readonly ZipFile[];
}

/** A workbook made by hand: what programs may write, and what none should. */
export function handMadeWorkbook({ rows, texts, styles, sheetName = 'Rows', parts = {}, change }: HandMade): Buffer {
  const all: Record<string, string | undefined> = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}"><Relationship Id="r1" Type="${TYPES}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${TYPES}"><sheets><sheet name="${sheetName}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': [
      `<Relationships xmlns="${PACKAGE}"><Relationship Id="r1" Type="${TYPES}/worksheet" Target="worksheets/sheet1.xml"/>`,
      `<Relationship Id="r2" Type="${TYPES}/sharedStrings" Target="sharedStrings.xml"/>`,
      `<Relationship Id="r3" Type="${TYPES}/styles" Target="/xl/styles.xml"/></Relationships>`,
    ].join(''),
    'xl/worksheets/sheet1.xml': `<?xml version="1.0"?><worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${texts ?? ''}</sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}">${styles ?? ''}</styleSheet>`,
    ...parts,
  };
  const files = Object.entries(all).flatMap(([name, content]) => (content === undefined ? [] : [{ name, content }]));
  return makeZip(change === undefined ? files : change(files));
}

export function textRow(line: number, values: readonly string[]): string {
  return `<row r="${line}">${values.map((value) => `<c t="inlineStr"><is><t>${value}</t></is></c>`).join('')}</row>`;
}

/** The beginning of an encrypted workbook, or of an older `.xls`: a container that names its streams. */
export function oleContainer(stream: string): Buffer {
  const magic = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  return Buffer.concat([magic, Buffer.alloc(1016), Buffer.from(stream, 'utf16le'), Buffer.alloc(512)]);
}
