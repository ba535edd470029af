import { printJson } from '../base/json/print.ts';
import type { JsonObject } from '../base/json/value.ts';

/** All that the sandbox knows, by `keyOf`. Resources are immutable: a change replaces one. */
export interface SandboxState {
  readonly cards: Map<string, JsonObject>;
  readonly calendars: Map<string, JsonObject>;
  /** Each has a member `calendar`, which the API's subscribers lack. */
  readonly subscribers: Map<string, JsonObject>;
  readonly events: Map<string, JsonObject>;
}

/** A resource that replaces the one with this ID. */
export interface Change {
  readonly kind: keyof SandboxState;
  readonly id: string;
  readonly resource: JsonObject;
}

const kept = new WeakMap<JsonObject, string>();

/** The resource as compact JSON, printed once. */
export function keptText(resource: JsonObject): string {
  const text = kept.get(resource) ?? printJson(resource);
  kept.set(resource, text);
  return text;
}

/** A response of the service. `body`: JSON text. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  /** Besides content-type and x-request-id. */
  readonly headers?: readonly (readonly [string, string])[];
}

/** The response to one request, and the changes. */
export interface Decision {
  readonly reply: Reply;
  readonly changes: readonly Change[];
}

/** No operation reads an event, so only the newest are kept, and the state file stays small. */
export const KEPT_EVENTS = 100;

/** A copy that can be changed. Costs one pass over the IDs, not the resources. */
export function copyState(state: SandboxState): SandboxState {
  return {
    cards: new Map(state.cards),
    calendars: new Map(state.calendars),
    subscribers: new Map(state.subscribers),
    events: new Map(state.events),
  };
}

/** The key of a resource. Card IDs compare in any case. */
export function keyOf(kind: string, id: string): string {
  return kind === 'cards' ? id.toLowerCase() : id;
}

/** Puts changed resources into `state`, in place. */
export function applyChanges(state: SandboxState, changes: readonly Change[]): void {
  for (const { kind, id, resource } of changes) state[kind].set(keyOf(kind, id), resource);
  const [oldest] = state.events.keys();
  if (oldest !== undefined && state.events.size > KEPT_EVENTS) state.events.delete(oldest);
}

/** Where a running sandbox keeps its state. */
export interface SandboxStore {
  read(): SandboxState;
  /** Decides on the newest state and keeps the changes. If it rejects with a Failure, nothing was changed. */
  commit(decideOn: (state: SandboxState) => Decision): Decision | Promise<Decision>;
  /** Resolves once every commit has ended. */
  settled(): Promise<void>;
}

/** A state in memory. Takes `state` over and changes it. */
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
