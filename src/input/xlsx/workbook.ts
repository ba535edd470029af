import { findParts, readPart, readWholePart } from './parts.ts';
import { Pieces } from './pieces.ts';
import { readSharedStrings } from './shared-strings.ts';
import { SheetReader, type SheetRow } from './sheet.ts';
import { Archive } from './zip.ts';

/** Number formats that every program knows by their number, and that show a date or a time in some language. */
const BUILT_IN_DATES: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
/** What stands in a format for itself: quoted text, an escaped, filling or spacing character, a colour, a currency. */
const LITERAL = /"[^"]*"|[\\*_].|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi;

/** Does a number format such as `dd/mm/yyyy` or `[h]:mm` show a date or a time? */
export function showsDate(format: string): boolean {
  return /[ymdhs]/i.test(format.replace(LITERAL, '').replace(/general/gi, ''));
}

/** For each cell style, by its number: does it show a number as a date or a time? */
async function readDateStyles(archive: Archive, part: string): Promise<readonly boolean[]> {
  const own = new Map<number, boolean>();
  const styles: number[] = [];
  let isCellStyle = false;
  await readWholePart(archive, part, {
    open(name, attributes) {
      if (name === 'cellXfs') isCellStyle = true;
      else if (name === 'xf' && isCellStyle) styles.push(Number(attributes['numFmtId'] ?? 0));
      else if (name === 'numFmt') own.set(Number(attributes['numFmtId']), showsDate(attributes['formatCode'] ?? ''));
    },
    close(name) {
      if (name === 'cellXfs') isCellStyle = false;
    },
  });
  return styles.map((id) => own.get(id) ?? BUILT_IN_DATES.some(([first, last]) => id >= first && id <= last));
}

/** A workbook that is open: its sheets are known, none is read yet. */
export interface Workbook {
  /** Names in the order of the tabs; at least one. */
  readonly sheets: readonly string[];
  /** The rows of a sheet in order, in batches; those without anything in them are left out. */
  rows(sheet: string): AsyncIterable<readonly SheetRow[]>;
}

/**
 * Opens a workbook (`.xlsx`, Office Open XML) and keeps its packed bytes. Raises a `WorkbookFault` when it is
 * none, is damaged or encrypted, or unpacks to more than 1 GiB; `rows` does so too.
 */
export async function openWorkbook(bytes: AsyncIterable<Uint8Array>): Promise<Workbook> {
  const archive = new Archive(await Pieces.read(bytes));
  const parts = await findParts(archive);
  return {
    sheets: parts.sheets.map(({ name }) => name),
    async *rows(sheet) {
      const part = parts.sheets.find(({ name }) => name === sheet)?.part;
      if (part === undefined) return;
      const sharedStrings =
        parts.sharedStrings === undefined ? [] : await readSharedStrings(archive, parts.sharedStrings);
      const dateStyles = parts.styles === undefined ? [] : await readDateStyles(archive, parts.styles);
      const reader = new SheetReader({ part, sharedStrings, dateStyles });
      for await (const _ of readPart(archive, part, reader)) {
        const rows = reader.take();
        if (rows.length > 0) yield rows;
      }
    },
  };
}
