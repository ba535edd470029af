import { ANY, list, object, type ShapeOf, TEXT } from '../json/shape.ts';
import { SANDBOX_CHOICES } from './choices.ts';
import type { SandboxState } from './state.ts';

/** What `sandbox info` prints. A card of a seed file has the status that the file gives it. */
export const INFO_OUTPUT = object({
  cards: list(object({ cardId: ANY, status: ANY })),
  calendars: list(object({ id: TEXT })),
  subscribers: list(object({ id: TEXT, calendar: TEXT })),
  choices: list(object({ topic: TEXT, choice: TEXT })),
});

/** What `sandbox info` shows of the current state. */
export function sandboxInfo(state: SandboxState): ShapeOf<typeof INFO_OUTPUT> {
  return {
    cards: [...state.cards.values()].map((card) => ({
      cardId: card.get('cardId') ?? null,
      status: card.get('status') ?? null,
    })),
    calendars: [...state.calendars.keys()].map((id) => ({ id })),
    subscribers: [...state.subscribers].map(([id, { calendar }]) => ({ id, calendar })),
    choices: Object.entries(SANDBOX_CHOICES).map(([topic, choice]) => ({ topic, choice })),
  };
}
