import { constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf } from '../base/files/io-failure.ts';
import { HashIndex, NumberList, spread } from '../input/records/hash-index.ts';

const NEWLINE = 0x0a;
/** Some hundred lines. */
const LAST_BYTES = 64 * 1024;
const CHUNK_BYTES = 4 * 1024 * 1024;
/** `{"id":"`, 36 characters of the ID, `","ref":`. */
const ID_AT = 7;
const REF_AT = ID_AT + 36 + 8;
const [BRACE, DASH, COLON] = [0x7b, 0x2d, 0x3a];
const NO_STATUS = Buffer.from('"status":null}');

/** Called with each whole line: its bytes without the line end, and where it begins in the file. */
type OnLine = (bytes: Buffer, start: number, end: number, offset: number) => void;

/** Opens a file of known cards for reading; undefined if there is none. */
export function openLines(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Reads a file as pieces of whole lines, each valid until the next is asked for, and where it begins. A last line without
 * its end was cut when its process was killed, and is left out.
 */
function* linePieces(file: number): Generator<readonly [bytes: Buffer, offset: number]> {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let [length, offset] = [0, 0];
  for (;;) {
    const read = readSync(file, buffer, length, buffer.length - length, offset + length);
    if (read === 0) return;
    length += read;
    const end = buffer.subarray(0, length).lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield [buffer.subarray(0, end), offset];
    // A line that is longer than the buffer needs a larger one.
    if (end === 0 && length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    else buffer.copyWithin(0, end, length);
    length -= end;
    offset += end;
  }
}

function eachLine(file: number, onLine: OnLine): void {
  for (const [bytes, offset] of linePieces(file)) {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      onLine(bytes, start, end, offset + start);
      start = end + 1;
    }
  }
}

/** The line at a place of the file, without its end. */
export function lineAt(file: number, offset: number): string {
  const piece = Buffer.allocUnsafe(16 * 1024);
  const length = readSync(file, piece, 0, piece.length, offset);
  const end = piece.subarray(0, length).indexOf(NEWLINE);
  return piece.toString('utf8', 0, end === -1 ? length : end);
}

/** The whole lines at the end of a file, the last one first, without the first of the file. */
export function lastLines(file: number): readonly string[] {
  const { size } = fstatSync(file);
  const piece = Buffer.alloc(Math.min(size, LAST_BYTES));
  readSync(file, piece, 0, piece.length, size - piece.length);
  return piece.toString('utf8').split('\n').slice(1, -1).reverse();
}

/** Do the fixed places of a line fit a card? Bytes are compared one by one: a call for each of a million lines is slow. */
function isCardLine(bytes: Buffer, start: number, end: number): boolean {
  const id = start + ID_AT;
  const hasDashes = [8, 13, 18, 23].every((at) => bytes[id + at] === DASH);
  return end - start > REF_AT && bytes[start] === BRACE && hasDashes && bytes[start + REF_AT - 1] === COLON;
}

/** What a search compares: bytes at the place of the ID, or of the reference. */
export interface Needle {
  readonly place: 'id' | 'ref';
  readonly bytes: Buffer;
  /** Of the needles that fit, those with the highest rank count. At least 1. */
  readonly rank: number;
}

function rankOf(needles: readonly Needle[], bytes: Buffer, start: number, end: number): number {
  let rank = 0;
  for (const each of needles) {
    const at = start + (each.place === 'id' ? ID_AT : REF_AT);
    const { length } = each.bytes;
    // References begin alike.
    if (length > 0 && bytes[at + length - 1] !== each.bytes[length - 1]) continue;
    if (at + length <= end && each.rank > rank && each.bytes.compare(bytes, at, at + length) === 0) rank = each.rank;
  }
  return rank;
}

/** The value of a hexadecimal digit in lower case. */
function digitOf(byte: number): number {
  return byte < 0x61 ? byte - 0x30 : byte - 0x57;
}

/** Reads the ID of a line into four words. */
function readWords(bytes: Buffer, start: number, words: Uint32Array): void {
  let at = start + ID_AT;
  for (let word = 0; word < words.length; word += 1) {
    let value = 0;
    for (let digit = 0; digit < 8; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === DASH) continue;
      value = (value << 4) | digitOf(byte);
      digit += 1;
    }
    words[word] = value;
  }
}

/** Of each card: three words of its ID (the hash holds the rest), and what the caller sets. */
const WORDS = 3;
const [LINE, STATUS, RANK] = [WORDS, WORDS + 1, WORDS + 2];
const KEPT = WORDS + 3;

/** Cards by their ID with the place of their latest line, of their latest status, and a rank. About 40 bytes each. */
function cardTable() {
  const index = new HashIndex();
  const kept = new NumberList();
  const words = new Uint32Array(4);
  const find = (bytes: Buffer, start: number) => {
    readWords(bytes, start, words);
    const [one = 0, two = 0, three = 0, four = 0] = words;
    const hash = spread(spread(spread(spread(four) ^ one) ^ two) ^ three);
    const isIt = (at: number) =>
      kept.at(at * KEPT) === one && kept.at(at * KEPT + 1) === two && kept.at(at * KEPT + 2) === three;
    return { hash, at: index.find(hash, isIt) };
  };
  return {
    get size() {
      return index.size;
    },
    at: (card: number, member: number) => kept.at(card * KEPT + member),
    /** Takes a line: of a new card only with a rank. Places are kept plus 1. */
    take(bytes: Buffer, start: number, end: number, offset: number, rank: number): void {
      if (rank === 0 && index.size === 0) return;
      const { hash, at } = find(bytes, start);
      if (at === -1 && rank === 0) return;
      const card = at === -1 ? index.add(hash) : at;
      if (at === -1)
        for (const [place, word] of words.subarray(0, WORDS).entries()) kept.set(card * KEPT + place, word);
      kept.set(card * KEPT + LINE, offset + 1);
      if (NO_STATUS.compare(bytes, end - NO_STATUS.length, end) !== 0) kept.set(card * KEPT + STATUS, offset + 1);
      kept.set(card * KEPT + RANK, rank);
    },
  };
}

/** Where the lines of a card stand: the latest one, and the latest with a status. */
export interface CardPlace {
  readonly line: number;
  readonly status: number | undefined;
}

/** The cards that fit best, newest first, at most `limit` of `count`. */
export interface FoundPlaces {
  readonly places: readonly CardPlace[];
  readonly count: number;
  /** The first line, with when the memory begins. */
  readonly head: string;
  readonly isDamaged: boolean;
}

/** Searches a file for needles. A card whose latest line fits none is not found by an earlier one. */
export function findPlaces(file: number, needles: readonly Needle[], limit: number): FoundPlaces {
  const table = cardTable();
  let [head, isDamaged] = ['', false];
  eachLine(file, (bytes, start, end, offset) => {
    if (offset === 0) head = bytes.toString('utf8', start, end);
    else if (!isCardLine(bytes, start, end)) isDamaged = true;
    else table.take(bytes, start, end, offset, rankOf(needles, bytes, start, end));
  });
  let best = 0;
  for (let card = 0; card < table.size; card += 1) best = Math.max(best, table.at(card, RANK));
  const found: CardPlace[] = [];
  let count = 0;
  for (let card = 0; best > 0 && card < table.size; card += 1) {
    if (table.at(card, RANK) !== best) continue;
    count += 1;
    const status = table.at(card, STATUS);
    found.push({ line: table.at(card, LINE) - 1, status: status === 0 ? undefined : status - 1 });
    if (found.length >= 2 * limit) keepNewest(found, limit);
  }
  keepNewest(found, limit);
  return { places: found, count, head, isDamaged };
}

function keepNewest(found: CardPlace[], limit: number): void {
  found.sort((one, other) => other.line - one.line).splice(limit);
}

const ANY: readonly Needle[] = [{ place: 'id', bytes: Buffer.alloc(0), rank: 1 }];

/**
 * The latest lines of all cards in the order of the file, the last `limit` of them, in large pieces. `joined`: the line
 * of a card whose status stands in an earlier one.
 */
export function* latestLines(file: number, limit: number, joined: (place: CardPlace) => string): Generator<Uint8Array> {
  const { places } = findPlaces(file, ANY, limit);
  let next = places.length - 1;
  for (const [bytes, offset] of linePieces(file)) {
    const lines: Uint8Array[] = [];
    for (let place = places[next]; place !== undefined && place.line < offset + bytes.length; place = places[next]) {
      const start = place.line - offset;
      const isWhole = place.status === undefined || place.status === place.line;
      lines.push(isWhole ? bytes.subarray(start, bytes.indexOf(NEWLINE, start) + 1) : Buffer.from(joined(place)));
      next -= 1;
    }
    yield Buffer.concat(lines);
  }
}
