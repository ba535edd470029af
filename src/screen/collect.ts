import { Failure } from '../base/failure.ts';

/** Does the work. Its USAGE failure is kept, and reported with the other faults of the call. */
export async function collect<Result>(faults: Failure[], work: () => Result | Promise<Result>) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'USAGE') throw error;
    faults.push(error);
    return undefined;
  }
}
