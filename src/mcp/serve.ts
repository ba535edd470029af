import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { dropReadersLater, GRACE_MS } from '../call/interrupt.ts';
import { StreamFailure } from '../context.ts';
import { CANCELLED_EXIT_CODES, FAILURES, note, warning } from '../failure.ts';
import { describeIoError, messageOf } from '../files/io-failure.ts';
import type { Session } from '../session.ts';
import { Connection } from './connection.ts';
import { PendingConfirmations } from './pending-confirmations.ts';
import { createServer, type Serving } from './server.ts';

/** Time for the answer to a call that has ended; it takes a few turns of the event loop. */
const LAST_ANSWER_MS = 250;

/** Why serving came to its end, unless stdin did. */
interface End {
  readonly why: string;
  readonly exitCode: number;
  /** Nothing can be written any more. */
  readonly isLost?: boolean;
}

/** Serves until stdin ends, a signal comes or stdout is lost, then ends what is under way. Returns the exit code. */
export async function serve(session: Session, tools: Serving['tools']): Promise<number> {
  const { context } = session;
  const [ended, graceOver] = [new AbortController(), new AbortController()];
  const underWay = new Set<Promise<unknown>>();
  const connection = new Connection(context.stdout);
  const confirmations = new PendingConfirmations(context.clock);
  connection.onCancelled = (requestId) => confirmations.drop(requestId);
  const serving = { session, tools, confirmations, ended: ended.signal, graceOver: graceOver.signal, underWay };
  const handle = serveStdio(() => createServer(serving), {
    transport: connection,
    onerror: (error) => {
      const message = `protocol: ${error.message}`;
      if (session.common.verbose) void session.notify(note('PROTOCOL', message));
    },
  });
  const end = await new Promise<End | undefined>((resolve) => {
    connection.onLost = (error) => {
      const isReaderGone = error instanceof StreamFailure && error.errno === 'EPIPE';
      const exitCode = isReaderGone ? CANCELLED_EXIT_CODES.EPIPE : FAILURES.LOCAL_IO.exitCode;
      resolve({ why: `could not write to stdout: ${messageOf(error)}`, exitCode, isLost: true });
    };
    context.signals.onSignal((signal, count) => {
      if (count > 1) graceOver.abort();
      // Also where stdin has ended, and only the client's reading is waited for.
      void dropReadersLater(context);
      resolve({ why: `ended by ${signal}`, exitCode: CANCELLED_EXIT_CODES[signal] });
    });
    void readInput(session, connection).then(() => resolve(undefined));
  });
  ended.abort();
  const done = new AbortController();
  void context.clock.sleep(GRACE_MS, done.signal).then(() => graceOver.abort());
  if (end?.isLost !== true) {
    await Promise.race([
      connection.whenAnswered(),
      new Promise((resolve) => graceOver.signal.addEventListener('abort', resolve)),
    ]);
  }
  await Promise.allSettled(underWay);
  // What was abandoned is answered too: it may be the only place where its client reads that it is unknown.
  if (end?.isLost !== true) await Promise.race([connection.whenAnswered(), context.clock.sleep(LAST_ANSWER_MS)]);
  done.abort();
  await handle.close();
  if (end === undefined) return 0;
  await session.notify(note('INTERRUPTED', end.why));
  // stdin is still open, and reading it would keep the process alive for ever.
  context.exitNow(end.exitCode);
  return end.exitCode;
}

/** Reads stdin to its end; one that cannot be read has ended. */
async function readInput(session: Session, connection: Connection): Promise<void> {
  try {
    for await (const chunk of session.context.stdin.read()) connection.feed(chunk);
  } catch (error) {
    await session.notify(warning('INPUT_LOST', `could not read stdin: ${describeIoError(error)}`));
  }
}
