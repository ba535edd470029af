import type { Fault } from '../../base/failure.ts';
import { didYouMean } from '../../screen/nearest.ts';
import { cardIdProblem, quoteValue } from '../values.ts';
import type { OptionDeclarations, OptionSpec } from './option.ts';
import { bad, found, type NamedValues, type Reading, readChoice, readValue } from './read-value.ts';

function shown(value: unknown): string {
  return typeof value === 'string' ? quoteValue(value) : String(JSON.stringify(value)).slice(0, 60);
}

/** A JSON value by its declaration: a number for a count, a list for choices, a boolean for a switch, else a string. */
function read(spec: Omit<OptionSpec, 'long'>, value: unknown): Reading<unknown> {
  const { kind, choices = [] } = spec;
  if (kind === undefined) {
    return typeof value === 'boolean' ? found(value) : bad(`must be true or false, not ${shown(value)}`);
  }
  if (kind === 'choices') {
    if (!Array.isArray(value) || value.length === 0) {
      return bad(`must be a list of ${choices.join(', ')}, not ${shown(value)}`);
    }
    const items = value.map((item) => readChoice(choices, typeof item === 'string' ? item : shown(item)));
    return items.find(({ ok }) => !ok) ?? found(value);
  }
  if (kind === 'count' && typeof value !== 'number') return bad(`must be a whole number, not ${shown(value)}`);
  if (kind !== 'count' && typeof value !== 'string') return bad(`must be a text, not ${shown(value)}`);
  if (value === '') return bad('is empty');
  const problem = kind === 'cardId' ? cardIdProblem(String(value)) : undefined;
  return problem === undefined ? readValue({ ...spec, kind }, String(value)) : bad(problem);
}

export function unknownNames(input: NamedValues, known: readonly string[]): readonly Fault[] {
  return Object.keys(input)
    .filter((name) => !known.includes(name))
    .map((where) => ({ where, problem: `is not an argument of this tool${didYouMean(where, known)}` }));
}

/** The values of declared arguments in JSON, by name. What is wrong, missing or undeclared is added to `faults`. */
export function readJsonValues(declared: OptionDeclarations, input: NamedValues, faults: Fault[]): NamedValues {
  const values = Object.entries(declared).map(([name, spec]): readonly [string, unknown] => {
    const value = input[name];
    if (value === undefined) {
      if (spec.required === true) faults.push({ where: name, problem: 'is required' });
      if (spec.default === undefined) return [name, undefined];
    }
    const reading =
      value === undefined ? readValue({ ...spec, kind: spec.kind ?? 'text' }, spec.default ?? '') : read(spec, value);
    if (reading.ok) return [name, reading.value];
    const refusedId = spec.kind === 'cardId' ? String(value) : undefined;
    faults.push({ where: name, problem: reading.problem, refusedId });
    return [name, undefined];
  });
  faults.push(...unknownNames(input, Object.keys(declared)));
  return Object.fromEntries(values);
}
