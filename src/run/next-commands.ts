import { isUpdate, type Operation, settledBy } from '../api/operation.ts';
import { sentenceCase } from '../output/text.ts';
import type { OutcomeCounts } from './journal/record.ts';
import type { RunState } from './stored/run-entry.ts';

/** What the next step of a run depends on. */
interface RunStanding {
  readonly run: string;
  /** A resume would send rows. */
  readonly hasLeft: boolean;
  readonly unknown: number;
  /** Reading the cards can resolve unknown rows. */
  readonly canReconcile: boolean;
  /** Sending unknown rows again sets the same values. */
  readonly canResend: boolean;
}

/** How unknown rows of an operation can be resolved, except by what was tried just now. */
export function waysToSettle(
  operation: Operation | undefined,
  tried?: 'leave' | 'reconcile' | 'resend',
): Pick<RunStanding, 'canReconcile' | 'canResend'> {
  if (operation === undefined) return { canReconcile: false, canResend: false };
  return {
    canReconcile: settledBy(operation) !== undefined && tried !== 'reconcile',
    canResend: isUpdate(operation) && tried !== 'resend',
  };
}

/** The one command that resumes a run; undefined if nothing is left to do. */
export function nextCommand({ run, hasLeft, unknown, canReconcile, canResend }: RunStanding): string | undefined {
  if (unknown > 0 && canReconcile) return `frontdesk runs resume ${run} --reconcile`;
  if (hasLeft) return `frontdesk runs resume ${run}`;
  if (unknown > 0 && canResend) return `frontdesk runs resume ${run} --resend-unknown`;
  return unknown > 0 ? `frontdesk runs results ${run} --outcome unknown` : undefined;
}

/** A command that can follow, with its purpose. */
export interface NextCommand {
  readonly purpose: string;
  readonly line: string;
}

/** What can be done with a run besides resuming it. */
interface Ways extends Pick<RunStanding, 'canReconcile' | 'canResend'> {
  /** What its rows changed can be restored. */
  readonly canRevert: boolean;
  /** Format in which its rows can be written as input. */
  readonly format: 'csv' | 'ndjson';
}

/** The commands that can follow, the summary's first. Rows go into a file only if a resume would send none. */
export function nextCommands(
  { run, state, outcomes }: { readonly run: string; readonly state: RunState; readonly outcomes: OutcomeCounts },
  { canReconcile, canResend, canRevert, format }: Ways,
): readonly NextCommand[] {
  const failed = (['rejected', 'not_sent', 'unknown'] as const).filter((outcome) => (outcomes[outcome] ?? 0) > 0);
  const listing = `frontdesk runs results ${run}`;
  const list = { purpose: 'List the rows that did not succeed', line: `${listing} --outcome ${failed.join(',')}` };
  if (state === 'running') return failed.length === 0 ? [] : [list];
  const hasLeft = state === 'stopped' || state === 'interrupted';
  const { unknown = 0 } = outcomes;
  const next = nextCommand({ run, hasLeft, unknown, canReconcile, canResend });
  const purposes = [
    ...(hasLeft ? ['send the rows that were not sent'] : []),
    ...(unknown > 0 && canReconcile ? ['resolve the unknown outcomes by checking the cards'] : []),
    ...(unknown > 0 && !hasLeft && canResend ? ['send the unknown rows again, which sets the same values'] : []),
  ];
  const purpose = purposes.join(', and ') || 'list the unknown rows, to check each at the service';
  const commands: NextCommand[] = [];
  if (next !== undefined) commands.push({ purpose: sentenceCase(purpose), line: next });
  if (failed.length > 0 && list.line !== next) commands.push(list);
  const ended = failed.filter((outcome) => outcome !== 'unknown');
  if (!hasLeft && ended.length > 0) {
    const line = `${listing} --outcome ${ended.join(',')} --as-input -o ${format} > rest.${format}`;
    commands.push({ purpose: 'Write the rows that did not succeed into a file, as an input to correct', line });
  }
  if (canRevert) {
    const line = `frontdesk runs revert ${run} --plan back.plan`;
    commands.push({ purpose: 'Write a plan that restores the old values (nothing is sent until you apply it)', line });
  }
  return commands;
}
