import type { OutputPort } from '../base/context.ts';
import { pasteable } from '../base/next-step.ts';
import type { Formatted, Ports, Session } from '../command/session.ts';
import { openInput } from '../input/input-file.ts';
import { readRunHeader, runFolder } from '../records/stored/run-folder.ts';
import { showRun } from '../records/stored/run-list.ts';
import { planRunName } from './plan/plan-file.ts';
import { type PlanView, planView } from './plan/plan-view.ts';
import type { CheckedPlan, checkPlan, SealedPlan } from './plan/read-plan.ts';
import { portsOf } from './run.ts';

/** Reads a plan. USAGE if it is no plan, or was changed. `copyTo` gets the bytes. */
export async function readPlan(session: Ports, path: string, more?: Parameters<typeof checkPlan>[1]) {
  const reader = await import('./plan/read-plan.ts');
  return reader.checkPlan(await openInput(path, session.context.stdin, '<file>'), more);
}

/** Shows the plan at `path`, fitted to the terminal. `hasRows`: with its rows. */
export async function writePlanView(
  { output }: Formatted,
  stream: OutputPort,
  path: string,
  view: Omit<PlanView, 'allRows'>,
  hasRows = true,
): Promise<void> {
  const { colour, unicode, now } = output;
  const allRows = pasteable('plan show {} -o csv', { about: path });
  await stream.write(planView({ ...view, allRows }, { width: stream.columns ?? 80, colour, unicode, now }, hasRows));
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

export async function reviewOf(session: Session, plan: CheckedPlan): Promise<Omit<PlanView, 'allRows'>> {
  const { header, survey } = plan;
  return { header, ...(await planState(session, plan)), survey };
}
