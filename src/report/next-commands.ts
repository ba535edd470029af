import type { NextCommand, RunFacts } from './run-facts.ts';

interface Ways {
  /** Reading can settle its unknown rows. */
  readonly canReconcile: boolean;
  /** What its rows changed can be put back. */
  readonly canRevert: boolean;
  /** In which its rows can be written again. */
  readonly format: 'csv' | 'ndjson';
}

/** The commands that go on from where a run stands. */
export function nextCommands(
  { header: { run }, state, outcomes }: Pick<RunFacts, 'header' | 'state' | 'outcomes'>,
  { canReconcile, canRevert, format }: Ways,
): readonly NextCommand[] {
  const commands: NextCommand[] = [];
  const failed = (['rejected', 'not_sent', 'unknown'] as const).filter((outcome) => (outcomes.get(outcome) ?? 0) > 0);
  if (failed.length > 0) {
    const line = `frontdesk runs results ${run} --outcome ${failed.join(',')}`;
    commands.push({ purpose: 'List the rows that did not succeed', line });
    commands.push({
      purpose: 'Write them into a file, as an input to correct',
      line: `${line} --as-input -o ${format} > rest.${format}`,
    });
  }
  if (state === 'running') return commands;
  if (failed.includes('unknown')) {
    commands.push(
      canReconcile
        ? {
            purpose: 'Find out what became of the unknown rows, by reading their cards',
            line: `frontdesk runs resume ${run} --reconcile`,
          }
        : {
            purpose: 'Send the unknown rows again, once each was checked at the service',
            line: `frontdesk runs resume ${run} --resend-unknown`,
          },
    );
  }
  if (state !== 'finished')
    commands.push({ purpose: 'Go on with the rows that were not sent', line: `frontdesk runs resume ${run}` });
  if (canRevert) {
    commands.push({
      purpose: 'Plan the way back to the old values; nothing is sent before the plan is applied',
      line: `frontdesk runs revert ${run} --plan back.plan`,
    });
  }
  return commands;
}
