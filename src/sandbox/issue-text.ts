import { en } from 'zod/locales';

/** For `safeParse`: says in English what is wrong where a schema has no text of its own. */
export const ISSUE_TEXT = { error: en().localeError };
