import { StreamFailure } from '../context.ts';
import { Failure } from '../failure.ts';
import { ioFailure } from '../files/io-failure.ts';

/** The reader of stdout went away, which is no fault of the disk. */
export function isReaderGone(error: unknown): boolean {
  return error instanceof StreamFailure && error.errno === 'EPIPE';
}

/** LOCAL_IO for results that could not be printed; anything but a stream's own failure passes as it is. */
export function outputFailure(error: unknown, isWrite: boolean): unknown {
  if (!(error instanceof StreamFailure) || error instanceof Failure) return error;
  const cause = Object.assign(new Error(error.message), { code: error.errno });
  const after = isWrite ? 'the results so far are kept in the run' : 'nothing was changed';
  return ioFailure('the results could not be written to stdout', cause, after);
}
