import { Failure, joinUsage } from '../failure.ts';
import { groupThousands, plural } from '../output/safe-text.ts';

/** Several USAGE failures as one, because all faults of a call are reported together. */
export function joinFailures(failures: readonly Failure[]): Failure {
  const [first] = failures;
  if (first !== undefined && failures.every(({ message }) => message === first.message)) return first;
  const hints = [...new Set(failures.flatMap((failure) => failure.hints))].slice(0, 2);
  // The heading of a list of faults counts only its own.
  const problems = failures.flatMap(
    ({ lines, problem }) => lines?.slice(1).map((line) => line.trimStart()) ?? [problem],
  );
  const after = failures.find((failure) => failure.after !== undefined)?.after;
  return joinUsage([...new Set(problems)], { hints, after, faults: failures.flatMap(({ faults }) => faults) });
}

/** Does the work; a USAGE failure of it is kept, to be reported with the other faults of the call. */
export async function collect<Result>(
  faults: Failure[],
  work: () => Result | Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'USAGE') throw error;
    faults.push(error);
    return undefined;
  }
}

/** A failure of the work that says nothing of an outcome ended a write before its request was begun. */
export async function unsent<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'INTERNAL') throw error;
    throw error.asUnsent();
  }
}

/** `--expect-rows`: PRECONDITION where the input is another one than was meant. */
export function refuseOtherCount(expected: number | undefined, rows: number): void {
  if (expected === undefined || expected === rows) return;
  const message = `the input has ${plural(rows, 'row')}, and --expect-rows says ${groupThousands(expected)}`;
  throw Failure.unsent('PRECONDITION', message, { details: { outcome: 'not_sent' } });
}
