import type { SignalName, Verdict } from '../context.ts';
import { CANCELLED_EXIT_CODES, Failure, type FailureDetails } from '../failure.ts';
import type { TerminalKeys, TerminalStreams } from './terminal-keys.ts';

export interface Question {
  readonly text: string;
  /** What may be chosen; none: the answer is typed. */
  readonly choices?: readonly { readonly value: string; readonly text: string }[];
  readonly isSecret?: boolean;
  /** Whether text that was pasted may stand in the answer: never in a yes or no. */
  readonly takesPaste: boolean;
  /** What a typed answer is worth. Where there are choices: whether a text may stand for one. */
  judge(answer: string): Verdict;
  /** What stands there once it is given. */
  show?(answer: string): string;
  /** Esc empties the line in place of leaving. */
  readonly keepsAtEscape?: boolean;
}

/** What a question is asked with: `signal` ends it when no answer can come any more, which `leave` reports. */
export interface PromptContext extends TerminalStreams {
  readonly keys: TerminalKeys;
  readonly signal: AbortSignal;
  leave(by: AbortReason): void;
  /** Shows a line to the person while the question stands there. */
  tell: (text: string) => void;
}

export type AbortReason = 'ctrl_c' | 'escape' | 'end' | 'leave' | SignalName;

/** A question that was left without an answer. */
export class PromptAborted extends Failure {
  readonly by: AbortReason;

  constructor(by: AbortReason, cause: unknown, details: FailureDetails = {}) {
    const isSignal = by === 'SIGTERM' || by === 'SIGHUP';
    super('CANCELLED', `cancelled${isSignal ? ` by ${by}` : ''} at a question`, {
      after: 'unsent',
      details: { outcome: 'not_sent', ...details },
      exitCode: CANCELLED_EXIT_CODES[isSignal ? by : 'SIGINT'],
      cause,
    });
    this.by = by;
  }

  /** Left by Esc or Ctrl-C: one step back, where there is one. */
  get isStepBack(): boolean {
    return this.by === 'ctrl_c' || this.by === 'escape';
  }

  /** How it was left is still known where more was added: the desk goes a step back for one and leaves for another. */
  override with(details: FailureDetails): PromptAborted {
    return new PromptAborted(this.by, this.cause, super.with(details).details);
  }
}
