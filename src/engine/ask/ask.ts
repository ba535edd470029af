import type * as z from 'zod/mini';
import type { Operation } from '../../api/operation.ts';
import type { PromptPort } from '../../context.ts';
import { readCardId } from '../../input/card-id.ts';
import { checkFields } from '../../input/check-fields.ts';
import type { FieldSpec } from '../../input/fields.ts';
import type { ArgumentSpec } from '../../options/option.ts';

function problemOf(schema: z.ZodMiniObject, field: string, value: string): true | string {
  const fault = checkFields(schema, { [field]: value }, (name) => name).find((found) => found.where === field);
  return fault === undefined ? true : fault.problem;
}

/**
 * Asks for the id of the resource, its limits checked before it is taken. A card id pasted with braces, quotes or
 * spaces is cleaned, and the clean one stands there as the answer.
 */
export async function askForId(
  prompt: PromptPort,
  operation: Operation,
  argument: Pick<ArgumentSpec, 'text'>,
): Promise<string> {
  const [field = 'id'] = Object.keys(operation.params.shape);
  const clean = (text: string) => {
    const read = readCardId(text);
    return field === 'cardId' && read.kind === 'holds' ? read.id : text;
  };
  const check = (text: string) => (text === '' ? 'is required' : problemOf(operation.params, field, clean(text)));
  // Its limits are named when they are broken: the whole line should fit beside the answer.
  const question = argument.text.split(/[:,]/, 1)[0] ?? '';
  return clean(await prompt.text(`${question.charAt(0).toUpperCase()}${question.slice(1)}`, check, { show: clean }));
}

/** Asks for a required field of the body, its limits checked before it is taken. */
export async function askForField(prompt: PromptPort, schema: z.ZodMiniObject, field: FieldSpec): Promise<string> {
  return prompt.text(`${field.name} (${field.description})`, (text) => problemOf(schema, field.name, text));
}
