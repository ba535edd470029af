import type { Choice, Context, ScreenAbove, SignalName, Verdict } from '../../base/context.ts';
import { CANCELLED_EXIT_CODES, Failure, type FailureOptions } from '../../base/failure.ts';
import type { TerminalKeys, TerminalStreams } from './terminal-keys.ts';

export interface PromptStyle {
  readonly colour: boolean;
  readonly unicode: boolean;
  /** Redrawn with each key; in lines, for screen readers; in lines without escape sequences (TERM=dumb). */
  readonly mode: 'drawn' | 'lines' | 'dumb';
}

export interface Question {
  readonly text: string;
  /** The choices; none: the answer is typed. */
  readonly choices?: readonly Choice[];
  readonly isSecret?: boolean;
  /** May pasted text be an answer? Never for a yes or no. */
  readonly takesPaste: boolean;
  /** For a question without pastes: a longer piece was pasted, whatever the terminal says. */
  readonly longest?: number;
  /** Judges a typed answer. With choices: may the text stand for one? */
  judge(answer: string, isPasted?: boolean): Verdict;
  show?(answer: string): string;
  isRefusal?(answer: string): boolean;
  /** Columns of an answer that must not be broken. It gets its own line if the question leaves less. */
  readonly room?: number;
  /** Esc and Ctrl-C empty a line with text. Only Ctrl-C leaves, from an empty one. */
  readonly emptiesFirst?: boolean;
  /** The rest of the screen, redrawn with the question, which then leaves no line behind. */
  readonly above?: ScreenAbove | undefined;
}

/** The context of a question. `signal` ends it when no answer can come any more, for the reason in `leave`. */
export interface PromptContext extends TerminalStreams {
  readonly keys: TerminalKeys;
  readonly signal: AbortSignal;
  leave(by: AbortReason): void;
  /** Shows a line while the question is open. */
  tell: (text: string) => void;
  /** A message shown with the question: what was typed too early. */
  readonly note?: string | undefined;
}

export type AbortReason = 'ctrl_c' | 'escape' | 'end' | 'leave' | Exclude<SignalName, 'SIGINT'>;

/** A question that was left without an answer. */
export class PromptAborted extends Failure {
  readonly by: AbortReason;

  constructor(by: AbortReason, cause: unknown, known: FailureOptions = {}) {
    const isSignal = by === 'SIGTERM' || by === 'SIGHUP';
    super('CANCELLED', `cancelled${isSignal ? ` by ${by}` : ''} at a question`, {
      after: 'unsent',
      ...known,
      details: { outcome: 'not_sent', ...known.details },
      exitCode: CANCELLED_EXIT_CODES[isSignal ? by : 'SIGINT'],
      cause,
    });
    this.by = by;
  }

  /** Left by Esc or Ctrl-C, which go one step back if there is one. */
  get isStepBack(): boolean {
    return this.by === 'ctrl_c' || this.by === 'escape';
  }

  /** Keeps how the question was left: the desk goes a step back for one way and leaves for another. */
  override but(changes: FailureOptions): PromptAborted {
    return new PromptAborted(this.by, this.cause, { ...this, ...changes });
  }
}

/** The message about a paste that is thrown away. */
export const LOST_PASTE = 'pasted, not used: type it';

/** USAGE for a question that nobody can answer: the system would stop the process, which only -9 ends then. */
export function refuseBackground({ isInBackground }: Pick<Context, 'isInBackground'>, what = 'ask'): void {
  if (isInBackground?.() !== true) return;
  throw Failure.unsent(
    'USAGE',
    `could not ${what}: nobody can answer while frontdesk is in the background of its terminal`,
    {
      hints: ['run it in the foreground (`timeout --foreground`), or add --yes where only a yes is asked for'],
    },
  );
}
