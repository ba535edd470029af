import { text } from './field.ts';

/** placeholder until the room is filled */
export function isoDate(description: string) {
  return text(description);
}
