import type { Context } from '../base/context.ts';
import { Failure, type Fault, type Notice, usageFailure } from '../base/failure.ts';
import { fromPlain } from '../base/json/value.ts';
import { type CallCommand, type CallValues, operationOf } from '../command/command.ts';
import type { Facts, Ports, Session } from '../command/session.ts';
import { parseExpectation, parseSkip } from '../input/expect.ts';
import { checkFieldTexts, describeFields, NOTHING_TO_CHANGE, textsOf } from '../input/fields.ts';
import { nameOf } from '../input/options/option.ts';
import { choiceWords } from '../input/options/read-value.ts';
import type { Skip } from '../input/rows/row.ts';
import { suspicionOf } from '../input/suspicious.ts';
import { idWarnings, warningsOf } from '../input/values.ts';
import { isUpdate, isWrite, type Operation, sensitiveOf } from '../service/api/operation.ts';
import type { Write } from './judge.ts';

/** A single call, checked: ready to be sent. */
export interface SingleCall extends Write {
  readonly warnings: readonly Notice[];
}

function chooseOperation(command: CallCommand, { options, typed }: CallValues, faults: Fault[]): Operation {
  if (!('rows' in command.operation)) return command.operation;
  const { option, rows } = command.operation;
  const row = rows[String(options[nameOf(option)])];
  if (row === undefined && !typed.has(option)) {
    faults.push({ where: `--${option}`, problem: `is required: ${choiceWords(Object.keys(rows))}` });
  }
  return row ?? operationOf(command);
}

/** Texts of files by their path, each read once in a process. */
const descriptions = new WeakMap<Context, Map<string, Promise<string>>>();

async function readDescriptionFile(path: string, session: Ports, faults: Fault[]): Promise<string | undefined> {
  try {
    // A fifo gives its text once, and a missing value that is asked for makes the options be read again.
    const known = descriptions.get(session.context) ?? new Map<string, Promise<string>>();
    descriptions.set(session.context, known);
    const { readTextFile } = await import('../input/text-file.ts');
    const read = known.get(path) ?? readTextFile(path, session.context.stdin, '--description-file');
    known.set(path, read);
    return await read;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'USAGE') throw error;
    faults.push(...error.faults);
    return undefined;
  }
}

/** Reads the fields of a request from options, by API name, for a call or for rows that lack them. */
export async function readFields(session: Session, command: CallCommand, values: CallValues) {
  const faults: Fault[] = [...values.faults];
  const operation = chooseOperation(command, values, faults);
  const names = [operation.body, operation.query].flatMap((schema) => (schema === null ? [] : describeFields(schema)));
  const fields = new Map<string, string | null>();
  for (const { long, field, kind, value: takes } of command.options) {
    const typed = values.options[nameOf(long)];
    const spec = names.find(({ name }) => name === field);
    // `--active all` sends two requests: neither value is a field of one.
    if (spec === undefined || typed === undefined || typed === false || (spec.type === 'boolean' && typed === 'all'))
      continue;
    const text = takes === undefined ? null : String(typed);
    const value = kind === 'path' && text !== null ? await readDescriptionFile(text, session, faults) : text;
    // Of two options that exclude each other the first is still checked.
    if (value !== undefined && !fields.has(spec.name)) fields.set(spec.name, value);
  }
  return { operation, fields, faults };
}

/** Reads every `--expect`; the value may be left out only where rows bring their own (`hasRows`). */
export function readExpectations({ options }: CallValues, hasRows: boolean, faults: Fault[]) {
  return (options.expect ?? []).flatMap((text) => {
    const parsed = parseExpectation(text, { hasRows });
    if (!('problem' in parsed)) return [parsed];
    faults.push({ where: '--expect', problem: parsed.problem });
    return [];
  });
}

/** Reads every `--skip-if`. */
export function readSkips({ options }: CallValues, faults: Fault[]): readonly Skip[] {
  return (options.skipIf ?? []).flatMap((text) => {
    const parsed = parseSkip(text);
    if (!('problem' in parsed)) return [parsed];
    faults.push({ where: '--skip-if', problem: parsed.problem });
    return [];
  });
}

/** The option that sets a field, for faults; `--no-url` and `--description-file` are reported under the field's own option. */
export function nameOfFlag(command: CallCommand): (field: string) => string {
  return (field) => `--${command.options.find((option) => option.field === field)?.long ?? field}`;
}

/** Whether a field of the request was given, rightly or not. */
export function isFieldSet(command: CallCommand, { typed }: CallValues): boolean {
  return command.options.some(({ field, long }) => field !== undefined && typed.has(long));
}

/** Checks those of the given fields that the schema has; without a schema there are none. */
export function checkOwnFields(
  schema: Operation['body'],
  fields: ReadonlyMap<string, string | null>,
  how: Parameters<typeof checkFieldTexts>[2],
): ReturnType<typeof checkFieldTexts> {
  if (schema === null) return { values: {}, faults: [] };
  const names = new Set(describeFields(schema).map(({ name }) => name));
  return checkFieldTexts(schema, new Map([...fields].filter(([name]) => names.has(name))), how);
}

const QUERY_LOSES =
  'not for this command: the result is returned only once, and what a query does not find would be lost';
const COLUMNS_LOSE = 'needs --out: the result is returned only once, and what other columns hold would be lost';

/** What is wrong with where an answer goes that comes once. */
async function secretFaults({ common }: Facts, operation: Operation, { options }: CallValues) {
  if (sensitiveOf(operation).length === 0) return [];
  const { problemOfOut } = await import('../command/out-file.ts');
  const problem = problemOfOut(options.out);
  const isKept = common.columns === undefined || options.out !== undefined || common.dryRun;
  return [
    ...(problem === undefined ? [] : [{ where: '--out', problem }]),
    ...(common.query === undefined ? [] : [{ where: '--query', problem: QUERY_LOSES }]),
    ...(isKept ? [] : [{ where: '--columns', problem: COLUMNS_LOSE }]),
  ];
}

/** Makes one call of what was typed and answered, or fails with all faults together and nothing sent. */
export async function readSingleCall(session: Session, command: CallCommand, typed: CallValues): Promise<SingleCall> {
  const input = await readFields(session, command, typed);
  const { operation } = input;
  const faults: Fault[] = [...input.faults];
  const expectations = readExpectations(typed, false, faults).flatMap(({ field, value }) =>
    value === undefined ? [] : [{ field, value }],
  );
  const skipIf = readSkips(typed, faults);
  const [id] = typed.words;
  const nameOf = nameOfFlag(command);

  const params: Record<string, string> = {};
  if (command.idParam !== null) {
    const where = `<${command.arguments[0]?.name ?? command.idParam}>`;
    const ids = new Map(id === undefined ? [] : [[command.idParam, id]]);
    const checked = checkFieldTexts(operation.params, ids, { nameOf: () => where, source: 'flag' });
    faults.push(...checked.faults);
    if (id !== undefined) params[command.idParam] = id;
  }
  const part = (schema: Operation['body']) => {
    const checked = checkOwnFields(schema, input.fields, { nameOf, source: 'flag' });
    // A field whose option was faulty is missing for that reason only.
    faults.push(...checked.faults.filter((fault) => !faults.some((known) => known.where === fault.where)));
    return checked.values;
  };
  const body = part(operation.body);
  const query = part(operation.query);
  faults.push(...(await secretFaults(session, operation, typed)));
  const isEmptyUpdate = isUpdate(operation) && !isFieldSet(command, typed);
  if (isEmptyUpdate) faults.push({ where: command.path.join(' '), problem: NOTHING_TO_CHANGE });
  const flags = command.options.flatMap(({ field, long }) => (field === undefined ? [] : [`--${long}`]));
  if (faults.length > 0) throw usageFailure(faults, isEmptyUpdate ? [`choose from ${flags.join(', ')}`] : []);
  const reason = input.fields.get('reason');
  // A script gets what it asks for in silence.
  const read = session.context.stderr.isTerminal ? [...input.fields] : [];
  const suspiciousValues = read.flatMap(([field, value]) => {
    const suspicion = suspicionOf(field, value);
    return suspicion === undefined ? [] : [`${nameOf(field)} has ${suspicion}, and is sent as given`];
  });
  return {
    call: {
      operation,
      params,
      query: textsOf(query),
      body: operation.body === null ? undefined : fromPlain(body),
    },
    id,
    reason: typeof reason === 'string' && isWrite(operation) ? reason : undefined,
    expects: expectations,
    skipIf,
    isAgain: typed.options.again === true,
    warnings: warningsOf(id === undefined || operation.family === 'cards' ? [] : idWarnings(id), suspiciousValues),
  };
}
