import type { SignalName } from '../context.ts';
import { CANCELLED_EXIT_CODES, Failure, type FailureDetails } from '../failure.ts';

export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** What a question is asked with: `signal` ends it when nobody can answer any more, which `leave` reports. */
export interface Asking extends TerminalStreams {
  readonly signal: AbortSignal;
  leave(): void;
}

export type Ask = <Value>(question: (asking: Asking) => Promise<Value>) => Promise<Value>;

/** How a question was left without an answer. */
export type LeftBy = 'ctrl_c' | 'end' | 'leave' | SignalName;

/** A question that nobody answered: nothing was sent. */
export class QuestionLeft extends Failure {
  readonly by: LeftBy;

  constructor(by: LeftBy, cause: unknown, details: FailureDetails = {}) {
    const isSignal = by === 'SIGTERM' || by === 'SIGHUP';
    super('CANCELLED', `cancelled${isSignal ? ` by ${by}` : ''} at a question; nothing was sent`, {
      details: { outcome: 'not_sent', ...details },
      exitCode: CANCELLED_EXIT_CODES[isSignal ? by : 'SIGINT'],
      cause,
    });
    this.by = by;
  }

  /** How it was left is still known where more was added: the desk goes a step back for one and leaves for another. */
  override with(details: FailureDetails): QuestionLeft {
    return new QuestionLeft(this.by, this.cause, super.with(details).details);
  }
}
