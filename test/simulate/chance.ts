import { SeededRandom } from '../support/seeded-random.ts';

/** A number that stands for a text, the same on each machine (FNV-1a). */
function digest(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/**
 * The chance of one thing in one history. Each thing has its own, told by its name: what is decided for the third
 * request stays as it is when a command before it is left out, and a history can be made shorter.
 */
export function chanceOf(seed: number, name: string): SeededRandom {
  const random = new SeededRandom(digest(`${seed} ${name}`));
  // Names that differ in their last letter begin alike otherwise.
  random.next();
  return random;
}

/** From `from` to `to`, with as many small numbers as large ones of each size: 1 to 2 as often as 500 to 1,000. */
export const spread = (random: SeededRandom, from: number, to: number) => from * (to / from) ** random.next();

/** At least one of these, and about `count` of them, in their order. */
export function someOf<Value>(random: SeededRandom, choices: readonly Value[], count: number): readonly Value[] {
  const found = choices.filter(() => random.chance(count / choices.length));
  return found.length > 0 ? found : [random.pick(choices)];
}
