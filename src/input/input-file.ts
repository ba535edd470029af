import type { Hash } from 'node:crypto';
import type { InputPort } from '../base/context.ts';
import { Failure } from '../base/failure.ts';
import { describeIoError } from '../base/files/io-failure.ts';
import { openReadable } from '../base/files/readable.ts';
import { quotePath } from './values.ts';

/** A named file or stdin, opened for reading once. */
export interface InputFile {
  /** For messages: the path in quotes, or `stdin`. */
  readonly name: string;
  /** All bytes, once. Closes at the end. A piece is valid only until the next one is asked for. */
  bytes(): AsyncIterable<Uint8Array>;
  /** Closes a file whose bytes are not needed. */
  close(): Promise<void>;
}

/** USAGE about the file that an option (`where`) names. */
export function refusedFile(where: string, problem: string, more: { hints?: string[]; cause?: unknown } = {}): Failure {
  return Failure.unsent('USAGE', `${where}: ${problem}`, { ...more, faults: [{ where, problem }] });
}

function unreadable(where: string, name: string, reason: string): Failure {
  return refusedFile(where, `could not read ${name}: ${reason}`);
}

/** The bytes. A failure to read is a USAGE failure of the option: `< folder` fails only here. */
async function* readNamed(bytes: () => AsyncIterable<Uint8Array>, where: string, name: string) {
  try {
    yield* bytes();
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(where, name, describeIoError(error));
  }
}

/**
 * Opens the file that the option `where` names (`-` is stdin). USAGE if the path is missing, a folder or not readable,
 * or if stdin is a terminal: frontdesk never waits silently for typing. A pipe is opened like a file and waits for its
 * writer.
 */
export async function openInput(path: string, stdin: InputPort, where: string): Promise<InputFile> {
  if (path === '-') {
    const hints = ['pipe the data in, or name a file'];
    if (stdin.isTerminal) throw refusedFile(where, '- reads stdin, and stdin is a terminal', { hints });
    const bytes = () => readNamed(() => stdin.read(), where, 'stdin');
    return { name: 'stdin', bytes, close: async () => undefined };
  }
  const name = quotePath(path);
  if (path === '') throw refusedFile(where, 'the path is empty');
  const file = await openReadable(path).catch((error: unknown) => {
    throw unreadable(where, name, path.includes('\0') ? 'a path cannot have a NUL character' : describeIoError(error));
  });
  if (file.facts.isDirectory()) {
    await file.close();
    throw unreadable(where, name, 'it is a folder');
  }
  return { name, bytes: () => readNamed(() => file.bytes(), where, name), close: () => file.close() };
}

export async function* hashedBy(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
}
