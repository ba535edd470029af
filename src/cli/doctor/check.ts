import { Failure } from '../../base/failure.ts';
import { messageOf } from '../../base/files/io-failure.ts';
import { INTEGER, list, object, oneOf, type ShapeOf, TEXT } from '../../base/json/shape.ts';
import { hintText } from '../../base/next-step.ts';

/** One check of `frontdesk doctor`, with the names of its JSON. No member holds a secret. */
const CHECK = object(
  {
    name: TEXT,
    /** `problem`: something will not work, or is not safe. `warning`: it may do harm later. */
    status: oneOf(['ok', 'warning', 'problem']),
    message: TEXT,
  },
  {
    /** What to do: begins with a verb, or is a command. */
    fix: TEXT,
  },
);

export type Check = ShapeOf<typeof CHECK>;

export const DOCTOR_OUTPUT = object({ checks: list(CHECK), problems: INTEGER, warnings: INTEGER });

function finding(status: Check['status']) {
  return (name: string, message: string, fix?: string): Check => ({ name, status, message, fix });
}

export const ok = finding('ok');
export const warning = finding('warning');
export const problem = finding('problem');

/** A failure as a finding, without "nothing was sent", because doctor sends nothing itself. */
function problemOf(name: string, failure: Failure): Check {
  const [fix] = failure.hints;
  return problem(name, failure.statement, fix && hintText(fix));
}

type Found = Check | readonly Check[];

/** Runs one check. Its failure is the finding, so that the other checks run. */
export async function attempt(name: string, work: () => Found | Promise<Found>): Promise<readonly Check[]> {
  try {
    return [await work()].flat();
  } catch (error) {
    if (error instanceof Failure) return [problemOf(name, error)];
    return [problem(name, `could not be checked: ${messageOf(error)}`)];
  }
}
