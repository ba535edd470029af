import { addDecimals } from '../json/decimal-arithmetic.ts';

/** Adds amounts digit for digit, with as many places as the longest has: `10.10` and `5` are `15.10`. */
export class DecimalSum {
  count = 0;
  #text = '0';
  #places = 0;

  add(text: string): void {
    const sum = addDecimals(this.#text, text);
    // Too far apart to be written as one number.
    if (sum === undefined) return;
    this.#text = sum;
    this.#places = Math.max(this.#places, /\.(\d+)$/.exec(text)?.[1]?.length ?? 0);
    this.count += 1;
  }

  text(): string {
    const [whole = '', fraction = ''] = this.#text.split('.');
    if (this.#places === 0 || this.#text.includes('e')) return this.#text;
    return `${whole}.${fraction.padEnd(this.#places, '0')}`;
  }
}
