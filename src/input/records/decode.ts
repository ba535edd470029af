import { isUtf8 } from 'node:buffer';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Raised between two pieces: everything before the fault was handed out already. */
export class DecodeFault extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'DecodeFault';
  }
}

const BYTE_ORDER_MARKS: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

const NOT_TEXT: Readonly<Record<Encoding, string>> = {
  'utf-8':
    'bytes that are not UTF-8 (the file may be Latin-1 or Windows-1252; save it as UTF-8); nothing from here on was read',
  'utf-16le': 'half of a surrogate pair, which is not UTF-16; nothing from here on was read',
  'utf-16be': 'half of a surrogate pair, which is not UTF-16; nothing from here on was read',
};

/** How many bytes at the end belong to a UTF-8 character that is not complete yet: 0 to 3. */
function incompleteUtf8(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** Likewise for UTF-16: an odd byte, a high surrogate whose partner is to come. */
function incompleteUtf16(bytes: Buffer, isBigEndian: boolean): number {
  const odd = bytes.length % 2;
  if (bytes.length - odd < 2) return odd;
  const high = bytes[bytes.length - odd - (isBigEndian ? 2 : 1)] ?? 0;
  return (high & 0xfc) === 0xd8 ? odd + 2 : odd;
}

function decodeUtf16(bytes: Buffer, isBigEndian: boolean): string {
  // swap16 works in place, and the bytes belong to the reader.
  return isBigEndian ? Buffer.from(bytes).swap16().toString('utf16le') : bytes.toString('utf16le');
}

/** Length of the part of `bytes` that is whole lines of good UTF-8. */
function goodUtf8Length(bytes: Buffer): number {
  let start = 0;
  for (;;) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed === -1 ? bytes.length : feed + 1;
    if (!isUtf8(bytes.subarray(start, end)) || feed === -1) return start;
    start = end;
  }
}

class Decoder {
  readonly #encoding: Encoding;
  #rest: Buffer = Buffer.alloc(0);

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  /** The text of the bytes so far; and whether they went wrong, in which case it ends before the bad line. */
  decode(piece: Uint8Array, isLast: boolean): { readonly text: string; readonly isBad: boolean } {
    const bytes = this.#rest.length === 0 ? asBuffer(piece) : Buffer.concat([this.#rest, piece]);
    const isUtf16 = this.#encoding !== 'utf-8';
    const isBigEndian = this.#encoding === 'utf-16be';
    const incomplete = isLast ? 0 : isUtf16 ? incompleteUtf16(bytes, isBigEndian) : incompleteUtf8(bytes);
    const complete = bytes.subarray(0, bytes.length - incomplete);
    // A copy: the reader uses its buffer again.
    this.#rest = Buffer.from(bytes.subarray(complete.length));
    if (!isUtf16) {
      if (isUtf8(complete)) return { text: complete.toString('utf8'), isBad: false };
      return { text: complete.subarray(0, goodUtf8Length(complete)).toString('utf8'), isBad: true };
    }
    const text = decodeUtf16(complete.subarray(0, complete.length - (complete.length % 2)), isBigEndian);
    if (text.isWellFormed() && complete.length % 2 === 0) return { text, isBad: false };
    const bad = text.isWellFormed() ? text.length : text.search(/\p{Cs}/u);
    return { text: text.slice(0, text.lastIndexOf('\n', bad) + 1), isBad: true };
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function encodingOf(start: Uint8Array): { readonly encoding: Encoding; readonly markLength: number } {
  for (const [encoding, mark] of BYTE_ORDER_MARKS) {
    if (mark.every((byte, index) => start[index] === byte)) return { encoding, markLength: mark.length };
  }
  return { encoding: 'utf-8', markLength: 0 };
}

const NUL = 'a NUL character (UTF-16 needs a byte order mark); nothing from here on was read';

/** Text without its NUL and what follows, back to the beginning of the line; undefined when it has none. */
function beforeNul(text: string): string | undefined {
  const nul = text.indexOf('\0');
  return nul === -1 ? undefined : text.slice(0, text.lastIndexOf('\n', nul) + 1);
}

/**
 * The text of an input, piece by piece, without its byte order mark: UTF-8, or UTF-16 of either order when the
 * mark says so. Nothing is ever replaced: bytes that are no text, and NUL, raise a `DecodeFault` after all
 * lines before the bad one were handed out, so that the reader's own line count tells where it is. `takesNul`: for
 * cells that are taken as they are, and were written so.
 */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  { takesNul = false }: { readonly takesNul?: boolean } = {},
): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  let start: Buffer = Buffer.alloc(0);
  const take = function* (piece: Uint8Array, isLast: boolean): Generator<string> {
    let unread = piece;
    if (decoder === undefined) {
      start = Buffer.concat([start, piece]);
      // The longest mark has three bytes.
      if (start.length < 3 && !isLast) return;
      const { encoding, markLength } = encodingOf(start);
      decoder = new Decoder(encoding);
      unread = start.subarray(markLength);
    }
    const { text, isBad } = decoder.decode(unread, isLast);
    const good = takesNul ? undefined : beforeNul(text);
    if (good !== undefined) {
      yield good;
      throw new DecodeFault(NUL);
    }
    if (text !== '') yield text;
    if (isBad) throw new DecodeFault(NOT_TEXT[encodingOf(start).encoding]);
  };
  for await (const piece of bytes) yield* take(piece, false);
  yield* take(new Uint8Array(0), true);
}
