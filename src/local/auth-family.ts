import { FAMILIES, type Family } from '../api/operation.ts';
import type { Fault } from '../failure.ts';
import { hasOption, lastValue, type RawInput } from '../input/raw-input.ts';

export const FAMILY_OPTION = {
  long: 'family',
  value: 'cards|calendar',
  choices: FAMILIES,
  text: 'gift cards or calendars',
} as const;

/** `--family`, or the family whose URL alone is given; what is wrong is added to `faults`. */
export function readFamily(input: RawInput, faults: Fault[]): Family | undefined {
  const given = lastValue(input, 'family');
  const known = FAMILIES.find((family) => family === given);
  if (given !== undefined && known === undefined) {
    faults.push({ where: '--family', problem: `must be cards or calendar, not "${given}"` });
  }
  if (given !== undefined) return known;
  // One URL alone says which API is meant.
  const hasCards = hasOption(input, 'cards-url');
  return hasCards === hasOption(input, 'calendar-url') ? undefined : hasCards ? 'cards' : 'calendar';
}
