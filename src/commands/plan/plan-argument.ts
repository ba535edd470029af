import { collect } from '../../output/collect.ts';
import type { Session } from '../../session.ts';
import type { ResolvedProfile } from '../../settings/resolve.ts';

/** The argument of all commands about a plan. */
export const FILE = {
  kind: 'path',
  notStdin: 'a file: a plan is read more than once',
  required: true,
  text: 'the plan',
  question: 'Which plan?',
} as const;

/** A plan can be shown without a profile, but a named one must exist. */
export async function profileOf(session: Session): Promise<ResolvedProfile | undefined> {
  return session.common.profile === undefined ? collect([], () => session.profile) : session.profile;
}
