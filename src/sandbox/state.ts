import { printJson } from '../json/print.ts';
import type { JsonObject } from '../json/value.ts';

/** All that the sandbox service knows, by `keyOf`. Resources are immutable; a change puts a new one in the old one's place. */
export interface SandboxState {
  readonly cards: Map<string, JsonObject>;
  readonly calendars: Map<string, JsonObject>;
  /** Each says in a member `calendar` whose it is, which the API's shape of a subscriber does not tell. */
  readonly subscribers: Map<string, JsonObject>;
  readonly events: Map<string, JsonObject>;
}

/** A resource that takes the place of the one of this id. */
export interface Change {
  readonly kind: keyof SandboxState;
  readonly id: string;
  readonly resource: JsonObject;
}

const kept = new WeakMap<JsonObject, string>();

/** The resource as compact JSON, whole. Printed once per resource, which never changes. */
export function keptText(resource: JsonObject): string {
  const text = kept.get(resource) ?? printJson(resource);
  kept.set(resource, text);
  return text;
}

/** What the service answers. `body` is JSON text. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  /** Besides content-type and x-request-id. */
  readonly headers?: readonly (readonly [string, string])[];
}

/** The answer to one request and what it changes. No changes: the state stays as it is. */
export interface Decision {
  readonly reply: Reply;
  readonly changes: readonly Change[];
}

/** No operation reads an event, so only the newest are kept: the state file, written at each change, stays small. */
export const KEPT_EVENTS = 100;

/** A state that can be changed without the original noticing. Costs one pass over the ids, not the resources. */
export function copyState(state: SandboxState): SandboxState {
  return {
    cards: new Map(state.cards),
    calendars: new Map(state.calendars),
    subscribers: new Map(state.subscribers),
    events: new Map(state.events),
  };
}

/** What a resource is kept under: ids of cards compare whatever their case. */
export function keyOf(kind: string, id: string): string {
  return kind === 'cards' ? id.toLowerCase() : id;
}

/** Puts the changed resources into `state`, in place. */
export function applyChanges(state: SandboxState, changes: readonly Change[]): void {
  for (const { kind, id, resource } of changes) {
    state[kind].set(keyOf(kind, id), resource);
  }
  const [oldest] = state.events.keys();
  if (oldest !== undefined && state.events.size > KEPT_EVENTS) state.events.delete(oldest);
}

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
