import { REGISTRY } from './commands/index.ts';
import type { Context } from './context.ts';
import { runProgram } from './engine/program.ts';
import { processContext } from './process/context.ts';

declare const FRONTDESK_VERSION: string;

/** Runs the program on the real process; `bin/frontdesk.js` calls it, and so does this file when run itself. */
export async function start(): Promise<void> {
  // A promise that never settles would end the process with 0 and no output; only the completed path is a success.
  process.exitCode = 1;
  const context: Context = processContext(typeof FRONTDESK_VERSION === 'string' ? FRONTDESK_VERSION : '0.0.0-dev');
  process.exitCode = await runProgram(context, REGISTRY);
}
