import type { Operation } from '../api/operation.ts';
import { PromptAborted } from '../ask/prompt-context.ts';
import type { CallCommand } from '../command/command.ts';
import { type PromptPort, type SignalName, signalWords } from '../context.ts';
import { CANCELLED_EXIT_CODES, Failure } from '../failure.ts';
import type { Session } from '../session.ts';
import type { DeskLog } from './desk-log.ts';

/** A text in lines, none wider than the screen. */
export type Said = () => string;

/** What the whole desk shares: its session, its record, and messages for the next screen. */
export interface DeskPorts {
  readonly session: Session;
  readonly prompt: PromptPort;
  readonly log: DeskLog;
  /** `host[:port]`, as in the history. */
  readonly host: string;
  readonly mayWrite: boolean;
  /** The command of a change in the menu. */
  readonly commandOf: (operation: Operation) => Promise<CallCommand>;
  /** The screen is redrawn with each menu; else it is printed before it. */
  readonly redraws: boolean;
  /** Messages above the verdict until the next screen. Each is drawn for the current width. */
  said: Said[];
  /** Something was pasted during a wait, and thrown away. */
  readonly pasted: () => void;
  /** A question that names the place, and how much is open. */
  question(subject: string): string;
  /** Runs it and reports a failure; undefined after a failure or one step back. What leaves the desk is thrown. */
  attempt<Value>(act: () => Promise<Value>): Promise<Value | undefined>;
  say(failure: Failure): void;
  tell(text: string): void;
  record(): Promise<void>;
}

export function cancelledBy(signal: SignalName): Failure {
  return new Failure('CANCELLED', `cancelled by ${signalWords(signal)}`, { exitCode: CANCELLED_EXIT_CODES[signal] });
}

/** Does an error mean one step back (Esc or Ctrl-C)? Any other leaves the desk. */
export function isStepBack(error: unknown): boolean {
  if (error instanceof PromptAborted) return error.isStepBack;
  return error instanceof Failure && error.code === 'CANCELLED' && error.exitCode === CANCELLED_EXIT_CODES.SIGINT;
}
