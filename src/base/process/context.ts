import { closeSync, existsSync, fstatSync, readFileSync, statSync, writeSync } from 'node:fs';
import {
  type Context,
  type InputPort,
  type OutputPort,
  type SignalName,
  type SignalPort,
  StreamFailure,
} from '../context.ts';
import { CANCELLED_EXIT_CODES, FAILURES } from '../failure.ts';
import { systemClock, systemRandom, systemTimeZone } from './system.ts';

function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO';
}

/** What a descriptor leads to (`null`: the null device); undefined if the system does not say. */
function kindOf(fd: number): 'folder' | 'file' | 'device' | 'null' | 'other' | undefined {
  try {
    const facts = fstatSync(fd);
    if (facts.isDirectory()) return 'folder';
    if (facts.isFile()) return 'file';
    if (!facts.isCharacterDevice()) return 'other';
    return facts.rdev === statSync('/dev/null').rdev ? 'null' : 'device';
  } catch {
    return undefined;
  }
}

const terminals = new Set<number>();
/** Is a descriptor a terminal? What is no device, and the null device, need no node:tty, which loads slowly. */
function isTerminal(fd: number): boolean {
  const isOne = (kindOf(fd) ?? 'device') === 'device' && process.getBuiltinModule('node:tty').isatty(fd);
  if (isOne) terminals.add(fd);
  return isOne;
}

/** The groups of this process, and of the foreground of its terminal, by `/proc/self/stat` or `ps`. */
function processGroups(): readonly string[] {
  try {
    // The name before the bracket may hold anything. Behind it: state, parent, group, session, terminal, foreground.
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const [, , group = '', , , foreground = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [group, foreground];
  } catch {
    const ps = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)];
    const { stdout } = process.getBuiltinModule('node:child_process').spawnSync('ps', ps, { encoding: 'latin1' });
    return (stdout ?? '').trim().split(/\s+/);
  }
}

/** Without a terminal of its own the foreground is -1, or 0 where another container has it. */
function isInBackground(): boolean {
  if (process.platform === 'win32') return false;
  const [group, foreground = ''] = processGroups();
  return /^[1-9]/.test(foreground) && foreground !== group;
}

const STALLED_MS = 1000;
type Written = (error?: Error | null) => void;

/** stderr, and the base of stdout, opened when used. A lost reader of it must not change how the call ends. */
class StandardStream implements OutputPort {
  readonly fd: number;
  readonly #open: () => NodeJS.WriteStream;
  readonly #waiting = new Set<Written>();
  #stream: NodeJS.WriteStream | undefined;
  #isTerminal: boolean | undefined;
  #isHurried = false;
  #gone: Error | undefined;

  constructor(fd: number, open: () => NodeJS.WriteStream) {
    this.fd = fd;
    this.#open = open;
  }

  get isTerminal(): boolean {
    this.#isTerminal ??= isTerminal(this.fd);
    return this.#isTerminal;
  }

  /** Columns of a terminal that knows them. Some, such as those of CI jobs and scripts, say 0. */
  get columns(): number | undefined {
    const columns = this.isTerminal ? this.get().columns : 0;
    return columns > 0 ? columns : undefined;
  }

  get rows(): number | undefined {
    const rows = this.isTerminal ? this.get().rows : 0;
    return rows > 0 ? rows : undefined;
  }

  get(): NodeJS.WriteStream {
    // Without a listener a failed write would end the process with a stack trace. `send` reports it to each caller.
    this.#stream ??= this.#open().on('error', (error) => {
      this.#gone ??= error;
    });
    return this.#stream;
  }

  async write(text: string | Uint8Array): Promise<void> {
    await this.send(text);
  }

  /** Resolves with the error of a failed write. */
  send(text: string | Uint8Array): Promise<Error | null | undefined> {
    return new Promise((resolve) => {
      if (this.#gone !== undefined) return resolve(this.#gone);
      const end: Written = (error) => {
        this.#waiting.delete(end);
        this.#gone ??= error ?? undefined;
        resolve(error);
      };
      this.#waiting.add(end);
      if (this.#isHurried) this.#giveUpLater(end);
      this.get().write(text, end);
    });
  }

  /** Resolves once everything has left this process, or cannot. */
  async flush(): Promise<void> {
    if (this.#stream !== undefined) await this.send('');
  }

  /** Gives up each waiting and later write if the reader takes nothing for a second. */
  dropStalledReader(): void {
    if (this.#isHurried) return;
    this.#isHurried = true;
    for (const end of this.#waiting) this.#giveUpLater(end);
  }

  #giveUpLater(end: Written): void {
    setTimeout(() => {
      if (this.#waiting.has(end)) end(Object.assign(new Error('its reader takes nothing'), { code: 'EPIPE' }));
    }, STALLED_MS);
  }
}

/** Fits into an empty pipe of every system, so writing it does not wait for the reader. */
const AT_ONCE_BYTES = 16_384;

/** stdout: every failed write is reported, because part of the result would be missing. */
class StandardOutput extends StandardStream {
  #isFirst = true;
  #isFile: boolean | undefined;

  get isNull(): boolean {
    return kindOf(this.fd) === 'null';
  }

  override async write(text: string | Uint8Array): Promise<void> {
    this.#isFile ??= kindOf(this.fd) === 'file';
    const rest = this.#isFile || (this.#isFirst && !this.isTerminal) ? this.#writeAtOnce(text) : text;
    this.#isFirst = false;
    const error = rest.length > 0 && (await this.send(rest));
    if (error) throw new StreamFailure(errnoOf(error), error.message);
  }

  /**
   * Writes a small first result without opening a stream, and everything that goes to a file: Node's stream loses the rest
   * of a write that a nearly full disk cuts. Returns the rest: empty, or what only the stream can wait for (a terminal,
   * Windows, a full pipe) or report the error of.
   */
  #writeAtOnce(text: string | Uint8Array): Uint8Array {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    if ((bytes.length > AT_ONCE_BYTES && !this.#isFile) || process.platform === 'win32') return bytes;
    let at = 0;
    try {
      do at += writeSync(this.fd, bytes, at);
      while (this.#isFile && at < bytes.length);
    } catch {
      // The stream says what is wrong.
    }
    return bytes.subarray(at);
  }
}

function standardInput(open: () => NodeJS.ReadStream, fd: number): InputPort {
  let terminal: boolean | undefined;
  return {
    get isTerminal() {
      terminal ??= isTerminal(fd);
      return terminal;
    },
    read() {
      // Node reads a folder as an empty input.
      if (kindOf(fd) === 'folder') throw Object.assign(new Error(), { code: 'EISDIR' });
      // The system would stop the process for ever.
      if (this.isTerminal && isInBackground()) throw Object.assign(new Error(), { code: 'EIO' });
      return open();
    },
  };
}

/** Removed from the environment once read, so that no child process and no diagnostic report shows them. */
const TOKEN_VARIABLES = ['FRONTDESK_CARDS_TOKEN', 'FRONTDESK_CALENDAR_TOKEN'];

/** The system's value. node:os is loaded at its first use, because few calls need it. */
function ifKnown(read: () => string): string | undefined {
  try {
    return read() || undefined;
  } catch {
    // A container may run under a uid without a name.
    return undefined;
  }
}

/** A wrapper passes a signal on that the terminal has sent to its whole group: the same one again. */
const SAME_SIGNAL_MS = 500;

function processSignals(): SignalPort {
  const received: SignalName[] = [];
  const listeners: ((signal: SignalName, count: number) => void)[] = [];
  let last: { readonly isHangup: boolean; readonly atMs: number } | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const [isHangup, atMs] = [signal === 'SIGHUP', systemClock.monotonic()];
      // One that the desk has taken out has done its work: the next one is another step back.
      if (received.length > 0 && last?.isHangup === isHangup && atMs - last.atMs < SAME_SIGNAL_MS) return;
      last = { isHangup, atMs };
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

/** Closes a terminal that is gone: Node sets it back before it exits, and would abort. Returns whether one is. */
function closeGone(isHangup: boolean): boolean {
  const isGone = (fd: number) => kindOf(fd) === 'device' && !isTerminal(fd);
  const gone = isHangup || [...terminals].some(isGone) ? [0, 1, 2].filter(isGone) : [];
  for (const fd of gone) closeSync(fd);
  return gone.length > 0;
}

/**
 * Ends the process by the signal that ended the call: after an exit, whatever its code, a loop of the shell goes on. An
 * unknown outcome (8) counts more, and a lost result (16) unless the terminal was closed. The exit code is for where a
 * signal has no default action: process 1 of a container, Windows.
 */
export function endProcess(code: number, [received]: readonly SignalName[]): void {
  const signal = closeGone(received === 'SIGHUP') ? (received ?? 'SIGHUP') : received;
  const { OUTCOME_UNKNOWN, LOCAL_IO, INTERNAL } = FAILURES;
  // A crash that came first has said how it ended.
  const keepsCode = code === OUTCOME_UNKNOWN.exitCode || code === INTERNAL.exitCode;
  const isLost = code === LOCAL_IO.exitCode && signal !== 'SIGHUP';
  if (signal === undefined || keepsCode || isLost) process.exit(code);
  if (process.platform !== 'win32') {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(CANCELLED_EXIT_CODES[signal]);
}

/** The real process as the ports of `context.ts`, and how to wait until all its output has left it. */
export function processContext(version: string): { readonly context: Context; flush(): Promise<void> } {
  const env = { ...process.env };
  for (const name of TOKEN_VARIABLES) delete process.env[name];
  let user: string | undefined;
  const stdout = new StandardOutput(1, () => process.stdout);
  const stderr = new StandardStream(2, () => process.stderr);
  const context: Context = {
    argv: process.argv.slice(2),
    timeZone: systemTimeZone,
    env,
    platform: process.platform,
    // One that does not exist is not made: a service account would keep its state where nobody looks.
    home:
      process.platform === 'win32'
        ? ifKnown(() => process.getBuiltinModule('node:os').homedir())
        : existsSync(env['HOME'] ?? '')
          ? env['HOME']
          : undefined,
    get user() {
      user ??=
        ifKnown(() => process.getBuiltinModule('node:os').userInfo().username) ??
        `uid ${process.getuid?.() ?? 'unknown'}`;
      return user;
    },
    pid: process.pid,
    version,
    stdin: standardInput(() => process.stdin, 0),
    stdout,
    stderr,
    terminal: () => ({
      input: process.stdin,
      output: stderr.get(),
      onExit(listener) {
        // First: the exit listener of main.ts leaves no time for others.
        process.prependListener('exit', listener);
        return () => process.off('exit', listener);
      },
      onContinue(listener) {
        process.on('SIGCONT', listener);
        return () => process.off('SIGCONT', listener);
      },
      suspend() {
        if (process.platform !== 'win32') process.kill(process.pid, 'SIGTSTP');
      },
    }),
    isInBackground,
    clock: systemClock,
    startedMs: systemClock.now() - process.uptime() * 1000,
    random: systemRandom,
    signals: processSignals(),
    // An unhandled rejection arrives here too.
    onCrash: (listener) => process.on('uncaughtException', listener),
    exitNow: (code) => process.exit(code),
    dropStalledReaders() {
      stdout.dropStalledReader();
      stderr.dropStalledReader();
    },
  };
  return {
    context,
    async flush() {
      await stdout.flush();
      await stderr.flush();
    },
  };
}
