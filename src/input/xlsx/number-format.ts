import { format, isDateFormat } from 'numfmt';
import { ifPossible } from '../../files/io-failure.ts';
import { allElements } from './parts.ts';
import type { Archive } from './zip.ts';

/** How a cell style shows what is stored. */
export interface NumberFormat {
  /** Undefined: a number whose meaning depends on the program's language. */
  readonly pattern: string | undefined;
  readonly isDate: boolean;
  /** Added to a stored day, which counts from 1900, or from 1904 in old Mac files. */
  readonly addedDays: number;
}

/** Formats that a file names by their number alone: those from each number on. */
const BUILT_IN: Readonly<Record<number, string>> = {
  0: 'General|0|0.00|#,##0|#,##0.00',
  9: '0%|0.00%|0.00E+00|# ?/?|# ??/??|m/d/yyyy|d-mmm-yy|d-mmm|mmm-yy|h:mm AM/PM|h:mm:ss AM/PM|h:mm|h:mm:ss|m/d/yyyy h:mm',
  37: '#,##0 ;(#,##0)|#,##0 ;[Red](#,##0)|#,##0.00;(#,##0.00)|#,##0.00;[Red](#,##0.00)',
  45: 'mm:ss|[h]:mm:ss|mm:ss.0|##0.0E+0|@',
};
/** Digits of other scripts, which the renderer does not know: `[DBNum1]`, `[NatNum1]`, `[$-D00041E]`. */
const OTHER_DIGITS = /\[(?:dbnum|natnum|\$-[0-9a-f]{5})/i;
/** `General` shows at most this many digits of a whole number. */
const GENERAL_DIGITS = 11;

const DAYS_TO_1904 = 1462;

/** A format of numbers, from its pattern. */
export function numberFormat(pattern: string, countsFrom1904 = false): NumberFormat {
  const isDate = isDateFormat(pattern);
  const addedDays = isDate && countsFrom1904 ? DAYS_TO_1904 : 0;
  return { pattern: OTHER_DIGITS.test(pattern) ? undefined : pattern, isDate, addedDays };
}

export const GENERAL = numberFormat('General');

/** What a cell shows; undefined if unknown. */
export function shownText({ pattern, addedDays }: NumberFormat, value: string | number): string | undefined {
  if (pattern === undefined) return undefined;
  // The most frequent ones without parsing.
  if (pattern === 'General' || pattern === '@' || pattern === '0') {
    if (typeof value === 'string') return value;
    if (Number.isInteger(value) && (pattern === '0' || Math.abs(value) < 10 ** GENERAL_DIGITS)) return String(value);
  }
  return ifPossible(() => format(pattern, typeof value === 'number' ? value + addedDays : value));
}

/** The formats of cell styles, by the number of the style. */
export async function readNumberFormats(archive: Archive, part: string, countsFrom1904: boolean) {
  const builtIn = Object.entries(BUILT_IN).flatMap(([first, patterns]) =>
    patterns.split('|').map((pattern, at) => [Number(first) + at, numberFormat(pattern, countsFrom1904)] as const),
  );
  const formats = new Map(builtIn);
  const found = await allElements(archive, part, 'styleSheet/numFmts/numFmt', 'styleSheet/cellXfs/xf');
  for (const { name, attributes } of found) {
    const { numFmtId = '0', formatCode = 'General' } = attributes;
    if (name === 'numFmt') formats.set(Number(numFmtId), numberFormat(formatCode, countsFrom1904));
  }
  const styles = found.filter(({ name }) => name === 'xf').map(({ attributes }) => Number(attributes['numFmtId'] ?? 0));
  // Dates of East Asian editions.
  const isOtherDate = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return styles.map((id) => formats.get(id) ?? { pattern: undefined, isDate: isOtherDate(id), addedDays: 0 });
}
