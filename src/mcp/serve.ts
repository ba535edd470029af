import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type SignalName, StreamFailure } from '../context.ts';
import { GRACE_MS } from '../engine/call/interrupt.ts';
import { CANCELLED_EXIT_CODES, FAILURES, note, warning } from '../failure.ts';
import { describeIoError } from '../files/io-failure.ts';
import type { Session } from '../session.ts';
import { Connection } from './connection.ts';
import { Questions } from './questions.ts';
import { createServer, type Serving } from './server.ts';

/** Time for the answer to a call that has ended; it takes a few turns of the event loop. */
const LAST_ANSWER_MS = 250;

/** Why serving came to its end. */
type End =
  | { readonly kind: 'stdin' }
  | { readonly kind: 'signal'; readonly signal: SignalName }
  | { readonly kind: 'stdout'; readonly error: unknown };

/** Serves until stdin ends, a signal comes or stdout is lost, then ends what is under way. Returns the exit code. */
export async function serve(session: Session, tools: Serving['tools']): Promise<number> {
  const { context } = session;
  const [ended, graceOver] = [new AbortController(), new AbortController()];
  const underWay = new Set<Promise<unknown>>();
  const connection = new Connection(context.stdout);
  const questions = new Questions(context.clock);
  connection.onCancelled = (requestId) => questions.drop(requestId);
  const serving = { session, tools, questions, ended: ended.signal, graceOver: graceOver.signal, underWay };
  const handle = serveStdio(() => createServer(serving), {
    transport: connection,
    onerror: (error) => {
      const message = `protocol: ${error.message}`;
      if (session.common.verbose) void session.notify(note('PROTOCOL', message));
    },
  });
  const end = await new Promise<End>((resolve) => {
    connection.onLost = (error) => resolve({ kind: 'stdout', error });
    context.signals.onSignal((signal, count) => {
      if (count > 1) graceOver.abort();
      resolve({ kind: 'signal', signal });
    });
    void readInput(session, connection).then(() => resolve({ kind: 'stdin' }));
  });
  ended.abort();
  const done = new AbortController();
  void context.clock.sleep(GRACE_MS, done.signal).then(() => graceOver.abort());
  if (end.kind !== 'stdout') {
    await Promise.race([
      connection.whenAnswered(),
      new Promise((resolve) => graceOver.signal.addEventListener('abort', resolve)),
    ]);
  }
  await Promise.allSettled(underWay);
  // What was abandoned is answered too: it may be the only place where its client reads that it is unknown.
  if (end.kind !== 'stdout') await Promise.race([connection.whenAnswered(), context.clock.sleep(LAST_ANSWER_MS)]);
  done.abort();
  await handle.close();
  if (end.kind === 'stdin') return 0;
  await session.notify(note('INTERRUPTED', whyOf(end)));
  // stdin is still open, and reading it would keep the process alive for ever.
  context.exitNow(exitCodeOf(end));
  return exitCodeOf(end);
}

function whyOf(end: Exclude<End, { kind: 'stdin' }>): string {
  if (end.kind === 'signal') return `ended by ${end.signal}`;
  return `stdout cannot be written: ${end.error instanceof Error ? end.error.message : String(end.error)}`;
}

function exitCodeOf(end: Exclude<End, { kind: 'stdin' }>): number {
  if (end.kind === 'signal') return CANCELLED_EXIT_CODES[end.signal];
  const isReaderGone = end.error instanceof StreamFailure && end.error.errno === 'EPIPE';
  return isReaderGone ? CANCELLED_EXIT_CODES.EPIPE : FAILURES.LOCAL_IO.exitCode;
}

/** Reads stdin to its end; one that cannot be read has ended. */
async function readInput(session: Session, connection: Connection): Promise<void> {
  try {
    for await (const chunk of session.context.stdin.read()) connection.feed(chunk);
  } catch (error) {
    await session.notify(warning('INPUT_LOST', `stdin cannot be read: ${describeIoError(error)}`));
  }
}
