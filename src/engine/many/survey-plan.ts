import type { OutputPort } from '../../context.ts';
import { shellQuote } from '../../files/shell-quote.ts';
import { openInput } from '../../input/input-file.ts';
import type { Row } from '../../input/records/interpret.ts';
import { rowsOf } from '../../input/records/rows.ts';
import { PlanSurvey, type PlanView, planView } from '../../plan/plan-view.ts';
import { type CheckedPlan, checkPlan, planReading } from '../../plan/read-plan.ts';
import type { Session } from '../../session.ts';

/** A plan that was read to its end, and what a reviewer wants to know of its rows. */
export interface SurveyedPlan extends CheckedPlan {
  readonly survey: PlanSurvey;
}

/**
 * Reads a plan to its end. USAGE for what is no plan, or not as it was written. `copyTo`: a new file that gets the
 * bytes that were looked at, since the plan may change meanwhile.
 */
export async function surveyPlan(
  session: Session,
  path: string,
  { onRows, ...more }: Parameters<typeof checkPlan>[1] = {},
): Promise<SurveyedPlan> {
  const survey = new PlanSurvey();
  const plan = await checkPlan(await openInput(path, session.context.stdin, '<file>'), {
    ...more,
    async onRows(rows, operation) {
      for (const row of rows) survey.add(row);
      await onRows?.(rows, operation);
    },
  });
  return { ...plan, survey };
}

/** The rows of a plan that was read before. */
export async function* rowsOfPlan(
  session: Session,
  path: string,
  { operation }: Pick<CheckedPlan, 'operation'>,
): AsyncGenerator<readonly Row[]> {
  yield* rowsOf(await openInput(path, session.context.stdin, '<file>'), planReading(operation));
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
