import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { errnoOf, ifPossible, ioFailure, orElse } from '../../base/files/io-failure.ts';
import { decodeRecord, type JournalRecord } from './record.ts';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;
const BLOCK_BYTES = 1 << 18;
const KEPT_BLOCKS = 4;

/** Where the last whole record ends, and whether it lacks only its newline. A crash cut what follows. */
export type ScanResult = Awaited<ReturnType<typeof scanJournal>>;

/**
 * Reads a journal from its beginning and passes each record with the offset of its line to `onRecord`, which returns
 * false if the record cannot follow the earlier ones. A torn last line is left out, because a crash leaves one. Any
 * other damage is LOCAL_IO, because a guess could send a row twice. `isBegun`: a header says that there is a first
 * record, so an empty journal has lost it. Synchronous, but for a turn after each MiB: the history reads thousands of
 * small ones, and Node's threads take longer than reading.
 */
export async function scanJournal(
  path: string,
  onRecord: (record: JournalRecord, offset: number) => boolean,
  isBegun = false,
) {
  const file = openToRead(path);
  let lineNumber = 0;
  let offset = 0;
  // One buffer for the whole file: new ones would fill the memory until garbage is collected.
  let buffer: Buffer = Buffer.allocUnsafe(1);
  let filled = 0;
  const apply = (record: JournalRecord | undefined, length: number): void => {
    lineNumber += 1;
    if (record === undefined || !onRecord(record, offset)) throw damaged(path, lineNumber);
    offset += length;
  };
  try {
    // One byte more than a short file: its end is seen at once.
    buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, fstatSync(file).size + 1));
    for (;;) {
      // The line is longer than the buffer.
      if (filled === buffer.length) buffer = Buffer.concat([buffer], 2 * filled);
      const bytesRead = readSync(file, buffer, filled, buffer.length - filled, null);
      if (bytesRead === 0) break;
      const data = buffer.subarray(0, filled + bytesRead);
      let start = 0;
      for (let end = data.indexOf(NEWLINE); end !== -1; end = data.indexOf(NEWLINE, start)) {
        apply(decodeRecord(data.subarray(start, end)), end + 1 - start);
        start = end + 1;
      }
      filled = data.copy(buffer, 0, start);
      if (data.length === buffer.length) await new Promise<void>((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    throw ioFailure(`could not read the run's record (${path})`, error, 'unsent');
  } finally {
    closeSync(file);
  }
  const rest = buffer.subarray(0, filled);
  const last = decodeRecord(rest);
  // A whole record and one byte more: the newline itself was changed. To cut it would forget a row that was sent.
  const isTorn = last === undefined && decodeRecord(rest.subarray(0, -1)) === undefined;
  if (!isTorn) apply(last, rest.length);
  if (isBegun && lineNumber === 0) throw recordGone(path);
  return { length: offset, lacksNewline: !isTorn };
}

function damaged(path: string, line: number): Failure {
  return Failure.unsent('LOCAL_IO', `the run's record is damaged at line ${line} (${path})`, {
    hints: ['check the rows of this run at the service: what was sent after that line cannot be known from here'],
  });
}

function openToRead(path: string): number {
  return orElse(
    () => openSync(path, 'r'),
    (error) =>
      errnoOf(error) === 'ENOENT'
        ? recordGone(path)
        : ioFailure(`could not open the run's record (${path})`, error, 'unsent'),
  );
}

/** LOCAL_IO: the journal of a run was removed. */
export function recordGone(path: string): Failure {
  return Failure.unsent('LOCAL_IO', `the run's record is gone (${path})`, {
    hints: [
      'check its rows at the service: what was sent of them cannot be known from here',
      { do: 'remove it', words: 'then remove it', about: basename(dirname(path)) },
    ],
  });
}

const TAKEN_UP = /"s":"resumed","by":"([A-Za-z0-9._-]{1,64} \(process \d{1,10}\))","e":(\d{1,10})/g;

/** Who took a run over from the holder of that epoch, according to its journal. */
export function successorIn(path: string, epoch: number): string | undefined {
  // The run may have been removed. What matters is that it is not held.
  const text = ifPossible(() => readFileSync(path, 'latin1')) ?? '';
  const [, by] = [...text.matchAll(TAKEN_UP)].find(([, , taken]) => Number(taken) > epoch) ?? [];
  return by && `another frontdesk on ${by}`;
}

const EPOCH = /,"e":(\d{1,10}),"c":"/g;

/**
 * The last record of the newest holder, if the file ends in a whole line of less than 64 KiB. Synchronous: lists read
 * thousands, and starting Node's threads takes longer than reading.
 */
export function readLastRecord(path: string): JournalRecord | undefined {
  const tail = readTail(path);
  if (tail?.at(-1) !== NEWLINE) return undefined;
  const newest = Math.max(0, ...Array.from(tail.toString('latin1').matchAll(EPOCH), ([, epoch]) => Number(epoch)));
  for (let end = tail.length - 1; end > 0; ) {
    const start = tail.lastIndexOf(NEWLINE, end - 1) + 1;
    const record = decodeRecord(tail.subarray(start, end));
    // A holder that lost its run may have written behind its successor.
    if (record === undefined || newest === 0 || record.e === newest) return record;
    end = start - 1;
  }
  return undefined;
}

/** The last 64 KiB of a file; undefined if there is no file. */
function readTail(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, 1 << 16));
    return tail.subarray(0, readSync(file, tail, 0, tail.length, size - tail.length));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw ioFailure(`could not open the run's record (${path})`, error, 'unchanged');
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Reads single records of a scanned journal. Rows are asked for in order, so a few blocks suffice. Records that are
 * appended after the scan are never asked for, so a block stays valid although the file grows.
 */
export function openRecordReader(path: string) {
  const file = openToRead(path);
  const blocks = new Map<number, Buffer>();
  const readBlock = (at: number): Buffer => {
    const block = Buffer.allocUnsafe(Math.max(0, Math.min(BLOCK_BYTES, fstatSync(file).size - at)));
    return block.subarray(0, readSync(file, block, 0, block.length, at));
  };
  const blockAt = (index: number): Buffer => {
    const kept = blocks.get(index);
    if (kept !== undefined) return kept;
    const block = orElse(
      () => readBlock(index * BLOCK_BYTES),
      (error) => ioFailure("could not read the run's record", error, 'unchanged'),
    );
    if (blocks.size >= KEPT_BLOCKS) blocks.delete(blocks.keys().next().value ?? index);
    blocks.set(index, block);
    return block;
  };
  return {
    /** The record of the line at `offset`, as `scanJournal` passed it. */
    recordAt(offset: number): JournalRecord {
      const parts: Buffer[] = [];
      for (let at = offset; ; at = (Math.floor(at / BLOCK_BYTES) + 1) * BLOCK_BYTES) {
        const block = blockAt(Math.floor(at / BLOCK_BYTES));
        const from = at % BLOCK_BYTES;
        const end = block.indexOf(NEWLINE, from);
        parts.push(block.subarray(from, end === -1 ? block.length : end));
        if (end !== -1 || block.length < BLOCK_BYTES) break;
      }
      const record = decodeRecord(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts));
      if (record !== undefined) return record;
      throw new Failure('LOCAL_IO', `the run's record changed while it was read (${path})`);
    },
    close: () => closeSync(file),
  };
}

export type RecordReader = ReturnType<typeof openRecordReader>;
