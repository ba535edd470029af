import type { Context } from './context.ts';
import { runProgram } from './engine/program.ts';
import { processContext } from './process/context.ts';
import { REGISTRY } from './registry.ts';

declare const FRONTDESK_VERSION: string;

/** Runs the program on the real process; `bin/frontdesk.js` calls it, and `build/dev.ts` on the sources. */
export async function start(): Promise<void> {
  // A promise that never settles would end the process with 0 and no output; only the completed path is a success.
  process.exitCode = 1;
  // While Node takes itself down it gives the signals back to the system, and an interrupt would then turn the outcome
  // of a write into 130. At this event everything is written, so the way out may be the shortest.
  process.once('exit', (code) => process.exit(code));
  const context: Context = processContext(typeof FRONTDESK_VERSION === 'string' ? FRONTDESK_VERSION : '0.0.0-dev');
  process.exitCode = await runProgram(context, REGISTRY);
}
