const DECIMAL = /^(-?\d+)(?:\.(\d+))?$/;

/** Adds amounts digit for digit: `10.10` and `5` are `15.10`. Amounts in another notation are not counted. */
export class DecimalSum {
  count = 0;
  #units = 0n;
  #places = 0;

  add(text: string): void {
    const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
    if (whole === undefined || fraction.length > 20) return;
    const places = Math.max(this.#places, fraction.length);
    this.#units = this.#units * 10n ** BigInt(places - this.#places) + BigInt(whole + fraction.padEnd(places, '0'));
    this.#places = places;
    this.count += 1;
  }

  text(): string {
    const sign = this.#units < 0n ? '-' : '';
    const digits = String(sign === '' ? this.#units : -this.#units).padStart(this.#places + 1, '0');
    const point = digits.length - this.#places;
    return `${sign}${digits.slice(0, point)}${this.#places === 0 ? '' : `.${digits.slice(point)}`}`;
  }
}
