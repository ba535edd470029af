import * as z from 'zod/mini';
import type { JsonSchema } from '../json/shape.ts';

/** The pattern of a zod schema loses the flag `i`; card ids keep the case they came in. */
const ANY_CASE = (pattern: string) => pattern.replaceAll('[0-9a-f]', '[0-9a-fA-F]');

/** What a request or a response looks like, from its zod schema. */
export function jsonSchemaOf(schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // `x-kind` tells flags from one another and means nothing outside.
      delete jsonSchema['x-kind'];
      if (typeof jsonSchema.pattern === 'string') jsonSchema.pattern = ANY_CASE(jsonSchema.pattern);
    },
  });
  return rest;
}
