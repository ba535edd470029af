import { Failure } from '../../base/failure.ts';
import { nearest } from '../../screen/nearest.ts';
import { quoteValue } from '../values.ts';
import type { Sheet } from '../xlsx/parts.ts';
import type { ReadOptions } from './record.ts';

const NAMED_SHEETS = 5;

function listSheets(sheets: readonly Sheet[]): string {
  const named = sheets
    .slice(0, NAMED_SHEETS)
    .map(({ name, isHidden }) => `${quoteValue(name)}${isHidden ? ' (hidden)' : ''}`);
  return sheets.length > NAMED_SHEETS
    ? `${named.join(', ')} and ${sheets.length - NAMED_SHEETS} more`
    : named.join(', ');
}

/** The named sheet, else the first that is not hidden. */
export function chooseSheet(sheets: readonly Sheet[], { sheet, isOlder, name }: ReadOptions): Sheet {
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const [first] = visible;
  const named = sheets.find((other) => other.name === sheet);
  if (named !== undefined) return named;
  if (first !== undefined && (sheet === undefined || (isOlder === true && visible.length === 1))) return first;
  const all = `its sheets are ${listSheets(sheets)}`;
  if (sheet === undefined) {
    throw Failure.unsent('USAGE', `${name}: every sheet is hidden. Name one with --sheet: ${all}`);
  }
  const near = nearest(
    sheet,
    sheets.map((other) => other.name),
  );
  const hint = near === undefined ? all : `did you mean ${quoteValue(near)}?`;
  throw Failure.unsent('USAGE', `--sheet: ${name} has no sheet ${quoteValue(sheet)}: ${hint}`);
}

/** Says which sheet is read if there are others. */
export function noteSheets(
  sheets: readonly Sheet[],
  read: Sheet,
  { sheet: asked, name }: ReadOptions,
): readonly string[] {
  if (sheets.length === 1 || asked !== undefined) return [];
  const others = sheets.filter((other) => other !== read);
  // Names may differ by a blank or a letter's case alone.
  const which = read === sheets[0] ? 'first sheet' : 'first sheet that is not hidden';
  return [
    `${name}: the ${which}, ${quoteValue(read.name)}, is read, and not ${listSheets(others)} (--sheet names another)`,
  ];
}
