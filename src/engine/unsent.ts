import { Failure } from '../failure.ts';

/** Whatever ends a write before its request was begun says nothing of an outcome: nothing was sent. */
export async function unsent<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'INTERNAL') throw error;
    throw error.with({ outcome: error.details.outcome ?? 'not_sent' });
  }
}
