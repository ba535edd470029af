import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import { QueryProblem, typeOf } from './query-values.ts';

type Expression = (item: JsonValue) => JsonValue;

/** A value, or (written with &) an expression to be applied to items. */
export type QueryArgument = JsonValue | Expression;

/** A function of JMESPath. */
export interface QueryFunction {
  readonly name: string;
  /** Least and greatest number of arguments. */
  readonly least: number;
  readonly most: number;
  apply(given: readonly QueryArgument[]): JsonValue;
}

/** Returns a function whose arguments are checked as they are asked for. */
export function defineFunction(
  name: string,
  least: number,
  most: number,
  body: (given: Arguments) => JsonValue,
): QueryFunction {
  return { name, least, most, apply: (given) => body(new Arguments(name, given)) };
}

/** The arguments of one call, each asked for by the type that the function wants. Raises QueryProblem. */
export class Arguments {
  readonly #name: string;
  readonly #given: readonly QueryArgument[];

  constructor(name: string, given: readonly QueryArgument[]) {
    this.#name = name;
    this.#given = given;
  }

  all(): readonly QueryArgument[] {
    return this.#given;
  }

  value(index: number): JsonValue {
    const given = this.#given[index] ?? null;
    return typeof given === 'function' ? this.#refuse('a value', index) : given;
  }

  expression(index: number): Expression {
    const given = this.#given[index];
    return typeof given === 'function' ? given : this.#refuse('an expression (&…)', index);
  }

  text(index: number): string {
    const value = this.value(index);
    return typeof value === 'string' ? value : this.#refuse('a string', index);
  }

  number(index: number): JsonNumber {
    const value = this.value(index);
    return value instanceof JsonNumber ? value : this.#refuse('a number', index);
  }

  array(index: number): readonly JsonValue[] {
    const value = this.value(index);
    return isJsonArray(value) ? value : this.#refuse('an array', index);
  }

  numbers(index: number): JsonNumber[] {
    return this.array(index).map((item) =>
      item instanceof JsonNumber ? item : this.#refuse('only numbers', index, item),
    );
  }

  object(index: number): JsonObject {
    const value = this.value(index);
    return isJsonObject(value) ? value : this.#refuse('an object', index);
  }

  #refuse(wanted: string, index: number, found: QueryArgument | undefined = this.#given[index]): never {
    const got = typeof found === 'function' ? 'an expression' : typeOf(found ?? null);
    throw new QueryProblem(`${this.#name}() wants ${wanted} as argument ${index + 1}, got ${got}`);
  }
}
