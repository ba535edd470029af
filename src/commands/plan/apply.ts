import { localCommand } from '../../command/command.ts';
import { DRY_RUN_OUTPUT } from '../../http/request.ts';
import { ANY, anyOf, list } from '../../json/shape.ts';
import { SPECIAL } from '../../options/call-options.ts';
import { MANY, WRITE, YES } from '../../options/common.ts';
import { FILE } from './plan-argument.ts';

export const command = localCommand({
  description:
    'Sends exactly the rows of a plan. Each card is read again right before its write, and one that changed since it was planned is left alone; a change between that read and the write cannot be seen. It is a run that the plan names: applied again it goes on where it stopped, or prints the results. That holds for each state folder: another machine, or one on which the run was removed, does not know of it and would send the plan again. It asks on a terminal; elsewhere it needs --yes.',
  arguments: { file: FILE },
  options: {
    dryRun: WRITE.dryRun,
    yes: YES,
    concurrency: MANY.concurrency,
    rate: MANY.rate,
    maxFailures: MANY.maxFailures,
    again: SPECIAL.again,
    failed: { ...MANY.failed, text: 'write the rows that did not succeed there, CSV or NDJSON' },
  },
  usesProfile: true,
  exitCodes: [0, 1, 2, 4, 5, 7, 8, 15, 16, 17, 129, 130, 143],
  examples: {
    'Apply a plan that was looked at': 'plan apply stolen.plan',
    'In a job: a second start goes on with the first': 'plan apply stolen.plan --yes --json',
  },
  output: async () => anyOf(list((await import('../../run/row-result.ts')).rowOutput(ANY)), DRY_RUN_OUTPUT),
  async run(session, given) {
    const { applyPlan } = await import('../../bulk/apply-plan.ts');
    return applyPlan(session, given, given.file);
  },
});
