import { ifPossible } from '../../base/files/io-failure.ts';
import { decodeUtf8 } from '../../base/json/utf8.ts';
import type { JsonObject } from '../../base/json/value.ts';
import { quoteValue } from '../values.ts';
import type { InputFault } from './record.ts';

/**
 * What Windows-1252 has for the bytes 0x80 to 0x9f; five have no character and are shown as they are. Written down,
 * because some versions of Node decode `windows-1252` as Latin-1.
 */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The byte of a character in Windows-1252 or, for a control character, in Latin-1. Undefined: it has none. */
function byteOf(character: string): number | undefined {
  const at = WINDOWS_1252.indexOf(character);
  const code = at < 0 ? (character.codePointAt(0) ?? 0) : at + 0x80;
  return code <= 0xff ? code : undefined;
}

/** The first byte of a letter of several, and one of those behind it, as Windows-1252 shows them. */
const LOOKS_GARBLED = /[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u2122]/;

/** The text of one that was opened as Windows-1252 or Latin-1: `Günther` of `GÃ¼nther`. Undefined: it was not. */
export function ungarbled(text: string): string | undefined {
  if (!LOOKS_GARBLED.test(text)) return undefined;
  const bytes: number[] = [];
  for (const character of text) {
    const byte = byteOf(character);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  return ifPossible(() => decodeUtf8(Uint8Array.from(bytes)));
}

/** Cells of the older file that were opened in another encoding. A whole file is garbled, or no cell. */
export class GarbledCells {
  #cells = 0;
  #first: { readonly line: number; readonly text: string } | undefined;

  /** `was`: the old values of the fields that are sent. */
  check(line: number, body: JsonObject | undefined, was: JsonObject): void {
    for (const [name, old] of was) {
      const value = body?.get(name);
      if (typeof old !== 'string' || typeof value !== 'string' || ungarbled(value) !== old) continue;
      this.#cells += 1;
      this.#first ??= { line, text: `${name}: ${quoteValue(old)} became ${quoteValue(value)}` };
    }
  }

  /** What is wrong with the file; undefined if nothing. */
  get fault(): InputFault | undefined {
    if (this.#first === undefined) return undefined;
    const { line, text } = this.#first;
    const cells = this.#cells === 1 ? '1 cell is' : `${this.#cells} cells are`;
    const problem = `${cells} the older text, opened as Windows-1252 or Latin-1 and saved (${text}): export it as a workbook (-o xlsx) or import it as UTF-8, and change it there`;
    return { line, problem };
  }
}
