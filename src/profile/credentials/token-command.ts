import { Failure } from '../../base/failure.ts';
import { checkTokenText, TOKEN_BYTES_MAX } from './token.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface TokenCommand {
  readonly command: string;
  /** Its name in messages: `the token command of profile demo (cards)`. The command itself may hold a secret. */
  readonly what: string;
  readonly env: Env;
  readonly timeoutMs: number;
  /** Aborted: the token is no longer needed, so the command is ended. */
  readonly abort?: AbortSignal | undefined;
}

/** The command's environment: everything but frontdesk's own tokens (docs/faults.md C22). */
export function environmentOf(env: Env): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !/^FRONTDESK_.*_TOKEN$/.test(name)) kept[name] = value;
  }
  return kept;
}

/** What a command wrote before its end is read in this time. */
const LAST_OUTPUT_MS = 100;

function failed(what: string, problem: string): Failure {
  const hints = ['run the command yourself to see its output'];
  return Failure.unsent('AUTH', `${what} ${problem} (its output is not shown)`, { hints });
}

async function outputOf({ command, what, env, timeoutMs, abort }: TokenCommand): Promise<Buffer> {
  const { spawn } = await import('node:child_process');
  const { endDescendants, MARK, runningMarks } = await import('../../base/files/process-tree.ts');
  const { randomUUID } = await import('node:crypto');
  const mark = randomUUID();
  const stopped = () => Failure.unsent('CANCELLED', `${what} was stopped together with the call`);
  if (abort?.aborted === true) throw stopped();
  return new Promise((resolve, reject) => {
    // Neither stdin (perhaps the rows of a run) nor stderr (its text may hold a secret) is passed on. A command that
    // must ask opens the terminal itself.
    const marked = { ...environmentOf(env), [MARK]: mark };
    const child = spawn(command, { shell: true, env: marked, stdio: ['ignore', 'pipe', 'ignore'] });
    runningMarks.add(mark);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const done = () => {
      clearTimeout(deadline);
      runningMarks.delete(mark);
      abort?.removeEventListener('abort', onAbort);
    };
    // Children of the shell would outlive it and hold the pipe open.
    const abandon = (failure: Failure) => {
      if (child.pid !== undefined) endDescendants(child.pid, new Set([mark]));
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.unref();
      done();
      reject(failure);
    };
    const onAbort = () => abandon(stopped());
    abort?.addEventListener('abort', onAbort);
    const late = `did not finish within ${timeoutMs / 1000} s`;
    const deadline = setTimeout(() => abandon(failed(what, late)), timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > TOKEN_BYTES_MAX) abandon(failed(what, 'printed more than a token can have'));
      else chunks.push(chunk);
    });
    child.on('error', () => {
      done();
      reject(failed(what, 'could not be started'));
    });
    const end = (status: number | null, signal: string | null) => {
      // The signal that ended the shell may have passed its children by.
      if (status === null && child.pid !== undefined) endDescendants(child.pid, new Set([mark]));
      done();
      child.stdout.destroy();
      const how = status === null ? `was ended by ${signal ?? 'unknown'}` : `ended with exit status ${status}`;
      if (status === 0) resolve(Buffer.concat(chunks));
      else reject(failed(what, how));
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

/**
 * Runs the command in the shell and returns the token that it printed. CANCELLED if it was stopped, AUTH if it fails,
 * hangs or prints nothing, USAGE if its output cannot be a token. Neither its output nor the command is ever shown, and
 * no other source replaces it.
 */
export async function runTokenCommand(request: TokenCommand): Promise<string> {
  // latin1: a byte outside ASCII becomes a character outside ASCII, and is refused.
  const text = (await outputOf(request)).toString('latin1');
  if (text.trim() === '') throw failed(request.what, 'printed nothing');
  return checkTokenText(text, request.what);
}
