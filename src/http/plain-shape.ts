import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from '../json/value.ts';

type Check = (value: JsonValue | undefined) => boolean;

const checks = new WeakMap<object, Check>();

/**
 * True when a value surely has the form that a schema of zod describes; false: zod has to say. Every row of a run
 * is held against the same few kinds of schema, and this needs neither zod nor a plain copy of the answer.
 */
export function surelyFits(schema: object, value: JsonValue): boolean {
  let check = checks.get(schema);
  if (check === undefined) {
    check = checkOf(schema);
    checks.set(schema, check);
  }
  return check(value);
}

const NEVER_SURE: Check = () => false;

/** The kinds of schema that answers are described with; any other, and one with a rule of its own, is left to zod. */
function checkOf(schema: unknown): Check {
  const def = definitionOf(schema);
  if (def === undefined || def.check !== undefined || (def.checks?.length ?? 0) > 0) return NEVER_SURE;
  switch (def.type) {
    case 'string':
      return (value) => typeof value === 'string';
    case 'number':
      return (value) => value instanceof JsonNumber;
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'optional':
      return orElse(undefined, checkOf(def.innerType));
    case 'nullable':
      return orElse(null, checkOf(def.innerType));
    case 'record':
      return isOfAnything(def) ? isJsonObject : NEVER_SURE;
    case 'array':
      return arrayCheck(checkOf(def.element));
    case 'object':
      return objectCheck(def);
    default:
      return NEVER_SURE;
  }
}

function orElse(other: null | undefined, check: Check): Check {
  return (value) => value === other || check(value);
}

function isOfAnything({ keyType, valueType }: Definition): boolean {
  return definitionOf(keyType)?.type === 'string' && definitionOf(valueType)?.type === 'unknown';
}

function arrayCheck(check: Check): Check {
  return (value) => isJsonArray(value) && value.every(check);
}

function objectCheck({ shape = {}, catchall }: Definition): Check {
  // Members that it does not name must be allowed: they are not looked at.
  if (definitionOf(catchall)?.type !== 'unknown') return NEVER_SURE;
  const members = Object.entries(shape).map(([name, schema]) => ({ name, check: checkOf(schema) }));
  return (value) => isJsonObject(value) && members.every(({ name, check }) => check(value.get(name)));
}

interface Definition {
  readonly type?: string;
  /** A schema that is a rule itself: a text in a format. */
  readonly check?: unknown;
  readonly checks?: readonly unknown[];
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly catchall?: unknown;
  readonly element?: unknown;
  readonly innerType?: unknown;
  readonly keyType?: unknown;
  readonly valueType?: unknown;
}

/** What a schema of zod says of itself. */
export function definitionOf(schema: unknown): Definition | undefined {
  if (typeof schema !== 'object' || schema === null || !('_zod' in schema)) return undefined;
  // Every schema of zod has its definition there; of the members named above it has those of its kind.
  return (schema as { readonly _zod: { readonly def: Definition } })._zod.def;
}
