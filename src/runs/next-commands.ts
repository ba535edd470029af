import { commandOf, type NextStep, pasteable } from '../base/next-step.ts';
import type { OutcomeCounts } from '../records/journal/record.ts';
import type { RunState } from '../records/stored/run-entry.ts';
import { sentenceCase } from '../screen/text.ts';
import { isUpdate, type Operation, resolvedBy } from '../service/api/operation.ts';
import { OPERATIONS } from '../service/api/operations.ts';

interface RunStanding {
  readonly run: string;
  /** A resume would send rows. */
  readonly hasLeft: boolean;
  readonly unknown: number;
  readonly canReconcile: boolean;
  /** Sending unknown rows again sets the same again: an update, and a block that no check of its card resolved. */
  readonly canResend: boolean;
}

/** How unknown rows of an operation can be resolved, except by what was tried just now. */
export function commandsToResolve(
  operation: Operation | undefined,
  tried?: 'leave' | 'reconcile' | 'resend',
): Pick<RunStanding, 'canReconcile' | 'canResend'> {
  if (operation === undefined) return { canReconcile: false, canResend: false };
  return {
    canReconcile: resolvedBy(operation) !== undefined && tried !== 'reconcile',
    canResend: isUpdate(operation) ? tried !== 'resend' : operation === OPERATIONS.cardBlock && tried === 'reconcile',
  };
}

/** What to do next with a run; undefined if nothing is left to do. */
export function nextStep({ run: about, hasLeft, unknown, canReconcile, canResend }: RunStanding): NextStep | undefined {
  if (unknown > 0 && canReconcile) return { do: 'resume it with a check of the cards', about };
  if (hasLeft) return { do: 'resume it', about };
  if (unknown > 0 && canResend) return { do: 'send its unknown rows again', about };
  return unknown > 0 ? { do: 'see its unknown rows', about } : undefined;
}

interface Superseded {
  /** How many unknown rows a later change superseded: nothing is to do about them. */
  readonly superseded?: number;
}

/** The same of a run in the records; undefined while a process works on it. */
export function nextOfRun(
  {
    run,
    state,
    outcomes = {},
    superseded = 0,
  }: Superseded & { readonly run: string; readonly state: RunState; readonly outcomes?: OutcomeCounts | undefined },
  ways: Pick<RunStanding, 'canReconcile' | 'canResend'>,
): NextStep | undefined {
  if (state === 'running') return undefined;
  const hasLeft = state === 'stopped' || state === 'interrupted';
  return nextStep({ run, hasLeft, unknown: (outcomes.unknown ?? 0) - superseded, ...ways });
}

export function listingOf(run: string, outcomes: readonly string[]): string {
  return pasteable(`runs results {} --outcome ${outcomes.join(',')}`, { about: run });
}

export interface NextCommand {
  readonly purpose: string;
  readonly line: string;
}

/** What can be done with a run besides resuming it. */
interface NextCommands extends Pick<RunStanding, 'canReconcile' | 'canResend'> {
  /** What its rows changed can be restored. */
  readonly canRevert: boolean;
  /** Format in which its rows can be written as input. */
  readonly format: 'csv' | 'ndjson';
}

/** The commands that can follow, the summary's first. Rows go into a file only if a resume would send none. */
export function nextCommands(
  {
    run,
    state,
    outcomes,
    superseded = 0,
  }: Superseded & { readonly run: string; readonly state: RunState; readonly outcomes: OutcomeCounts },
  { canReconcile, canResend, canRevert, format }: NextCommands,
): readonly NextCommand[] {
  const failed = (['rejected', 'not_sent', 'unknown'] as const).filter((outcome) => (outcomes[outcome] ?? 0) > 0);
  const list = { purpose: 'List the rows that did not succeed', line: listingOf(run, failed) };
  if (state === 'running') return failed.length === 0 ? [] : [list];
  const hasLeft = state === 'stopped' || state === 'interrupted';
  const unknown = (outcomes.unknown ?? 0) - superseded;
  const step = nextOfRun({ run, state, outcomes, superseded }, { canReconcile, canResend });
  const next = step && commandOf(step);
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
    const line = `${listingOf(run, ended)} --as-input -o ${format} > rest.${format}`;
    commands.push({ purpose: 'Write the rows that did not succeed into a file, as an input to correct', line });
  }
  if (canRevert) {
    const line = pasteable('runs revert {} --plan back.plan', { about: run });
    commands.push({ purpose: 'Write a plan that restores the old values (nothing is sent until you apply it)', line });
  }
  return commands;
}
