import { Failure, type Fault, joinUsage } from '../base/failure.ts';
import { hintText } from '../base/next-step.ts';
import { groupThousands, plural } from '../screen/text.ts';

/** Several USAGE failures as one: all faults of a call are reported together. */
export function joinFailures(failures: readonly Failure[]): Failure {
  const [first] = failures;
  if (first !== undefined && failures.every(({ message }) => message === first.message)) return first;
  const hints = new Map(failures.flatMap((failure) => failure.hints).map((hint) => [hintText(hint), hint]));
  const problems = failures.flatMap(({ parts, problem }) => parts?.problems ?? [problem]);
  const faults = failures.flatMap(({ faults: own, problem }): readonly Fault[] =>
    own.length > 0 ? own : [{ where: '', problem }],
  );
  const faultCount = failures.reduce((count, failure) => count + Math.max(1, failure.faultCount), 0);
  return joinUsage([...new Set(problems)], { hints: [...hints.values()].slice(0, 2), faults, faultCount });
}

/** A failure before the request of a change was begun, unless it knows of another outcome. */
export async function unsent<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'INTERNAL') throw error;
    throw error.ofUnsent();
  }
}

function refuseOther(expected: number | undefined, rows: number, says: string): void {
  if (expected === undefined || expected === rows) return;
  const message = `${says} says ${groupThousands(expected)}`;
  throw Failure.unsent('PRECONDITION', message, { details: { outcome: 'not_sent' } });
}

export function refuseOtherChanges(expected: number | undefined, rows: number): void {
  const differ = plural(rows, 'row differs', 'rows differ');
  refuseOther(expected, rows, `${differ} from the older file, and --expect-changes`);
}

export function refuseOtherCount(expected: number | undefined, rows: number): void {
  refuseOther(expected, rows, `the input has ${plural(rows, 'row')}, and --expect-rows`);
}
