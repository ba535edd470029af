import { Failure, warning } from '../../failure.ts';
import { type ApprovalCheck, checkApprovals, listSignatures, signers } from '../../plan/approvals.ts';
import { findSshKeygen } from '../../plan/ssh-keygen.ts';
import type { Session } from '../../session.ts';
import type { ResolvedProfile } from '../../settings/resolve.ts';
import { demandedApprovals } from '../call/write-guards.ts';

/** Who approved a plan, and how many must. */
export interface PlanApprovals extends ApprovalCheck {
  readonly demanded: number;
}

const NONE: PlanApprovals = { approvals: [], uncounted: [], demanded: 0 };

/**
 * The approvals of a plan that count for a profile. Where none is demanded nothing is checked. USAGE when there is
 * no ssh-keygen, or it hangs.
 */
export async function countApprovals(session: Session, path: string, copy: string): Promise<PlanApprovals> {
  const { profile, context } = session;
  const demanded = demandedApprovals(profile);
  if (demanded === 0) return NONE;
  const tool = await findSshKeygen(context.env, context.platform);
  const checked = await checkApprovals(tool, { path, copy }, profile.approvers);
  return { ...checked, demanded };
}

/**
 * The approvals of a plan for whoever looks at it: those that count for the profile, or where it demands none, or
 * none is chosen, every signature. A machine without ssh-keygen can look all the same.
 */
export async function showApprovals(
  session: Session,
  profile: ResolvedProfile | undefined,
  path: string,
): Promise<PlanApprovals> {
  const demanded = profile === undefined ? 0 : demandedApprovals(profile);
  if (demanded === 0 && (await signers(path)).length === 0) return NONE;
  try {
    if (demanded > 0) return await countApprovals(session, path, path);
    const { env, platform } = session.context;
    return { ...(await listSignatures(await findSshKeygen(env, platform), { path, copy: path })), demanded };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await session.notify(warning('NOT_VERIFIED', `no approval was checked: ${error.message}`));
    return { ...NONE, demanded };
  }
}
