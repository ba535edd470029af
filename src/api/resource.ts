import type { JsonSchema, Shape, ShapeOf } from '../json/shape.ts';

type Members = Readonly<Record<string, Shape<unknown>>>;
type Flat<Type> = { readonly [Name in keyof Type]: Type[Name] };

/** An object of a reply, as the spec describes it. Members and their order are the spec's. */
export type Resource<T = unknown> = Shape<T> & {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
};

/** Declares an object of a reply: `required` members are always there, unknown ones kept. Plain data loads quickly. */
export function resource<const M extends Members, R extends keyof M & string = never>(
  properties: M,
  required: readonly R[] = [],
): Resource<
  Flat<
    { readonly [Name in R]: ShapeOf<M[Name]> } & {
      readonly [Name in Exclude<keyof M, R>]?: ShapeOf<M[Name]> | undefined;
    }
  >
> {
  return { type: 'object', properties, required, additionalProperties: {} };
}

/** A member that holds members whose names are the client's own. */
export const CUSTOM_DATA: Shape<Record<string, unknown>> = { type: 'object', additionalProperties: {} };

/** A member with what help, `schema` and OpenAPI say of it. */
export function described<T>(shape: Shape<T>, note: JsonSchema): Shape<T> {
  return { ...shape, ...note };
}
