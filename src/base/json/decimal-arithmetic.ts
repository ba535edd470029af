import { type Decimal, readDecimal } from './decimal.ts';

/** Most digits that adding writes out. */
const MAX_SPAN = 5000n;

/** Significant digits of a quotient. Everything else is exact. */
const QUOTIENT_DIGITS = 20;

type Scaled = ReturnType<typeof scaled>;

function scaled(text: string) {
  const { sign, digits, magnitude }: Decimal = readDecimal(text);
  return { units: sign === 0 ? 0n : BigInt(digits) * BigInt(sign), power: magnitude - BigInt(digits.length) };
}

function print({ units, power }: Scaled): string {
  if (units === 0n) return '0';
  const minus = units < 0n ? '-' : '';
  const all = String(units < 0n ? -units : units);
  const digits = all.replace(/0+$/, '');
  const shift = power + BigInt(all.length - digits.length);
  const point = BigInt(digits.length) + shift;
  if (point > 30n || point < -10n) return `${minus}${withPoint(digits, 1)}e${point - 1n}`;
  return minus + withPoint(digits, Number(point));
}

function withPoint(digits: string, point: number): string {
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  const padded = digits.padEnd(point, '0');
  return padded.length === point ? padded : `${padded.slice(0, point)}.${padded.slice(point)}`;
}

/** Both numbers in units of one power of ten; undefined if they are too far apart. */
function aligned(a: string, b: string): { left: bigint; right: bigint; power: bigint } | undefined {
  const left = scaled(a);
  const right = scaled(b);
  const power = left.units === 0n || (right.units !== 0n && right.power < left.power) ? right.power : left.power;
  const widen = ({ units, power: own }: Scaled): bigint | undefined => {
    if (units === 0n) return 0n;
    return own - power > MAX_SPAN ? undefined : units * 10n ** (own - power);
  };
  const wideLeft = widen(left);
  const wideRight = widen(right);
  return wideLeft === undefined || wideRight === undefined ? undefined : { left: wideLeft, right: wideRight, power };
}

/** The exact sum of two JSON number texts; undefined if they are too far apart. */
export function addDecimals(a: string, b: string): string | undefined {
  const both = aligned(a, b);
  return both && print({ units: both.left + both.right, power: both.power });
}

/** The exact product of two JSON number texts. */
export function multiplyDecimals(a: string, b: string): string {
  const left = scaled(a);
  const right = scaled(b);
  return print({ units: left.units * right.units, power: left.power + right.power });
}

/** The number with the opposite sign and the same digits. */
export function negateDecimal(text: string): string {
  if (readDecimal(text).sign === 0) return text;
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
}

/** The quotient to 20 significant digits, cut towards zero; undefined for a divisor of zero. */
export function divideDecimals(a: string, b: string): string | undefined {
  const left = scaled(a);
  const right = scaled(b);
  if (right.units === 0n) return undefined;
  const missing = QUOTIENT_DIGITS - String(left.units).length + String(right.units).length;
  const extra = BigInt(Math.max(0, missing));
  return print({ units: (left.units * 10n ** extra) / right.units, power: left.power - extra - right.power });
}

/** The greatest integer that is not above the number; undefined if it has too many digits. */
export function floorDecimal(text: string): string | undefined {
  const { units, power } = scaled(text);
  if (power >= 0n) return print({ units, power });
  if (power < -MAX_SPAN) return units < 0n ? '-1' : '0';
  const one = 10n ** -power;
  const whole = units / one;
  return print({ units: units < 0n && whole * one !== units ? whole - 1n : whole, power: 0n });
}
