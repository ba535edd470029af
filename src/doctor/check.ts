import { Failure, hintText } from '../failure.ts';
import { messageOf } from '../files/io-failure.ts';
import { INTEGER, list, object, oneOf, type ShapeOf, TEXT } from '../json/shape.ts';

/** One thing that `frontdesk doctor` looked at, under the names of its JSON. No member holds a secret. */
const CHECK = object(
  {
    name: TEXT,
    /** `problem`: something will not work, or is not safe. `warning`: worth knowing before it does harm. */
    status: oneOf(['ok', 'warning', 'problem']),
    message: TEXT,
  },
  {
    /** What to do about it: begins with a verb, or is the command that fixes it. */
    fix: TEXT,
  },
);

export type Check = ShapeOf<typeof CHECK>;

/** What `frontdesk doctor` prints: `problems` and `warnings` are how many. */
export const DOCTOR_OUTPUT = object({ checks: list(CHECK), problems: INTEGER, warnings: INTEGER });

function finding(status: Check['status']) {
  return (name: string, message: string, fix?: string): Check => ({ name, status, message, fix });
}

export const ok = finding('ok');
export const warning = finding('warning');
export const problem = finding('problem');

/** A failure of a command as a finding; doctor sends nothing itself, so it does not say that nothing was sent. */
export function problemOf(name: string, failure: Failure): Check {
  const [fix] = failure.hints;
  return problem(name, failure.problem, fix && hintText(fix));
}

type Found = Check | readonly Check[];

/** Looks at one thing; whatever goes wrong in looking is itself the finding, so that the other checks are made. */
export async function look(name: string, work: () => Found | Promise<Found>): Promise<readonly Check[]> {
  try {
    return [await work()].flat();
  } catch (error) {
    if (error instanceof Failure) return [problemOf(name, error)];
    return [problem(name, `could not be checked: ${messageOf(error)}`)];
  }
}
