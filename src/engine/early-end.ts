import type { CallState } from '../call-state.ts';
import { type Context, GRACE_MS } from '../context.ts';

/** How long the record may take that a change was not sent. */
const TIDY_MS = 1000;

/** Waits until no change is in progress: each has a response, or the record that it was not sent. */
export async function settle({ clock }: Context, state: CallState, limitMs = GRACE_MS): Promise<void> {
  if (state.writesUnderWay === 0) return;
  const quiet = new Promise<void>((resolve) => {
    state.onQuiet = resolve;
  });
  await Promise.race([quiet, clock.sleep(limitMs)]);
}

/** Removes what a call that ends in the middle must not leave: files with customers' data, and child processes. */
export async function tidyUp(context: Context, state: CallState): Promise<void> {
  // The call went on while its end was reported, and may have begun a record.
  await settle(context, state, TIDY_MS);
  for (const drop of state.temporary) await drop().catch(() => undefined);
  // A token command may have started others that go on.
  (await import('../files/process-tree.ts')).endDescendants(context.pid);
}
