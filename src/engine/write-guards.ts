import type { Operation } from '../api/operation.ts';
import { Failure } from '../failure.ts';
import { describeFields } from '../input/fields.ts';
import { fromPlain } from '../json/plain.ts';
import { isJsonObject } from '../json/value.ts';
import type { Session } from '../session.ts';
import type { SingleCall } from './read-call.ts';

/** What a profile's `requireReason` has against a reason, or undefined. */
export function reasonProblem(pattern: string, reason: string | undefined): string | undefined {
  if (reason !== undefined && new RegExp(pattern, 'u').test(reason)) return undefined;
  return reason === undefined
    ? `this profile requires a reason in which ${pattern} is found`
    : `${pattern} is not found in it, as this profile requires`;
}

/** Whether an operation has a reason that a profile can require. */
export function takesReason({ body }: Operation): boolean {
  return body !== null && describeFields(body).some((field) => field.name === 'reason');
}

/** USAGE when the profile requires a reason of this operation and the given one does not do. */
export function refuseReason(session: Session, operation: Operation, reason: string | undefined): void {
  const pattern = session.profile.requireReason;
  const problem = pattern === undefined || !takesReason(operation) ? undefined : reasonProblem(pattern, reason);
  if (problem === undefined) return;
  throw new Failure('USAGE', `--reason: ${problem}`, { hints: ['give it with --reason; nothing was sent'] });
}

/** The same call with a reason in its body. */
export function withReason(single: SingleCall, reason: string): SingleCall {
  const { body } = single.call;
  const changed = new Map([...(isJsonObject(body) ? body : []), ['reason', fromPlain(reason)]]);
  return { ...single, reason, call: { ...single.call, body: changed } };
}

/**
 * Holds block and reissue against the profile's `requireReason`. On a terminal a required reason that is
 * missing is asked for; elsewhere it is a usage error.
 */
export async function requireReason(session: Session, single: SingleCall): Promise<SingleCall> {
  const pattern = session.profile.requireReason;
  if (pattern === undefined || !takesReason(single.call.operation)) return single;
  const problem = reasonProblem(pattern, single.reason);
  if (problem === undefined) return single;
  if (single.reason !== undefined || session.common.dryRun || !session.prompt.available) {
    throw new Failure('USAGE', `--reason: ${problem}`, { hints: ['give it with --reason; nothing was sent'] });
  }
  const reason = await session.prompt.text(
    `Reason (${pattern} must be found in it)`,
    (answer) => reasonProblem(pattern, answer) ?? true,
  );
  return withReason(single, reason);
}

/** A write of a read-only profile is refused before anything is asked or sent (exit 5). */
export function refuseReadOnly(session: Session): void {
  if (!session.profile.readOnly) return;
  throw new Failure('FORBIDDEN', `profile ${session.profile.name} is read-only; nothing was sent`, {
    hints: [
      `choose another with --profile, or lift it: frontdesk profile set ${session.profile.name} --read-only false`,
    ],
    details: { outcome: 'not_sent' },
  });
}
