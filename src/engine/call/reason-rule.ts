import { createContext, Script } from 'node:vm';
import { Failure } from '../../failure.ts';
import type { ResolvedProfile } from '../../settings/resolve.ts';

/** A pattern to be found in every reason, and the sentence for people that says what it asks for. */
export type ReasonRule = Pick<ResolvedProfile, 'requireReason' | 'requireReasonHint'>;

/** There are patterns that would search a sentence for years. */
const LIMIT_MS = 200;

/** Finds a pattern in as many strings as the time allows; `tooLong`: the next one alone takes longer than that. */
class Search {
  readonly found: boolean[] = [];
  readonly #texts: readonly string[];
  readonly #run: () => unknown;

  constructor(pattern: string, texts: readonly string[]) {
    this.#texts = texts;
    const expression = new RegExp(pattern, 'u');
    const search = () => {
      for (const text of texts.slice(this.found.length)) this.found.push(expression.test(text));
    };
    const context = createContext({ search });
    const script = new Script('search()');
    this.#run = () => script.runInContext(context, { timeout: LIMIT_MS });
  }

  get isDone(): boolean {
    return this.found.length === this.#texts.length;
  }

  /** One limit for all strings that are left: setting one up takes longer than a thousand searches. */
  goOn(): void {
    const before = this.found.length;
    try {
      this.#run();
    } catch (error) {
      if (!isTimeUp(error)) throw error;
      if (this.found.length > before) return;
      throw Failure.unsent(
        'USAGE',
        `requireReason: searching a reason for the pattern of this profile takes longer than ${LIMIT_MS} ms`,
        { hints: ['give the profile a simpler pattern; how: `frontdesk profile set --help`'] },
      );
    }
  }
}

/** The error is one of the other context, and no `Error` of this one. */
function isTimeUp(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function problemOf(rule: ReasonRule, reason: string | undefined, isFound: boolean): string | undefined {
  const { requireReason: pattern, requireReasonHint: sentence } = rule;
  if (pattern === undefined || isFound) return undefined;
  if (sentence !== undefined) return `this profile requires: ${sentence}`;
  return reason === undefined
    ? `this profile requires a reason in which ${pattern} is found`
    : `${pattern} is not found in it, as this profile requires`;
}

/** What a profile's `requireReason` has against a reason, or undefined. USAGE when searching takes too long. */
export function reasonProblem(rule: ReasonRule, reason: string | undefined): string | undefined {
  if (rule.requireReason === undefined || reason === undefined) return problemOf(rule, reason, false);
  const search = new Search(rule.requireReason, [reason]);
  search.goOn();
  return problemOf(rule, reason, search.found[0] === true);
}

/** The problems of many reasons at once, in their order. */
export async function reasonProblems(
  rule: ReasonRule,
  reasons: readonly (string | undefined)[],
): Promise<readonly (string | undefined)[]> {
  const { requireReason: pattern } = rule;
  if (pattern === undefined) return reasons.map(() => undefined);
  const search = new Search(
    pattern,
    reasons.map((reason) => reason ?? ''),
  );
  while (!search.isDone) {
    search.goOn();
    // A signal is heard in between.
    if (!search.isDone) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return reasons.map((reason, index) => problemOf(rule, reason, reason !== undefined && search.found[index] === true));
}
