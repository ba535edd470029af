import { readNumberFormats } from './number-format.ts';
import { readPacked } from './packed.ts';
import { findParts, readElements } from './parts.ts';
import { readSharedStrings } from './shared-strings.ts';
import { type SheetBatch, SheetReader } from './sheet.ts';
import { Archive } from './zip.ts';

/** A workbook that is open: its sheets are known, none is read yet. */
export interface Workbook {
  /** In the order of the tabs; at least one. */
  readonly sheets: readonly { readonly name: string; readonly isHidden: boolean }[];
  /** The rows of a sheet in order; those without anything in them are left out. */
  read(sheet: string): AsyncIterable<SheetBatch>;
}

/**
 * Opens a workbook (`.xlsx`, Office Open XML) and keeps its packed bytes. Raises a `WorkbookFault` when it is
 * none, is damaged or encrypted, or unpacks to more than 1 GiB; `read` does so too.
 */
export async function openWorkbook(bytes: AsyncIterable<Uint8Array>): Promise<Workbook> {
  const archive = await Archive.open(await readPacked(bytes));
  const parts = await findParts(archive);
  return {
    sheets: parts.sheets,
    async *read(sheet) {
      const part = parts.sheets.find(({ name }) => name === sheet)?.part;
      if (part === undefined) return;
      const sharedStrings =
        parts.sharedStrings === undefined ? [] : await readSharedStrings(archive, parts.sharedStrings);
      const formats =
        parts.styles === undefined ? [] : await readNumberFormats(archive, parts.styles, parts.countsFrom1904);
      const reader = new SheetReader({ part, sharedStrings, formats });
      const elements = readElements(archive, part, 'sheetData/row', 'mergeCells/mergeCell');
      for await (const batch of elements) yield reader.batch(batch);
    },
  };
}
