import type { JsonSchema } from './shape.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from './value.ts';

/** A value that differs from its shape: the path to it, and the types it may have. */
export interface SchemaViolation {
  readonly path: readonly string[];
  /** undefined: a member that must be there is missing. */
  readonly found: JsonValue | undefined;
  /** `number`, or `string or null`. */
  readonly expected: string;
}

type Check = (value: JsonValue | undefined) => boolean;

const MOST_ENTRIES = 1000;

const checks = new WeakMap<JsonSchema, Check>();

/** A check is made once per shape, because every row of a run uses the same few. */
function checkOf(shape: JsonSchema): Check {
  const known = checks.get(shape);
  if (known !== undefined) return known;
  const types = typesOf(shape).map((type) => typeCheck(type, shape));
  const [only = () => true] = types;
  const check: Check = types.length > 1 ? (value) => types.some((one) => one(value)) : only;
  checks.set(shape, check);
  return check;
}

function typesOf({ type }: JsonSchema): readonly string[] {
  if (Array.isArray(type)) return type.map(String);
  return typeof type === 'string' ? [type] : [];
}

function typeCheck(type: string, shape: JsonSchema): Check {
  switch (type) {
    case 'string':
    case 'boolean':
      return (value) => typeof value === type;
    case 'number':
      return (value) => value instanceof JsonNumber;
    case 'integer':
      return (value) => value instanceof JsonNumber && /^-?\d+$/.test(value.text);
    case 'null':
      return (value) => value === null;
    case 'array': {
      const entry = checkOf(itemsOf(shape));
      return (value) => isJsonArray(value) && value.every(entry);
    }
    case 'object': {
      const members = membersOf(shape).map((one) => ({ ...one, check: checkOf(one.member) }));
      return (value) =>
        isJsonObject(value) &&
        members.every(({ name, isRequired, check }) => {
          const member = value.get(name);
          return member === undefined ? !isRequired : check(member);
        });
    }
    default:
      throw new Error(`no check is written for values of the type ${type}`);
  }
}

function itemsOf(shape: JsonSchema): JsonSchema {
  // JSON Schema: a schema.
  return (shape['items'] ?? {}) as JsonSchema;
}

function membersOf(shape: JsonSchema) {
  // JSON Schema: a map of schemas, and a list of names.
  const properties = (shape['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = (shape['required'] ?? []) as readonly string[];
  return Object.entries(properties).map(([name, member]) => ({ name, member, isRequired: required.includes(name) }));
}

/** Where a value differs from its shape, in the order of the shape. Limits and formats are not checked. */
export function schemaViolations(
  shape: JsonSchema,
  value: JsonValue | undefined,
  path: readonly string[] = [],
): SchemaViolation[] {
  if (checkOf(shape)(value)) return [];
  if (isJsonObject(value) && shape['properties'] !== undefined) {
    return membersOf(shape).flatMap(({ name, member, isRequired }) => {
      const found = value.get(name);
      return found === undefined && !isRequired ? [] : schemaViolations(member, found, [...path, name]);
    });
  }
  if (isJsonArray(value) && shape['items'] !== undefined) {
    const items = itemsOf(shape);
    return value
      .slice(0, MOST_ENTRIES)
      .flatMap((entry, index) => schemaViolations(items, entry, [...path, String(index)]));
  }
  return [{ path, found: value, expected: typesOf(shape).join(' or ') }];
}
