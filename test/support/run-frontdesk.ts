import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

/**
 * The program as users have it: `npm run build` makes what it starts. FRONTDESK_TEST_PROGRAM names another one,
 * such as an installed package, that has to pass the same tests.
 */
const PROGRAM =
  process.env['FRONTDESK_TEST_PROGRAM'] ?? fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url));

const DEFAULT_LIMIT_MS = 50_000;

/** Within half a second a second signal is the first one again. */
const ANOTHER_SIGNAL_MS = 600;

/** Folders of one imaginary user; calls that share it see each other's settings, history and sandbox. */
export interface Home {
  readonly path: string;
  /** FRONTDESK_CONFIG_DIR: not made yet, as at a first use. */
  readonly configDir: string;
  /** FRONTDESK_STATE_DIR: not made yet. */
  readonly stateDir: string;
}

const homes: string[] = [];

export function removeHomes(): void {
  for (const path of homes.splice(0)) rmSync(path, { recursive: true, force: true });
}
afterAll(removeHomes);

/** A new, empty home in a temporary folder; removed after the test file. */
export function createHome(): Home {
  const path = mkdtempSync(join(tmpdir(), 'frontdesk-test-'));
  homes.push(path);
  mkdirSync(join(path, 'work'));
  return { path, configDir: join(path, 'config'), stateDir: join(path, 'state') };
}

export interface RunOptions {
  /** Added to a clean environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What stdin holds; nothing unless given. It is never a terminal. */
  readonly stdin?: string | Uint8Array;
  /** stdin stays open: the test writes to `child.stdin` and ends it. */
  readonly keepStdinOpen?: boolean;
  /** The folder to run in; `work` in the home unless given. */
  readonly cwd?: string;
  /** After that many milliseconds the program is killed and the run rejects; 50,000 unless given. */
  readonly timeoutMs?: number;
  /** Run by bash with the program and its arguments as `$@`, which it gives way to. */
  readonly script?: string;
  /** A new one unless given. */
  readonly home?: Home;
}

export interface RunResult {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
  readonly home: Home;
}

export type RunningFrontdesk = ReturnType<typeof startFrontdesk>;

/** How to start the program from elsewhere: what its client needs. */
export function programCommand(args: readonly string[], home: Home, env: Readonly<Record<string, string>> = {}) {
  return { command: process.execPath, args: [PROGRAM, ...args], env: { ...cleanEnvironment(home), ...env } };
}

/** Environment in which the program runs this code before its own: for faults that no argument can cause. */
export function injecting(code: string): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

const USAGE = fileURLToPath(new URL('../../bench/usage.cjs', import.meta.url));

/** Environment in which the program writes down the most memory that it held (MiB) and the time of processors (ms). */
export function measuring({ path }: Home) {
  const file = join(path, 'usage');
  const env = { NODE_OPTIONS: `--require ${USAGE}`, USAGE_FILE: file };
  // The hook writes exactly this shape.
  return { env, usage: () => JSON.parse(readFileSync(file, 'utf8')) as { mib: number; cpuMs: number } };
}

const LOADED = fileURLToPath(new URL('loaded-files.cjs', import.meta.url));

/** Environment in which the program writes down which of its chunks and modules of Node it loads. */
export function listingLoaded({ path }: Home) {
  const list = join(path, 'loaded.json');
  const env = { NODE_OPTIONS: `--require ${LOADED}`, LOADED_FILES_LIST: list };
  // The hook writes exactly this shape.
  const loaded = () => JSON.parse(readFileSync(list, 'utf8')) as Record<'chunks' | 'builtins', readonly string[]>;
  return { env, loaded };
}

/** What `withTimer` gave, for calls in this process. */
const timers = new Map<string | undefined, { readonly ms: number; readonly takesMs: number }>();

/** Environment in which timers of so many milliseconds take another time, and no other timer does. */
export function withTimer(ms: number, takesMs: number): { readonly NODE_OPTIONS: string } {
  const env = injecting(
    `const of = (ms) => (ms === ${ms} ? ${takesMs} : ms);
    const timers = process.getBuiltinModule('node:timers/promises');
    const [real, sleep] = [setTimeout, timers.setTimeout];
    globalThis.setTimeout = (done, ms, ...more) => real(done, of(ms), ...more);
    timers.setTimeout = (ms, ...more) => sleep(of(ms), ...more);`,
  );
  timers.set(env.NODE_OPTIONS, { ms, takesMs });
  return env;
}

/** Environment in which the five seconds after a signal never pass: a program that ends was made to end. */
export const ENDLESS_GRACE = withTimer(5000, 3_600_000);

/** Environment in which the second look at a card, 2 s after the first, comes at once. */
export const NO_PAUSE = withTimer(2000, 50);

/** Environment in which the five seconds after a signal pass at once; that they are five is tested where it says so. */
export const SHORT_GRACE = withTimer(5000, 300);

/** A script of a run whose stderr is a pipe that is full from the beginning, and that nobody reads. */
export const STALLED = 'mkfifo full && exec 3<>full && head -c 65536 /dev/zero >&3 && exec "$@" 2>&3';

/** Nothing of this process comes along: no FRONTDESK_ variable, no proxy, no color, no home. */
function cleanEnvironment(home: Home): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home.path,
    LANG: 'C.UTF-8',
    FRONTDESK_CONFIG_DIR: home.configDir,
    FRONTDESK_STATE_DIR: home.stateDir,
  };
}

/** Starts `frontdesk` with these arguments, for a test that has to do something while it runs. */
export function startFrontdesk(args: readonly string[], options: RunOptions = {}) {
  const home = options.home ?? createHome();
  const startedMs = performance.now();
  const command = [process.execPath, PROGRAM, ...args];
  const [file = '', ...words] =
    options.script === undefined ? command : ['bash', '-c', options.script, 'bash', ...command];
  const child = spawn(file, words, {
    cwd: options.cwd ?? join(home.path, 'work'),
    env: { ...cleanEnvironment(home), ...options.env },
    stdio: 'pipe',
  });
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const textOf = (stream: 'stdout' | 'stderr') => Buffer.concat(parts[stream]).toString('utf8');
  const waiting = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (part: Buffer) => {
      parts[stream].push(part);
      for (const look of waiting) look();
    });
  }
  // A program that ends without reading its stdin closes it under the writer.
  child.stdin.on('error', () => undefined);
  if (options.keepStdinOpen !== true) child.stdin.end(options.stdin ?? '');
  const limitMs = options.timeoutMs ?? DEFAULT_LIMIT_MS;
  const result = new Promise<RunResult>((resolve, reject) => {
    let isOverdue = false;
    const limit = setTimeout(() => {
      isOverdue = true;
      child.kill('SIGKILL');
    }, limitMs);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      for (const look of waiting) look();
      const [stdout, stderr] = [textOf('stdout'), textOf('stderr')];
      if (!isOverdue) return resolve({ code, signal, stdout, stderr, elapsedMs: performance.now() - startedMs, home });
      const said = `stdout: ${stdout}\nstderr: ${stderr}`;
      reject(new Error(`frontdesk ${args.join(' ')} had not ended after ${limitMs} ms\n${said}`));
    });
  });
  // The caller that awaits the result hears of a rejection; a test that waits for output first must not be cut short by it.
  result.catch(() => undefined);
  return {
    child,
    home,
    /** How it ended. Rejects, with what it printed, when it had to be killed at the limit. */
    result,
    /** Resolves as soon as that text stood on one of its streams; rejects when it ended without. */
    waitForOutput: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          const isThere = textOf('stdout').includes(text) || textOf('stderr').includes(text);
          const isOver = child.exitCode !== null || child.signalCode !== null;
          if (!isThere && !isOver) return;
          waiting.delete(look);
          if (isThere) resolve();
          else
            reject(new Error(`"${text}" was never printed\nstdout: ${textOf('stdout')}\nstderr: ${textOf('stderr')}`));
        };
        waiting.add(look);
        look();
      }),
    /** Sends a signal that is no part of an earlier one: half a second later. */
    async signalAgain(signal: NodeJS.Signals) {
      await new Promise((resolve) => setTimeout(resolve, ANOTHER_SIGNAL_MS));
      child.kill(signal);
    },
    /** What stands on its streams so far. */
    output: () => ({ stdout: textOf('stdout'), stderr: textOf('stderr') }),
  };
}

let isBusy = false;

/** Whether a call shows the same in the process of the test, in a fraction of the time. */
function needsProcess({ env = {}, keepStdinOpen, script }: RunOptions): boolean {
  if (process.env['FRONTDESK_TEST_IN_PROCESS'] === undefined || isBusy) return true;
  // What Node itself reads at its start.
  const isOfNode = env['TZ'] !== undefined || (env['NODE_OPTIONS'] !== undefined && !timers.has(env['NODE_OPTIONS']));
  return isOfNode || keepStdinOpen === true || script !== undefined;
}

/** Runs `frontdesk` with these arguments to its end, with both streams apart. */
export async function runFrontdesk(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  if (needsProcess(options)) return startFrontdesk(args, options).result;
  isBusy = true;
  try {
    const home = options.home ?? createHome();
    const startedMs = performance.now();
    const env = { ...cleanEnvironment(home), ...options.env };
    const { callInProcess } = await import('./call-in-process.ts');
    const ended = await callInProcess({
      args,
      env,
      cwd: options.cwd ?? join(home.path, 'work'),
      stdin: options.stdin ?? '',
      timer: timers.get(env['NODE_OPTIONS']),
    });
    return { ...ended, signal: null, elapsedMs: performance.now() - startedMs, home };
  } finally {
    isBusy = false;
  }
}
