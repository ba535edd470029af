import { sameDecimal } from '../json/decimal.ts';
import {
  addDecimals,
  divideDecimals,
  divideWithRemainder,
  floorDecimal,
  multiplyDecimals,
  negateDecimal,
} from '../json/decimal-arithmetic.ts';
import { JsonNumber, type JsonValue } from '../json/value.ts';
import { QueryProblem, typeOf } from './query-values.ts';

/** The sum of numbers, exactly; 0 for none. */
export function sum(numbers: readonly JsonNumber[]): JsonNumber {
  return numbers.reduce((total, number) => calculated(addDecimals(total.text, number.text)), new JsonNumber('0'));
}

/** The quotient to 20 significant digits. */
export function quotient(a: JsonNumber, b: JsonNumber): JsonNumber {
  return calculated(divideDecimals(a.text, notZero(b).text));
}

/** The greatest integer that is not above the number. */
export function floor(number: JsonNumber): JsonNumber {
  return calculated(floorDecimal(number.text));
}

/** The number with its sign turned round. */
export function negate(number: JsonNumber): JsonNumber {
  return new JsonNumber(negateDecimal(number.text));
}

/** Applies an arithmetic operator of the expression (by the library's token names) to two numbers. */
export function calculate(operator: string, a: JsonValue, b: JsonValue): JsonNumber {
  if (!(a instanceof JsonNumber && b instanceof JsonNumber)) {
    throw new QueryProblem(`arithmetic wants two numbers, got ${typeOf(a)} and ${typeOf(b)}`);
  }
  switch (operator) {
    case 'Plus':
      return sum([a, b]);
    case 'Minus':
      return sum([a, negate(b)]);
    case 'Divide':
      return quotient(a, b);
    case 'Div':
      return whole(a, b);
    case 'Modulo':
      return calculated(divideWithRemainder(a.text, notZero(b).text)?.remainder);
    default:
      return new JsonNumber(multiplyDecimals(a.text, b.text));
  }
}

/** Applies a sign of the expression to a number. */
export function signed(operator: string, value: JsonValue): JsonNumber {
  if (!(value instanceof JsonNumber)) throw new QueryProblem(`a sign wants a number, got ${typeOf(value)}`);
  return operator === 'Minus' ? negate(value) : value;
}

/** The greatest integer that is not above a / b. */
function whole(a: JsonNumber, b: JsonNumber): JsonNumber {
  const parts = divideWithRemainder(a.text, notZero(b).text);
  if (parts === undefined || parts.remainder === '0') return calculated(parts?.whole);
  const isBelowZero = a.text.startsWith('-') !== b.text.startsWith('-');
  return isBelowZero ? calculated(addDecimals(parts.whole, '-1')) : new JsonNumber(parts.whole);
}

function notZero(number: JsonNumber): JsonNumber {
  if (sameDecimal(number.text, '0')) throw new QueryProblem('division by zero');
  return number;
}

function calculated(text: string | undefined): JsonNumber {
  if (text === undefined) throw new QueryProblem('the numbers are too far apart for arithmetic');
  return new JsonNumber(text);
}
