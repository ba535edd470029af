import type { Context, SignalName, SignalPort } from '../context.ts';
import type { CompiledCode } from './compiled-code.ts';
import { lazyStream, standardError, standardInput, standardOutput } from './streams.ts';
import { systemClock, systemRandom } from './system.ts';

/** Dropped from the environment once read, so that no child process and no diagnostic report shows them. */
const TOKEN_VARIABLES = ['FRONTDESK_CARDS_TOKEN', 'FRONTDESK_CALENDAR_TOKEN'];

/** Loaded at its first use: few calls ask for anything of it. */
function operatingSystem() {
  return process.getBuiltinModule('node:os');
}

function userName(): string {
  try {
    return operatingSystem().userInfo().username;
  } catch {
    // A container may run under a uid that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

function homeFolder(): string | undefined {
  try {
    const home = operatingSystem().homedir();
    return home === '' ? undefined : home;
  } catch {
    return undefined;
  }
}

const SIGNALS: readonly SignalName[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function processSignals(source: NodeJS.Process): SignalPort {
  const received: SignalName[] = [];
  const listeners: ((signal: SignalName, count: number) => void)[] = [];
  for (const signal of SIGNALS) {
    source.on(signal, () => {
      received.push(signal);
      listeners.at(-1)?.(signal, received.length);
    });
  }
  return {
    received,
    onSignal(listener) {
      listeners.push(listener);
      return () => {
        const index = listeners.lastIndexOf(listener);
        if (index >= 0) listeners.splice(index, 1);
      };
    },
  };
}

/** The real process as the ports of `context.ts`, and how to wait until all that it wrote has left it. */
export function processContext(
  version: string,
  compiledCode: CompiledCode | undefined,
): { readonly context: Context; flush(): Promise<void> } {
  const env = { ...process.env };
  for (const name of TOKEN_VARIABLES) delete process.env[name];
  let user: string | undefined;
  const stdout = lazyStream(1, () => process.stdout);
  const stderr = lazyStream(2, () => process.stderr);
  const context: Context = {
    argv: process.argv.slice(2),
    env,
    platform: process.platform,
    home: process.platform === 'win32' ? homeFolder() : env['HOME'] || undefined,
    get user() {
      user ??= userName();
      return user;
    },
    pid: process.pid,
    version,
    stdin: standardInput(() => process.stdin, 0),
    stdout: standardOutput(stdout, 1),
    stderr: standardError(stderr),
    terminal: () => ({
      input: process.stdin,
      output: stderr.get(),
      onExit(listener) {
        // First of all: what main.ts hears at the exit leaves no time for others.
        process.prependListener('exit', listener);
        return () => process.off('exit', listener);
      },
    }),
    clock: systemClock,
    random: systemRandom,
    signals: processSignals(process),
    // A rejection that nobody handles arrives here too.
    onCrash: (listener) => process.on('uncaughtException', listener),
    exitNow: (code) => process.exit(code),
    ...(compiledCode === undefined ? {} : { compiledCode }),
  };
  return {
    context,
    async flush() {
      await stdout.flush();
      await stderr.flush();
    },
  };
}
