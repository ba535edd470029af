import { constants } from 'node:os';
import { type After, Failure, type Hint } from '../failure.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file with that name is in the way',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files on this machine',
  EBUSY: 'it is in use',
  ENOLCK: 'the file system has no locks left, or does not support them',
  EOPNOTSUPP: 'the file system does not support it',
  ENOSYS: 'the file system does not support it',
  EHOSTDOWN: 'the network folder does not respond',
  ETIMEDOUT: 'the network folder did not respond in time',
  ENOTCONN: 'the network folder is not connected',
  EREMOTEIO: 'the device of the network folder reported an error',
  EIO: 'the device reported an error',
  ESTALE: 'the file was replaced or deleted on another machine',
  // Said by bin/frontdesk.js.
  EREPLACED: 'another version of frontdesk was put in its place while this one ran',
  ETERMINAL: 'it is a terminal',
  ENXIO: 'it is a pipe without a reader, or a device that is not there',
};

/** The system's code of an error (`ENOENT`); undefined if it has none. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  // Node has no name for some (`Unknown system error -122`), but the system does.
  const number = 'errno' in error && error.code.startsWith('Unknown system error') ? error.errno : undefined;
  const named = Object.entries(constants.errno).find(([, value]) => -value === number);
  return named?.[0] ?? error.code;
}

/** What to do about a cause that somebody can remove. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'free space on the disk',
  EDQUOT: 'free space within the quota of this user, or have it raised',
  EIO: 'check the disk',
  EROFS: 'make the file system writable',
  ESTALE: 'check that the network folder is connected',
  ENOLCK: 'check that the network folder is connected',
  EHOSTDOWN: 'check that the network folder is connected',
  ETIMEDOUT: 'check that the network folder is connected',
  ENOTCONN: 'check that the network folder is connected',
  EREMOTEIO: 'check the disk of the network folder',
  EMFILE: 'raise the limit of open files (ulimit -n)',
};

/** What removes the cause of a system error, if somebody can: at most one hint. */
export function remedyHints(error: unknown): readonly string[] {
  const remedy = REMEDIES[errnoOf(error) ?? ''];
  return remedy === undefined ? [] : [remedy];
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns what the work returns, or undefined if it throws. */
export function ifPossible<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Returns what the work returns. What it throws becomes another error. */
export function orElse<Result>(work: () => Result, failureOf: (error: unknown) => Error): Result {
  try {
    return work();
  } catch (error) {
    throw failureOf(error);
  }
}

/** Does the work succeed? For whether something exists or may be used. */
export function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Waits for work that only tidies up (closing a file, removing a temporary one). Its failure does not count. */
export async function ignoreErrors(work: Promise<unknown> | undefined): Promise<void> {
  await work?.catch(() => undefined);
}

/** Why the system refused, in words and without Node's repetition of the path. */
export function describeIoError(error: unknown): string {
  const errno = errnoOf(error);
  if (errno === undefined) return messageOf(error);
  const reason = REASONS[errno];
  return `${reason ?? 'the system refused it'} (${errno})`;
}

/** LOCAL_IO for an attempt (`could not save the settings file /x/settings.json`). A Failure passes as it is. */
export function ioFailure(
  attempt: string,
  error: unknown,
  after: After = 'kept',
  hints: readonly Hint[] = remedyHints(error),
): Failure {
  if (error instanceof Failure) return error;
  return new Failure('LOCAL_IO', `${attempt}: ${describeIoError(error)}`, { after, hints, cause: error });
}

/** The result of the work. A system error becomes a failure, see `ioFailure`. */
export async function orIoFailure<Result>(work: Promise<Result>, attempt: string, after?: After): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw ioFailure(attempt, error, after);
  }
}

/** What a listing could not read, by name. */
export type Unread = Map<string, Failure>;

/** After a listing (of each `run`): AUTH if others could have written what was left out, 17 if it changed, else 16. */
export function unreadFailure(what: string, unread: Unread): Failure | undefined {
  const failures = [...unread.values()];
  const first = failures.find(({ code }) => code === 'AUTH') ?? failures[0];
  if (first === undefined) return undefined;
  const problems = [...unread].map(([name, failure]) => `${what} ${name} is left out: ${failure.ofRead().message}`);
  const code = first.code === 'AUTH' || first.code === 'PRECONDITION' ? first.code : 'LOCAL_IO';
  return new Failure(code, problems.join('; '), { hints: first.hints, parts: { problems }, cause: first });
}

/** The result of the work; undefined if something does not exist. */
export async function ignoreNotFound<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
