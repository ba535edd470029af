import { runProgram } from './engine/program.ts';
import { type CompiledCode, hasNewCode } from './process/compiled-code.ts';
import { processContext } from './process/context.ts';
import { REGISTRY } from './registry.ts';

declare const FRONTDESK_VERSION: string;

/** After a longer call V8 may have dropped the code of the start. */
const LONGEST_KEPT_S = 10;

/**
 * Runs the program on the real process, for `bin/frontdesk.js`, and for `build/dev.ts` from the sources (without
 * compiled code). Ends the process once everything is written, because Node takes longer to take down what is open.
 */
export async function start(compiledCode?: CompiledCode): Promise<void> {
  // A promise that never resolves would end the process with 0 and no output: only the completed path is a success.
  process.exitCode = 1;
  // While Node ends it gives the signals back to the system, and an interrupt would turn the outcome of a change into
  // 130. Everything is written at this event, so the process ends at once.
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
      // A full or read-only disk: the next start compiles anew.
    }
  }
  process.exit();
}
