import { readDateStyles } from './date-formats.ts';
import { findParts, readPart } from './parts.ts';
import { Pieces } from './pieces.ts';
import { readSharedStrings } from './shared-strings.ts';
import { SheetReader, type SheetRow } from './sheet.ts';
import { Archive } from './zip.ts';

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
