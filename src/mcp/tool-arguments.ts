import { isWrite, type Operation } from '../api/operation.ts';
import type { SingleCall } from '../engine/read-call.ts';
import { type Fault, usageFailure } from '../failure.ts';
import { idWarnings } from '../input/card-id.ts';
import { checkValues } from '../input/check-values.ts';
import { describeFields } from '../input/fields.ts';
import { quoteGiven } from '../input/given.ts';
import { readValue } from '../options/read-value.ts';
import { meantBy } from '../output/nearest.ts';
import type { ToolSpec } from './tools.ts';

export type Arguments = Readonly<Record<string, unknown>>;

function shown(value: unknown): string {
  return typeof value === 'string' ? quoteGiven(value) : String(JSON.stringify(value)).slice(0, 60);
}

/** Reads arguments by name and keeps what is wrong with them, so that all faults are reported together. */
export class ArgumentReader {
  readonly #args: Arguments;
  readonly #faults: Fault[] = [];

  constructor(args: Arguments) {
    this.#args = args;
  }

  text(name: string): string | undefined {
    const value = this.#args[name];
    if (value === undefined || typeof value === 'string') return value;
    this.#fault(name, `must be text, not ${shown(value)}`);
    return undefined;
  }

  /** Since when, in milliseconds, of an age or a date as the command takes it. */
  since(name: string, nowMs: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const read = readValue({ kind: 'moment' }, text);
    if (read.ok) return read.value.at(nowMs).fromMs;
    this.#fault(name, read.problem);
    return undefined;
  }

  wholeNumber(name: string, limits: { readonly max: number; readonly otherwise: number }): number {
    const value = this.#args[name] ?? limits.otherwise;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= limits.max) return value;
    this.#fault(name, `must be a whole number from 1 to ${limits.max}, not ${shown(value)}`);
    return limits.otherwise;
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.#args[name];
    return value === undefined ? undefined : this.#chosen(name, value, choices);
  }

  choices<Choice extends string>(name: string, choices: readonly Choice[]): readonly Choice[] | undefined {
    const value = this.#args[name];
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || value.length === 0) {
      this.#fault(name, `must be a list of ${choices.join(', ')}, not ${shown(value)}`);
      return undefined;
    }
    return value.map((item) => this.#chosen(name, item, choices)).filter((item) => item !== undefined);
  }

  required(name: string): void {
    if (this.#args[name] === undefined) this.#fault(name, 'is required');
  }

  add(faults: readonly Fault[]): void {
    this.#faults.push(...faults);
  }

  /** USAGE with every fault, also of names that are no argument. */
  finish(known: readonly string[]): void {
    for (const name of Object.keys(this.#args)) {
      if (known.includes(name)) continue;
      this.#fault(name, `is not an argument of this tool${meantBy(name, known)}`);
    }
    if (this.#faults.length > 0) throw usageFailure(this.#faults);
  }

  #chosen<Choice extends string>(name: string, value: unknown, choices: readonly Choice[]): Choice | undefined {
    const known = choices.find((choice) => choice === value);
    if (known !== undefined) return known;
    const meant = typeof value === 'string' ? meantBy(value, choices) : '';
    this.#fault(name, `must be among ${choices.join(', ')}, not ${shown(value)}${meant}`);
    return undefined;
  }

  #fault(where: string, problem: string): void {
    this.#faults.push({ where, problem });
  }
}

function part(args: Arguments, names: readonly string[]): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name)));
}

/** The call that the arguments of a tool make, or USAGE with all faults and nothing sent. */
export function readCall(operation: Operation, { idName }: ToolSpec, args: Arguments): SingleCall {
  const namesOf = (schema: Operation['body']) =>
    schema === null ? [] : describeFields(schema).map(({ name }) => name);
  const [paramName] = namesOf(operation.params);
  const argument = idName ?? paramName;
  const query = namesOf(operation.query);
  // What belongs nowhere is a fault of the body, or of the query where there is no body.
  const rest = Object.keys(args).filter((name) => name !== argument);
  const given = argument === undefined ? undefined : args[argument];
  const checked = checkValues(
    operation,
    {
      params: paramName === undefined ? {} : { [paramName]: given },
      query: operation.query === null ? {} : part(args, rest),
      body: operation.body === null ? {} : part(args, rest),
    },
    (name) => (name === paramName ? (argument ?? name) : name),
  );
  const reader = new ArgumentReader(args);
  reader.add(checked.faults);
  const isOpen = operation.query === null && operation.body === null;
  reader.finish(isOpen ? (argument === undefined ? [] : [argument]) : Object.keys(args).concat(query));
  const reason = args['reason'];
  return {
    call: { operation, params: checked.params, query: checked.query, body: checked.body },
    id: typeof given === 'string' ? given : undefined,
    reason: isWrite(operation) && typeof reason === 'string' ? reason : undefined,
    expectations: [],
    warnings: typeof given === 'string' && operation.family === 'calendar' ? idWarnings(given) : [],
  };
}
