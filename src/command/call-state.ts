import type { Context, SignalName } from '../base/context.ts';
import { FAILURES, type Notice, warning } from '../base/failure.ts';
import type { Format } from '../screen/options.ts';

/** Removes what a call made, or is just making. */
export type Drop = () => Promise<unknown>;

/** What is known of the call so far, for the report of a failure at any moment. */
export class CallState {
  format: Format;
  operation: string | undefined;
  profile?: string | undefined;
  writes = false;
  /** The command may send changes. Only then a failure says that nothing was sent. */
  maySend = false;
  /** Masks frontdesk's own tokens in everything that is reported. */
  mask?: (text: string) => string;
  /** The IDs of cards that this machine knows by these references, for a refusal of texts that are no card IDs. */
  cardsOfReferences?: (texts: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Changes from before their beginning is recorded until their end is. */
  writesUnderWay = 0;
  isUnknown = false;
  /** A part of the result could not be printed as it was asked for. */
  isPartial = false;
  /** Called when no change is in progress any more. */
  onQuiet?: () => void;
  readonly done: string[] = [];
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
  { isCrashing }: Pick<CallState, 'isCrashing'>,
): SignalName | undefined {
  return received[0] ?? (isCrashing ? 'SIGINT' : undefined);
}

/** What must be said of an unknown outcome (8) after Ctrl-C: only an end by the signal stops a loop of the shell. */
export function loopMayGoOn(exitCode: number, [signal]: readonly SignalName[]): Notice | undefined {
  if (exitCode !== FAILURES.OUTCOME_UNKNOWN.exitCode || signal !== 'SIGINT') return undefined;
  return warning('INTERRUPTED', 'a loop of the shell may go on after this. Press Ctrl-C again to stop it');
}
