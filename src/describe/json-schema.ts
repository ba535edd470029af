import * as z from 'zod/mini';
import type { Operation } from '../api/operation.ts';
import type { JsonSchema } from '../json/shape.ts';

/** The pattern of a zod schema loses the flag `i`; card ids keep the case they came in. */
const ANY_CASE = (pattern: string) => pattern.replaceAll('[0-9a-f]', '[0-9a-fA-F]');

/** What a request looks like, from its zod schema. */
export function jsonSchemaOf(schema: z.ZodMiniType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // `x-kind` tells flags from one another and means nothing outside.
      delete jsonSchema['x-kind'];
      if (typeof jsonSchema.pattern === 'string') jsonSchema.pattern = ANY_CASE(jsonSchema.pattern);
    },
  });
  return rest;
}

/** The members of a JSON Schema of an object: zod writes them for every object schema. */
export function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
}

/**
 * What one call takes, as one flat object under the API's own names: also what a row of `--from` may hold. `idName`: the
 * name of the path's `id`.
 */
export function inputSchemaOf({ params, query, body }: Operation, idName = 'id'): JsonSchema {
  const parts = [params, query, body].flatMap((schema) => (schema === null ? [] : [jsonSchemaOf(schema)]));
  const rename = (name: string) => (name === 'id' ? idName : name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      parts.flatMap((part) => Object.entries(propertiesOf(part)).map(([name, member]) => [rename(name), member])),
    ),
    // JSON Schema: `required` is a list of names.
    required: parts.flatMap((part) => ((part['required'] ?? []) as readonly string[]).map(rename)),
    additionalProperties: false,
  };
}
