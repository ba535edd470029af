import { type Failure, type Fault, usageFailure } from '../base/failure.ts';
import { NOT_UTF8 } from '../base/files/paths.ts';
import type { JsonSchema } from '../base/json/shape.ts';
import { fromPlain } from '../base/json/value.ts';
import { propertiesOf } from '../cli/describe/json-schema.ts';
import { checkFields, type FieldValue, HALF_PAIR, NOTHING_TO_CHANGE, textsOf } from '../input/fields.ts';
import type { OptionDeclarations, OptionSpec } from '../input/options/option.ts';
import { bad, found, type NamedValues, type Reading, readChoice, readValue } from '../input/options/read-value.ts';
import { suspicionOf } from '../input/suspicious.ts';
import { cardIdProblem, idWarnings, quoteValue, readCardId, warningsOf } from '../input/values.ts';
import { didYouMean } from '../screen/nearest.ts';
import { idNameOf, idParamOf, isUpdate, isWrite, type Operation } from '../service/api/operation.ts';
import type { SingleCall } from '../writes/read-call.ts';

function shown(value: unknown): string {
  return typeof value === 'string' ? quoteValue(value) : String(JSON.stringify(value)).slice(0, 60);
}

/** Why a text is not the one that was meant, or a question would show another than is sent; undefined: it is. */
function lossIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.isWellFormed() ? (value.includes('\ufffd') ? NOT_UTF8 : undefined) : HALF_PAIR;
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
  const loss = lossIn(value);
  if (loss !== undefined) return bad(loss);
  const problem = kind === 'cardId' ? cardIdProblem(String(value)) : undefined;
  return problem === undefined ? readValue({ ...spec, kind }, String(value)) : bad(problem);
}

function unknownNames(input: NamedValues, known: readonly string[]): readonly Fault[] {
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

/** An argument of the tool that is null counts as left out, unless the service takes null. */
export function withoutNulls({ inputSchema }: { readonly inputSchema: JsonSchema }, args: NamedValues): NamedValues {
  const declared = propertiesOf(inputSchema);
  const isLeftOut = (name: string, value: unknown) => {
    const member = value === null && Object.hasOwn(declared, name) ? declared[name] : undefined;
    return member !== undefined && !('anyOf' in member);
  };
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => !isLeftOut(name, value)));
}

/** Hints for refused card IDs that contain one: the corrected argument; of several IDs all, unless the tool writes. */
export function meantArguments(args: NamedValues, { faults }: Failure, writes: boolean): readonly string[] {
  return Object.entries(args).flatMap(([name, text]) => {
    if (typeof text !== 'string' || !faults.some(({ refusedId }) => refusedId === text)) return [];
    const read = readCardId(text);
    if (read.kind === 'holds') return [`check the id, then call it again with ${name} ${read.id}`];
    if (read.kind !== 'several' || writes) return [];
    return [`call it once for each: ${read.ids.map((id) => `${name} ${id}`).join(', ')}`];
  });
}

type Fields = Readonly<Record<string, FieldValue>>;

/** The call that a tool's arguments make. USAGE with all faults. */
export function readCall(operation: Operation, args: NamedValues): SingleCall {
  const paramName = idParamOf(operation) ?? '';
  const argument = paramName === '' ? '' : idNameOf(operation);
  const { [argument]: subject, ...rest } = args;
  // The schemas find what is no value of a field, and messages show only its kind.
  const params = (paramName === '' || subject === undefined ? {} : { [paramName]: subject }) as Fields;
  // An unknown member is a fault of the body, or of the query without a body.
  const fields = rest as Fields;
  const nameOf = (name: string) => (name === paramName ? argument : name);
  const known =
    operation.query === null && operation.body === null ? [argument] : Object.keys(args).filter((name) => name !== '');
  const isEmptyUpdate = isUpdate(operation) && Object.keys(fields).length === 0;
  const faults: Fault[] = [
    ...checkFields(operation.params, params, nameOf),
    ...[operation.query, operation.body].flatMap((schema) =>
      schema === null ? [] : checkFields(schema, fields, nameOf),
    ),
    ...Object.entries(args).flatMap(([where, value]) => {
      const problem = lossIn(value);
      // The schema of an ID says it too.
      return problem === undefined || (where === argument && problem === HALF_PAIR) ? [] : [{ where, problem }];
    }),
    ...(isEmptyUpdate ? [{ where: operation.command.replaceAll('.', ' '), problem: NOTHING_TO_CHANGE }] : []),
    ...unknownNames(args, known),
  ];
  if (faults.length > 0) throw usageFailure(faults);
  const reason = fields['reason'];
  const suspicious = Object.entries(fields).flatMap(([name, value]) => {
    const suspicion = suspicionOf(name, fromPlain(value));
    return suspicion === undefined ? [] : [`${name} has ${suspicion}, and is sent as given`];
  });
  return {
    call: {
      operation,
      params: textsOf(params),
      query: operation.query === null ? {} : textsOf(fields),
      body: operation.body === null ? undefined : fromPlain(fields),
    },
    id: typeof subject === 'string' ? subject : undefined,
    reason: isWrite(operation) && typeof reason === 'string' ? reason : undefined,
    expects: [],
    warnings: warningsOf(
      typeof subject === 'string' && operation.family === 'calendar' ? idWarnings(subject) : [],
      suspicious,
    ),
  };
}
