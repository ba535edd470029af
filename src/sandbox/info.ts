import type { JsonObject, JsonValue } from '../json/value.ts';
import { SANDBOX_CHOICES } from './choices.ts';
import type { SandboxState } from './state.ts';

function object(members: Readonly<Record<string, JsonValue>>): JsonObject {
  return new Map(Object.entries(members));
}

/**
 * What `sandbox info` shows of the current state:
 * `{"cards":[{cardId,status}],"calendars":[{id}],"subscribers":[{id,calendar}],"choices":[{topic,choice}]}`.
 */
export function sandboxInfo(state: SandboxState): JsonObject {
  const cards = [...state.cards.values()].map((card) =>
    object({ cardId: card.get('cardId') ?? null, status: card.get('status') ?? null }),
  );
  const subscribers = [...state.subscribers].map(([id, { calendar }]) => object({ id, calendar }));
  return object({
    cards,
    calendars: [...state.calendars.keys()].map((id) => object({ id })),
    subscribers,
    choices: Object.entries(SANDBOX_CHOICES).map(([topic, choice]) => object({ topic, choice })),
  });
}
