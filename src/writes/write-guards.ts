import { createContext, Script } from 'node:vm';
import { type Context, isSwitchedOn, SWITCH_PROBLEM } from '../base/context.ts';
import { Failure, type Hint, usageFailure } from '../base/failure.ts';
import { fromPlain, isJsonObject, textAt } from '../base/json/value.ts';
import type { Facts, Ports, Profiled, Service, Session } from '../command/session.ts';
import { describeFields } from '../input/fields.ts';
import type { ResolvedProfile } from '../profile/resolve.ts';
import { groupThousands, plural } from '../screen/text.ts';
import type { Operation } from '../service/api/operation.ts';
import { refuseBackground } from './ask/prompt-context.ts';
import type { Write } from './judge.ts';

/** The kind of a change. Every way to one passes `guardWrite`, or the session sends nothing. */
export type WriteScope =
  /** One change of a command, or of what works like one. */
  | { readonly kind: 'one'; readonly reason: string | undefined }
  /** Rows of an input, of a shard those of the whole input. */
  | { readonly kind: 'rows'; readonly rows: number }
  | { readonly kind: 'plan' };

export function takesReason({ body }: Operation): boolean {
  return body !== null && describeFields(body).some((field) => field.name === 'reason');
}

/** USAGE if the profile requires a reason of this operation, and the given one does not match. */
export function refuseReason(session: Session, operation: Operation, reason: string | undefined): void {
  if (!takesReason(operation)) return;
  const name = session.caller === 'mcp' ? 'reason' : '--reason';
  const problem = reasonProblem(session.selectedProfile(), reason);
  if (problem !== undefined) throw Failure.unsent('USAGE', `${name}: ${problem}`, { hints: [`give it with ${name}`] });
}

export function withReason<Wanted extends Write>(single: Wanted, reason: string): Wanted {
  const { body } = single.call;
  const changed = new Map([...(isJsonObject(body) ? body : []), ['reason', fromPlain(reason)]]);
  return { ...single, reason, call: { ...single.call, body: changed } };
}

/** Asks the user for a missing required reason. Returns the call with it. */
export async function askReason(session: Session, single: Write): Promise<Write> {
  const { requireReason: pattern, requireReasonHint: sentence } = session.selectedProfile();
  const isMissing = pattern !== undefined && takesReason(single.call.operation) && single.reason === undefined;
  if (!isMissing || session.common.dryRun || !session.prompt.available) return single;
  const reason = await session.prompt.text(
    sentence === undefined ? `Reason (${pattern} must be found in it)` : `Reason (${sentence})`,
    (answer) => reasonProblem(session.selectedProfile(), answer) ?? true,
  );
  return withReason(single, reason);
}

/** FRONTDESK_READ_ONLY. A misspelt value counts as on. */
function isLocked({ env }: Pick<Context, 'env'>): boolean {
  return isSwitchedOn(env, 'FRONTDESK_READ_ONLY') !== false;
}

function forbidden(message: string, hints: readonly Hint[]): Failure {
  return Failure.unsent('FORBIDDEN', message, { hints, details: { outcome: 'not_sent' } });
}

/** Does the environment or the profile refuse every change? */
export function isReadOnly({ context, selectedProfile }: Session): boolean {
  return isLocked(context) || selectedProfile().readOnly;
}

/** Refuses changes (5) in a read-only environment or profile, before anything is read or asked. */
export function refuseReadOnly(session: Session): void {
  if (isSwitchedOn(session.context.env, 'FRONTDESK_READ_ONLY') === undefined) {
    throw usageFailure([{ where: 'FRONTDESK_READ_ONLY', problem: SWITCH_PROBLEM }]).ofUnsent();
  }
  // The refusal names no way around it: no variable, no hint.
  if (isLocked(session.context)) throw forbidden('changes are not allowed in this environment', []);
  if (!session.selectedProfile().readOnly) return;
  throw forbidden(`profile ${session.selectedProfile().name} is read-only`, [
    {
      do: 'allow changes',
      words: 'use another profile with --profile, or allow changes',
      about: session.selectedProfile().name,
    },
  ]);
}

/** Refuses (2) rows without a record: a run is resumed from it. */
function refuseUnrecorded({ keepsHistory }: Facts, scope: WriteScope): void {
  if (keepsHistory || scope.kind === 'one') return;
  const hints = ['unset FRONTDESK_NO_HISTORY'];
  throw Failure.unsent('USAGE', 'FRONTDESK_NO_HISTORY is set, but a run needs its record', { hints });
}

/** Refuses (5) more rows than `maxRows`. A plan may have more: it was reviewed. */
function refuseTooMany(session: Profiled, scope: WriteScope): void {
  const { maxRows, name } = session.selectedProfile();
  if (maxRows === undefined || scope.kind !== 'rows' || scope.rows <= maxRows) return;
  const limit = `profile ${name} allows at most ${plural(maxRows, 'row')} at once (maxRows)`;
  const hint = 'check that this is the right input, then make a plan (--plan <file>), review it, and apply it';
  throw forbidden(`${limit}, but the input has ${groupThousands(scope.rows)}`, [hint]);
}

/** THE guard of every change, before anything is asked or sent. What passes may be sent by this session. */
export function guardWrite(session: Session, operation: Operation, scope: WriteScope): void {
  refuseReadOnly(session);
  if (scope.kind === 'one') refuseReason(session, operation, scope.reason);
  refuseUnrecorded(session, scope);
  refuseTooMany(session, scope);
  session.permitWrites(operation);
}

/** What the profile has by now against a change that waited to be sent again; undefined: nothing. */
export async function forbiddenNow(session: Session, { call, reason }: Write): Promise<string | undefined> {
  try {
    await session.renewProfile();
    refuseReadOnly(session);
    const { body, operation } = call;
    refuseReason(session, operation, reason ?? (isJsonObject(body) ? textAt(body, 'reason') : undefined));
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.problem;
    throw error;
  }
}

/** ` at cards.example.com (live)`, so that a live card is not changed by accident. */
export function whereText(session: Profiled, { host }: Service): string {
  const { isSandbox, name } = session.selectedProfile();
  return isSandbox ? ' (SANDBOX)' : ` at ${host} (${name})`;
}

/** USAGE without a terminal to ask on. `subject`: `block card 7c0e…`. */
export function requirePerson(
  { prompt, context }: Ports,
  subject: string,
  hint = 'add --yes to confirm without a prompt',
) {
  // Before the card is read for the question.
  if (prompt.available) return refuseBackground(context, subject);
  const problem = `could not ${subject}: it needs confirmation, and there is no terminal to ask on`;
  throw Failure.unsent('USAGE', problem, { hints: [hint] });
}

/** The failure if the user did not confirm `subject`. */
export function notConfirmed(subject: string): Failure {
  return Failure.unsent('CANCELLED', `did not ${subject}: not confirmed`, {
    // The question and its answer stand above.
    screen: ['not confirmed. Nothing was sent.'],
    details: { outcome: 'not_sent' },
  });
}

/** A pattern that every reason must match, and a sentence that explains it. */
export type ReasonRule = Pick<ResolvedProfile, 'requireReason' | 'requireReasonHint'>;

/** Some patterns would search a sentence for years. */
const LIMIT_MS = 200;

/** Searches strings for a pattern, as many at a time as the limit allows. */
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
    /** One limit for all strings that are left: setting one takes longer than a thousand searches. */
    goOn(): void {
      const before = found.length;
      try {
        script.runInContext(context, { timeout: LIMIT_MS });
      } catch (error) {
        if (!isTimeUp(error)) throw error;
        if (found.length > before) return;
        // The next string alone takes too long.
        const problem = `searching a reason for the pattern of this profile takes longer than ${LIMIT_MS} ms`;
        const hint = 'give the profile a simpler pattern: `frontdesk profile set --help`';
        throw Failure.unsent('USAGE', `requireReason: ${problem}`, { hints: [hint] });
      }
    },
  };
}

/** The error belongs to the other context, and is no `Error` of this one. */
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

/** What `requireReason` has against a reason; undefined if nothing. USAGE if the search takes too long. */
export function reasonProblem(rule: ReasonRule, reason: string | undefined): string | undefined {
  if (rule.requireReason === undefined || reason === undefined) return problemOf(rule, reason, false);
  const { found, goOn } = openSearch(rule.requireReason, [reason]);
  goOn();
  return problemOf(rule, reason, found[0] === true);
}

/** The problems of many reasons, in their order. */
export async function reasonProblems(rule: ReasonRule, reasons: readonly (string | undefined)[]) {
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
