import { localCommand } from '../../../command/command.ts';
import { PLAN } from '../../../input/options/common.ts';
import { HEADER_COLUMNS } from '../../../records/plan-columns.ts';
import { LAST, RUN, runNameOf } from './run-name.ts';

export const command = localCommand({
  columns: HEADER_COLUMNS,
  description:
    'Works for a run with --changed-from: the plan restores the old cells of the rows that ended applied, confirmed_by_read or unknown. Sends nothing. Review the plan, then apply it. Rows whose old values are not known, or whose ID was changed again later from this machine, are left out and reported (exit 15). Runs of cards or events cannot be reverted.',
  arguments: RUN,
  options: {
    last: LAST,
    plan: {
      kind: 'path',
      notStdin: 'a new file: a plan is written in one step',
      makes: true,
      required: true,
      text: 'write the plan to this new file',
      question: 'New file for the plan, such as back.plan',
    },
    planExpires: PLAN.planExpires,
  },
  exitCodes: [15],
  examples: {
    'Plan to revert the newest run': 'runs revert --last --plan back.plan',
    'Plan to revert a run by its ID': 'runs revert 20270402-1800-7f3a2b --plan back.plan',
  },
  output: async () => (await import('../../../runs/plan/plan-file.ts')).PLAN_HEADER_OUTPUT,
  async run(session, values) {
    const { revertRun } = await import('../../../runs/revert-run.ts');
    const run = await runNameOf(session, values);
    return revertRun(session, { path: values.plan, lifeMs: values.planExpires.ms }, run);
  },
});
