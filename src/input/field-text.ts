import type { FieldSpec } from './fields.ts';
import { quoteValue } from './quote-value.ts';

/** Where a value comes from: spreadsheets write TRUE and False, a person types true or false. */
export type TextSource = 'flag' | 'csv';

/** `true`, `True` or `TRUE` as a boolean, or undefined for anything else. */
export function readBoolean(text: string, source: TextSource): boolean | undefined {
  const word = source === 'csv' ? text.toLowerCase() : text;
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

/** How spreadsheets in other languages write the two: never guessed, as a word may be a text. */
const FOREIGN = new Map<string, boolean>([
  ...[
    'wahr',
    'vrai',
    'verdadero',
    'vero',
    'waar',
    'verdadeiro',
    'sant',
    'sann',
    'sand',
    'prawda',
    'tosi',
    'pravda',
    'igaz',
  ].map((word) => [word, true] as const),
  ...['falsch', 'faux', 'falso', 'onwaar', 'usann', 'falskt', 'falsk', 'fałsz', 'epätosi', 'nepravda', 'hamis'].map(
    (word) => [word, false] as const,
  ),
]);

/** A whole number in plain digits: `1e2`, `0x10`, ` 5`, `5.0` and the empty string are none. */
function readInteger(text: string): number | undefined {
  const value = /^-?(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined;
  return Object.is(value, -0) ? 0 : value;
}

function rangeOf(field: FieldSpec): string {
  return field.minimum === undefined || field.maximum === undefined ? '' : ` from ${field.minimum} to ${field.maximum}`;
}

/** What a field must be, for messages: `a whole number from 1 to 100`. */
export function expectationOf(field: FieldSpec): string {
  if (field.type === 'boolean') return 'true or false';
  if (field.type === 'integer') return `a whole number${rangeOf(field)}`;
  return 'a text';
}

/** Returns the value of a flag or a CSV cell in the field's own type, or what is wrong with it. */
export function readFieldText(
  field: FieldSpec,
  text: string,
  source: TextSource,
): { readonly value: string | boolean | number } | { readonly problem: string } {
  const value =
    field.type === 'boolean' ? readBoolean(text, source) : field.type === 'integer' ? readInteger(text) : text;
  if (value !== undefined) return { value };
  const foreign = field.type === 'boolean' && source === 'csv' ? FOREIGN.get(text.toLowerCase()) : undefined;
  const meant = foreign === undefined ? '' : `: write ${foreign}`;
  return { problem: `must be ${expectationOf(field)}, not ${quoteValue(text)}${meant}` };
}
