import type { Context, SignalName } from './context.ts';
import type { Format } from './output/options.ts';

/** Removes what a call made, or is just making. */
export type Drop = () => Promise<unknown>;

/** What is known of the call so far, for the report of a failure at any moment. */
export interface CallState {
  format: Format;
  operation: string | undefined;
  /** The command line is of a change. */
  writes: boolean;
  /** The command may send changes. Only then a failure says that nothing was sent. */
  maySend: boolean;
  /** Masks frontdesk's own tokens in everything that is reported. */
  mask?: (text: string) => string;
  /** Changes from before their beginning is recorded until their end is. */
  writesUnderWay: number;
  /** The outcome of a change of this call is unknown. */
  isUnknown: boolean;
  /** Called when no change is in progress any more. */
  onQuiet?: () => void;
  /** How many signals ended only one action, like Ctrl-C at the desk. */
  forgiven: number;
  readonly done: string[];
  /** An uncaught error is being reported. */
  isCrashing: boolean;
  /** Removes what is drawn on the terminal before an unexpected report. */
  clearDisplay?: () => void;
  /** Remove files with customers' data that must not outlive a call that a signal or a crash ends. */
  readonly temporary: Set<Drop>;
}

/**
 * The signal after which no change may leave, checked right before the first byte: what a handler reports as not sent
 * never leaves, however long its report takes. A crash stops changes like Ctrl-C.
 */
export function stoppedWrites(
  { signals: { received } }: Pick<Context, 'signals'>,
  { forgiven, isCrashing }: Pick<CallState, 'forgiven' | 'isCrashing'>,
): SignalName | undefined {
  return received[forgiven] ?? received.find((name) => name !== 'SIGINT') ?? (isCrashing ? 'SIGINT' : undefined);
}
