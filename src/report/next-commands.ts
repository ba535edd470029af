import { nextCommand } from '../run/next-command.ts';
import type { NextCommand, RunFacts } from './run-facts.ts';

interface Ways {
  /** Reading can settle its unknown rows. */
  readonly canReconcile: boolean;
  /** What its rows changed can be put back. */
  readonly canRevert: boolean;
  /** In which its rows can be written again. */
  readonly format: 'csv' | 'ndjson';
}

/**
 * The commands that go on from where a run stands, first the one that its summary gives. No two of them send a row
 * twice: rows go into a file only when a resume would send none.
 */
export function nextCommands(
  { header: { run }, state, outcomes }: Pick<RunFacts, 'header' | 'state' | 'outcomes'>,
  { canReconcile, canRevert, format }: Ways,
): readonly NextCommand[] {
  const rowsOf = (outcome: 'rejected' | 'not_sent' | 'unknown') => outcomes[outcome] ?? 0;
  const failed = (['rejected', 'not_sent', 'unknown'] as const).filter((outcome) => rowsOf(outcome) > 0);
  const listing = `frontdesk runs results ${run}`;
  const list = { purpose: 'List the rows that did not succeed', line: `${listing} --outcome ${failed.join(',')}` };
  if (state === 'running') return failed.length === 0 ? [] : [list];
  const hasLeft = state === 'stopped' || state === 'interrupted';
  const unknown = rowsOf('unknown');
  const next = nextCommand({ run, hasLeft, unknown, canReconcile });
  const purposes = [
    ...(hasLeft ? ['go on with the rows that were not sent'] : []),
    ...(unknown > 0 && canReconcile ? ['find out what became of the unknown rows, by reading their cards'] : []),
  ];
  const purpose =
    purposes.length === 0 ? 'list the unknown rows, to check each at the service' : purposes.join(', and ');
  const ended = failed.filter((outcome) => outcome !== 'unknown');
  return [
    ...(next === undefined ? [] : [{ purpose: `${purpose.charAt(0).toUpperCase()}${purpose.slice(1)}`, line: next }]),
    ...(failed.length === 0 || list.line === next ? [] : [list]),
    ...(hasLeft || ended.length === 0
      ? []
      : [
          {
            purpose: 'Write the rows that did not succeed into a file, as an input to correct',
            line: `${listing} --outcome ${ended.join(',')} --as-input -o ${format} > rest.${format}`,
          },
        ]),
    ...(canRevert
      ? [
          {
            purpose: 'Plan the way back to the old values; nothing is sent before the plan is applied',
            line: `frontdesk runs revert ${run} --plan back.plan`,
          },
        ]
      : []),
  ];
}
