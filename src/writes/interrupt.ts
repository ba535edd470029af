import { type Context, GRACE_MS, type SignalName } from '../base/context.ts';
import { FAILURES, warning } from '../base/failure.ts';
import { commandOf } from '../base/next-step.ts';
import type { Session } from '../command/session.ts';

/** After a signal, gives up a reader that stands still a second after the grace time: a result must not wait for it. */
export async function dropReadersLater(context: Context): Promise<void> {
  await context.clock.sleep(GRACE_MS - 1000);
  context.dropStalledReaders();
}

/** Signals for the http layer, while a change is in progress. */
export type Interrupt = ReturnType<typeof openInterrupt>;

/**
 * A change is about to leave: from here on a signal does not end the program as if nothing had been sent. Once the
 * change has ended, the first signal lets its result be printed, and the second one ends the program. `isUnknown`: is
 * its outcome unknown? That counts more than what was not printed.
 */
export function keepToOutcome(session: Session, isUnknown: () => boolean): void {
  const { context } = session;
  let isImpatient = false;
  context.signals.onSignal(() => {
    const message = isImpatient
      ? `the command has finished, but its result was not printed. See what happened: ${commandOf({ do: 'check what happened' })}`
      : 'too late to cancel: the command has finished, and its result follows (Ctrl-C again to exit without it)';
    if (isImpatient) context.dropStalledReaders();
    else void dropReadersLater(context);
    const reported = session.notify(warning('INTERRUPTED', message));
    const code = isUnknown() ? 'OUTCOME_UNKNOWN' : 'CANCELLED';
    if (isImpatient) void reported.then(() => context.exitNow(FAILURES[code].exitCode));
    isImpatient = true;
  });
}

/** Takes over signals during a change or a run, so that its response is still heard. `onFirst` announces the wait. */
export function openInterrupt(
  { clock, signals }: Pick<Context, 'clock' | 'signals'>,
  onFirst: (signal: SignalName) => void,
) {
  const stopping = new AbortController();
  const abort = new AbortController();
  const released = new AbortController();
  let first: SignalName | undefined;
  const stopListening = signals.onSignal((signal) => {
    if (first !== undefined) {
      abort.abort(signal);
      return;
    }
    first = signal;
    // The signal is the reason, which gives a cancelled call its exit code.
    stopping.abort(signal);
    onFirst(signal);
    void clock.sleep(GRACE_MS, released.signal).then(() => {
      if (!released.signal.aborted) abort.abort(signal);
    });
  });
  return {
    /** Aborted at the first signal: begin nothing new. */
    stopping: stopping.signal,
    /** Aborted at the second signal, or when the grace time is over: abandon what is in flight. */
    abort: abort.signal,
    release(): void {
      stopListening();
      released.abort();
    },
  };
}
