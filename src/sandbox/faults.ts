import type { Fault } from '../base/failure.ts';

/** What goes wrong. `status` below 300 is the response to an applied request, above to one that was not applied. */
export type FaultEffect = ReturnType<typeof readEffect>;

const METHODS = ['GET', 'POST', '*'] as const;

/** One `--fault`. */
export type FaultRule = ReturnType<typeof readFault>;

/** Internal: the piece of a `--fault` that cannot be read. */
class Unreadable extends Error {}

const PLAIN_EFFECTS = ['timeout', 'reset-before', 'reset-after', 'truncate', 'garbage'] as const;
const EFFECTS_TEXT =
  'a status from 200 to 599 (503, 503+retry-after=2), timeout, reset-before, reset-after, truncate, garbage';

function readEffect(text: string) {
  const plain = PLAIN_EFFECTS.find((name) => name === text);
  if (plain !== undefined) return { kind: plain } as const;
  const match = /^([2-5]\d\d)(?:\+retry-after=(\d{1,9}))?$/.exec(text);
  if (match === null) throw new Unreadable(`the effect '${text}' is none of ${EFFECTS_TEXT}`);
  const [, status, seconds] = match;
  const retryAfterSeconds = seconds === undefined ? undefined : Number(seconds);
  return { kind: 'status', status: Number(status), retryAfterSeconds } as const;
}

/** The value, or `Unreadable`. */
function readable<Value>(value: Value | undefined, problem: string): Value {
  if (value === undefined) throw new Unreadable(problem);
  return value;
}

function readPercent(text: string): number | undefined {
  const percent = /^\d{1,3}(?:\.\d+)?%?$/.test(text) ? Number(text.replace(/%$/, '')) : 0;
  return percent > 0 && percent <= 100 ? percent : undefined;
}

function readPathPart(text: string): string {
  if (text === '') throw new Unreadable('the path part is empty (/ fits every path)');
  const part = /[\s{}]/.test(text) ? undefined : text;
  return readable(part, `the path part '${text}' must be a part of a path as it is sent, such as /block`);
}

/** Reads one fault. The effect follows the last colon, so that an ID may contain one. */
function readFault(text: string) {
  const form = "it does not have the form '<METHOD> <path part>:<effect>[*times|@percent]'";
  const [, methodText = '', pathPart = '', rest = ''] = readable(
    /^\s*(\S+)\s+(.*):(.*)$/s.exec(text) ?? undefined,
    form,
  );
  const [, effect = '', mark, amount = ''] = /^([^*@]*)(?:([*@])(.*))?$/s.exec(rest.trim()) ?? [];
  const method = METHODS.find((known) => known === methodText.toUpperCase());
  const times = /^[1-9]\d{0,8}$/.test(amount) ? Number(amount) : undefined;
  const badTimes = `the times '*${amount}' are not a whole number from 1 on`;
  const badChance = `the chance '@${amount}' is not a percentage above 0 and up to 100, such as @50%`;
  return {
    method: readable(method, `the method '${methodText}' is none of ${METHODS.join(', ')}`),
    /** A part of the path as sent, without the query. */
    pathPart: readPathPart(pathPart.trim()),
    effect: readEffect(effect),
    /** Only the first so many matching requests; undefined: all. */
    times: mark === '*' ? readable(times, badTimes) : undefined,
    /** Chance in percent for a matching request; undefined: always. */
    percent: mark === '@' ? readable(readPercent(amount), badChance) : undefined,
  };
}

/** Reads every `--fault`. `faults`: the unreadable pieces. */
export function readFaults(texts: readonly string[]): { rules: readonly FaultRule[]; faults: readonly Fault[] } {
  const rules: FaultRule[] = [];
  const faults: Fault[] = [];
  for (const text of texts) {
    try {
      rules.push(readFault(text));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      faults.push({ where: `--fault '${text}'`, problem: error.message });
    }
  }
  return { rules, faults };
}

/** How a fault is written: shown where one cannot be read. */
export const FAULT_HINT = "write it as in --fault 'POST /block:503+retry-after=2*3' or 'GET /v1/cards:429@50%'";

/** The effect on the next request with this method and path; undefined: none. Counts. */
export type FaultPicker = (method: string, path: string) => FaultEffect | undefined;

/** The first matching rule with times left decides. `random`: uniform in [0, 1). */
export function pickFaults(rules: readonly FaultRule[], random: () => number): FaultPicker {
  const left = rules.map((rule) => rule.times ?? Number.POSITIVE_INFINITY);
  return (method, path) => {
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
