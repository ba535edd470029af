import type { Context, SignalName } from './context.ts';
import type { Format } from './output/options.ts';

/** Removes what a call made, or is just making. */
export type Drop = () => Promise<unknown>;

/** What is known of the call so far, for the report of a failure at any moment. */
export class CallState {
  format: Format;
  operation: string | undefined;
  /** The command line is of a change. */
  writes = false;
  /** The command may send changes. Only then a failure says that nothing was sent. */
  maySend = false;
  /** Masks frontdesk's own tokens in everything that is reported. */
  mask?: (text: string) => string;
  /** Changes from before their beginning is recorded until their end is. */
  writesUnderWay = 0;
  /** The outcome of a change of this call is unknown. */
  isUnknown = false;
  /** Called when no change is in progress any more. */
  onQuiet?: () => void;
  /** How many signals ended only one action, like Ctrl-C at the desk. */
  forgiven = 0;
  readonly done: string[] = [];
  /** An uncaught error is being reported. */
  isCrashing = false;
  /** Removes what is drawn on the terminal before an unexpected report. */
  clearDisplay?: () => void;
  /** Remove files with customers' data that must not outlive a call that a signal or a crash ends. */
  readonly temporary = new Set<Drop>();

  constructor(format: Format) {
    this.format = format;
  }
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
