import type { Fault } from '../../failure.ts';
import { parseAge } from '../../input/duration.ts';
import { quoteGiven } from '../../input/given.ts';
import { hasOption, lastValue, type RawInput } from '../../options/raw-input.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_LIFE_MS = 24 * HOUR_MS;
const MAX_LIFE_MS = 90 * 24 * HOUR_MS;

/** `--plan`: what would be sent is written to a file, and no write is sent. */
export interface PlanOptions {
  readonly path: string;
  /** How long the plan may be applied. */
  readonly lifeMs: number;
}

/** Options that say how a write is sent, or another way not to send it. */
const OTHER_ENDINGS: ReadonlyMap<string, string> = new Map([
  ['dry-run', 'prints the requests instead of planning them'],
  ['run', 'names a run, and a plan names its own'],
  ['shard', 'takes a part of the rows, and a plan has all of them'],
  ['no-history', 'belongs to a write, and a plan sends none'],
]);

function readLife(input: RawInput, faults: Fault[]): number {
  const text = lastValue(input, 'plan-expires');
  if (text === undefined) return DEFAULT_LIFE_MS;
  const lifeMs = parseAge(text);
  if (lifeMs !== undefined && lifeMs > 0 && lifeMs <= MAX_LIFE_MS) return lifeMs;
  faults.push({
    where: '--plan-expires',
    problem: `must be a duration such as 30m, 8h or 7d, at most 90d, not ${quoteGiven(text)}`,
  });
  return DEFAULT_LIFE_MS;
}

/** `--plan` and `--plan-expires`; undefined: no plan is wanted. What is wrong is added to `faults`. */
export function readPlanOptions(input: RawInput, faults: Fault[]): PlanOptions | undefined {
  const path = lastValue(input, 'plan');
  if (path === undefined) {
    if (hasOption(input, 'plan-expires')) faults.push({ where: '--plan-expires', problem: 'belongs to --plan' });
    return undefined;
  }
  if (path === '' || path === '-') {
    faults.push({ where: '--plan', problem: 'must be a new file: a plan appears when it is complete' });
  }
  for (const [long, reason] of OTHER_ENDINGS) {
    if (hasOption(input, long))
      faults.push({ where: `--plan and --${long}`, problem: `exclude each other: --${long} ${reason}` });
  }
  return { path, lifeMs: readLife(input, faults) };
}
