import type { OutputPort } from '../../context.ts';
import { shellQuote } from '../../files/shell-quote.ts';
import { openCopy } from '../../input/copy.ts';
import { openInput } from '../../input/input-file.ts';
import type { PlannedRow } from '../../plan/plan-lines.ts';
import { PlanSurvey, type PlanView, planView } from '../../plan/plan-view.ts';
import { type VerifiedPlan, verifyPlan } from '../../plan/read-plan.ts';
import type { Session } from '../../session.ts';

/** A plan whose every byte was looked at, and what a reviewer wants to know of its rows. */
export interface SurveyedPlan extends VerifiedPlan {
  readonly survey: PlanSurvey;
}

/**
 * Reads a plan to its end. USAGE for what is no plan, or not as it was written. `copyTo`: a new file that gets the
 * bytes that were looked at, since the plan may change meanwhile.
 */
export async function surveyPlan(
  session: Session,
  path: string,
  more: { readonly copyTo?: string; onRow?(row: PlannedRow): void } = {},
): Promise<SurveyedPlan> {
  const file = await openInput(path, session.context.stdin, '<file>');
  const copy = more.copyTo === undefined ? undefined : await openCopy(more.copyTo, 'the plan');
  const survey = new PlanSurvey();
  const onRow = (row: PlannedRow) => {
    survey.add(row);
    more.onRow?.(row);
    return undefined;
  };
  try {
    const verified = await verifyPlan(copy?.of(file.bytes()) ?? file.bytes(), { name: file.name, onRow });
    await copy?.sync();
    return { ...verified, survey };
  } finally {
    await copy?.close();
  }
}

/** Does a person look at stdout, and has asked for no other form? */
export function isShownAsPage({ context, output }: Session): boolean {
  const { format, columns, query } = output;
  return context.stdout.isTerminal && format === 'table' && columns === undefined && query === undefined;
}

/** Shows a person the plan at `path`, fitted to the stream. */
export async function writePlanView(
  { output }: Session,
  stream: OutputPort,
  path: string,
  view: Omit<PlanView, 'allRows'>,
): Promise<void> {
  const { colour, unicode, now } = output;
  const allRows = `frontdesk plan show ${shellQuote(path)} -o csv`;
  await stream.write(planView({ ...view, allRows }, { width: stream.columns ?? 80, colour, unicode, now }));
}
