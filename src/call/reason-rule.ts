import { createContext, Script } from 'node:vm';
import { Failure } from '../failure.ts';
import type { ResolvedProfile } from '../settings/resolve.ts';

/** A pattern to be found in every reason, and the sentence for people that says what it asks for. */
export type ReasonRule = Pick<ResolvedProfile, 'requireReason' | 'requireReasonHint'>;

/** There are patterns that would search a sentence for years. */
const LIMIT_MS = 200;

/** Finds a pattern in strings, in as many at a time as the time allows. */
function openSearch(pattern: string, texts: readonly string[]) {
  const found: boolean[] = [];
  const expression = new RegExp(pattern, 'u');
  const search = () => {
    for (const text of texts.slice(found.length)) found.push(expression.test(text));
  };
  const context = createContext({ search });
  const script = new Script('search()');
  return {
    found,
    /** One limit for all strings that are left: setting one up takes longer than a thousand searches. */
    goOn(): void {
      const before = found.length;
      try {
        script.runInContext(context, { timeout: LIMIT_MS });
      } catch (error) {
        if (!isTimeUp(error)) throw error;
        // The next string alone takes longer than that.
        if (found.length === before) throw tooSlow();
      }
    },
  };
}

function tooSlow(): Failure {
  const message = `requireReason: searching a reason for the pattern of this profile takes longer than ${LIMIT_MS} ms`;
  return Failure.unsent('USAGE', message, {
    hints: [{ text: 'give the profile a simpler pattern: `frontdesk profile set --help`' }],
  });
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
    ? `this profile requires a reason that matches ${pattern}`
    : `it does not match ${pattern}, as this profile requires`;
}

/** What a profile's `requireReason` has against a reason, or undefined. USAGE when searching takes too long. */
export function reasonProblem(rule: ReasonRule, reason: string | undefined): string | undefined {
  if (rule.requireReason === undefined || reason === undefined) return problemOf(rule, reason, false);
  const { found, goOn } = openSearch(rule.requireReason, [reason]);
  goOn();
  return problemOf(rule, reason, found[0] === true);
}

/** The problems of many reasons at once, in their order. */
export async function reasonProblems(
  rule: ReasonRule,
  reasons: readonly (string | undefined)[],
): Promise<readonly (string | undefined)[]> {
  const { requireReason: pattern } = rule;
  if (pattern === undefined) return reasons.map(() => undefined);
  const texts = reasons.map((reason) => reason ?? '');
  const { found, goOn } = openSearch(pattern, texts);
  while (found.length < texts.length) {
    goOn();
    // A signal is heard in between.
    if (found.length < texts.length) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return reasons.map((reason, index) => problemOf(rule, reason, reason !== undefined && found[index] === true));
}
