import type { Durations, PaceStep } from '../bulk/run-timeline.ts';
import type { Outcome } from '../failure.ts';
import { formatDuration } from '../output/duration.ts';
import { commandWords } from '../output/people-text.ts';
import { groupThousands, plural } from '../output/safe-text.ts';

/** How often a cause made rows end in one way. */
export interface Cause {
  readonly outcome: Outcome;
  readonly name: string;
  readonly rows: number;
}

/** A command that goes on from here. */
export interface NextCommand {
  readonly purpose: string;
  readonly line: string;
}

/** Everything that a report says of a run. Nothing secret and nothing of a customer is in it. */
export interface RunFacts {
  readonly run: string;
  /** Dotted path of the command. */
  readonly operation: string;
  readonly state: 'running' | 'finished' | 'stopped' | 'interrupted';
  readonly user: string;
  readonly profile: string;
  readonly host: string;
  /** As given on the command line, values that may be a customer's left out. */
  readonly options: readonly string[];
  readonly startedMs: number;
  readonly lastMs: number;
  readonly workMs: number;
  /** Processes that worked on the run. */
  readonly sessions: number;
  readonly outcomes: ReadonlyMap<Outcome, number>;
  readonly causes: readonly Cause[];
  readonly pace: readonly PaceStep[];
  readonly durations: Durations | undefined;
  readonly commands: readonly NextCommand[];
  /** What could not be read of the run. */
  readonly notes: readonly string[];
  readonly madeMs: number;
}

/** Outcomes from the best to the one that needs a person most, with the words for them. */
export const OUTCOME_WORDS: ReadonlyMap<Outcome, string> = new Map([
  ['applied', 'applied'],
  ['confirmed_by_read', 'confirmed by a read'],
  ['rejected', 'rejected'],
  ['not_sent', 'not sent'],
  ['unknown', 'unknown'],
]);

export function rowsOf({ outcomes }: RunFacts): number {
  return [...outcomes.values()].reduce((sum, rows) => sum + rows, 0);
}

function succeeded({ outcomes }: RunFacts): number {
  return (outcomes.get('applied') ?? 0) + (outcomes.get('confirmed_by_read') ?? 0);
}

/** Did everything that was asked for happen? */
export function isGood(facts: RunFacts): boolean {
  return succeeded(facts) === rowsOf(facts);
}

/** The answer to "did it work?", in one sentence without its full stop. */
export function headline(facts: RunFacts): string {
  const [rows, good] = [rowsOf(facts), succeeded(facts)];
  if (facts.state === 'running')
    return `Still running: ${groupThousands(good)} of ${plural(rows, 'row')} succeeded so far`;
  if (rows === 0) return 'The run has no rows';
  if (good === rows) return rows === 1 ? 'The row succeeded' : `All ${groupThousands(rows)} rows succeeded`;
  if (good === 0) return rows === 1 ? 'The row did not succeed' : `None of ${groupThousands(rows)} rows succeeded`;
  return `${groupThousands(good)} of ${groupThousands(rows)} rows succeeded`;
}

function unknownRemark(rows: number, state: RunFacts['state']): string {
  const count = groupThousands(rows);
  // Those that wait for their answer now are among them.
  if (state === 'running') return `${count} ${rows === 1 ? 'row has' : 'rows have'} no known outcome yet.`;
  const whose = rows === 1 ? 'its outcome is' : 'their outcomes are';
  return `${count} may have been applied: ${whose} unknown. Check before anything is sent again.`;
}

/** What to know of the rows that did not succeed, and of the report itself: a sentence each. */
export function remarks({ outcomes, notes, state }: RunFacts): readonly string[] {
  const of = (outcome: Outcome) => outcomes.get(outcome) ?? 0;
  const was = (rows: number) => (rows === 1 ? 'row was' : 'rows were');
  return [
    ...(of('unknown') > 0 ? [unknownRemark(of('unknown'), state)] : []),
    ...(of('rejected') > 0
      ? [`${groupThousands(of('rejected'))} ${was(of('rejected'))} rejected by the service.`]
      : []),
    ...(of('not_sent') > 0
      ? [`${groupThousands(of('not_sent'))} ${was(of('not_sent'))} not sent${state === 'running' ? ' yet' : ''}.`]
      : []),
    ...(state === 'interrupted' ? ['The process of the run was killed.'] : []),
    ...notes,
  ];
}

/** `2027-04-02 18:00:00 UTC`. */
export function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** What is known of the run besides its rows, by the question it answers. */
export function factList(facts: RunFacts): readonly (readonly [question: string, answer: string])[] {
  const pauses = facts.sessions > 1 ? `, in ${facts.sessions} sessions` : '';
  return [
    ['Command', commandWords(facts.operation)],
    ['Run', `${facts.run} (${facts.state})`],
    ['By', facts.user],
    ['Service', `${facts.host} (profile ${facts.profile})`],
    ['Began', utc(facts.startedMs)],
    ['Last entry', utc(facts.lastMs)],
    ['Working time', `${formatDuration(facts.workMs)}${pauses}`],
    ['Options', facts.options.length === 0 ? 'none' : facts.options.join(', ')],
  ];
}
