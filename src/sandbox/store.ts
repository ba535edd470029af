import type { Decision, SandboxState } from './state.ts';
import { applyChanges } from './state.ts';

/** Where a running sandbox keeps its state. */
export interface SandboxStore {
  /** The state as it is now, to be read only. */
  read(): SandboxState;
  /**
   * Decides on the newest state and keeps what that changes; resolves once it is kept. Rejects with a Failure
   * when it could not be kept: then nothing was changed.
   */
  commit(decideOn: (state: SandboxState) => Decision): Decision | Promise<Decision>;
  /** Resolves once every commit under way has ended. */
  settled(): Promise<void>;
}

/** A state that lasts as long as the process. Takes `state` over and changes it. */
export function memoryStore(state: SandboxState): SandboxStore {
  return {
    read: () => state,
    commit(decideOn) {
      const decision = decideOn(state);
      applyChanges(state, decision.changes);
      return decision;
    },
    settled: () => Promise.resolve(),
  };
}
