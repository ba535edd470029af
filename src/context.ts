/** The ports through which everything outside the process is reached. Only `main.ts` makes real ones. */

/** A stream that a result or a notice is written to. Never throws synchronously. */
export interface OutputPort {
  readonly isTerminal: boolean;
  /** Terminal width in columns; undefined off a terminal, and on one that does not know it. */
  readonly columns: number | undefined;
  readonly rows?: number | undefined;
  /** It is the null device: what is written there is gone. */
  readonly isNull?: boolean;
  /**
   * Resolves once the text (of a workbook its bytes) was handed to the operating system (so awaiting it is backpressure);
   * rejects with a `StreamFailure` when the reader went away or the disk is full.
   */
  write(text: string | Uint8Array): Promise<void>;
}

/** A stream that is read: stdin. */
export interface InputPort {
  readonly isTerminal: boolean;
  /** Bytes until the end of input. */
  read(): AsyncIterable<Uint8Array>;
}

/** Why a stream could not be written: `EPIPE` (the reader went away), `ENOSPC`, `EBADF`, … */
export class StreamFailure extends Error {
  readonly errno: string;
  constructor(errno: string, message: string) {
    super(message);
    this.name = 'StreamFailure';
    this.errno = errno;
  }
}

export type SignalName = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** A signal as people know it: `Ctrl-C`. */
export function signalWords(signal: SignalName): string {
  return signal === 'SIGINT' ? 'Ctrl-C' : signal;
}

/** Signals as they arrive. The first asks to stop in order, the second to stop at once. */
export interface SignalPort {
  readonly received: readonly SignalName[];
  /**
   * Only the newest listener hears a signal: a write under way decides how it ends.
   * `count` is 1 for the first signal of the process. Returns how to stop listening.
   */
  onSignal(listener: (signal: SignalName, count: number) => void): () => void;
}

/** The zone in which people see times that were taken here. */
export interface TimeZonePort {
  /** Its name, whatever is used: `Europe/Oslo`. */
  machine(): string;
  /** From now on local times are those of this zone. */
  use(name: string): void;
}

export interface ClockPort {
  /** Wall clock, milliseconds since 1970. For display and records only. */
  now(): number;
  /** Monotonic milliseconds. All deadlines are read from it, so a jump of the wall clock cannot move them. */
  monotonic(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Questions to the person at the terminal. Loaded only when one is asked. */
export interface PromptPort {
  /** False when stdin or stderr is no terminal, or `--no-input` was given: then nothing may be asked. */
  readonly available: boolean;
  /**
   * Free text, which may be pasted; `show` is what stands there once it is given. An answer of so many columns (`room`)
   * is not broken. At Esc it is left, or its line emptied (`keepsAtEscape`). Every question rejects with CANCELLED at Esc, Ctrl-C, EOF (130) and a signal.
   */
  text(
    question: string,
    judge: (answer: string) => Verdict,
    how?: Above & {
      readonly show?: (answer: string) => string;
      readonly keepsAtEscape?: boolean;
      readonly room?: number;
    },
  ): Promise<string>;
  /** Free text that is not echoed. */
  secret(question: string, judge: (answer: string) => Verdict): Promise<string>;
  /** Yes or no; the default is no. */
  confirm(question: string): Promise<boolean>;
  /**
   * Yes or no, or a third answer, `word`, of which the first letter is enough; `does` says what it is for. `no`: the
   * words that stand there after a no.
   */
  decide(
    question: string,
    how?: Above & {
      readonly other?: { readonly word: string; readonly does: string } | undefined;
      readonly no?: string;
    },
  ): Promise<string>;
  /** An entry, by its number, the beginning of its name, or the arrow keys. `orText` judges another text; without it none is taken. */
  choose(
    question: string,
    choices: readonly {
      readonly value: string;
      readonly text: string;
      readonly remark?: string | undefined;
      readonly number?: number;
    }[],
    how?: Above & { readonly orText?: (text: string) => Verdict },
  ): Promise<string>;
}

/** `above`: what the screen shows above a question, which is drawn together with it; else the question stands alone. */
interface Above {
  readonly above?: ScreenAbove | undefined;
}

/**
 * The screen above a question, line ends included. `room`: how many lines it may have; undefined: it is printed and not drawn
 * over, so nothing scrolls away.
 */
export type ScreenAbove = (room: number | undefined) => string;

/** `true`: it is the answer. A text: why not. `instead`: what was meant by it, which Enter takes. */
export type Verdict = true | string | { readonly instead: string; readonly why: string };

/** What this start used of the code that earlier ones compiled and kept. */
export interface CompiledCodeFacts {
  /**
   * Why nothing is kept: it is switched `off`, this is a job of a CI system (`ci`), there is no home (`homeless`), the
   * folder or the key is not this user's alone (`unsafe`), it cannot be looked at (`unreadable`), or the program is an
   * executable that brings compiled code along (`inside`).
   */
  readonly reason?: 'off' | 'ci' | 'homeless' | 'unsafe' | 'unreadable' | 'inside';
  /** The folder that the reason is about. */
  readonly where?: string;
  /** Whether only frontdesk writes to `where`, so that it may be removed. */
  readonly isOurs?: boolean;
  /** The folders in which it is kept, outermost first. */
  readonly above?: readonly string[];
  /** Files of the program that were loaded so far. */
  readonly chunks: ReadonlyMap<string, { readonly state: ChunkState }>;
}

/**
 * How a file of the program was loaded. `used`: with the compiled code that was kept. `none`: none was kept.
 * `damaged`: what was kept is not what was written. `refused`: V8 did not take it.
 */
export type ChunkState = 'used' | 'none' | 'damaged' | 'refused';

/** Everything outside the program, as one call sees it. */
export interface Context {
  readonly argv: readonly string[];
  /** The environment as it was at start. frontdesk's own token variables are no longer in `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string | undefined;
  /** Name of the operating-system user, for history. */
  readonly user: string;
  readonly pid: number;
  readonly version: string;
  readonly stdin: InputPort;
  readonly stdout: OutputPort;
  readonly stderr: OutputPort;
  /**
   * stdin and stderr themselves, for questions. `onExit` hears that the process ends, whatever ends it; `onContinue`
   * that it goes on after it was stopped, as by ^Z and fg; `suspend` stops it.
   */
  terminal(): {
    readonly input: NodeJS.ReadableStream;
    readonly output: NodeJS.WritableStream;
    onExit(listener: () => void): () => void;
    onContinue(listener: () => void): () => void;
    suspend(): void;
  };
  readonly clock: ClockPort;
  /** Uniform in [0, 1). */
  random(): number;
  readonly signals: SignalPort;
  /** Hears an error that nothing caught, which is a bug. The process goes on until the listener ends it. */
  onCrash(listener: (error: unknown) => void): void;
  /**
   * Ends the process at once with this code, whatever is still open. Only for a signal and a crash:
   * the normal path drains its streams (an early exit cuts a pipe).
   */
  exitNow(code: number): void;
  /**
   * A signal asks for the end: from now on a reader of stdout or stderr that takes nothing for a second counts as gone,
   * so that a pager which stands still cannot keep the process.
   */
  dropStalledReaders(): void;
  /** Frees the memory of what is not used any more, at once. */
  readonly collectGarbage?: () => void;
  readonly timeZone?: TimeZonePort;
  /** Absent: run from source. */
  readonly compiledCode?: CompiledCodeFacts;
}

/** Variables that switch something on or off. */
export const SWITCHES = [
  'FRONTDESK_READ_ONLY',
  'FRONTDESK_NO_HISTORY',
  'FRONTDESK_ACCESSIBLE',
  'FRONTDESK_DEBUG',
] as const;
export type Switch = (typeof SWITCHES)[number];

/** How the value of a switch may be spelled, for a refusal that names the variable. */
export const SWITCH_PROBLEM = 'must be 1, true, yes or on, or 0, false, no, off or empty';

/** Whether a variable switches on, in any case of its letters; undefined: it is spelled in no way that says so. */
export function isSwitchedOn(env: Context['env'], name: Switch): boolean | undefined {
  const value = (env[name] ?? '').toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(value)) return true;
  return ['', '0', 'false', 'no', 'off'].includes(value) ? false : undefined;
}
