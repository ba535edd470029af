import { Failure } from '../failure.ts';
import { ioFailure } from '../files/io-failure.ts';

/**
 * LOCAL_IO (exit 16) from an error of the operating system; a Failure passes as it is. `attempt` names what was
 * tried on which file, `after` says whether anything was sent or changed.
 */
export function localIoFailure(attempt: string, error: unknown, after: string, hints: readonly string[] = []): Failure {
  return error instanceof Failure ? error : ioFailure(attempt, error, after).with({}, hints);
}
