import { isUpdate, isWrite, type Operation } from '../api/operation.ts';
import { type CallCommand, operationOf } from '../commands/command.ts';
import { Failure, type Fault, usageFailure } from '../failure.ts';
import { succeeds } from '../files/io-failure.ts';
import type { CallInput } from '../http/call.ts';
import { idWarnings } from '../input/card-id.ts';
import { checkFieldTexts, NOTHING_TO_CHANGE } from '../input/check-fields.ts';
import { type Expectation, type ExpectationInput, parseExpectation } from '../input/expect.ts';
import { describeFields, type FieldSpec } from '../input/fields.ts';
import { quoteGiven } from '../input/given.ts';
import { readTextFile } from '../input/text-file.ts';
import { fromPlain } from '../json/plain.ts';
import { lastValue, type RawInput } from '../options/raw-input.ts';
import { choiceProblem } from '../options/read-value.ts';
import type { Session } from '../session.ts';

/** The values of the command line that belong to the request, by API field name; null is sent as null. */
export interface GivenFields {
  readonly operation: Operation;
  readonly fields: ReadonlyMap<string, string | null>;
  readonly faults: readonly Fault[];
}

/** A single call, checked: ready to be sent. */
export interface SingleCall {
  readonly call: CallInput;
  /** What the call is about, for messages and history. */
  readonly id: string | undefined;
  readonly reason: string | undefined;
  readonly expectations: readonly Expectation[];
  readonly warnings: readonly string[];
}

function chooseOperation(command: CallCommand, input: RawInput, faults: Fault[]): Operation {
  if (!('rows' in command.operation)) return command.operation;
  const { option, rows } = command.operation;
  const given = lastValue(input, option);
  const row = given === undefined ? undefined : Object.entries(rows).find(([name]) => name === given)?.[1];
  if (row !== undefined) return row;
  const names = Object.keys(rows).join(' or ');
  faults.push({
    where: `--${option}`,
    problem: given === undefined ? `is required: ${names}` : choiceProblem(given, Object.keys(rows)),
  });
  return operationOf(command);
}

async function readDescriptionFile(path: string, session: Session, faults: Fault[]): Promise<string | undefined> {
  try {
    return await readTextFile(path, session.context.stdin, '--description-file');
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'USAGE') throw error;
    faults.push({ where: '--description-file', problem: error.message.replace(/^--description-file: /, '') });
    return undefined;
  }
}

async function readField(field: FieldSpec, command: CallCommand, input: RawInput, session: Session, faults: Fault[]) {
  const options = command.options.filter((option) => option.field === field.name && input.options.has(option.long));
  const [first, second] = options;
  if (first === undefined) return undefined;
  if (second !== undefined) {
    faults.push({ where: options.map((option) => `--${option.long}`).join(' and '), problem: 'exclude each other' });
    return undefined;
  }
  if ((input.options.get(first.long)?.length ?? 0) > 1) {
    faults.push({ where: `--${first.long}`, problem: 'is given more than once' });
    return undefined;
  }
  if (first.value === undefined) return null;
  const value = lastValue(input, first.long) ?? '';
  if (first.choices !== undefined && !first.choices.includes(value)) {
    faults.push({ where: `--${first.long}`, problem: choiceProblem(value, first.choices) });
    return undefined;
  }
  // `--active all` is ours: it asks twice, and neither value is a field of one request.
  if (field.type === 'boolean' && value === 'all') return undefined;
  return first.kind === 'path' ? readDescriptionFile(value, session, faults) : value;
}

/** Reads the options that set request fields. They make a single call, or fill rows that lack them. */
export async function readGivenFields(session: Session, command: CallCommand, input: RawInput): Promise<GivenFields> {
  const faults: Fault[] = [];
  const operation = chooseOperation(command, input, faults);
  const fields = new Map<string, string | null>();
  for (const schema of [operation.body, operation.query]) {
    for (const field of schema === null ? [] : describeFields(schema)) {
      const value = await readField(field, command, input, session, faults);
      if (value !== undefined) fields.set(field.name, value);
    }
  }
  return { operation, fields, faults };
}

/** Reads every `--expect`; the value may be left out only where rows bring their own (`hasRows`). */
export function readExpectations(input: RawInput, hasRows: boolean, faults: Fault[]): readonly ExpectationInput[] {
  return (input.options.get('expect') ?? []).flatMap((text) => {
    const parsed = parseExpectation(String(text), { hasRows });
    if (!('problem' in parsed)) return [parsed];
    faults.push({ where: '--expect', problem: parsed.problem });
    return [];
  });
}

/** The flag that sets a field, for faults; `--no-url` and `--description-file` are reported under the field's own flag. */
export function nameOfFlag(command: CallCommand): (field: string) => string {
  return (field) => `--${command.options.find((option) => option.field === field)?.long ?? field}`;
}

function fieldsHint(command: CallCommand): string {
  const flags = command.options.flatMap(({ field, long }) => (field === undefined ? [] : [`--${long}`]));
  return `choose from ${flags.join(', ')}`;
}

/** What is wrong with the path of `--out`, or undefined. */
export async function problemOfOut(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  if (path === '' || path === '-') return 'must be a new file: on stdout, --json and --show-sensitive show the result';
  const { lstat } = await import('node:fs/promises');
  return (await succeeds(lstat(path))) ? `${quoteGiven(path)} exists, and a result never overwrites a file` : undefined;
}

/** Those of the texts that are fields of a schema. */
export function ownTexts<Text>(
  schema: NonNullable<Operation['body']>,
  texts: ReadonlyMap<string, Text>,
): ReadonlyMap<string, Text> {
  const names = new Set(describeFields(schema).map(({ name }) => name));
  return new Map([...texts].filter(([name]) => names.has(name)));
}

/** Makes one call of what was typed and answered, or fails with all faults together and nothing sent. */
export async function readSingleCall(session: Session, command: CallCommand, input: RawInput): Promise<SingleCall> {
  const given = await readGivenFields(session, command, input);
  const { operation } = given;
  const faults: Fault[] = [...given.faults];
  const expectations = readExpectations(input, false, faults).flatMap(({ field, value }) =>
    value === undefined ? [] : [{ field, value }],
  );
  const [id] = input.words;
  const nameOf = nameOfFlag(command);

  const params: Record<string, string> = {};
  if (command.idParam !== null) {
    const where = `<${command.arguments[0]?.name ?? command.idParam}>`;
    const checked = checkFieldTexts(operation.params, new Map(id === undefined ? [] : [[command.idParam, id]]), {
      nameOf: () => where,
      source: 'flag',
    });
    faults.push(...checked.faults);
    if (id !== undefined) params[command.idParam] = id;
  }
  const part = (schema: Operation['body']) => {
    if (schema === null) return {};
    const checked = checkFieldTexts(schema, ownTexts(schema, given.fields), { nameOf, source: 'flag' });
    // A field whose option was faulty is missing for that reason only.
    faults.push(...checked.faults.filter((fault) => !faults.some((known) => known.where.includes(fault.where))));
    return checked.values;
  };
  const body = part(operation.body);
  const query = part(operation.query);
  const outProblem = await problemOfOut(lastValue(input, 'out'));
  if (outProblem !== undefined) faults.push({ where: '--out', problem: outProblem });
  const isFieldGiven = command.options.some((option) => option.field !== undefined && input.options.has(option.long));
  const isEmptyUpdate = isUpdate(operation) && !isFieldGiven;
  if (isEmptyUpdate) {
    faults.push({ where: command.path.join(' '), problem: NOTHING_TO_CHANGE });
  }
  if (faults.length > 0) throw usageFailure(faults, isEmptyUpdate ? [fieldsHint(command)] : []);
  const reason = given.fields.get('reason');
  return {
    call: {
      operation,
      params,
      query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
      body: operation.body === null ? undefined : fromPlain(body),
    },
    id,
    reason: typeof reason === 'string' && isWrite(operation) ? reason : undefined,
    expectations,
    warnings: id === undefined || operation.family === 'cards' ? [] : idWarnings(id),
  };
}
