import { demandedApprovals } from '../call/write-guards.ts';
import type { OutputPort } from '../context.ts';
import { Failure, warning, withSentence } from '../failure.ts';
import { shellQuote } from '../files/shell-quote.ts';
import { openInput } from '../input/input-file.ts';
import { checkApprovals, findSshKeygen, listSignatures, signers } from '../plan/approvals.ts';
import { planRunName } from '../plan/plan-file.ts';
import { type PlanView, planView } from '../plan/plan-view.ts';
import type { CheckedPlan, checkPlan, SealedPlan } from '../plan/read-plan.ts';
import { readRunHeader, runFolder } from '../run/stored/run-folder.ts';
import { showRun } from '../run/stored/run-list.ts';
import type { Formatted, Ports, Session } from '../session.ts';
import type { ResolvedProfile } from '../settings/resolve.ts';
import { portsOf } from './run.ts';

/** Reads a plan. USAGE if it is no plan, or was changed. `copyTo` gets the bytes. */
export async function readPlan(session: Ports, path: string, more?: Parameters<typeof checkPlan>[1]) {
  const reader = await import('../plan/read-plan.ts');
  return reader.checkPlan(await openInput(path, session.context.stdin, '<file>'), more);
}

/** Is the plan shown in a terminal, in no other format? */
export function isShownAsPage({ context, output }: Session): boolean {
  const { format, columns, query } = output;
  return context.stdout.isTerminal && format === 'table' && columns === undefined && query === undefined;
}

/** Shows the plan at `path`, fitted to the terminal. */
export async function writePlanView(
  { output }: Formatted,
  stream: OutputPort,
  path: string,
  view: Omit<PlanView, 'allRows'>,
): Promise<void> {
  const { colour, unicode, now } = output;
  const allRows = `frontdesk plan show ${shellQuote(path)} -o csv`;
  await stream.write(planView({ ...view, allRows }, { width: stream.columns ?? 80, colour, unicode, now }));
}

/** The state of a plan from its run on this machine. A killed run counts as stopped, because it can be resumed. */
export async function planState(
  session: Session,
  { header, sha256 }: SealedPlan,
): Promise<Pick<PlanView, 'state' | 'run'>> {
  const { stateDir } = session.places;
  const name = planRunName(header.plan);
  const begun = stateDir === undefined ? undefined : await readRunHeader(runFolder(stateDir, name));
  // The name has twelve digits of the hash, which another plan may share.
  if (begun?.inputSha256 === sha256) {
    const run = await showRun(portsOf(session), name);
    return { state: run.state === 'interrupted' ? 'stopped' : run.state, run };
  }
  return { state: session.context.clock.now() < Date.parse(header.expiresAt) ? 'new' : 'expired' };
}

/** Who approved a plan, and how many approvals are required. */
type PlanApprovals = Pick<PlanView, 'approvals' | 'uncounted' | 'demanded'>;

const NONE: PlanApprovals = { approvals: [], uncounted: [], demanded: 0 };

/** The approvals that count for the profile; empty if none is required. USAGE without ssh-keygen. */
async function countApprovals({ profile, context }: Session, path: string, copy: string): Promise<PlanApprovals> {
  const demanded = demandedApprovals(profile);
  if (demanded === 0) return NONE;
  const tool = await findSshKeygen(context.env, context.platform);
  return { ...(await checkApprovals(tool, { path, copy }, profile.approvers)), demanded };
}

/** The approvals that count before a plan's rows are sent. Says why others do not. `unusable`: why none can. */
export async function approvalsToSend(session: Session, path: string, copy: string) {
  const { approvals, uncounted } = await countApprovals(session, path, copy);
  const unusable = uncounted.find(({ isOfAll }) => isOfAll === true);
  // The refusal says what is wrong with the approvers file. Other reasons show what is missing.
  for (const { text, fix } of uncounted.filter((reason) => reason !== unusable)) {
    await session.notify(warning('NOT_COUNTED', fix === undefined ? text : withSentence(text, fix)));
  }
  return { approvals, unusable };
}

/** For a reviewer: the approvals that count, or every signature if none is required. Empty without ssh-keygen. */
async function showApprovals(session: Session, profile: ResolvedProfile | undefined, path: string) {
  const demanded = profile === undefined ? 0 : demandedApprovals(profile);
  if (demanded === 0 && (await signers(path)).length === 0) return NONE;
  try {
    if (demanded > 0) return await countApprovals(session, path, path);
    const { env, platform } = session.context;
    return { ...(await listSignatures(await findSshKeygen(env, platform), { path, copy: path })), demanded };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await session.notify(warning('NOT_VERIFIED', `no approval was checked: ${error.asSilent().message}`));
    return { ...NONE, demanded };
  }
}

/** What a reviewer sees of a plan. */
export async function reviewOf(
  session: Session,
  profile: ResolvedProfile | undefined,
  path: string,
  plan: CheckedPlan,
): Promise<Omit<PlanView, 'allRows'>> {
  const { header, survey } = plan;
  return { header, ...(await planState(session, plan)), survey, ...(await showApprovals(session, profile, path)) };
}
