import { readWholePart } from './parts.ts';
import type { Archive } from './zip.ts';

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
export async function readDateStyles(archive: Archive, part: string): Promise<readonly boolean[]> {
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
