import type * as z from 'zod/mini';
import type { Fault } from '../failure.ts';
import type { JsonValue } from '../json/value.ts';
import { didYouMean } from '../output/nearest.ts';
import { cardIdProblem } from './card-id.ts';
import { expectationOf, readFieldText, type TextSource } from './field-text.ts';
import { describeFields, type FieldSpec } from './fields.ts';
import { showValue } from './quote-value.ts';

/** A field's value before it was checked: numbers as JavaScript numbers (`--limit`) or as JSON had them. */
export type FieldValue = JsonValue | number | undefined;

function show(value: FieldValue): string {
  return typeof value === 'number' ? String(value) : showValue(value);
}

function wrongType(field: FieldSpec, value: FieldValue): string {
  if (value === undefined) return 'is required';
  if (value === null) return 'must not be null: omit the field, or give an empty text to clear it';
  return `must be ${expectationOf(field)}, not ${show(value)}`;
}

function problemOf(issue: z.core.$ZodIssue, field: FieldSpec, value: FieldValue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(field, value);
    case 'too_small':
    case 'too_big':
      return `must be ${expectationOf(field)}, not ${show(value)}`;
    default: {
      if (field.format === 'uuid' && typeof value === 'string') return cardIdProblem(value) ?? issue.message;
      return value === '' ? issue.message : `${issue.message}: ${show(value)}`;
    }
  }
}

/**
 * All faults of one body, query or set of parameters, each naming the field (as `nameOf` calls it where it was
 * given: a flag, a column), the limit and what was given. Empty: the values may be sent.
 */
export function checkFields(
  schema: z.ZodMiniObject,
  values: Readonly<Record<string, FieldValue>>,
  nameOf: (field: string) => string,
): readonly Fault[] {
  const result = schema.safeParse(values);
  if (result.success) return [];
  const fields = describeFields(schema);
  return result.error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const names = fields.map((field) => field.name);
      const problemOfKey = (key: string) => `is not a field of this operation${didYouMean(key, names)}`;
      return issue.keys.map((key) => ({ where: nameOf(key), problem: problemOfKey(key) }));
    }
    const name = String(issue.path[0] ?? '');
    const field = fields.find((candidate) => candidate.name === name);
    if (field === undefined) return [{ where: nameOf(name), problem: issue.message }];
    const value = values[name];
    const refusedId = field.format === 'uuid' && typeof value === 'string' ? value : undefined;
    return [{ where: nameOf(name), problem: problemOf(issue, field, value), refusedId }];
  });
}

/**
 * Checks values as typed: turns each into its field's type first. `null` stands for a field that is to be
 * sent as null. With `partial`, fields that are missing are no fault: rows of a file may bring them.
 */
export function checkFieldTexts(
  schema: z.ZodMiniObject,
  given: ReadonlyMap<string, string | null>,
  options: { readonly nameOf: (field: string) => string; readonly source: TextSource; readonly partial?: boolean },
): { readonly values: Readonly<Record<string, FieldValue>>; readonly faults: readonly Fault[] } {
  const fields = describeFields(schema);
  const values: Record<string, FieldValue> = {};
  const faults: Fault[] = [];
  const unreadable = new Set<string>();
  for (const [name, text] of given) {
    const field = fields.find((candidate) => candidate.name === name);
    const read = field === undefined || text === null ? { value: text } : readFieldText(field, text, options.source);
    if ('value' in read) values[name] = read.value;
    else {
      unreadable.add(name);
      faults.push({ where: options.nameOf(name), problem: read.problem });
    }
  }
  for (const fault of checkFields(schema, values, (field) => field)) {
    const isExpected = unreadable.has(fault.where) || (options.partial === true && !given.has(fault.where));
    if (!isExpected) faults.push({ ...fault, where: options.nameOf(fault.where) });
  }
  return { values, faults };
}

/** Shown when an update has nothing to send: what the service does with an empty update is not shown. */
export const NOTHING_TO_CHANGE = 'nothing to change: give at least one field';
