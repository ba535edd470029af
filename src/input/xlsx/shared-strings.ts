import { WorkbookFault } from './packed.ts';
import { readElements } from './parts.ts';
import type { XmlElement } from './xml.ts';
import type { Archive } from './zip.ts';

/** All strings are kept while the rows are read; this many UTF-16 units are far above a million rows of people. */
const MAX_LENGTH = 128 * 1024 * 1024;
/** A cell, its own text, an entry, a run; what else may stand in them is not shown. */
const HOLD_TEXT: ReadonlySet<string> = new Set(['c', 'is', 'si', 'r']);
const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;

/** A string as it was typed: the format writes what XML cannot hold, a carriage return say, as `_x000D_`. */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The text of an entry or a cell: its runs one after the other, without readings of Asian scripts. */
export function textOf(element: XmlElement): string {
  const runs = ({ name, text, children }: XmlElement): string =>
    name === 't' ? text : HOLD_TEXT.has(name) ? children.map(runs).join('') : '';
  return unescapeText(runs(element));
}

/** The strings that cells point to by their number. */
export async function readSharedStrings(archive: Archive, part: string): Promise<readonly string[]> {
  const strings: string[] = [];
  let length = 0;
  for await (const entries of readElements(archive, part, 'sst/si')) {
    for (const entry of entries) {
      const text = textOf(entry);
      // Each entry costs memory, also an empty one.
      length += text.length + 16;
      if (length > MAX_LENGTH) throw new WorkbookFault('contains too much text: split it');
      strings.push(text);
    }
  }
  return strings;
}
