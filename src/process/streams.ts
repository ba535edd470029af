import { fstatSync, statSync, writeSync } from 'node:fs';
import { type InputPort, type OutputPort, StreamFailure } from '../context.ts';

function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO';
}

/** Whether what is written to a descriptor is gone. */
function isNullDevice(fd: number): boolean {
  try {
    const facts = fstatSync(fd);
    return facts.isCharacterDevice() && facts.rdev === statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}

/**
 * Whether a descriptor is a terminal. node:tty brings the network modules along, so what is no device at all
 * (a pipe, a file) and the device that holds nothing (scheduled jobs have it as stdin) are told without it.
 */
function isTerminal(fd: number): boolean {
  try {
    const facts = fstatSync(fd);
    if (!facts.isCharacterDevice() || facts.rdev === statSync('/dev/null').rdev) return false;
  } catch {
    // Then the terminal module decides.
  }
  return process.getBuiltinModule('node:tty').isatty(fd);
}

/** A stream that is opened when it is first written to: doing so costs a tenth of a start. */
export interface LazyStream {
  readonly isTerminal: boolean;
  get(): NodeJS.WriteStream;
  /** Resolves once all that was written has left this process, or cannot. */
  flush(): Promise<void>;
}

/** Opens one of the standard streams at its first use, with a listener for its errors. */
export function lazyStream(fd: number, open: () => NodeJS.WriteStream): LazyStream {
  let stream: NodeJS.WriteStream | undefined;
  let terminal: boolean | undefined;
  return {
    get isTerminal() {
      terminal ??= isTerminal(fd);
      return terminal;
    },
    get() {
      // Without a listener a failed write would end the process with a stack trace; `write` reports it to each caller.
      stream ??= open().on('error', () => undefined);
      return stream;
    },
    async flush() {
      if (stream !== undefined) await new Promise<void>((resolve) => stream?.write('', () => resolve()));
    },
  };
}

/** Fits into an empty pipe of every system, so writing it does not wait for the reader. */
const AT_ONCE_BYTES = 16_384;

/**
 * Writes a small first result without opening a stream, and answers what is left of it: nothing, or all where
 * only the stream knows how to wait (a terminal, Windows, a pipe that is full).
 */
function writeAtOnce(fd: number, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  if (bytes.length > AT_ONCE_BYTES || process.platform === 'win32') return bytes;
  try {
    return bytes.subarray(writeSync(fd, bytes));
  } catch (error) {
    if (errnoOf(error) === 'EAGAIN') return bytes;
    throw error;
  }
}

/** stdout: every failed write is reported, because what was asked for would be missing. */
export function standardOutput(stream: LazyStream, fd: number): OutputPort {
  let failure: StreamFailure | undefined;
  let isFirst = true;
  let isOpen = false;
  const fail = (error: unknown): StreamFailure => {
    failure ??= new StreamFailure(errnoOf(error), error instanceof Error ? error.message : String(error));
    return failure;
  };
  const first = (text: string): Uint8Array => {
    try {
      return writeAtOnce(fd, text);
    } catch (error) {
      fail(error);
      return new Uint8Array();
    }
  };
  const send = (text: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!isOpen) stream.get().on('error', fail);
      isOpen = true;
      stream.get().write(text, (error) => (error ? reject(fail(error)) : resolve()));
    });
  return {
    get isTerminal() {
      return stream.isTerminal;
    },
    get columns() {
      return widthOf(stream);
    },
    get isNull() {
      return isNullDevice(fd);
    },
    async write(text) {
      let rest: string | Uint8Array = text;
      if (isFirst) {
        isFirst = false;
        if (!stream.isTerminal) rest = first(text);
      }
      if (failure !== undefined) throw failure;
      if (rest.length > 0) await send(rest);
    },
  };
}

/** Columns of a terminal that knows them: some, such as those of CI jobs and scripts, say 0. */
function widthOf(stream: LazyStream): number | undefined {
  const columns = stream.isTerminal ? stream.get().columns : 0;
  return columns > 0 ? columns : undefined;
}

/** stderr: a reader that went away must not change how the operation ends, so nothing is reported. */
export function standardError(stream: LazyStream): OutputPort {
  return {
    get isTerminal() {
      return stream.isTerminal;
    },
    get columns() {
      return widthOf(stream);
    },
    write: (text) => new Promise((resolve) => stream.get().write(text, () => resolve())),
  };
}

export function standardInput(open: () => NodeJS.ReadStream, fd: number): InputPort {
  let terminal: boolean | undefined;
  return {
    get isTerminal() {
      terminal ??= isTerminal(fd);
      return terminal;
    },
    read: () => open(),
  };
}
