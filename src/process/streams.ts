import { fstatSync, readFileSync, readlinkSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { type InputPort, type OutputPort, StreamFailure } from '../context.ts';

const O_RDWR = 2;

/**
 * Node opens /dev/null for reading and writing in place of a descriptor that was closed at start (`>&-`), and
 * writing there succeeds: a result would vanish with exit 0. A shell's `> /dev/null` is opened for writing only.
 */
function stoodInForClosed(fd: number): boolean {
  try {
    if (!fstatSync(fd).isCharacterDevice() || readlinkSync(`/proc/self/fd/${fd}`) !== '/dev/null') return false;
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & 3) === O_RDWR;
  } catch {
    // No /proc (macOS, Windows): it cannot be told, and a write decides.
    return false;
  }
}

function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO';
}

/** stdout: every failed write is reported, because what was asked for would be missing. */
export function standardOutput(stream: NodeJS.WriteStream, fd: number): OutputPort {
  let failure: StreamFailure | undefined;
  let isChecked = false;
  const fail = (error: unknown): StreamFailure => {
    failure ??= new StreamFailure(errnoOf(error), error instanceof Error ? error.message : String(error));
    return failure;
  };
  // Without a listener a failed write would end the process with a stack trace.
  stream.on('error', fail);
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.isTTY === true ? stream.columns : undefined;
    },
    write(text) {
      if (!isChecked) {
        isChecked = true;
        if (stoodInForClosed(fd)) fail(Object.assign(new Error('stdout is closed'), { code: 'EBADF' }));
      }
      if (failure !== undefined) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(fail(error)) : resolve()));
      });
    },
  };
}

/** stderr: a reader that went away must not change how the operation ends, so nothing is reported. */
export function standardError(stream: NodeJS.WriteStream): OutputPort {
  stream.on('error', () => undefined);
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.isTTY === true ? stream.columns : undefined;
    },
    write: (text) => new Promise((resolve) => stream.write(text, () => resolve())),
  };
}

export function standardInput(open: () => NodeJS.ReadStream | ReadStream, isTerminal: boolean): InputPort {
  return {
    isTerminal,
    read: () => open(),
  };
}
