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
  EIO: 'the device reported an error',
  ESTALE: 'the file was replaced or deleted on another machine',
  ETERMINAL: 'it is a terminal',
  ENXIO: 'it is a pipe without a reader, or a device that is not there',
};

/** The system's code of an error (`ENOENT`); undefined if it has none. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The message of anything that was thrown. */
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
  return reason === undefined ? errno : `${reason} (${errno})`;
}

/** LOCAL_IO for an attempt (`could not save the settings file /x/settings.json`). A Failure passes as it is. */
export function ioFailure(
  attempt: string,
  error: unknown,
  after: After = 'the earlier content is unchanged',
  hints: readonly Hint[] = [],
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

/** The failure after a listing (of each `run`): AUTH if others could have written what was left out, else LOCAL_IO. */
export function unreadFailure(what: string, unread: Unread): Failure | undefined {
  const failures = [...unread.values()];
  const first = failures.find(({ code }) => code === 'AUTH') ?? failures[0];
  if (first === undefined) return undefined;
  const problems = [...unread].map(([name, failure]) => `${what} ${name} is left out: ${failure.asSilent().message}`);
  const code = first.code === 'AUTH' ? 'AUTH' : 'LOCAL_IO';
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
