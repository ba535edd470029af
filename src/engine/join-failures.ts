import { type Failure, joinUsage } from '../failure.ts';

/** Several USAGE failures as one, because all faults of a call are reported together. */
export function joinFailures(failures: readonly Failure[]): Failure {
  const [first] = failures;
  if (first !== undefined && failures.every(({ message }) => message === first.message)) return first;
  const hints = [...new Set(failures.flatMap((failure) => failure.hints))].slice(0, 2);
  // The heading of a list of faults counts only its own.
  const faults = failures.flatMap(({ lines, message }) => lines?.slice(1).map((line) => line.trimStart()) ?? [message]);
  return joinUsage([...new Set(faults)], hints);
}
