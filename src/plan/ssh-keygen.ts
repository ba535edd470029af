import { constants } from 'node:fs';
import { access, open } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Failure } from '../failure.ts';
import { succeeds, tidy } from '../files/io-failure.ts';

/** Signatures are made and checked for this and nothing else, so that one of a commit is none of a plan. */
export const NAMESPACE = 'frontdesk-plan';

/** Without a terminal no passphrase can be asked for, and a check needs none: both take moments. */
const LIMIT_MS = 10_000;
const ASKING_LIMIT_MS = 60_000;
const MAX_OUTPUT = 64 * 1024;

type Env = Readonly<Record<string, string | undefined>>;

/** The program, and the environment that it is run in. */
export interface SshKeygen {
  readonly program: string;
  readonly env: Env;
}

/** What of the environment the program needs: to find the agent and the home folder, and no token of ours. */
const PASSED_ON = ['PATH', 'HOME', 'USER', 'LOGNAME', 'USERPROFILE', 'SSH_AUTH_SOCK', 'SYSTEMROOT', 'TMPDIR', 'TEMP'];

/** The `ssh-keygen` of this machine. USAGE when there is none: nothing can be approved or checked then. */
export async function findSshKeygen(env: Env, platform: string): Promise<SshKeygen> {
  const name = platform === 'win32' ? 'ssh-keygen.exe' : 'ssh-keygen';
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const program = join(folder, name);
    if (await succeeds(access(program, constants.X_OK))) return { program, env };
  }
  throw Failure.unsent('USAGE', 'there is no ssh-keygen on this machine, and approvals need it', {
    hints: ['install OpenSSH, or put its folder into PATH'],
  });
}

/** Runs it with a file as its stdin; off a terminal it cannot ask. USAGE when it hangs or cannot be started. */
export async function runSshKeygen(
  { program, env }: SshKeygen,
  args: readonly string[],
  { stdinPath, mayAsk }: { readonly stdinPath: string; readonly mayAsk: boolean },
): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }> {
  const { spawn } = await import('node:child_process');
  const input = await open(stdinPath, 'r');
  const limitMs = mayAsk ? ASKING_LIMIT_MS : LIMIT_MS;
  const passedOn = Object.fromEntries(PASSED_ON.map((name) => [name, env[name]]));
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        // It asks at the terminal or not at all: the window of an askpass program would wait for ever.
        env: { LC_ALL: 'C', SSH_ASKPASS_REQUIRE: 'never', ...passedOn },
        stdio: [input.fd, 'pipe', 'pipe'],
        // A session of its own has no terminal.
        detached: !mayAsk,
      });
      const texts = { stdout: '', stderr: '' };
      const streams = [
        ['stdout', child.stdout],
        ['stderr', child.stderr],
      ] as const;
      const fail = (problem: string) => {
        clearTimeout(limit);
        child.kill('SIGKILL');
        // What it started may hold the pipes open; nothing of it keeps this process alive.
        for (const [, stream] of streams) stream?.destroy();
        child.unref();
        reject(Failure.unsent('USAGE', `ssh-keygen ${problem}`));
      };
      const limit = setTimeout(() => fail(`gave no answer within ${limitMs / 1000} s`), limitMs);
      for (const [name, stream] of streams) {
        stream?.on('data', (piece: Buffer) => {
          texts[name] += piece.toString('utf8');
          if (texts[name].length > MAX_OUTPUT) fail('printed more than any signature holds');
        });
      }
      child.on('error', (error) => fail(`could not be started (${error.message})`));
      child.on('close', (status, signal) => {
        if (status === null) return fail(`was ended by ${signal ?? 'a signal'}`);
        clearTimeout(limit);
        resolve({ status, ...texts });
      });
    });
  } finally {
    await tidy(input.close());
  }
}
