/** How many bytes at the beginning tell what a file is. */
export const KIND_BYTES = 512;

const SAVE = 'open it in the program that made it and save it as CSV UTF-8 or .xlsx';
const UNPACK = 'unpack it, and name the file in it';

/** Files that are no table, by their beginning as Latin-1 without NULs and byte order marks. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^%PDF-/, `is a PDF: ${SAVE}`],
  [/^\s*<(?:!doctype\s+html|html|head|body|table|meta|style|script|title)\b/i, `is a web page: ${SAVE}`],
  [/^\s*<\?xml\b.*(?:office:spreadsheet|Excel\.Sheet)/is, `is an XML spreadsheet of 2003: ${SAVE}`],
  [/^\s*<\?xml\b.*<html\b/is, `is a web page: ${SAVE}`],
  [/^\s*<(?:\?xml|!--|!doctype)/i, `is XML, not a table: ${SAVE}`],
  [/^\{\\rtf/, `is a text document (RTF): ${SAVE}`],
  [/^\x1f\x8b/, `is a gzip archive: ${UNPACK}`],
  [/^7z\xbc\xaf|^Rar!|^BZh|^\xfd7zXZ|^\(\xb5\/\xfd/, `is an archive: ${UNPACK}`],
];

/** What a file is by its first bytes, as a clause about it, if it is known to be no table of text. */
export function otherKindOf(start: Uint8Array): string | undefined {
  const text = Buffer.from(start.subarray(0, KIND_BYTES)).toString('latin1');
  // Old spreadsheets save web pages in UTF-16.
  const plain = text.replace(/^(?:\xff\xfe|\xfe\xff|\xef\xbb\xbf)/, '').replaceAll('\0', '');
  return KINDS.find(([pattern]) => pattern.test(plain))?.[1];
}
