/** A decimal: sign, digits without zeros at either end, and the power of ten of the point before them. */
export interface Decimal {
  readonly sign: -1 | 0 | 1;
  /** Significant digits, `125` for 12.50; empty for zero. */
  readonly digits: string;
  /** The value is 0.digits times ten to this power. A bigint: an exponent may have any number of digits. */
  readonly magnitude: bigint;
}

const PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

const ZERO: Decimal = { sign: 0, digits: '', magnitude: 0n };

/** Parses a JSON number text. Any other text counts as zero. */
export function readDecimal(text: string): Decimal {
  const [, minus, whole = '', fraction = '', exponent = '0'] = PARTS.exec(text) ?? [];
  const all = whole + fraction;
  let first = 0;
  while (all.charCodeAt(first) === 0x30) first += 1;
  let last = all.length;
  while (last > first && all.charCodeAt(last - 1) === 0x30) last -= 1;
  if (first === last) return ZERO;
  const magnitude = BigInt(exponent) + BigInt(whole.length - first);
  return { sign: minus === '-' ? -1 : 1, digits: all.slice(first, last), magnitude };
}

/** Compares two JSON number texts by value, exactly. `1e999999999` costs no more than `1`. */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0;
  const left = readDecimal(a);
  const right = readDecimal(b);
  if (left.sign !== right.sign) return left.sign - right.sign;
  if (left.magnitude !== right.magnitude) return left.magnitude > right.magnitude ? left.sign : -left.sign;
  if (left.digits === right.digits) return 0;
  return left.digits > right.digits ? left.sign : -left.sign;
}

/** Do two JSON number texts have the same value? 10.10, 10.1 and 1.01e1 do, 0.1 and 0.10000000000000001 do not. */
export function sameDecimal(a: string, b: string): boolean {
  return compareDecimals(a, b) === 0;
}
