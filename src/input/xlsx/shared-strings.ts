import { WorkbookFault } from './packed.ts';
import { readWholePart } from './parts.ts';
import type { Archive } from './zip.ts';

/** All strings are kept while the rows are read; this many UTF-16 units are far above a million rows of people. */
const MAX_LENGTH = 128 * 1024 * 1024;
const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;

/** A string as it was typed: the format writes what XML cannot hold, a carriage return say, as `_x000D_`. */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** Collects the text of one entry or cell: its runs one after the other, without readings of Asian scripts. */
export class TextCollector {
  #text = '';
  #isText = false;
  #isReading = false;

  open(name: string): void {
    if (name === 't') this.#isText = true;
    else if (name === 'rPh') this.#isReading = true;
  }

  close(name: string): void {
    if (name === 't') this.#isText = false;
    else if (name === 'rPh') this.#isReading = false;
  }

  add(text: string): void {
    if (this.#isText && !this.#isReading) this.#text += text;
  }

  /** The text so far; the next one begins empty. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return unescapeText(text);
  }
}

/** The strings that cells point to by their number. */
export async function readSharedStrings(archive: Archive, part: string): Promise<readonly string[]> {
  const strings: string[] = [];
  const collector = new TextCollector();
  let length = 0;
  await readWholePart(archive, part, {
    open: (name) => collector.open(name),
    close(name) {
      collector.close(name);
      if (name !== 'si') return;
      const text = collector.take();
      // Each entry costs memory, also an empty one.
      length += text.length + 16;
      if (length > MAX_LENGTH) throw new WorkbookFault('holds more text than can be read; split it');
      strings.push(text);
    },
    text: (text) => collector.add(text),
  });
  return strings;
}
