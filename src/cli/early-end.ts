import { type Context, GRACE_MS, StreamFailure } from '../base/context.ts';
import { CANCELLED_EXIT_CODES, Failure } from '../base/failure.ts';
import { describeIoError, messageOf } from '../base/files/io-failure.ts';
import type { CallState } from '../command/call-state.ts';
import { PromptAborted } from '../writes/ask/prompt-context.ts';

/** How long the record may take that a change was not sent. */
const TIDY_MS = 1000;

/** Waits until no change is in progress: each has a response, or the record that it was not sent. */
export async function waitForWrites({ clock }: Context, state: CallState, limitMs = GRACE_MS): Promise<void> {
  if (state.writesUnderWay === 0) return;
  const quiet = new Promise<void>((resolve) => {
    state.onQuiet = resolve;
  });
  await Promise.race([quiet, clock.sleep(limitMs)]);
}

/** Removes what a call that ends in the middle must not leave: files with customers' data, and child processes. */
export async function tidyUp(context: Context, state: CallState): Promise<void> {
  // The call went on while its end was reported, and may have begun a record.
  await waitForWrites(context, state, TIDY_MS);
  for (const drop of state.temporary) await drop().catch(() => undefined);
  // A token command may have started others that go on.
  (await import('../base/files/process-tree.ts')).endDescendants(context.pid);
}

const CHECK_FIRST = { do: 'check what happened', words: 'before you run it again, check what happened' } as const;

function internalFailure(error: unknown): Failure {
  const hint =
    'report it with the command and the output of `FRONTDESK_DEBUG=1`, and check what was changed with `frontdesk history`';
  return new Failure('INTERNAL', `internal error: ${messageOf(error)}`, { hints: [hint], cause: error });
}

/** An error of the file system where none was expected: no bug, and it says nothing about a change. */
function systemFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? ` ${error.path}` : '';
  return new Failure('LOCAL_IO', `the system refused ${error.syscall}${path}: ${describeIoError(error)}`, {
    hints: [CHECK_FIRST],
    cause: error,
  });
}

/** An uncaught error. It hides the outcome of a change in progress. */
export function crashFailure(error: unknown, { writesUnderWay, isUnknown }: CallState): Failure {
  const failure = internalFailure(error);
  if (writesUnderWay === 0 && !isUnknown) return failure;
  return new Failure('OUTCOME_UNKNOWN', failure.problem, {
    after: 'underWay',
    hints: [CHECK_FIRST, ...failure.hints],
    details: { outcome: 'unknown' },
    cause: error,
  });
}

/**
 * The failure of a call that a signal ended, also if it came too late for its change: with the code of the signal, unless
 * the outcome or a file counts more. Ctrl-C at a question is that signal, although the terminal sent a key.
 */
export function asSignalled(failure: Failure, { signals: { received } }: Pick<Context, 'signals'>): Failure {
  if (failure instanceof PromptAborted && failure.by === 'ctrl_c') received.push('SIGINT');
  const [signal] = received;
  if (signal === undefined || failure.code === 'OUTCOME_UNKNOWN' || failure.code === 'LOCAL_IO') return failure;
  const exitCode = CANCELLED_EXIT_CODES[signal];
  return new Failure('CANCELLED', failure.problem, { ...failure, exitCode, cause: failure.cause });
}

export function failureOf(
  error: unknown,
  { maySend, operation, done }: Pick<CallState, 'maySend' | 'operation' | 'done'>,
): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof StreamFailure)) return systemFailure(error) ?? internalFailure(error);
  const exitCode = CANCELLED_EXIT_CODES.EPIPE;
  if (error.errno === 'EPIPE')
    return new Failure('CANCELLED', 'the reader of stdout went away', { exitCode, cause: error });
  const after = maySend ? 'unsent' : 'silent';
  const problem = `could not write the result of ${operation?.replaceAll('.', ' ') ?? 'the command'} to stdout: ${error.reason}`;
  // What is done need not be done again.
  const isAgain = error.errno === 'ENOSPC' && done.length === 0;
  const hints = isAgain ? ['free space there, or write the result to another place'] : [];
  return new Failure('LOCAL_IO', problem, { after, hints, cause: error });
}
