import type { Context, SignalName } from '../context.ts';

/** How long a write in flight may still be answered after the first signal (contract section 4). */
export const GRACE_MS = 5000;

/** Signals as the HTTP room understands them, for the time that a write is under way. */
export interface Interrupt {
  /** Aborted at the first signal: begin nothing new. */
  readonly wrapUp: AbortSignal;
  /** Aborted at the second signal, or when the grace time is over: abandon what is in flight. */
  readonly stop: AbortSignal;
  release(): void;
}

/**
 * Takes the signals over while a write is under way, so that an answer on its way is still heard.
 * `onFirst` tells the person what is being waited for.
 */
export function openInterrupt(context: Context, onFirst: (signal: SignalName) => void): Interrupt {
  const wrapUp = new AbortController();
  const stop = new AbortController();
  const released = new AbortController();
  let first: SignalName | undefined;
  const stopListening = context.signals.onSignal((signal) => {
    if (first !== undefined) {
      stop.abort(signal);
      return;
    }
    first = signal;
    // The name is the reason: it gives a cancelled call its exit code.
    wrapUp.abort(signal);
    onFirst(signal);
    void context.clock.sleep(GRACE_MS, released.signal).then(() => stop.abort(signal));
  });
  return {
    wrapUp: wrapUp.signal,
    stop: stop.signal,
    release() {
      stopListening();
      released.abort();
    },
  };
}
