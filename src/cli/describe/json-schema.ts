import * as z from 'zod/mini';
import type { JsonSchema } from '../../base/json/shape.ts';
import type { Operation } from '../../service/api/operation.ts';

/** zod drops the `i` of a pattern, and card IDs keep their case. */
const ANY_CASE = (pattern: string) => pattern.replaceAll('[0-9a-f]', '[0-9a-fA-F]');

export function jsonSchemaOf(schema: z.ZodMiniType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // `x-kind` distinguishes options internally.
      delete jsonSchema['x-kind'];
      if (typeof jsonSchema.pattern === 'string') jsonSchema.pattern = ANY_CASE(jsonSchema.pattern);
    },
  });
  return rest;
}

export function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
}

/** The input of a call or row as one flat object with the API's names. `idName`: the name of the path's `id`. */
export function inputSchemaOf({ params, query, body }: Operation, idName = 'id'): JsonSchema {
  const parts = [params, query, body].flatMap((schema) => (schema === null ? [] : [jsonSchemaOf(schema)]));
  const rename = (name: string) => (name === 'id' ? idName : name);
  const members = parts.flatMap((part) => Object.entries(propertiesOf(part)));
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [rename(name), member])),
    // JSON Schema: `required` is a list of names.
    required: parts.flatMap((part) => ((part['required'] ?? []) as readonly string[]).map(rename)),
    additionalProperties: false,
  };
}
