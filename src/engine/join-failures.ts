import { Failure } from '../failure.ts';

/** Several USAGE failures as one, because all faults of a call are told together. */
export function joinFailures(failures: readonly Failure[]): Failure {
  const [first] = failures;
  if (first !== undefined && failures.length === 1) return first;
  const message = failures.map((failure) => failure.message).join('; ');
  return new Failure('USAGE', message, { hints: failures.flatMap((failure) => failure.hints).slice(0, 2) });
}
