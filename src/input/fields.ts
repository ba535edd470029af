import * as z from 'zod/mini';
import type { Fault } from '../base/failure.ts';
import type { JsonValue } from '../base/json/value.ts';
import { didYouMean } from '../screen/nearest.ts';
import { cardIdProblem, quoteValue, showValue } from './values.ts';

/** One field of a request as options, help, columns and checks see it. */
export interface FieldSpec {
  /** The API's own name: `clientDeviceID`. */
  readonly name: string;
  /** The option's name without dashes: `client-device-id`. */
  readonly flag: string;
  readonly type: 'text' | 'boolean' | 'integer' | 'url' | 'date';
  readonly required: boolean;
  /** Null may be sent, which differs from omitted and from empty. */
  readonly nullable: boolean;
  /** In code points; undefined: the spec sets no limit for requests. */
  readonly maxLength: number | undefined;
  /** Of an integer. */
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  /** Of a string, as JSON Schema names it (`uuid`). */
  readonly format: string | undefined;
  readonly description: string;
}

/** `clientDeviceID` -> `client-device-id`, `first_name` -> `first-name`. */
export function flagOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}

function typeOf(schema: z.core.$ZodType, kind: unknown): FieldSpec['type'] {
  const { type } = schema._zod.def;
  if (type === 'boolean') return 'boolean';
  if (type === 'number') return 'integer';
  if (kind === 'url' || kind === 'date') return kind;
  return 'text';
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The bound that a check sets for a number, itself included. */
function boundOf(schema: z.core.$ZodType, kind: 'greater_than' | 'less_than'): number | undefined {
  const check = schema._zod.def.checks?.find((candidate) => candidate._zod.def.check === kind)?._zod.def;
  return check !== undefined && 'value' in check ? finite(check.value) : undefined;
}

function describe(name: string, field: z.core.$ZodType): FieldSpec {
  let [schema, required, nullable] = [field, true, false];
  // A note belongs to the schema it was made for, which may be any of the wrappers.
  let meta: Readonly<Record<string, unknown>> = {};
  for (;;) {
    meta = { ...z.globalRegistry.get(schema), ...meta };
    const { def } = schema._zod;
    if (def.type !== 'optional' && def.type !== 'nullable') break;
    if (def.type === 'optional') required = false;
    else nullable = true;
    // zod: the definitions of type `optional` and `nullable` are exactly these two, and both wrap a schema.
    schema = (def as z.core.$ZodOptionalDef | z.core.$ZodNullableDef).innerType;
  }
  return {
    name,
    flag: flagOf(name),
    type: typeOf(schema, meta['x-kind']),
    required,
    nullable,
    maxLength: finite(meta['maxLength']),
    minimum: boundOf(schema, 'greater_than'),
    maximum: boundOf(schema, 'less_than'),
    format: typeof meta['format'] === 'string' ? meta['format'] : undefined,
    description: typeof meta['description'] === 'string' ? meta['description'] : '',
  };
}

const described = new WeakMap<z.ZodMiniObject, readonly FieldSpec[]>();

/** The fields of a request schema, in its order. Options, help and columns follow the schema. */
export function describeFields(schema: z.ZodMiniObject): readonly FieldSpec[] {
  const known = described.get(schema);
  if (known !== undefined) return known;
  const fields = Object.entries(schema.shape).map(([name, field]) => describe(name, field));
  described.set(schema, fields);
  return fields;
}

/** Where a value comes from: spreadsheets write TRUE and False, users type true or false. */
export type TextSource = 'flag' | 'csv' | 'workbook';

/** `true`, `True` or `TRUE` as a boolean, or undefined for anything else. */
export function readBoolean(text: string, source: TextSource): boolean | undefined {
  const word = source === 'flag' ? text : text.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

/** A whole number in plain digits. `1e2`, `0x10`, ` 5`, `5.0` and the empty string are not. */
function readInteger(text: string): number | undefined {
  const value = /^-?(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined;
  return Object.is(value, -0) ? 0 : value;
}

/** What a field must be, for messages: `a whole number from 1 to 100`. */
function expectationOf({ type, minimum, maximum }: FieldSpec): string {
  if (type !== 'integer') return type === 'boolean' ? 'true or false' : 'a text';
  return `a whole number${minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`}`;
}

/** The value of an option or a CSV cell in the field's own type, or what is wrong with it. */
export function readFieldText(field: FieldSpec, text: string, source: TextSource) {
  const value =
    field.type === 'boolean' ? readBoolean(text, source) : field.type === 'integer' ? readInteger(text) : text;
  if (value !== undefined) return { value };
  // A spreadsheet in another language saves its own words as CSV.
  const other = field.type === 'boolean' && source === 'csv' ? '. Or save as .xlsx, which needs no words' : '';
  return { problem: `must be ${expectationOf(field)}, not ${quoteValue(text)}${other}` };
}

/** A field's value before its check. Numbers are JavaScript numbers (`--limit`) or JSON's. */
export type FieldValue = JsonValue | number | undefined;

function show(value: FieldValue): string {
  return typeof value === 'number' ? String(value) : showValue(value);
}

function problemOf({ code, message }: z.core.$ZodIssue, field: FieldSpec, value: FieldValue): string {
  const isType = code === 'invalid_type';
  if (isType && value === undefined) return 'is required';
  if (isType && value === null) return 'must not be null: omit the field, or give an empty text to clear it';
  if (isType || code === 'too_small' || code === 'too_big')
    return `must be ${expectationOf(field)}, not ${show(value)}`;
  if (field.format === 'uuid' && typeof value === 'string') return cardIdProblem(value) ?? message;
  return value === '' ? message : `${message}: ${show(value)}`;
}

/** The rule of an issue: its words, which are without the value, unless it names itself. */
function kindOf(issue: z.core.$ZodIssue): string {
  const kind: unknown = issue.code === 'custom' ? issue.params?.['kind'] : undefined;
  return typeof kind === 'string' ? kind : issue.message;
}

/** Values as a path or a query has them. */
export function textsOf(values: Readonly<Record<string, FieldValue>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** `kind`: the rule that a value broke. */
type FieldFault = Fault & { readonly kind?: string };

/** All faults of a body, query or parameters, each with its field (as `nameOf` calls it), the limit and the value. */
export function checkFields(
  schema: z.ZodMiniObject,
  values: Readonly<Record<string, FieldValue>>,
  nameOf: (field: string) => string,
): readonly FieldFault[] {
  const result = schema.safeParse(values);
  if (result.success) return [];
  const fields = describeFields(schema);
  return result.error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const names = fields.map((field) => field.name);
      const problemOfKey = (key: string) => `is not a field of this operation${didYouMean(key, names)}`;
      return issue.keys.map((key) => ({ where: nameOf(key), field: key, problem: problemOfKey(key) }));
    }
    const name = String(issue.path[0] ?? '');
    const field = fields.find((candidate) => candidate.name === name);
    if (field === undefined) return [{ where: nameOf(name), field: name, problem: issue.message }];
    const value = values[name];
    const refusedId = field.format === 'uuid' && typeof value === 'string' ? value : undefined;
    const problem = problemOf(issue, field, value);
    return [{ where: nameOf(name), field: name, kind: kindOf(issue), problem, refusedId }];
  });
}

/** Checks typed values in their fields' types; `null` is sent as null. `partial`: rows of a file may bring the rest. */
export function checkFieldTexts(
  schema: z.ZodMiniObject,
  input: ReadonlyMap<string, string | null>,
  options: { readonly nameOf: (field: string) => string; readonly source: TextSource; readonly partial?: boolean },
): { readonly values: Readonly<Record<string, FieldValue>>; readonly faults: readonly Fault[] } {
  const fields = describeFields(schema);
  const values: Record<string, FieldValue> = {};
  const faults: Fault[] = [];
  const unreadable = new Set<string>();
  for (const [name, text] of input) {
    const field = fields.find((candidate) => candidate.name === name);
    const read = field === undefined || text === null ? { value: text } : readFieldText(field, text, options.source);
    if ('value' in read) values[name] = read.value;
    else {
      unreadable.add(name);
      faults.push({ where: options.nameOf(name), field: name, problem: read.problem });
    }
  }
  for (const fault of checkFields(schema, values, (field) => field)) {
    const isExpected = unreadable.has(fault.where) || (options.partial === true && !input.has(fault.where));
    if (!isExpected) faults.push({ ...fault, where: options.nameOf(fault.where) });
  }
  return { values, faults };
}

/** The service does not document what an empty update does. */
export const NOTHING_TO_CHANGE = 'nothing to change: give at least one field';

export const HALF_PAIR = 'has half of a surrogate pair: a program has cut the text';
