import { OUTCOMES } from '../../failure.ts';
import { INTEGER, object, oneOf, record, type ShapeOf, shapesOf, TEXT } from '../../json/shape.ts';
import { type Column, columnsOf } from '../../output/column.ts';
import { commandWords, peopleTime } from '../../output/people-text.ts';
import { groupThousands } from '../../output/text.ts';

/**
 * `running`: a process works on it. `finished`: a resume would send nothing, and no outcome is unknown. `unsettled`: a
 * resume would send nothing, and some outcomes are unknown. `stopped`: it ended in order with rows left. `interrupted`:
 * its process was killed, or is elsewhere without a sign of life.
 */
export const RUN_STATES = ['running', 'finished', 'unsettled', 'stopped', 'interrupted'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** The members of a listed run, and their columns. */
const MEMBERS = {
  run: { shape: TEXT, column: { header: 'RUN', keep: true } },
  operation: { shape: TEXT, column: { header: 'OPERATION', keep: true, people: commandWords } },
  profile: { shape: TEXT, column: { header: 'PROFILE', spare: true } },
  state: { shape: oneOf(RUN_STATES), column: { header: 'STATE', keep: true } },
  rows: { shape: INTEGER, column: { header: 'ROWS', align: 'right', people: groupThousands } },
  /** ISO 8601. */
  startedAt: { shape: TEXT, column: { header: 'STARTED', spare: true, people: peopleTime } },
} as const;

/** One entry of `runs list`. */
export const RUN_OUTPUT = object(shapesOf(MEMBERS), {
  /** Rows by outcome; rows not reached are `not_sent`. Missing if the journal is damaged. */
  outcomes: record(INTEGER),
});

export interface RunOverview extends ShapeOf<typeof RUN_OUTPUT> {
  /** Name of the input file; undefined: stdin or the command line. */
  readonly source?: string;
}

const COLUMNS = columnsOf(MEMBERS);
const [FACTS, STARTED] = [COLUMNS.slice(0, -1), COLUMNS.slice(-1)];

export const RUN_COLUMNS: readonly Column[] = [
  ...FACTS,
  ...[...OUTCOMES, 'in_flight'].map((outcome): Column => {
    const header = outcome.toUpperCase().replaceAll('_', ' ');
    return { name: `outcomes.${outcome}`, header, align: 'right', people: groupThousands };
  }),
  ...STARTED,
];

/** `2 applied, 1 not sent`, from the counts as JSON. */
function outcomeWords(counts: string): string {
  if (counts === '') return '';
  const entries = Object.entries<unknown>(JSON.parse(counts));
  return entries.map(([outcome, rows]) => `${groupThousands(String(rows))} ${outcome.replaceAll('_', ' ')}`).join(', ');
}

/** In a terminal the outcomes are one column: there is no room for one each. */
export const PEOPLE_COLUMNS: readonly Column[] = [
  ...FACTS,
  { name: 'outcomes', header: 'OUTCOMES', below: 'plain', people: outcomeWords },
  { name: 'source', header: 'FILE', below: 'labelled' },
  ...STARTED,
];
