import { OPERATIONS } from '../api/operations.ts';

export type OperationKey = keyof typeof OPERATIONS;

interface Route {
  readonly key: OperationKey;
  readonly method: string;
  /** `{cardId}` is kept as it is and matches any one segment. */
  readonly segments: readonly string[];
}

/** What a request target names. `rawParams` are the segments as sent, still percent-encoded. */
type Match =
  | { readonly kind: 'operation'; readonly key: OperationKey; readonly rawParams: Readonly<Record<string, string>> }
  | { readonly kind: 'method'; readonly allowed: readonly string[] }
  | { readonly kind: 'unknown' };

function readRoutes(): readonly Route[] {
  // Object.keys answers string[]; the table is a constant, so its own keys are all there are.
  const keys = Object.keys(OPERATIONS) as OperationKey[];
  return keys.map((key) => ({
    key,
    method: OPERATIONS[key].method,
    segments: OPERATIONS[key].path.split('/'),
  }));
}

const ROUTES = readRoutes();

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function fits(route: Route, segments: readonly string[]): boolean {
  if (route.segments.length !== segments.length) return false;
  return route.segments.every((wanted, index) => isParameter(wanted) || wanted === segments[index]);
}

function parametersOf(route: Route, segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, wanted] of route.segments.entries()) {
    if (isParameter(wanted)) params[wanted.slice(1, -1)] = segments[index] ?? '';
  }
  return params;
}

/**
 * Finds the operation of the table that a method and a path (without query) name. The path is compared as
 * sent: nothing is normalised, so dot segments and empty ones name nothing by accident.
 */
export function matchRoute(method: string, path: string): Match {
  const segments = path.split('/');
  const allowed: string[] = [];
  for (const route of ROUTES) {
    if (!fits(route, segments)) continue;
    if (route.method === method) {
      return { kind: 'operation', key: route.key, rawParams: parametersOf(route, segments) };
    }
    allowed.push(route.method);
  }
  return allowed.length === 0 ? { kind: 'unknown' } : { kind: 'method', allowed };
}
