import { matchPath } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';

export type OperationKey = keyof typeof OPERATIONS;

// Object.keys answers string[]; the table is a constant, so its own keys are all there are.
const KEYS = Object.keys(OPERATIONS) as OperationKey[];

/**
 * Finds the operation of the table that a method and a path (without query) name. The path is compared as
 * sent: nothing is normalised, so dot segments and empty ones name nothing by accident. `rawParams` are the segments as
 * sent, still percent-encoded; `allowed` are the methods that the path takes, none for a path that is unknown.
 */
export function matchRoute(method: string, path: string) {
  const segments = path.split('/');
  const allowed: string[] = [];
  for (const key of KEYS) {
    const { method: wanted, path: pattern } = OPERATIONS[key];
    const rawParams = matchPath(pattern, segments);
    if (rawParams === undefined) continue;
    if (wanted === method) return { key, rawParams };
    allowed.push(wanted);
  }
  return { allowed };
}
