import { ANY, anyOf, list } from '../../../base/json/shape.ts';
import { localCommand } from '../../../command/command.ts';
import { SPECIAL } from '../../../input/options/call-options.ts';
import { BULK, WRITE, YES } from '../../../input/options/common.ts';
import { DRY_RUN_OUTPUT } from '../../../service/http/request.ts';
import { FILE } from './plan-argument.ts';

export const command = localCommand({
  maySend: true,
  description:
    'Checks each card just before changing it, and skips a card that changed since it was planned. A change made after that check goes unnoticed. If you apply a plan again, it resumes where it stopped, or prints the results. Warning: another machine, or one where the run was deleted, would send the plan again. In a terminal, it asks for confirmation. Elsewhere, it needs --yes.',
  arguments: { file: FILE },
  options: {
    dryRun: WRITE.dryRun,
    yes: YES,
    concurrency: BULK.concurrency,
    rate: BULK.rate,
    maxFailures: BULK.maxFailures,
    again: SPECIAL.again,
    failed: { ...BULK.failed, text: 'write the rows that did not succeed to this file (CSV or NDJSON)' },
  },
  usesProfile: true,
  exitCodes: [5, 7, 8, 15, 17],
  examples: {
    'Apply a plan that was reviewed': 'plan apply stolen.plan',
    'In a job: a second start resumes the first': 'plan apply stolen.plan --yes --json',
  },
  output: async () => anyOf(list((await import('../../../records/row-result.ts')).rowOutput(ANY)), DRY_RUN_OUTPUT),
  async run(session, values) {
    const { applyPlan } = await import('../../../runs/apply-plan.ts');
    return applyPlan(session, values, values.file);
  },
});
