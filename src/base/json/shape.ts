import { fromPlain, type JsonObject, type JsonValue } from './value.ts';

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

declare const VALUE: unique symbol;

/**
 * The one declaration of something printed as JSON: its JSON Schema at run time, which `frontdesk schema` prints, and
 * the type of its value for the compiler. Plain data, so that printing loads no schema library.
 */
export type Shape<T> = JsonSchema & { readonly [VALUE]?: T };

/** The type of the values of a shape: `ShapeOf<typeof CHECK>`. */
export type ShapeOf<S> = S extends Shape<infer T> ? T : never;

export const TEXT: Shape<string> = { type: 'string' };
export const BOOLEAN: Shape<boolean> = { type: 'boolean' };
export const INTEGER: Shape<number> = { type: 'integer' };
export const NUMBER: Shape<number> = { type: 'number' };
/** Any JSON: what the service sent, or what has no fixed members. */
export const ANY: Shape<JsonValue> = {};
export const ANY_OBJECT: Shape<JsonObject> = { type: 'object' };

type Members = Readonly<Record<string, Shape<unknown>>>;
type Values<M> = { readonly [Name in keyof M]: ShapeOf<M[Name]> };
type Optional<M> = { readonly [Name in keyof M]?: ShapeOf<M[Name]> | undefined };

/** An object: members that are always there, then those that may be absent. */
export function object<R extends Members, O extends Members = Record<never, never>>(
  required: R,
  optional?: O,
): Shape<Values<R> & Optional<O>> {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) };
}

export function list<T>(items: Shape<T>): Shape<readonly T[]> {
  return { type: 'array', items };
}

/** The shapes of a table that says more of each member, such as its column. */
export function shapesOf<const R extends Readonly<Record<string, { readonly shape: Shape<unknown> }>>>(rows: R) {
  // Object.fromEntries loses the types of the keys.
  return Object.fromEntries(Object.entries(rows).map(([name, { shape }]) => [name, shape])) as {
    readonly [Name in keyof R]: R[Name]['shape'];
  };
}

export function record<T>(values: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return { type: 'object', additionalProperties: values };
}

/** One of a few texts. */
export function oneOf<const T extends readonly string[]>(values: T): Shape<T[number]> {
  return { enum: values };
}

export function constant<const T>(value: T): Shape<T> {
  return { const: value };
}

/** Such a value, or null. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  const { type } = shape;
  return typeof type === 'string' ? { ...shape, type: [type, 'null'] } : { anyOf: [shape, { type: 'null' }] };
}

export function anyOf(...shapes: readonly Shape<unknown>[]): Shape<unknown> {
  return { anyOf: shapes };
}

/** A value as JSON. The compiler checks it against its shape. */
export function jsonOf<T>(_shape: Shape<T>, value: T): JsonValue {
  return fromPlain(value);
}
