import { runProgram } from './engine/program.ts';
import { type CompiledCode, hasNewCode } from './process/compiled-code.ts';
import { processContext } from './process/context.ts';
import { REGISTRY } from './registry.ts';

declare const FRONTDESK_VERSION: string;

/** A longer call has been at work so long that V8 may have given up the code of its start again. */
const LONGEST_KEPT_S = 10;

/**
 * Runs the program on the real process; `bin/frontdesk.js` calls it, and `build/dev.ts` on the sources (then nothing
 * is compiled ahead). Ends the process as soon as everything is written: taking down what is open takes Node longer.
 */
export async function start(compiledCode?: CompiledCode): Promise<void> {
  // A promise that never settles would end the process with 0 and no output; only the completed path is a success.
  process.exitCode = 1;
  // While Node takes itself down it gives the signals back to the system, and an interrupt would then turn the outcome
  // of a write into 130. At this event everything is written, so the way out may be the shortest.
  process.once('exit', (code) => process.exit(code));
  const version = typeof FRONTDESK_VERSION === 'string' ? FRONTDESK_VERSION : '0.0.0-dev';
  const { context, flush } = processContext(version, compiledCode);
  process.exitCode = await runProgram(context, REGISTRY);
  await flush();
  if (compiledCode !== undefined && hasNewCode(compiledCode) && process.uptime() < LONGEST_KEPT_S) {
    try {
      const { keepCompiled } = await import('./process/keep-compiled.ts');
      keepCompiled(compiledCode, context.clock.now());
    } catch {
      // A full or read-only disk: then the next start compiles anew.
    }
  }
  process.exit();
}
