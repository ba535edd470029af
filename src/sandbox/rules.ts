import { CALENDAR_RULES } from './calendars.ts';
import { CARD_RULES } from './cards.ts';
import type { OperationKey, Rule } from './request.ts';

/** One rule per row of the table of operations: a new row does not type-check until the sandbox simulates it. */
export const RULES: Readonly<Record<OperationKey, Rule>> = { ...CARD_RULES, ...CALENDAR_RULES };
