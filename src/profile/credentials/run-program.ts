import { TOKEN_BYTES_MAX } from './token.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The program's environment: everything but frontdesk's own tokens (docs/faults.md C22). */
function environmentOf(env: Env): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !/^FRONTDESK_.*_TOKEN$/.test(name)) kept[name] = value;
  }
  return kept;
}

/** A line of the shell, whose output alone is read; or a tool with its arguments and stdin, whose stderr is read too. */
export type ProgramCall =
  | { readonly command: string }
  | { readonly tool: string; readonly args: readonly string[]; readonly stdin: string };

export interface ProgramLimits {
  readonly env: Env;
  readonly timeoutMs: number;
  /** Aborted: the token is no longer needed, so the program is ended. */
  readonly abort?: AbortSignal | undefined;
}

export interface ProgramEnd {
  readonly why: 'ended' | 'late' | 'stopped' | 'failed';
  /** The exit status of one that ended. */
  readonly status?: number | undefined;
  /** What it did, behind its name; undefined: it ended with 0. */
  readonly problem?: string | undefined;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** What a program wrote before its end is read in this time. */
const LAST_OUTPUT_MS = 100;

/** Runs a program that gives or keeps a token. What it started ends with it if it is given up. */
export async function runProgram(call: ProgramCall, { env, timeoutMs, abort }: ProgramLimits): Promise<ProgramEnd> {
  const { spawn } = await import('node:child_process');
  const { endDescendants, MARK, runningMarks } = await import('../../base/files/process-tree.ts');
  const { randomUUID } = await import('node:crypto');
  const mark = randomUUID();
  const output: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const ended = (end: Pick<ProgramEnd, 'why' | 'status' | 'problem'>): ProgramEnd => ({
    ...end,
    stdout: Buffer.concat(output.stdout),
    stderr: Buffer.concat(output.stderr),
  });
  if (abort?.aborted === true) return ended({ why: 'stopped' });
  return new Promise((resolve) => {
    const marked = { ...environmentOf(env), [MARK]: mark };
    const child =
      'command' in call
        ? // Neither stdin (perhaps the rows of a run) nor stderr (its text may hold a secret) is passed on. A command
          // that must ask opens the terminal itself.
          spawn(call.command, { shell: true, env: marked, stdio: ['ignore', 'pipe', 'ignore'] })
        : spawn(call.tool, call.args, { env: marked, stdio: 'pipe' });
    runningMarks.add(mark);
    const finish = (end: Pick<ProgramEnd, 'why' | 'status' | 'problem'>) => {
      clearTimeout(deadline);
      runningMarks.delete(mark);
      abort?.removeEventListener('abort', onAbort);
      child.stdout.destroy();
      child.stderr?.destroy();
      resolve(ended(end));
    };
    // Children of the program would outlive it and hold the pipe open.
    const abandon = (end: Pick<ProgramEnd, 'why' | 'problem'>) => {
      if (child.pid !== undefined) endDescendants(child.pid, new Set([mark]));
      child.kill('SIGKILL');
      child.unref();
      finish(end);
    };
    const onAbort = () => abandon({ why: 'stopped' });
    abort?.addEventListener('abort', onAbort);
    const late = { why: 'late', problem: `did not finish within ${timeoutMs / 1000} s` } as const;
    const deadline = setTimeout(() => abandon(late), timeoutMs);
    let bytes = 0;
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > TOKEN_BYTES_MAX) abandon({ why: 'failed', problem: 'printed more than a token can have' });
        else output[name].push(chunk);
      });
    }
    // A tool that ends before it has read says so by its exit status.
    if ('stdin' in call) child.stdin?.on('error', () => undefined).end(call.stdin);
    child.on('error', () => finish({ why: 'failed', problem: 'could not be started' }));
    const end = (status: number | null, signal: string | null) => {
      // The signal that ended the program may have passed its children by.
      if (status === null && child.pid !== undefined) endDescendants(child.pid, new Set([mark]));
      const how = status === null ? `was ended by ${signal ?? 'unknown'}` : `ended with exit status ${status}`;
      finish({ why: 'ended', status: status ?? undefined, problem: status === 0 ? undefined : how });
    };
    let last: NodeJS.Timeout | undefined;
    // A child that it leaves behind, such as a daemon, may hold its output open for ever.
    child.on('exit', (status, signal) => {
      last = setTimeout(end, LAST_OUTPUT_MS, status, signal);
    });
    child.on('close', (status, signal) => {
      clearTimeout(last);
      end(status, signal);
    });
  });
}
