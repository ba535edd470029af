import { existsSync, readFileSync } from 'node:fs';
import type { Context } from '../../src/base/context.ts';
import { systemClock, systemRandom } from '../../src/base/process/system.ts';
import { runProgram } from '../../src/cli/program.ts';
import { REGISTRY } from '../../src/registry.ts';

/** What a call is given in the place of a process of its own. */
export interface CallPlace {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: string | Uint8Array;
  /** A pause of so many milliseconds takes another time. */
  readonly timer?: { readonly ms: number; readonly takesMs: number } | undefined;
}

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

/** The variables of this process are those of the call: a token command and the folder of temporary files go by them. */
function replaceEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}

function recording() {
  const parts: Buffer[] = [];
  const port = {
    isTerminal: false,
    columns: undefined,
    write: async (part: string | Uint8Array) => void parts.push(Buffer.from(part)),
  };
  return { port, text: () => Buffer.concat(parts).toString('utf8') };
}

/** Runs the program in this process, which has one folder and one environment: one call at a time. */
export async function callInProcess({ args, env, cwd, stdin, timer }: CallPlace) {
  const [before, folder] = [{ ...process.env }, process.cwd()];
  const [stdout, stderr] = [recording(), recording()];
  process.chdir(cwd);
  replaceEnvironment(env);
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    const code = await new Promise<number>((resolve) => {
      const context: Context = {
        argv: args,
        env,
        platform: process.platform,
        home: existsSync(env['HOME'] ?? '') ? env['HOME'] : undefined,
        user: process.getBuiltinModule('node:os').userInfo().username,
        pid: process.pid,
        version,
        stdin: {
          isTerminal: false,
          async *read() {
            if (stdin.length > 0) yield Buffer.from(stdin);
          },
        },
        stdout: stdout.port,
        stderr: stderr.port,
        terminal: () => {
          throw new Error('there is no terminal');
        },
        clock: {
          ...systemClock,
          sleep: (ms, signal) => systemClock.sleep(ms === timer?.ms ? timer.takesMs : ms, signal),
        },
        random: systemRandom,
        signals: { received: [], onSignal: () => () => undefined },
        onCrash: () => undefined,
        exitNow: resolve,
        dropStalledReaders: () => undefined,
        timeZone: {
          machine: () => zone,
          use(name) {
            process.env['TZ'] = name;
          },
        },
      };
      void runProgram(context, REGISTRY).then(resolve);
    });
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    replaceEnvironment(before);
    process.chdir(folder);
  }
}
