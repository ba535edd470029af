import { fstatSync, statSync, writeSync } from 'node:fs';
import {
  type Context,
  type InputPort,
  type OutputPort,
  type SignalName,
  type SignalPort,
  StreamFailure,
} from '../context.ts';
import type { CompiledCode } from './compiled-code.ts';
import { collectGarbage, systemClock, systemRandom } from './system.ts';

function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO';
}

/** What a descriptor leads to (`null`: the device that holds nothing); undefined where the system does not say. */
function kindOf(fd: number): 'folder' | 'device' | 'null' | 'other' | undefined {
  try {
    const facts = fstatSync(fd);
    if (facts.isDirectory()) return 'folder';
    if (!facts.isCharacterDevice()) return 'other';
    return facts.rdev === statSync('/dev/null').rdev ? 'null' : 'device';
  } catch {
    return undefined;
  }
}

/**
 * Whether a descriptor is a terminal. node:tty brings the network modules along, so what is no device at all
 * (a pipe, a file) and the device that holds nothing (scheduled jobs have it as stdin) are recognized without it.
 */
function isTerminal(fd: number): boolean {
  return (kindOf(fd) ?? 'device') === 'device' && process.getBuiltinModule('node:tty').isatty(fd);
}

/** A stream that is opened when it is first written to: doing so costs a tenth of a start. */
interface LazyStream {
  readonly isTerminal: boolean;
  get(): NodeJS.WriteStream;
  /** Resolves with the error of a failed write. */
  write(text: string | Uint8Array): Promise<Error | null | undefined>;
  /** Resolves once all that was written has left this process, or cannot. */
  flush(): Promise<void>;
  /** Gives up each write that waits, and each later one, when its reader takes nothing for a second. */
  dropStalledReader(): void;
}

const STALLED_MS = 1000;

/** Opens one of the standard streams at its first use, with a listener for its errors. */
function lazyStream(fd: number, open: () => NodeJS.WriteStream): LazyStream {
  let stream: NodeJS.WriteStream | undefined;
  let terminal: boolean | undefined;
  let isHurried = false;
  let gone: Error | undefined;
  const waiting = new Set<(error?: Error | null) => void>();
  const giveUpLater = (end: (error?: Error | null) => void) => {
    setTimeout(() => {
      if (waiting.has(end)) end(Object.assign(new Error('its reader takes nothing'), { code: 'EPIPE' }));
    }, STALLED_MS);
  };
  const get = () => {
    // Without a listener a failed write would end the process with a stack trace; `write` reports it to each caller.
    stream ??= open().on('error', (error) => {
      gone ??= error;
    });
    return stream;
  };
  return {
    get isTerminal() {
      terminal ??= isTerminal(fd);
      return terminal;
    },
    get,
    write: (text) =>
      new Promise((resolve) => {
        if (gone !== undefined) return resolve(gone);
        const end = (error?: Error | null) => {
          waiting.delete(end);
          gone ??= error ?? undefined;
          resolve(error);
        };
        waiting.add(end);
        if (isHurried) giveUpLater(end);
        get().write(text, end);
      }),
    async flush() {
      if (stream !== undefined) await this.write('');
    },
    dropStalledReader() {
      if (!isHurried) waiting.forEach(giveUpLater);
      isHurried = true;
    },
  };
}

/** Fits into an empty pipe of every system, so writing it does not wait for the reader. */
const AT_ONCE_BYTES = 16_384;

/** stdout: every failed write is reported, because what was asked for would be missing. */
function standardOutput(stream: LazyStream, fd: number): OutputPort {
  let isFirst = true;
  // A small first result is written without opening a stream. What is left is nothing, or all where only the stream
  // knows how to wait (a terminal, Windows, a pipe that is full) or what is wrong.
  const first = (text: string): Uint8Array => {
    const bytes = Buffer.from(text);
    if (bytes.length > AT_ONCE_BYTES || process.platform === 'win32') return bytes;
    try {
      return bytes.subarray(writeSync(fd, bytes));
    } catch {
      return bytes;
    }
  };
  return {
    get isTerminal() {
      return stream.isTerminal;
    },
    get columns() {
      return widthOf(stream);
    },
    get isNull() {
      return kindOf(fd) === 'null';
    },
    async write(text) {
      let rest: string | Uint8Array = text;
      if (isFirst) {
        isFirst = false;
        if (!stream.isTerminal) rest = first(text);
      }
      const error = rest.length > 0 && (await stream.write(rest));
      if (error) throw new StreamFailure(errnoOf(error), error.message);
    },
  };
}

/** Columns of a terminal that knows them: some, such as those of CI jobs and scripts, say 0. */
function widthOf(stream: LazyStream): number | undefined {
  const columns = stream.isTerminal ? stream.get().columns : 0;
  return columns > 0 ? columns : undefined;
}

/** stderr: a reader that went away must not change how the operation ends, so nothing is reported. */
function standardError(stream: LazyStream): OutputPort {
  return {
    get isTerminal() {
      return stream.isTerminal;
    },
    get columns() {
      return widthOf(stream);
    },
    async write(text) {
      await stream.write(text);
    },
  };
}

function standardInput(open: () => NodeJS.ReadStream, fd: number): InputPort {
  let terminal: boolean | undefined;
  return {
    get isTerminal() {
      terminal ??= isTerminal(fd);
      return terminal;
    },
    read() {
      // Node takes a folder for an input that holds nothing.
      if (kindOf(fd) === 'folder') throw Object.assign(new Error(), { code: 'EISDIR' });
      return open();
    },
  };
}

/** Dropped from the environment once read, so that no child process and no diagnostic report shows them. */
const TOKEN_VARIABLES = ['FRONTDESK_CARDS_TOKEN', 'FRONTDESK_CALENDAR_TOKEN'];

// node:os is loaded at its first use: few calls ask for anything of it.
function userName(): string {
  try {
    return process.getBuiltinModule('node:os').userInfo().username;
  } catch {
    // A container may run under a uid that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

function homeFolder(): string | undefined {
  try {
    return process.getBuiltinModule('node:os').homedir() || undefined;
  } catch {
    return undefined;
  }
}

function processSignals(): SignalPort {
  const received: SignalName[] = [];
  const listeners: ((signal: SignalName, count: number) => void)[] = [];
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      received.push(signal);
      listeners.at(-1)?.(signal, received.length);
    });
  }
  return {
    received,
    onSignal(listener) {
      listeners.push(listener);
      return () => {
        const index = listeners.lastIndexOf(listener);
        if (index >= 0) listeners.splice(index, 1);
      };
    },
  };
}

/** The real process as the ports of `context.ts`, and how to wait until all that it wrote has left it. */
export function processContext(
  version: string,
  compiledCode: CompiledCode | undefined,
): { readonly context: Context; flush(): Promise<void> } {
  const env = { ...process.env };
  for (const name of TOKEN_VARIABLES) delete process.env[name];
  let user: string | undefined;
  const stdout = lazyStream(1, () => process.stdout);
  const stderr = lazyStream(2, () => process.stderr);
  const context: Context = {
    argv: process.argv.slice(2),
    collectGarbage,
    env,
    platform: process.platform,
    home: process.platform === 'win32' ? homeFolder() : env['HOME'] || undefined,
    get user() {
      user ??= userName();
      return user;
    },
    pid: process.pid,
    version,
    stdin: standardInput(() => process.stdin, 0),
    stdout: standardOutput(stdout, 1),
    stderr: standardError(stderr),
    terminal: () => ({
      input: process.stdin,
      output: stderr.get(),
      onExit(listener) {
        // First of all: what main.ts hears at the exit leaves no time for others.
        process.prependListener('exit', listener);
        return () => process.off('exit', listener);
      },
      onContinue(listener) {
        process.on('SIGCONT', listener);
        return () => process.off('SIGCONT', listener);
      },
    }),
    clock: systemClock,
    random: systemRandom,
    signals: processSignals(),
    // An unhandled rejection arrives here too.
    onCrash: (listener) => process.on('uncaughtException', listener),
    exitNow: (code) => process.exit(code),
    dropStalledReaders() {
      stdout.dropStalledReader();
      stderr.dropStalledReader();
    },
    ...(compiledCode === undefined ? {} : { compiledCode }),
  };
  return {
    context,
    async flush() {
      await stdout.flush();
      await stderr.flush();
    },
  };
}
