import { OUTCOMES } from '../../base/failure.ts';
import { INTEGER, object, oneOf, record, type ShapeOf, shapesOf, TEXT } from '../../base/json/shape.ts';
import { isJsonObject, type JsonObject } from '../../base/json/value.ts';
import { type Column, cellText, columnsOf } from '../../screen/column.ts';
import type { Fact } from '../../screen/options.ts';
import { commandWords, outcomeCounts, outcomeWords, peopleTime } from '../../screen/people-text.ts';
import { groupThousands, safeText } from '../../screen/text.ts';

/**
 * `running`: a process works on it. `finished`: a resume would send nothing, and no outcome is unknown. `unsettled`: a
 * resume would send nothing, and some outcomes are unknown. `stopped`: it ended in order with rows left. `interrupted`:
 * its process was killed, or is elsewhere without a sign of life.
 */
export const RUN_STATES = ['running', 'finished', 'unsettled', 'stopped', 'interrupted'] as const;
export type RunState = (typeof RUN_STATES)[number];

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

function countsOf(cell: string): string {
  return cell === '' ? '' : outcomeCounts(JSON.parse(cell) as Record<string, number>);
}

export function runFacts(run: JsonObject): readonly Fact[] {
  const shown = (name: string) => safeText(cellText(run.get(name)));
  const outcomes = run.get('outcomes');
  const rows = (isJsonObject(outcomes) ? [...outcomes] : []).map(
    ([outcome, count]): Fact => ['', `${groupThousands(cellText(count))} ${outcomeWords(outcome)}`],
  );
  const facts: readonly Fact[] = [
    ['Run', shown('run')],
    ['Change', commandWords(shown('operation'))],
    ['State', shown('state')],
    ['Rows', groupThousands(shown('rows'))],
    ...(outcomes === undefined ? [['', 'how they ended is not known'] as const] : rows),
    ['File', shown('source')],
    ['Profile', shown('profile')],
    ['Started', peopleTime(shown('startedAt'))],
  ];
  return facts.filter(([, text]) => text !== '');
}

/** In a terminal the outcomes are one column: there is no room for one each. */
export const PEOPLE_COLUMNS: readonly Column[] = [
  ...FACTS,
  { name: 'outcomes', header: 'OUTCOMES', below: 'plain', people: countsOf },
  { name: 'source', header: 'FILE', below: 'labelled' },
  ...STARTED,
];
