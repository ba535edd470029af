import type { Fresh } from './ids.ts';
import type { Call } from './request.ts';
import type { Decision, SandboxState } from './state.ts';

/** What one operation answers in a state, and what it changes there. Pure: the state is only read. */
export type Rule = (state: SandboxState, call: Call, fresh: Fresh) => Decision;
