import type * as z from 'zod/mini';
import type { Operation } from '../api/operation.ts';
import type { PromptPort } from '../context.ts';
import { cleanCardId } from '../input/card-id.ts';
import { checkFields } from '../input/check-fields.ts';
import type { FieldSpec } from '../input/fields.ts';

function problemOf(schema: z.ZodMiniObject, field: string, value: string): true | string {
  const fault = checkFields(schema, { [field]: value }, (name) => name).find((found) => found.where === field);
  return fault === undefined ? true : fault.problem;
}

/**
 * Asks for the id of the resource, its limits checked as it is typed. A card id pasted with braces, quotes or
 * spaces is cleaned: the person sees the clean id in every line that follows.
 */
export async function askForId(prompt: PromptPort, operation: Operation, name: string): Promise<string> {
  const [field = 'id'] = Object.keys(operation.params.shape);
  const clean = (text: string) => (field === 'cardId' ? (cleanCardId(text) ?? text) : text);
  const answer = await prompt.text(name, (text) => problemOf(operation.params, field, clean(text)));
  return clean(answer);
}

/** Asks for a required field of the body, its limits checked as it is typed. */
export async function askForField(prompt: PromptPort, schema: z.ZodMiniObject, field: FieldSpec): Promise<string> {
  return prompt.text(`${field.name} (${field.description})`, (text) => problemOf(schema, field.name, text));
}
