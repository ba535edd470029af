import { en } from 'zod/locales';
import type * as z from 'zod/mini';

/** Says in English what is wrong where a schema has no text of its own. */
const ISSUE_TEXT = { error: en().localeError };

/** What of a value breaks its schema, by the dotted path of the member. */
export function problemsOf(schema: z.ZodMiniType, value: unknown): readonly { field: string; problem: string }[] {
  const { error } = schema.safeParse(value, ISSUE_TEXT);
  return (error?.issues ?? []).map(({ path, message }) => ({ field: path.map(String).join('.'), problem: message }));
}
