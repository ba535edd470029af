import { BULK, BULK_OPTIONS, type BULK_WRITE, BULK_WRITE_OPTIONS, type PLAN, type WRITE } from './common.ts';
import { declareOptions, type OptionSpec, type OptionValues } from './option.ts';

/** Options of some commands over an operation. */
export const SPECIAL = declareOptions({
  expect: {
    kind: 'text',
    value: 'field=value',
    repeatable: true,
    text: 'check the card first; send nothing unless the field has this value (dots reach into metadata)',
  },
  skipIf: {
    kind: 'text',
    value: 'field=value,value',
    repeatable: true,
    text: 'check the card first; send nothing, and succeed, if the field has one of these values',
  },
  changedFrom: {
    kind: 'path',
    value: 'old.csv',
    needs: 'from',
    text: 'with --from: send only cells that differ from this older file',
  },
  expectChanges: {
    kind: 'count',
    min: 0,
    needs: 'changed-from',
    text: 'send nothing (exit 17) unless exactly this many rows differ',
  },
  out: { kind: 'path', makes: true, text: 'write the result as JSON to this new file (mode 0600)' },
  again: { text: 'send it even if the history shows the same as sent or open; may create a second one' },
  showSensitive: { text: 'print secret fields in table and csv too' },
  requireComplete: { text: 'exit with 15 if there may be more than what is listed' },
  active: {
    kind: 'choice',
    value: 'true|false|all',
    choices: ['true', 'false', 'all'],
    field: 'active',
    text: 'list active ones (true), inactive ones (false), or both, with two requests (all)',
  },
});

/** The file of `-o xlsx`. Every command with this option can print one. */
export const WORKBOOK = declareOptions({
  out: { kind: 'path', makes: true, text: 'write it to this new .xlsx file (mode 0600)' },
});

/** Options for many rows only: on a single call they would silently do nothing. */
export const BULK_ONLY_OPTIONS: readonly OptionSpec[] = [
  ...BULK_OPTIONS.filter((option) => option !== BULK.from),
  ...BULK_WRITE_OPTIONS,
  SPECIAL.changedFrom,
  SPECIAL.expectChanges,
];

/** What a command over an operation may be given. Each has some of these options. */
export type CallOptions = Partial<
  OptionValues<typeof BULK & typeof BULK_WRITE & typeof PLAN & typeof SPECIAL & typeof WRITE>
>;
/** The pace of a run, which a resume may change. */
export type PaceOptions = Partial<OptionValues<Pick<typeof BULK, 'rate' | 'maxFailures'>>>;
