import { MANY, MANY_OPTIONS, type MANY_WRITE, MANY_WRITE_OPTIONS, type PLAN, type WRITE } from './common.ts';
import { declareOptions, type GivenOptions, type OptionSpec } from './option.ts';

/** Options that some of the commands over an operation have. */
export const SPECIAL = declareOptions({
  expect: {
    kind: 'text',
    value: 'field=value',
    repeatable: true,
    text: 'read the card first and send nothing unless the field (dotted into metadata) has that value',
  },
  changedFrom: {
    kind: 'path',
    value: 'old.csv',
    needs: 'from',
    text: 'with --from: send only cells that differ from that older file',
  },
  expectChanges: {
    kind: 'count',
    min: 0,
    needs: 'changed-from',
    text: 'send nothing (17) unless exactly that many rows differ',
  },
  out: { kind: 'path', makes: true, text: 'write the result as JSON to a new file of mode 0600' },
  again: {
    text: "send it although this machine's records show the same as sent, or as open: a second one may be made",
  },
  showSensitive: { text: 'show the secret fields in table and csv too' },
  requireComplete: { text: 'exit 15 when there may be more than what is listed' },
  active: {
    kind: 'choice',
    value: 'true|false|all',
    choices: ['true', 'false', 'all'],
    field: 'active',
    text: 'true: active ones, false: inactive ones, all: both, by two requests',
  },
});

/** Options that only make sense for many rows: on a single call they would silently do nothing. */
export const ROW_OPTIONS: readonly OptionSpec[] = [
  ...MANY_OPTIONS.filter((option) => option !== MANY.from),
  ...MANY_WRITE_OPTIONS,
  SPECIAL.changedFrom,
  SPECIAL.expectChanges,
];

/** What a command over an operation may be given; it has some of these options. */
export type CallOptions = Partial<
  GivenOptions<typeof MANY & typeof MANY_WRITE & typeof PLAN & typeof SPECIAL & typeof WRITE>
>;
/** How a run is paced, which may be given anew when it goes on. */
export type PaceOptions = Partial<GivenOptions<Pick<typeof MANY, 'rate' | 'maxFailures'>>>;
