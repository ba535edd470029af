import { constants } from 'node:fs';
import { access, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { withTemporaryFolder } from '../files/atomic.ts';
import { describeIoError, ignoreErrors, succeeds } from '../files/io-failure.ts';
import { readWhole } from '../files/readable.ts';
import { type Refusal, readApprovers } from '../files/safety.ts';
import type { Approval } from './plan-file.ts';

const NAME = /^[A-Za-z0-9._@+-]{1,128}$/;
const ENDING = '.sig';
/** Most signatures that are checked, listed names first, so that a full folder cannot hide those that count. */
const MAX_SIGNATURES = 100;
const FINGERPRINT = /\b(SHA256:[A-Za-z0-9+/]{43}=?)/;

/** Why a signature does not count (`ann does not count: …`), and what to do about it if known. */
export interface Uncounted {
  readonly text: string;
  readonly fix?: string | undefined;
  /** It is about the approvers file: no signature counts. */
  readonly isOfAll?: true;
}

/** The signatures beside a plan: those that count, and why others do not. */
export interface ApprovalCheck {
  readonly approvals: readonly Approval[];
  readonly uncounted: readonly Uncounted[];
}

function uncountedSignature(name: string, problem: string, fix?: string): Uncounted {
  return { text: `the signature of ${name} does not count: ${problem}`, fix };
}

/** A key counts once, under any names. */
export function sameKey(name: string, other: string): Uncounted {
  return uncountedSignature(name, `${other} signed with the same key`);
}

/** Can this be the name of an approver? It becomes part of a file name. */
export function isApproverName(name: string): boolean {
  return NAME.test(name);
}

/** The file of an approval under a name. */
export function signaturePath(planPath: string, name: string): string {
  return `${planPath}.${name}${ENDING}`;
}

/** The names that signed a plan, sorted. Empty if its folder cannot be read. */
export async function signers(planPath: string): Promise<readonly string[]> {
  const start = `${basename(planPath)}.`;
  const files = await readdir(dirname(resolve(planPath))).catch((): string[] => []);
  return files
    .filter((file) => file.startsWith(start) && file.endsWith(ENDING))
    .map((file) => file.slice(start.length, -ENDING.length))
    .filter((name) => isApproverName(name))
    .sort();
}

interface Signed {
  /** A copy of the plan, so that exactly the bytes that will be sent are verified. */
  readonly copy: string;
  /** The plan itself, which has the signatures beside it. */
  readonly path: string;
}

/**
 * Checks every signature beside a plan with `ssh-keygen -Y verify` for its own name. Each key counts once. `path`: the
 * allowed-signers file, read once and passed on as a copy; undefined: none is set, and no signature counts. USAGE if
 * ssh-keygen hangs.
 */
export async function checkApprovals(
  tool: SshKeygen,
  plan: Signed,
  path: string | undefined,
  names?: readonly string[],
): Promise<ApprovalCheck> {
  const signed = names ?? (await signers(plan.path));
  if (path === undefined) {
    const uncounted = signed.map((name) => uncountedSignature(name, 'the profile names no approvers'));
    return { approvals: [], uncounted };
  }
  const listed = readApprovers(path);
  if ('problem' in listed) return { approvals: [], uncounted: [unusedApprovers(path, listed)] };
  return withTemporaryFolder(async (folder) => {
    const copy = join(folder, 'approvers');
    await writeFile(copy, listed.bytes, { flag: 'wx', mode: 0o600 });
    return judge(tool, plan, copy, signed);
  });
}

function unusedApprovers(path: string, { problem, fix }: Refusal): Uncounted {
  const text = `no signature counts: the approvers file ${path} is not used: ${problem}`;
  return { text, fix: fix && `fix it with: ${fix}`, isOfAll: true };
}

/** Why no signature could count against the approvers file; undefined if it can be used, or none is set. */
export function approversProblem(path: string | undefined): Uncounted | undefined {
  const listed = path === undefined ? undefined : readApprovers(path);
  return path !== undefined && listed !== undefined && 'problem' in listed ? unusedApprovers(path, listed) : undefined;
}

const NOT_LISTED = 'it was not made for this plan with a key that is listed for that name';
const LIST_IT = 'ask those who keep the approvers file to list this key for that name';

/** `listed`: the allowed-signers file; undefined: any key counts, also twice. */
async function judge(
  tool: SshKeygen,
  plan: Signed,
  listed: string | undefined,
  names: readonly string[],
): Promise<ApprovalCheck> {
  const approvals: Approval[] = [];
  const uncounted: Uncounted[] = [];
  const isListed = listed === undefined ? () => true : await principalTest(listed);
  const ordered = [...names.filter(isListed), ...names.filter((name) => !isListed(name))];
  for (const name of ordered.slice(0, MAX_SIGNATURES)) {
    const key = await signatureKey(tool, plan, name, listed);
    const other = listed === undefined ? undefined : approvals.find((approval) => approval.key === key);
    if (key !== undefined && other === undefined) approvals.push({ as: name, key });
    else if (other !== undefined) uncounted.push(sameKey(name, other.as));
    else if (listed === undefined) uncounted.push(uncountedSignature(name, 'it was not made for this plan'));
    else uncounted.push(uncountedSignature(name, NOT_LISTED, LIST_IT));
  }
  return { approvals, uncounted };
}

/** May a line of the allowed-signers file be for a name? ssh-keygen decides. */
async function principalTest(listed: string): Promise<(name: string) => boolean> {
  const lines = (await readFile(listed, 'utf8')).split('\n').filter((line) => !/^\s*(?:#|$)/.test(line));
  const names = lines.flatMap((line) => (/^\s*(?:"([^"]*)"|(\S+))/.exec(line)?.slice(1) ?? []).join('').split(','));
  const patterns = names.map((name) =>
    name
      .replace(/[.+^$()|[\]{}\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.'),
  );
  const pattern = new RegExp(`^(?:${patterns.join('|')})$`, 'i');
  return (name) => pattern.test(name);
}

/** Every valid signature of this plan by any key, for a profile without approvers. */
export async function listSignatures(tool: SshKeygen, plan: Signed): Promise<ApprovalCheck> {
  return judge(tool, plan, undefined, await signers(plan.path));
}

/** The fingerprint of the key that signed under a name; undefined: none. `listed`: the file that must list it. */
export async function signatureKey(tool: SshKeygen, plan: Signed, name: string, listed?: string) {
  const check = listed === undefined ? ['check-novalidate'] : ['verify', '-f', listed, '-I', name];
  const args = ['-Y', ...check, '-n', NAMESPACE, '-s', signaturePath(resolve(plan.path), name)];
  const { status, stdout } = await runSshKeygen(tool, args, { stdinPath: plan.copy, mayAsk: false });
  return status === 0 ? FINGERPRINT.exec(stdout)?.[1] : undefined;
}

/** What is wrong with a key file, as far as can be seen without a passphrase; undefined if nothing. */
export async function keyProblem(key: string): Promise<string | undefined> {
  return readWhole(resolve(key)).then(
    () => undefined,
    (error: unknown) => `it cannot be read: ${describeIoError(error)}`,
  );
}

/** The signature, or the error of ssh-keygen. */
export async function signPlan(tool: SshKeygen, copy: string, key: string, mayAsk: boolean) {
  const args = ['-Y', 'sign', '-f', resolve(key), '-n', NAMESPACE];
  const { status, stdout, stderr } = await runSshKeygen(tool, args, { stdinPath: copy, mayAsk });
  if (status === 0 && stdout.startsWith('-----BEGIN SSH SIGNATURE-----')) return { signature: stdout };
  const said = stderr.trim().split('\n').at(-1) ?? '';
  return { problem: said === '' ? `ssh-keygen ended with status ${status}` : `ssh-keygen: ${said}` };
}

/** Signatures are made for this only, so that a signature of a commit does not approve a plan. */
const NAMESPACE = 'frontdesk-plan';

/** Limit without a terminal: no passphrase can be asked for, and a check needs none. */
const LIMIT_MS = 10_000;
const ASKING_LIMIT_MS = 60_000;
const MAX_OUTPUT = 64 * 1024;

type Env = Readonly<Record<string, string | undefined>>;

/** The program and its environment. */
export interface SshKeygen {
  readonly program: string;
  readonly env: Env;
}

/** Variables that the program needs to find the agent and the home folder. No token of frontdesk. */
const PASSED_ON = ['PATH', 'HOME', 'USER', 'LOGNAME', 'USERPROFILE', 'SSH_AUTH_SOCK', 'SYSTEMROOT', 'TMPDIR', 'TEMP'];

/** The `ssh-keygen` of this machine. USAGE if there is none: nothing can be approved or checked then. */
export async function findSshKeygen(env: Env, platform: string): Promise<SshKeygen> {
  const name = platform === 'win32' ? 'ssh-keygen.exe' : 'ssh-keygen';
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    // A relative folder depends on where the command was started.
    if (!isAbsolute(folder)) continue;
    const program = join(folder, name);
    if (await succeeds(access(program, constants.X_OK))) return { program, env };
  }
  throw Failure.unsent('USAGE', 'there is no ssh-keygen on this machine, but approvals need it', {
    hints: ['install OpenSSH, or put its folder into PATH'],
  });
}

/** Runs it with a file as its stdin. Outside a terminal it cannot ask. USAGE if it hangs or cannot be started. */
async function runSshKeygen(
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
        // It may ask only in the terminal: the window of an askpass program would wait for ever.
        env: { LC_ALL: 'C', SSH_ASKPASS_REQUIRE: 'never', ...passedOn },
        stdio: [input.fd, 'pipe', 'pipe'],
        // A new session has no terminal.
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
        // A child of it may hold the pipes open, which must not keep this process alive.
        for (const [, stream] of streams) stream?.destroy();
        child.unref();
        reject(Failure.unsent('USAGE', `ssh-keygen ${problem}`));
      };
      const limit = setTimeout(() => fail(`did not finish within ${limitMs / 1000} s`), limitMs);
      for (const [name, stream] of streams) {
        stream?.on('data', (piece: Buffer) => {
          texts[name] += piece.toString('utf8');
          if (texts[name].length > MAX_OUTPUT) fail('printed more than a signature can have');
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
    await ignoreErrors(input.close());
  }
}
