import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { InputPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { describeIoError } from '../files/io-failure.ts';
import { quoteGiven } from './given.ts';

/** A file or stdin that a person named, opened for reading once. */
export interface InputFile {
  /** For messages: the path in quotes, or `stdin`. */
  readonly name: string;
  /** The same bytes come again when it is opened again: a file on a disk, not a pipe. */
  readonly isRereadable: boolean;
  /** Bytes to the end, once, and closes. A piece is valid only until the next one is asked for. */
  bytes(): AsyncIterable<Uint8Array>;
  /** For a file whose bytes are not wanted after all. */
  close(): Promise<void>;
}

const PIECE_BYTES = 256 * 1024;

function unreadable(where: string, name: string, reason: string): Failure {
  return new Failure('USAGE', `${where}: cannot read ${name}: ${reason}; nothing was sent`);
}

async function* readPieces(handle: FileHandle, where: string, name: string): AsyncGenerator<Uint8Array> {
  // One buffer for the whole file: a new one per piece would sit in memory until the collector comes round.
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  try {
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(where, name, describeIoError(error));
  } finally {
    await handle.close();
  }
}

async function* readStdin(stdin: InputPort, where: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stdin.read();
  } catch (error) {
    // `< folder` is opened by the shell and fails only when it is read.
    throw unreadable(where, 'stdin', describeIoError(error));
  }
}

function stdinFile(stdin: InputPort, where: string): InputFile {
  if (stdin.isTerminal) {
    throw new Failure('USAGE', `${where}: - reads stdin, and stdin is a terminal; nothing was sent`, {
      hints: ['pipe the data in, or name a file'],
    });
  }
  return { name: 'stdin', isRereadable: false, bytes: () => readStdin(stdin, where), close: async () => undefined };
}

/**
 * Opens the file that an option names (`-` is stdin). `where` is that option. A path that is missing, a folder
 * or may not be read, and a terminal as stdin, are USAGE failures: nothing ever waits for typing that nobody
 * was asked for. A pipe is opened like a file and waits for its writer.
 */
export async function openInput(path: string, stdin: InputPort, where: string): Promise<InputFile> {
  if (path === '-') return stdinFile(stdin, where);
  const name = quoteGiven(path);
  if (path === '') throw new Failure('USAGE', `${where}: the path is empty; nothing was sent`);
  let handle: FileHandle;
  let stats: Stats;
  try {
    handle = await open(path, 'r');
    stats = await handle.stat();
  } catch (error) {
    throw unreadable(where, name, path.includes('\0') ? 'a path cannot have a NUL character' : describeIoError(error));
  }
  if (stats.isDirectory()) {
    await handle.close();
    throw unreadable(where, name, 'it is a folder');
  }
  return {
    name,
    isRereadable: stats.isFile(),
    bytes: () => readPieces(handle, where, name),
    close: () => handle.close(),
  };
}
