import { CALENDAR_RULES } from './calendars.ts';
import { CARD_RULES } from './cards.ts';
import type { Sources } from './ids.ts';
import type { Call, Rule } from './request.ts';
import type { OperationKey } from './route.ts';
import type { Decision, SandboxState } from './state.ts';

/** One rule per row of the table of operations: a new row does not type-check until the sandbox plays it. */
const RULES: Readonly<Record<OperationKey, Rule>> = { ...CARD_RULES, ...CALENDAR_RULES };

/**
 * The service of the spec: what a checked call answers in a state, and what it changes there. Pure: the state
 * is only read, and time and chance come from `fresh`.
 */
export function decide(state: SandboxState, call: Call, sources: Sources): Decision {
  return RULES[call.key](state, call, sources);
}
