import { Failure, type Fault, hintText, joinUsage } from '../failure.ts';
import { groupThousands, plural } from '../output/text.ts';

/** Several USAGE failures as one: all faults of a call are reported together. */
export function joinFailures(failures: readonly Failure[]): Failure {
  const [first] = failures;
  if (first !== undefined && failures.every(({ message }) => message === first.message)) return first;
  const hints = new Map(failures.flatMap((failure) => failure.hints).map((hint) => [hintText(hint), hint]));
  const problems = failures.flatMap(({ parts, problem }) => parts?.problems ?? [problem]);
  const after = failures.find((failure) => failure.after !== undefined)?.after;
  const faults = failures.flatMap(({ faults: own, problem }): readonly Fault[] => {
    if (own.length > 0) return own;
    const [where = ''] = /^(?:--[a-z-]+|<[A-Za-z]+>)/.exec(problem) ?? [];
    const isNamed = problem.startsWith(`${where}: `);
    return [{ where, problem: isNamed ? problem.slice(where.length + 2) : problem }];
  });
  const faultCount = failures.reduce((count, failure) => count + Math.max(1, failure.faultCount), 0);
  return joinUsage([...new Set(problems)], { hints: [...hints.values()].slice(0, 2), after, faults, faultCount });
}

/** A failure before the request of a change was begun, unless it knows of another outcome. */
export async function unsent<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'INTERNAL') throw error;
    throw error.asUnsent();
  }
}

function refuseOther(expected: number | undefined, rows: number, says: string): void {
  if (expected === undefined || expected === rows) return;
  const message = `${says} says ${groupThousands(expected)}`;
  throw Failure.unsent('PRECONDITION', message, { details: { outcome: 'not_sent' } });
}

/** `--expect-changes`: PRECONDITION if another number of rows differs from the older file. */
export function refuseOtherChanges(expected: number | undefined, rows: number): void {
  const differ = plural(rows, 'row differs', 'rows differ');
  refuseOther(expected, rows, `${differ} from the older file, and --expect-changes`);
}

/** `--expect-rows`: PRECONDITION if the input has another number of rows. */
export function refuseOtherCount(expected: number | undefined, rows: number): void {
  refuseOther(expected, rows, `the input has ${plural(rows, 'row')}, and --expect-rows`);
}
