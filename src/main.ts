import { endProcess, processContext } from './base/process/context.ts';
import { runProgram } from './cli/program.ts';
import { REGISTRY } from './registry.ts';

declare const FRONTDESK_VERSION: string;

/**
 * Runs the program on the real process, for `bin/frontdesk.js`, and for `build/dev.ts` from the sources. Ends the process once everything is written, because Node takes longer to take down what is open.
 */
export async function start(): Promise<void> {
  // A promise that never resolves would end the process with 0 and no output: only the completed path is a success.
  process.exitCode = 1;
  const version = typeof FRONTDESK_VERSION === 'string' ? FRONTDESK_VERSION : '0.0.0-dev';
  const { context, flush } = processContext(version);
  // While Node ends it gives the signals back to the system, and an interrupt would turn the outcome of a change into
  // 130. Everything is written at this event, so the process ends at once.
  process.once('exit', (code) => endProcess(code, context.signals.received));
  // Nothing is left that such a promise could wait for: a bug, which must not end without a word. Thrown later, because
  // Node ends in spite of what a crash at this event still does.
  process.on('beforeExit', () =>
    setImmediate(() => {
      throw new Error('the call waits for something that can no longer happen');
    }),
  );
  process.exitCode = await runProgram(context, REGISTRY);
  await flush();
  process.exit();
}
