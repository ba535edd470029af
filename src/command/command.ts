import { FAILURES, type Fault } from '../base/failure.ts';
import type { Shape } from '../base/json/shape.ts';
import { describeFields, type FieldSpec } from '../input/fields.ts';
import { type CallOptions, SPECIAL } from '../input/options/call-options.ts';
import {
  BULK_OPTIONS,
  BULK_WRITE_OPTIONS,
  COMMON_OPTIONS,
  PLAN_OPTIONS,
  WRITE_OPTIONS,
} from '../input/options/common.ts';
import {
  type ArgumentDeclarations,
  type ArgumentSpec,
  type ArgumentValues,
  declareOptions,
  type Example,
  type ExampleLines,
  examplesOf,
  type OptionDeclarations,
  type OptionSpec,
  type OptionValues,
} from '../input/options/option.ts';
import type { NamedValues } from '../input/options/read-value.ts';
import type { Column, IsOpenPath } from '../screen/column.ts';
import { idParamOf, isWrite, type Operation, sensitiveOf } from '../service/api/operation.ts';
import type { Session } from './session.ts';

interface CommandBase {
  /** What the user should know before using it: two to five sentences. */
  readonly description: string;
  readonly arguments: readonly ArgumentSpec[];
  /** Its own options, without the common ones (`optionsOf`). */
  readonly options: readonly OptionSpec[];
  readonly examples: readonly Example[];
  /** All exit codes that this command can end with, in the order of the table. */
  readonly exitCodes: readonly number[];
  /** It has `--dry-run`, `--yes` and `--no-history`. */
  readonly writes: boolean;
}

/** A command for one operation of the service, for one resource or many. */
export interface CallCommand extends CommandBase {
  readonly kind: 'call';
  /** `['card', 'block']`. */
  readonly path: readonly string[];
  /** The operation, or several among which an option chooses. */
  readonly operation: Operation | { readonly option: string; readonly rows: Readonly<Record<string, Operation>> };
  readonly columns: readonly Column[];
  /** Path parameter of the positional argument; null: the operation has none. */
  readonly idParam: string | null;
  readonly bulk: boolean;
}

/** A command about this machine, or one that makes calls itself. */
export interface LocalCommand extends CommandBase {
  readonly kind: 'local';
  /** False: it works with a damaged settings file or bad variables. */
  readonly needsSettings: boolean;
  /** It may send changes, whose end is reported. */
  readonly maySend?: true;
  /** It calls the service, so the profile is chosen first and its preferences count. */
  readonly usesProfile: boolean;
  /** It serves call after call, so a credential may change meanwhile. */
  readonly isLasting?: boolean;
  /** Names for `--columns` and `--sort-by`; undefined: any, because the members of the result are not known before. */
  readonly columns?: readonly Column[];
  /** Dotted paths that may be named too. */
  readonly isOpenColumn?: IsOpenPath;
  /** Its JSON output, for `frontdesk schema`: the shape that types the printing code. */
  output(): Shape<unknown> | Promise<Shape<unknown>>;
  /** USAGE for values that are wrong beyond their declarations. A faulty value is absent. */
  check?(values: NamedValues, session: Session): void | Promise<void>;
  /** Returns the exit code if it is not 0. */
  run(session: Session, values: NamedValues): Promise<number | undefined>;
}

export type Command = CallCommand | (LocalCommand & Pick<CallCommand, 'path'>);

/** A command as plain data, for help, completions, man page and `schema`. */
export type CommandDoc = ReturnType<typeof describeCommand>;

/** Describes a command: its own options and those of its kind, without the common ones. */
export function describeCommand(command: Command, summary: string) {
  const { path, description, writes, arguments: words, examples, exitCodes } = command;
  const options = optionsOf(command).filter((option) => !COMMON_OPTIONS.includes(option));
  const name = path.join(' ');
  return { command: name, path, summary, description, writes, arguments: words, options, examples, exitCodes };
}

export function rowsOfCommand({ operation }: Pick<CallCommand, 'operation'>): readonly Operation[] {
  return 'rows' in operation ? Object.values(operation.rows) : [operation];
}

/** Any operation of a command: those of one choice differ only in path and response. */
export function operationOf(command: Pick<CallCommand, 'operation'>): Operation {
  const [first] = rowsOfCommand(command);
  if (first === undefined) throw new Error('a command chooses among no operations');
  return first;
}

export interface CallValues {
  readonly words: readonly string[];
  /** Values by name: options of all such commands with their types, and the command's own. */
  readonly options: CallOptions & NamedValues;
  /** Long names of all given options, also of faulty ones. */
  readonly typed: ReadonlySet<string>;
  /** Faults of its options, and missing values that cannot be asked for. */
  readonly faults: readonly Fault[];
}

export function isBulk(command: CallCommand, { words, options }: CallValues): boolean {
  return options.from !== undefined || (command.bulk && words.length > 1);
}

/** All options of a command: its own first, then those of its kind, then the common ones it does not redefine. */
export function optionsOf(command: Pick<Command, 'options' | 'writes'>): readonly OptionSpec[] {
  const shared = [...(command.writes ? WRITE_OPTIONS : []), ...COMMON_OPTIONS];
  const isOwn = (long: string) => command.options.some((option) => option.long === long);
  return [...command.options, ...shared.filter((option) => !isOwn(option.long))];
}

const FIELD_VALUE: Readonly<Record<FieldSpec['type'], string>> = {
  text: 'text',
  boolean: 'true|false',
  integer: 'n',
  url: 'url',
  date: 'iso',
};

/** The limits of a field, for help: `at most 5000 characters`. */
function limitText({ maxLength, minimum, maximum }: FieldSpec): string {
  if (maxLength !== undefined) return ` (at most ${maxLength} characters)`;
  return minimum === undefined || maximum === undefined ? '' : ` (${minimum} to ${maximum})`;
}

function fieldOptions(field: FieldSpec): OptionSpec[] {
  const { flag, name, type } = field;
  const other = field.nullable ? `no-${flag}` : name === 'description' ? 'description-file' : undefined;
  const option: OptionSpec = {
    long: flag,
    ...(type === 'boolean' ? { kind: 'choice', choices: ['true', 'false'] } : { kind: 'text' }),
    value: FIELD_VALUE[type],
    text: `${field.description}${limitText(field)}`,
    field: name,
    required: field.required,
    ...(other === undefined ? {} : { excludes: { [other]: '' } }),
  };
  // The spec lets only an event's url be null in a request.
  if (field.nullable) return [option, { long: `no-${flag}`, text: `send ${name} as null`, field: name }];
  if (name !== 'description') return [option];
  const text = 'send the text of this file (- is stdin) as the description, exactly';
  return [option, { long: 'description-file', kind: 'path', value: 'file', text, field: name }];
}

type CallSpec = Pick<CallCommand, 'description' | 'operation' | 'columns'> & {
  readonly expect?: true;
  /** Rows that equal an older file can be left out (`--changed-from`). */
  readonly changedFrom?: true;
  /** Positional argument; null if the operation has no ID. */
  readonly argument: Pick<ArgumentSpec, 'name' | 'question' | 'text' | 'variadic'> | null;
  /** Options besides those of the operation's fields. One of the same name replaces it. */
  readonly options?: OptionDeclarations;
  readonly examples: ExampleLines;
};

/** Exit codes of a call's response: 404, 401, 403, another 4xx, no connection, 429. */
export const ANSWERED = [3, 4, 5, 6, 7, 11];

function exitCodesOf(spec: CallSpec, writes: boolean, bulk: boolean): readonly number[] {
  return [
    ...ANSWERED,
    ...(writes ? [8] : []),
    ...(writes && spec.expect !== true ? [] : [10]),
    ...(bulk || spec.options?.['requireComplete'] !== undefined ? [15] : []),
    ...(bulk || spec.expect === true || spec.options?.['again'] !== undefined ? [17] : []),
  ];
}

/** With the exit codes of any command. 141 of a change: before it was sent, or of its dry run or plan. `hasQuery`: 15 if it does not fit. */
function withCommon(codes: readonly number[], hasQuery: boolean): readonly number[] {
  return [...new Set([0, 1, 2, ...(hasQuery ? [15] : []), 16, 129, 130, 141, 143, ...codes])].sort(
    (one, other) => one - other,
  );
}

/** Declares a command over an operation of the table, from which arguments, options and exit codes follow. */
export function callCommand(spec: CallSpec): CallCommand {
  const { argument } = spec;
  const words = argument === null ? [] : [argument];
  const operation = operationOf(spec);
  const writes = isWrite(operation);
  // A response with secrets is kept by hand, one at a time.
  const bulk = sensitiveOf(operation).length === 0;
  const fields = [operation.body, operation.query].flatMap((schema) => (schema === null ? [] : describeFields(schema)));
  const special: readonly OptionSpec[] = Object.values(declareOptions(spec.options ?? {}));
  // IDs come from the command line or from a file.
  const excludes = argument === null ? {} : { excludes: { [`<${argument.name}>`]: '' } };
  const derived = [
    ...fields.flatMap(fieldOptions),
    ...(spec.expect === true ? [SPECIAL.expect, SPECIAL.skipIf] : []),
    ...(bulk ? BULK_OPTIONS.map((option) => (option.long === 'from' ? { ...option, ...excludes } : option)) : []),
    ...(bulk && writes ? [...BULK_WRITE_OPTIONS, ...PLAN_OPTIONS] : []),
    ...(spec.changedFrom === true ? [SPECIAL.changedFrom, SPECIAL.expectChanges] : []),
  ].filter((option) => !special.some(({ long }) => long === option.long));
  return {
    kind: 'call',
    path: operation.command.split('.'),
    description: spec.description,
    operation: spec.operation,
    columns: spec.columns,
    arguments: words.map(({ name, text, ...variadic }) => ({ name, text, required: !bulk, ...variadic })),
    options: [...special, ...derived],
    examples: examplesOf(spec.examples),
    // What comes once takes no --query.
    exitCodes: withCommon(exitCodesOf(spec, writes, bulk), bulk),
    writes,
    idParam: idParamOf(operation) ?? null,
    bulk,
  };
}

/** Its exit codes are those besides the ones that follow from the rest. */
type LocalFacts = Pick<LocalCommand, 'description' | 'output'> &
  Partial<Omit<LocalCommand, 'kind' | 'arguments' | 'options' | 'examples' | 'check' | 'run'>>;

type LocalSpec<A, O, Values = ArgumentValues<A> & OptionValues<O>> = LocalFacts & {
  readonly examples: ExampleLines;
  readonly arguments?: A;
  readonly options?: O;
  check?(values: Partial<Values>, session: Session): void | Promise<void>;
  // Without a value the exit code is 0.
  run(session: Session, values: Values): Promise<number | undefined> | Promise<void>;
};

/** Declares a command about this machine. It runs with its arguments and options by name, typed. */
export function localCommand<
  const A extends ArgumentDeclarations = Record<never, never>,
  const O extends OptionDeclarations = Record<never, never>,
>(spec: LocalSpec<A, O>): LocalCommand {
  type Values = ArgumentValues<A> & OptionValues<O>;
  const { check, ...facts } = spec;
  return {
    writes: false,
    needsSettings: true,
    usesProfile: false,
    ...facts,
    // AUTH: others can write to the settings.
    exitCodes: withCommon(
      [...(spec.needsSettings === false ? [] : [FAILURES.AUTH.exitCode]), ...(spec.exitCodes ?? [])],
      spec.isLasting !== true,
    ),
    kind: 'local',
    examples: examplesOf(spec.examples),
    arguments: Object.entries(spec.arguments ?? {}).map(([name, argument]) => ({ name, ...argument })),
    options: Object.values(declareOptions(spec.options ?? {})),
    // Values that were read by these declarations have their types, which a list of commands cannot know.
    ...(check === undefined ? {} : { check: (values, session) => check(values as Partial<Values>, session) }),
    run: async (session, values) => (await spec.run(session, values as Values)) ?? undefined,
  };
}
