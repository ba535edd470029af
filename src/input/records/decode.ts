import { isUtf8 } from 'node:buffer';

const LINE_FEED = 0x0a;
const SAVE = 'Open the file in the program that made it, and save it as CSV UTF-8 or .xlsx';
const WITHOUT_MARK = `UTF-16 without a byte order mark. ${SAVE}`;
const NOT_UTF8 = `bytes that are not UTF-8. ${SAVE}`;
const NO_TEXT = `bytes that are no text. ${SAVE}`;
const NOT_UTF16 = `half of a surrogate pair, which is not UTF-16. ${SAVE}`;
/** A byte that UTF-8 never has. */
const NO_CHARACTER = Buffer.from([0xff]);

/** The byte order of UTF-16 that the mark at the start names; undefined without one, or with that of UTF-32. */
function utf16OrderOf(start: Uint8Array): 'big' | 'little' | undefined {
  const [first, second, third, fourth] = start;
  if (first === 0xfe && second === 0xff) return 'big';
  return first === 0xff && second === 0xfe && (third !== 0 || fourth !== 0) ? 'little' : undefined;
}

/** UTF-16 as UTF-8. Half a character becomes a byte that UTF-8 never has. */
async function* asUtf8(bytes: AsyncIterable<Uint8Array>, order: 'big' | 'little'): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of bytes) {
    // A copy: swap16 works in place, and the reader uses its buffer again.
    const all = Buffer.concat([rest, piece]);
    const even = all.subarray(0, all.length - (all.length % 2));
    const text = (order === 'big' ? Buffer.from(even).swap16() : even).toString('utf16le');
    // The other half of a pair may be in the next piece.
    const isCut = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
    const whole = isCut ? text.slice(0, -1) : text;
    rest = all.subarray(2 * whole.length);
    yield Buffer.from(whole.isWellFormed() ? whole : whole.slice(0, whole.search(/\p{Cs}/u)));
    if (!whole.isWellFormed()) yield NO_CHARACTER;
  }
  if (rest.length > 0) yield NO_CHARACTER;
}

/** How many bytes at the end may belong to an incomplete character: 0 to 3. */
function openEnd(bytes: Buffer): number {
  const end = bytes.subarray(-3);
  const lead = end.findLastIndex((byte) => byte >= 0xc0);
  return lead === -1 || isUtf8(end.subarray(lead)) ? 0 : end.length - lead;
}

/** The part of the bytes that is whole lines of valid UTF-8. */
function goodLines(bytes: Buffer): Buffer {
  let good = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, good) + 1;
    if (end === 0 || !isUtf8(bytes.subarray(good, end))) return bytes.subarray(0, good);
    good = end;
  }
}

/**
 * The text of an input, piece by piece: UTF-8, or UTF-16 if the mark at `start` says so. Nothing is replaced: invalid
 * bytes are a `problem` without text, after all lines before them were passed on, so that the reader's line count gives
 * the place.
 */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  start: Uint8Array,
): AsyncGenerator<{ readonly text: string; readonly isLast: boolean; readonly problem?: string }> {
  const order = utf16OrderOf(start);
  const notText = order === undefined ? NOT_UTF8 : NOT_UTF16;
  const ending = (problem: string) => ({
    text: '',
    isLast: false,
    problem: `${problem}. Nothing from here on was read`,
  });
  const end = start.indexOf(LINE_FEED);
  // A value may have a NUL, a header never. In UTF-16 it is every second byte of Latin letters.
  if (order === undefined && start.subarray(0, end === -1 ? start.length : end).includes(0))
    return yield ending((start[0] === 0) === (start[1] === 0) ? NO_TEXT : WITHOUT_MARK);
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of order === undefined ? bytes : asUtf8(bytes, order)) {
    // No copy if possible: each would stay in memory until garbage is collected.
    const all =
      rest.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength) : Buffer.concat([rest, piece]);
    const whole = all.subarray(0, all.length - openEnd(all));
    if (!isUtf8(whole)) {
      yield { text: goodLines(whole).toString(), isLast: false };
      return yield ending(notText);
    }
    rest = Buffer.from(all.subarray(whole.length));
    yield { text: whole.toString(), isLast: false };
  }
  yield rest.length > 0 ? ending(notText) : { text: '', isLast: true };
}
