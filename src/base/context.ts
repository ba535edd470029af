/** The ports to everything outside the process. Only `main.ts` makes real ones. */

/** A stream that a result or a notice is written to. Never throws synchronously. */
export interface OutputPort {
  readonly isTerminal: boolean;
  /** Terminal width in columns; undefined outside a terminal, and if unknown. */
  readonly columns: number | undefined;
  readonly rows?: number | undefined;
  /** It is the null device. */
  readonly isNull?: boolean;
  /** Resolves once the system has taken it, which is backpressure. Rejects with a `StreamFailure`. */
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

  /** In words. */
  get reason(): string {
    return this.errno === 'ENOSPC' ? 'no space left' : this.message;
  }
}

/** How long a write in flight may still be answered after the first signal. */
export const GRACE_MS = 5000;

export type SignalName = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** A signal for people: `Ctrl-C`. */
export function signalWords(signal: SignalName): string {
  return signal === 'SIGINT' ? 'Ctrl-C' : signal;
}

/** Signals as they arrive. The first asks for an orderly stop, the second for an immediate one. */
export interface SignalPort {
  /** The first one ends the process, unless the desk takes it out: a Ctrl-C there ends one action alone. */
  readonly received: SignalName[];
  /** Only the newest listener hears a signal, the `count`-th of the process. Returns how to stop listening. */
  onSignal(listener: (signal: SignalName, count: number) => void): () => void;
}

/** The zone of the times that people see. */
export interface TimeZonePort {
  /** The machine's own zone: `Europe/Oslo`. */
  machine(): string;
  /** Shows local times in this zone from now on. */
  use(name: string): void;
}

export interface ClockPort {
  /** Wall clock, milliseconds since 1970. For display and records only. */
  now(): number;
  /** Monotonic milliseconds for all deadlines, which a jump of the wall clock must not move. */
  monotonic(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What a caller that lasts hears at its questions besides the answers. */
export interface HeardAtQuestions {
  /** A paste ended together with the question. */
  onLostPaste?(): void;
  /** The terminal sent Ctrl-C as a signal. */
  onCtrlC?(): void;
}

/** Questions to the user at the terminal. Loaded at the first one. */
export interface PromptPort {
  /** False if stdin or stderr is no terminal, or with `--no-input`: then nothing may be asked. */
  readonly available: boolean;
  /**
   * Free text, which may be pasted. `show`: what is printed once it is given. `room`: an answer of so many columns is
   * not broken. Esc leaves it, and Ctrl-C too, or empty its line first (`emptiesFirst`). Every question rejects with CANCELLED at Esc,
   * Ctrl-C, EOF (130) and a signal.
   */
  text(
    question: string,
    judge: (answer: string) => Verdict,
    how?: Above & { show?(answer: string): string; readonly emptiesFirst?: boolean; readonly room?: number },
  ): Promise<string>;
  /** Free text that is not echoed. */
  secret(question: string, judge: (answer: string) => Verdict): Promise<string>;
  /** Yes or no. The default is no. */
  confirm(question: string): Promise<boolean>;
  /** Yes, no or `word`, whose first letter is enough. `does`: its purpose. `no`: the words printed after a no. */
  decide(
    question: string,
    how?: Above & {
      readonly other?: { readonly word: string; readonly does: string } | undefined;
      readonly no?: string;
    },
  ): Promise<string>;
  /** An entry, by number, beginning of its name, or arrow keys. `orText` judges another text, if there is one. */
  choose(
    question: string,
    choices: readonly Choice[],
    how?: Above & { readonly orText?: (text: string, isPasted: boolean) => Verdict },
  ): Promise<string>;
}

/** The screen above a question, of at most `room` lines. Undefined: it is printed once, whatever its length. */
export type ScreenAbove = (room: number | undefined) => string;

/** What the screen shows above a question, drawn together with it. */
type Above = { readonly above?: ScreenAbove | undefined };

/** An entry of a list. It keeps its number when others are not offered. */
export interface Choice {
  readonly value: string;
  /** Its name. The beginning of it chooses it. */
  readonly text: string;
  readonly remark?: string | undefined;
  /** Its number, if it is not its place in the list. */
  readonly number?: number;
}

/** `true`: it is the answer. A text: why it is none. `instead`: the probable meaning, which Enter accepts. */
export type Verdict = true | string | { readonly instead: string; readonly why: string };

/** Everything outside the program, as one call sees it. */
export interface Context {
  readonly argv: readonly string[];
  /** The environment at the start. `process.env` no longer has frontdesk's token variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string | undefined;
  /** The operating-system user, for the history. */
  readonly user: string;
  readonly pid: number;
  readonly version: string;
  readonly stdin: InputPort;
  readonly stdout: OutputPort;
  readonly stderr: OutputPort;
  /** stdin and stderr, for questions. `onContinue`: the process goes on after a stop, as by `suspend` or ^Z and fg. */
  terminal(): {
    readonly input: NodeJS.ReadableStream;
    readonly output: NodeJS.WritableStream;
    onExit(listener: () => void): () => void;
    onContinue(listener: () => void): () => void;
    suspend(): void;
  };
  /** Is the process in a background group of its terminal? The system stops it there at a question. */
  isInBackground?(): boolean;
  readonly clock: ClockPort;
  /** When the process was started, milliseconds since 1970; absent: now. */
  readonly startedMs?: number;
  /** Uniform in [0, 1). */
  random(): number;
  readonly signals: SignalPort;
  /** Gets an uncaught error, which is a bug. The process continues until the listener ends it. */
  onCrash(listener: (error: unknown) => void): void;
  /** Ends the process at once. Only after a signal or a crash, because an early exit cuts a pipe. */
  exitNow(code: number): void;
  /** After a signal, a reader that takes nothing for a second (a pager) counts as gone and keeps no process. */
  dropStalledReaders(): void;
  readonly timeZone?: TimeZonePort;
}

/** Switches among the variables. */
export const SWITCHES = [
  'FRONTDESK_READ_ONLY',
  'FRONTDESK_NO_HISTORY',
  'FRONTDESK_ACCESSIBLE',
  'FRONTDESK_DEBUG',
] as const;
export type Switch = (typeof SWITCHES)[number];

/** The valid values of a switch, for a refusal. */
export const SWITCH_PROBLEM = 'must be 1, true, yes or on, or 0, false, no, off or empty';

/** Does a variable switch on, in any case of its letters? Undefined: its value is invalid. */
export function isSwitchedOn(env: Context['env'], name: Switch): boolean | undefined {
  const value = (env[name] ?? '').toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(value)) return true;
  return ['', '0', 'false', 'no', 'off'].includes(value) ? false : undefined;
}

/** Does a variable of other tools switch on? Theirs take anything but these words. */
export function isOnElsewhere(env: Context['env'], name: 'CI' | 'ACCESSIBLE' | 'FORCE_COLOR'): boolean {
  return !['', '0', 'false', 'no', 'off'].includes((env[name] ?? '').toLowerCase());
}
