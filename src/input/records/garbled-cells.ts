import type { JsonObject } from '../../json/value.ts';
import { quoteValue } from '../values.ts';
import type { InputFault } from './record.ts';

/** The characters of Windows-1252 above ASCII, by their byte: those that Latin-1 has elsewhere. Made at first use. */
let bytesOf: ReadonlyMap<string, number> | undefined;

/** The first byte of a letter of several, and one of those behind it, as Windows-1252 shows them. */
const LOOKS_GARBLED = /[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u2122]/;

/** The text whose UTF-8 was read as Windows-1252 or Latin-1: `Günther` of `GÃ¼nther`. Undefined: it is no such text. */
export function ungarbled(text: string): string | undefined {
  if (!LOOKS_GARBLED.test(text)) return undefined;
  const decoder = new TextDecoder('windows-1252');
  bytesOf ??= new Map(Array.from({ length: 128 }, (_, at) => [decoder.decode(Uint8Array.of(at + 128)), at + 128]));
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const byte = code < 0x80 ? code : (bytesOf.get(character) ?? (code < 0xa0 ? code : undefined));
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

/** Cells that are those of the older file, opened in another encoding and saved: what a whole file has, or no cell of it. */
export class GarbledCells {
  #cells = 0;
  #first: { readonly line: number; readonly text: string } | undefined;

  /** `was`: what the fields were that are sent. */
  look(line: number, body: JsonObject | undefined, was: JsonObject): void {
    for (const [name, old] of was) {
      const value = body?.get(name);
      if (typeof old !== 'string' || typeof value !== 'string' || ungarbled(value) !== old) continue;
      this.#cells += 1;
      this.#first ??= { line, text: `${name}: ${quoteValue(old)} became ${quoteValue(value)}` };
    }
  }

  /** What is wrong with the file. Undefined: nothing. */
  get fault(): InputFault | undefined {
    if (this.#first === undefined) return undefined;
    const { line, text } = this.#first;
    const cells = this.#cells === 1 ? '1 cell is' : `${this.#cells} cells are`;
    const problem = `${cells} the older text, opened as Windows-1252 or Latin-1 and saved (${text}): export it as a workbook (-o xlsx) or import it as UTF-8, and change it there`;
    return { line, problem };
  }
}
