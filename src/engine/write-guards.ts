import type { Session } from '../commands/session.ts';
import { Failure } from '../failure.ts';
import { describeFields } from '../input/fields.ts';
import { fromPlain } from '../json/plain.ts';
import { isJsonObject } from '../json/value.ts';
import type { SingleCall } from './read-call.ts';

/** What a profile's `requireReason` has against a reason, or undefined (contract section 6). */
export function reasonProblem(pattern: string, reason: string | undefined): string | undefined {
  if (reason !== undefined && new RegExp(pattern, 'u').test(reason)) return undefined;
  return reason === undefined
    ? `this profile requires a reason in which ${pattern} is found`
    : `${pattern} is not found in it, as this profile requires`;
}

/**
 * Holds block and reissue against the profile's `requireReason`. On a terminal a missing reason is asked for:
 * it must match where one is required, and Enter leaves it out where none is.
 */
export async function requireReason(session: Session, single: SingleCall): Promise<SingleCall> {
  const { operation, body } = single.call;
  if (operation.body === null || !describeFields(operation.body).some((field) => field.name === 'reason'))
    return single;
  const pattern = session.profile.requireReason;
  if (single.reason !== undefined || session.common.dryRun || session.common.yes || !session.prompt.available) {
    const problem = pattern === undefined ? undefined : reasonProblem(pattern, single.reason);
    if (problem === undefined) return single;
    throw new Failure('USAGE', `--reason: ${problem}`, { hints: ['give it with --reason; nothing was sent'] });
  }
  const question = pattern === undefined ? 'Reason (Enter for none)' : `Reason (must contain ${pattern})`;
  const reason = await session.prompt.text(question, (answer) =>
    pattern === undefined ? true : (reasonProblem(pattern, answer) ?? true),
  );
  if (reason === '' && pattern === undefined) return single;
  const withReason = new Map([...(isJsonObject(body) ? body : []), ['reason', fromPlain(reason)]]);
  return { ...single, reason, call: { ...single.call, body: withReason } };
}

/** A write of a read-only profile is refused before anything is asked or sent (contract section 4, exit 5). */
export function refuseReadOnly(session: Session): void {
  if (!session.profile.readOnly) return;
  throw new Failure('FORBIDDEN', `profile ${session.profile.name} is read-only; nothing was sent`, {
    hints: [
      `choose another with --profile, or lift it: frontdesk profile set ${session.profile.name} --read-only false`,
    ],
    details: { outcome: 'not_sent' },
  });
}
