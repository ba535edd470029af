import { usageFailure } from '../base/failure.ts';

/** The effect follows the last colon, so that an ID may contain one. */
const FAULT =
  /^\s*(GET|POST|\*)\s+([^\s{}]+)\s*:\s*(?:(timeout|reset-before|reset-after|truncate|garbage)|([2-5]\d\d)(?:\+retry-after=(\d{1,9}))?)(?:\*([1-9]\d{0,8})|@(\d{1,3}(?:\.\d+)?)%?)?\s*$/i;

const HINT =
  "write it as in --fault 'POST /block:503+retry-after=2*3' or 'GET /v1/cards:429@50%'. The effects are a status from 200 to 599, timeout, reset-before, reset-after, truncate and garbage";

/** One `--fault`. */
export type FaultRule = NonNullable<ReturnType<typeof readFault>>;

/** What goes wrong. A status below 300 is the response to an applied request, above to one that was not applied. */
export type FaultEffect = FaultRule['effect'];

function readFault(text: string) {
  const [, method = '', pathPart = '', kind, status, seconds, times, percent] = FAULT.exec(text) ?? [];
  const chance = percent === undefined ? undefined : Number(percent);
  if (method === '' || chance === 0 || (chance ?? 0) > 100) return undefined;
  const number = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));
  return {
    method: method.toUpperCase(),
    /** A part of the path as sent, without the query. */
    pathPart,
    /** A status, or what else happens. */
    effect: {
      kind: kind?.toLowerCase() ?? 'status',
      status: Number(status ?? 200),
      retryAfterSeconds: number(seconds),
    },
    /** Only the first so many matching requests; undefined: all. */
    times: number(times),
    /** Chance in percent for a matching request; undefined: always. */
    percent: chance,
  };
}

/** Reads every `--fault`. USAGE names those that cannot be read. */
export function readFaults(texts: readonly string[]): readonly FaultRule[] {
  const rules = texts.map((text) => ({ text, rule: readFault(text) }));
  const faults = rules.flatMap(({ text, rule }) =>
    rule === undefined
      ? [{ where: `--fault '${text}'`, problem: "is not '<METHOD> <part of the path>:<effect>'" }]
      : [],
  );
  if (faults.length > 0) throw usageFailure(faults, [HINT]);
  return rules.flatMap(({ rule }) => rule ?? []);
}

/**
 * The effect on the next request with this method and path; undefined: none. The first matching rule with times left
 * decides. `random`: uniform in [0, 1).
 */
export function pickFaults(rules: readonly FaultRule[], random: () => number) {
  const left = rules.map((rule) => rule.times ?? Number.POSITIVE_INFINITY);
  return (method: string, path: string): FaultEffect | undefined => {
    for (const [index, rule] of rules.entries()) {
      if (rule.method !== '*' && rule.method !== method) continue;
      if (!path.includes(rule.pathPart)) continue;
      const timesLeft = left[index] ?? 0;
      if (timesLeft === 0) continue;
      if (rule.percent !== undefined && random() * 100 >= rule.percent) continue;
      left[index] = timesLeft - 1;
      return rule.effect;
    }
    return undefined;
  };
}
