/** Random choices that come out the same for the same seed, so that a failing trial can be made again. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0 and below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** True in that share of the cases: 0.03 is three of a hundred. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** One of a list that is not empty. */
  pick<Value>(choices: readonly Value[]): Value {
    const found = choices[this.below(choices.length)];
    if (found === undefined) throw new Error('there is something to choose from');
    return found;
  }
}

/** A number of the environment, for a longer run or for repeating one. */
export function numberOf(name: string, byDefault: number): number {
  const text = process.env[name] ?? '';
  const number = text === '' ? byDefault : Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`${name} must be a whole number, not ${text}`);
  return number;
}

/** FRONTDESK_CRASH_SEED, or another number each time. */
export const chosenSeed = () => numberOf('FRONTDESK_CRASH_SEED', Math.floor(Math.random() * 0x1_0000_0000));

/** Is this the long form (`npm run test:crash`), and not the one of every push? */
export const IS_LONG = process.env['FRONTDESK_LONG'] === '1';
