import { localCommand } from '../../command/command.ts';
import { PLAN } from '../../options/common.ts';
import { HEADER_COLUMNS } from '../../plan/plan-columns.ts';
import { LAST, RUN, runNameOf } from './run-name.ts';

export const command = localCommand({
  columns: HEADER_COLUMNS,
  description:
    'Writes a plan that puts back what a run with --changed-from changed: the old cells of the rows that ended applied, confirmed_by_read or unknown. It sends nothing; look at the plan and apply it. Rows whose old values are not known, or whose id this machine wrote again later, are reported (15), and the plan holds the others. A run of cards or events has no way back.',
  arguments: RUN,
  options: {
    last: LAST,
    plan: {
      kind: 'path',
      notStdin: 'a new file: a plan appears when it is complete',
      makes: true,
      required: true,
      text: 'where the plan is written: a new file',
      question: 'The plan (a new file)',
    },
    planExpires: PLAN.planExpires,
    overLater: { text: 'plan rows too whose id this machine wrote again later' },
  },
  exitCodes: [0, 1, 2, 4, 15, 16, 141],
  examples: {
    'Take the last run back: plan it': 'runs revert --last --plan back.plan',
    'Take one back by its id': 'runs revert 20270402-1800-7f3a2b --plan back.plan',
  },
  output: async () => (await import('../../plan/plan-file.ts')).PLAN_HEADER_OUTPUT,
  async run(session, given) {
    const { revertRun } = await import('../../bulk/revert-run.ts');
    const run = await runNameOf(session, given);
    return revertRun(session, { path: given.plan, lifeMs: given.planExpires.ms }, run, given.overLater === true);
  },
});
