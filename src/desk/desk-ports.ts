import type { Operation } from '../api/operation.ts';
import { PromptAborted } from '../ask/prompt-context.ts';
import type { CallCommand } from '../command/command.ts';
import { type PromptPort, type SignalName, signalWords } from '../context.ts';
import { CANCELLED_EXIT_CODES, Failure } from '../failure.ts';
import type { Session } from '../session.ts';
import type { DeskLog } from './desk-log.ts';

/** A text in lines, none of them longer than the screen is wide. */
export type Said = () => string;

/** What the whole desk shares: its session, its record, and what is to be said on the next screen. */
export interface DeskPorts {
  readonly session: Session;
  readonly prompt: PromptPort;
  readonly log: DeskLog;
  /** `host[:port]`, as the history has it. */
  readonly host: string;
  readonly mayWrite: boolean;
  /** The command of a write of the menu. */
  readonly commandOf: (operation: Operation) => Promise<CallCommand>;
  /** The screen is drawn anew with each menu; else it is printed before it. */
  readonly redraws: boolean;
  /** Shown above the verdict until the next screen; each is drawn for the width that the screen has then. */
  said: Said[];
  /** Something was pasted during a wait, and thrown away. */
  readonly pasted: () => void;
  /** A question that names where it is asked, and how much is open. */
  question(subject: string): string;
  /** Does it, and says what failed; undefined: it failed, or was left by one step. What leaves the desk is thrown. */
  attempt<Value>(act: () => Promise<Value>): Promise<Value | undefined>;
  say(failure: Failure): void;
  tell(text: string): void;
  record(): Promise<void>;
}

export function cancelledBy(signal: SignalName): Failure {
  return new Failure('CANCELLED', `cancelled by ${signalWords(signal)}`, { exitCode: CANCELLED_EXIT_CODES[signal] });
}

/** A question or a wait that is left by Esc or Ctrl-C goes one step back; by anything else the desk is left. */
export function isStepBack(error: unknown): boolean {
  if (error instanceof PromptAborted) return error.isStepBack;
  return error instanceof Failure && error.code === 'CANCELLED' && error.exitCode === CANCELLED_EXIT_CODES.SIGINT;
}
