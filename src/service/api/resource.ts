import type { JsonSchema, Shape, ShapeOf } from '../../base/json/shape.ts';

type Members = Readonly<Record<string, Shape<unknown>>>;
type Flat<Type> = { readonly [Name in keyof Type]: Type[Name] };

/** An object of a response, as documented. Members have the spec's order. */
export type Resource<T = unknown> = Shape<T> & {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
};

/** Declares an object of a response. `required` members are always present, unknown ones are kept. Loads fast. */
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

/** A member that holds members named by the client. */
export const CUSTOM_DATA: Shape<Record<string, unknown>> = { type: 'object', additionalProperties: {} };

/** A member with its description for help, `schema` and OpenAPI. */
export function described<T>(shape: Shape<T>, description: string, more?: JsonSchema): Shape<T> {
  return { ...shape, description, ...more };
}
