import type { CallState } from '../call-state.ts';
import { type Context, GRACE_MS, StreamFailure } from '../context.ts';
import { CANCELLED_EXIT_CODES, Failure } from '../failure.ts';
import { messageOf } from '../files/io-failure.ts';

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

function internalFailure(error: unknown): Failure {
  const hint =
    'report it with the command and the output of `FRONTDESK_DEBUG=1`, and check what was changed with `frontdesk history`';
  return new Failure('INTERNAL', `internal error: ${messageOf(error)}`, { hints: [hint], cause: error });
}

/** An error of the file system where none was expected: no bug, and it says nothing about a change. */
function systemFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? ` ${error.path}` : '';
  return new Failure('LOCAL_IO', `the system refused ${error.syscall}${path}: ${error.code}`, {
    hints: ['before you run it again, check what was done: `frontdesk history`'],
    cause: error,
  });
}

/** An uncaught error. It hides the outcome of a change in progress. */
export function crashFailure(error: unknown, { writesUnderWay, isUnknown }: CallState): Failure {
  const failure = internalFailure(error);
  if (writesUnderWay === 0 && !isUnknown) return failure;
  return new Failure('OUTCOME_UNKNOWN', failure.message, {
    after: 'a change was in progress and may have been applied',
    hints: ['before you run it again, check what happened: `frontdesk history`', ...failure.hints],
    details: { outcome: 'unknown' },
    cause: error,
  });
}

export function failureOf(error: unknown, { maySend }: Pick<CallState, 'maySend'>): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof StreamFailure)) return systemFailure(error) ?? internalFailure(error);
  const exitCode = CANCELLED_EXIT_CODES.EPIPE;
  if (error.errno === 'EPIPE')
    return new Failure('CANCELLED', 'the reader of stdout went away', { exitCode, cause: error });
  const after = maySend ? 'unsent' : undefined;
  return new Failure('LOCAL_IO', `could not write to stdout: ${error.reason}`, { after, cause: error });
}
