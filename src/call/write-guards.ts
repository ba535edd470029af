import { createContext, Script } from 'node:vm';
import type { Operation } from '../api/operation.ts';
import { type Context, isSwitchedOn, SWITCH_PROBLEM } from '../context.ts';
import { Failure, usageFailure } from '../failure.ts';
import { shellQuote } from '../files/shell-quote.ts';
import { describeFields } from '../input/fields.ts';
import { fromPlain, isJsonObject } from '../json/value.ts';
import { groupThousands, plural } from '../output/text.ts';
import type { Facts, Ports, Profiled, Service, Session } from '../session.ts';
import type { ResolvedProfile } from '../settings/resolve.ts';
import type { SingleCall } from './read-call.ts';

/** The kind of a change. Every way to one passes `guardWrite`, or the session sends nothing. */
export type WriteWay =
  /** One change of a command, or of what works like one. */
  | { readonly kind: 'one'; readonly reason: string | undefined }
  /** Rows. `rows`: how many would be sent, of a shard those of the whole input. `inputRows`: those of the input. */
  | { readonly kind: 'rows'; readonly rows: number; readonly inputRows: number }
  /** A raw POST. `needsReason`: its operation may have a reason. */
  | { readonly kind: 'raw'; readonly reason: string | undefined; readonly needsReason: boolean }
  /**
   * `rows` of a plan. `approved`: how many approvals count. `unusable`: why none can, and what mends it. `path`: the
   * file; absent for the copy that a run keeps.
   */
  | {
      readonly kind: 'plan';
      readonly plan: string;
      readonly rows: number;
      readonly approved: number;
      readonly unusable?: { readonly text: string; readonly fix?: string | undefined } | undefined;
      readonly path?: string;
    };

/** Does an operation have a reason that a profile can require? */
export function takesReason({ body }: Operation): boolean {
  return body !== null && describeFields(body).some((field) => field.name === 'reason');
}

/** USAGE if the profile requires a reason and the given one does not match. `name`: where it was given. */
function checkReason({ profile }: Profiled, reason: string | undefined, name: string, hint: string): void {
  const problem = reasonProblem(profile, reason);
  if (problem !== undefined) throw Failure.unsent('USAGE', `${name}: ${problem}`, { hints: [hint] });
}

/** The same for an operation, which may have no reason. */
export function refuseReason(session: Session, operation: Operation, reason: string | undefined): void {
  const name = session.caller === 'mcp' ? 'reason' : '--reason';
  if (takesReason(operation)) checkReason(session, reason, name, `give it with ${name}`);
}

/** The call with a reason in its body. */
export function withReason(single: SingleCall, reason: string): SingleCall {
  const { body } = single.call;
  const changed = new Map([...(isJsonObject(body) ? body : []), ['reason', fromPlain(reason)]]);
  return { ...single, reason, call: { ...single.call, body: changed } };
}

/** Asks the user for a missing required reason. Returns the call with it. */
export async function askReason(session: Session, single: SingleCall): Promise<SingleCall> {
  const { requireReason: pattern, requireReasonHint: sentence } = session.profile;
  const isMissing = pattern !== undefined && takesReason(single.call.operation) && single.reason === undefined;
  if (!isMissing || session.common.dryRun || !session.prompt.available) return single;
  const reason = await session.prompt.text(
    sentence === undefined ? `Reason (${pattern} must be found in it)` : `Reason (${sentence})`,
    (answer) => reasonProblem(session.profile, answer) ?? true,
  );
  return withReason(single, reason);
}

/** FRONTDESK_READ_ONLY. A misspelt value counts as on. */
function isLocked({ env }: Pick<Context, 'env'>): boolean {
  return isSwitchedOn(env, 'FRONTDESK_READ_ONLY') !== false;
}

function forbidden(message: string, hints: readonly string[]): Failure {
  return Failure.unsent('FORBIDDEN', message, { hints, details: { outcome: 'not_sent' } });
}

/** Does the environment or the profile refuse every change? */
export function isReadOnly({ context, profile }: Session): boolean {
  return isLocked(context) || profile.readOnly;
}

/** Refuses changes (5) in a read-only environment or profile, before anything is read or asked. */
export function refuseReadOnly(session: Session): void {
  if (isSwitchedOn(session.context.env, 'FRONTDESK_READ_ONLY') === undefined) {
    throw usageFailure([{ where: 'FRONTDESK_READ_ONLY', problem: SWITCH_PROBLEM }]).asUnsent();
  }
  // The refusal names no way around it: no variable, no hint.
  if (isLocked(session.context)) throw forbidden('changes are not allowed in this environment', []);
  if (!session.profile.readOnly) return;
  throw forbidden(`profile ${session.profile.name} is read-only`, [
    `use another profile with --profile, or allow changes: frontdesk profile set ${session.profile.name} --read-only false`,
  ]);
}

/** How many approvals the profile requires for more than one row; 0: none. Either setting alone requires one. */
export function demandedApprovals({ approvers, approvals }: ResolvedProfile): number {
  return approvals ?? (approvers === undefined ? 0 : 1);
}

/** Refuses (2) rows without a record: a run is resumed from it. */
function refuseUnrecorded({ keepsHistory }: Facts, way: WriteWay): void {
  if (keepsHistory || way.kind === 'one' || way.kind === 'raw') return;
  const hints = ['unset FRONTDESK_NO_HISTORY'];
  throw Failure.unsent('USAGE', 'FRONTDESK_NO_HISTORY is set, but a run needs its record', { hints });
}

/** Refuses (5) more rows than `maxRows`. A plan that needs approvals may have more. */
function refuseTooMany({ profile }: Profiled, way: WriteWay): void {
  const { maxRows } = profile;
  if (maxRows === undefined || way.kind === 'one' || way.kind === 'raw') return;
  if (way.kind === 'plan' && demandedApprovals(profile) > 0) return;
  const rows = way.kind === 'plan' ? way.rows : way.inputRows;
  if (rows <= maxRows) return;
  const limit = `profile ${profile.name} allows at most ${plural(maxRows, 'row')} at once (maxRows)`;
  const hint = 'check that this is the right input, then split it, or make a plan and have it approved';
  throw forbidden(`${limit}, but the input has ${groupThousands(rows)}`, [hint]);
}

const SEE_PLANS = 'see `frontdesk help plans`';

function refuseUnapproved(session: Session, way: WriteWay): void {
  const demanded = demandedApprovals(session.profile);
  if (demanded === 0 || session.common.dryRun || way.kind === 'one') return;
  const demand = `profile ${session.profile.name} demands ${demanded === 1 ? 'an approval' : `${demanded} approvals`}`;
  if (way.kind === 'plan') {
    if (way.approved >= demanded) return;
    const { text, fix } = way.unusable ?? {};
    if (text !== undefined) throw forbidden(`${demand}, and ${text}`, fix === undefined ? [SEE_PLANS] : [fix]);
    const { plan, path, approved } = way;
    const command = `${session.output.command ?? 'frontdesk'} plan approve`;
    const next =
      path === undefined
        ? 'use `plan apply` with the file of the plan, which has its approvals beside it'
        : `have it approved: ${command} ${shellQuote(path)} --key <key> --as <name>`;
    const has = `plan ${plan} has ${plural(approved, 'valid one')}`;
    throw forbidden(`${demand}, and ${has}`, [next, SEE_PLANS]);
  }
  if (way.kind === 'rows' && way.rows <= 1) return;
  const [what, next] =
    way.kind === 'raw'
      ? ['a raw write', 'use the command of that operation, with --plan <file> for several rows']
      : ['more than one row', 'add --plan <file>, have the file approved, and apply it'];
  throw forbidden(`${demand} for ${what}, and only a plan can be approved`, [`${next}. See \`frontdesk help plans\``]);
}

/** THE guard of every change, before anything is asked or sent. What passes may be sent by this session. */
export function guardWrite(session: Session, operation: Operation, way: WriteWay): void {
  refuseReadOnly(session);
  if (way.kind === 'one') refuseReason(session, operation, way.reason);
  if (way.kind === 'raw' && way.needsReason) {
    checkReason(session, way.reason, '--data: reason', `give it in the body: --data '{"reason":"…"}'`);
  }
  refuseUnrecorded(session, way);
  refuseTooMany(session, way);
  refuseUnapproved(session, way);
  session.permitWrites(operation);
}

/** ` on live (cards.example.com)`, so that a live card is not changed by accident. */
export function whereText({ profile }: Profiled, { host }: Service): string {
  return profile.isSandbox ? '' : ` on ${profile.name} (${host})`;
}

/** USAGE without a terminal to ask on. `subject`: `block card 7c0e…`. */
export function requirePerson({ prompt }: Ports, subject: string, hint = 'add --yes to confirm without a prompt') {
  if (prompt.available) return;
  const problem = `could not ${subject}: it needs confirmation, and there is no terminal to ask on`;
  throw Failure.unsent('USAGE', problem, { hints: [hint] });
}

/** The failure if the user did not confirm `subject`. */
export function notConfirmed(subject: string): Failure {
  return Failure.unsent('CANCELLED', `did not ${subject}: not confirmed`, { details: { outcome: 'not_sent' } });
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
        const hint = { text: 'give the profile a simpler pattern: `frontdesk profile set --help`' };
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
