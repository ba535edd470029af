import { idParamOf, isWrite, type Operation, sensitiveOf } from '../api/operation.ts';
import { FAILURES, type Fault } from '../failure.ts';
import { describeFields, type FieldSpec } from '../input/fields.ts';
import type { Shape } from '../json/shape.ts';
import { type CallOptions, SPECIAL } from '../options/call-options.ts';
import { BULK_OPTIONS, BULK_WRITE_OPTIONS, COMMON_OPTIONS, PLAN_OPTIONS, WRITE_OPTIONS } from '../options/common.ts';
import {
  type ArgumentDeclarations,
  type ArgumentSpec,
  declareOptions,
  type Example,
  type ExampleLines,
  examplesOf,
  type GivenArguments,
  type GivenOptions,
  type OptionDeclarations,
  type OptionSpec,
} from '../options/option.ts';
import type { GivenValues } from '../options/read-value.ts';
import type { Column, IsOpenPath } from '../output/column.ts';
import type { Session } from '../session.ts';

interface CommandBase {
  /** What a person should know before using it: two to five sentences. */
  readonly description: string;
  readonly arguments: readonly ArgumentSpec[];
  /** Its own options; the common ones come on top (`optionsOf`). */
  readonly options: readonly OptionSpec[];
  readonly examples: readonly Example[];
  /** Exit codes that this command can end with, in the order of the table. */
  readonly exitCodes: readonly number[];
  /** True: `--dry-run`, `--yes` and `--no-history` belong to it. */
  readonly writes: boolean;
}

/** A command that is one operation of the service, for one resource or a file of many. */
export interface CallCommand extends CommandBase {
  readonly kind: 'call';
  /** `['card', 'block']`. */
  readonly path: readonly string[];
  /** The row, or the rows among which the value of one option chooses. */
  readonly operation: Operation | { readonly option: string; readonly rows: Readonly<Record<string, Operation>> };
  readonly columns: readonly Column[];
  /** Path parameter that the positional argument fills; null: the operation has none. */
  readonly idParam: string | null;
  /** Takes `--from`. */
  readonly bulk: boolean;
}

/** A command about this machine, or one that composes calls itself. */
export interface LocalCommand extends CommandBase {
  readonly kind: 'local';
  /** False: it works although the settings file is damaged or the environment says what cannot be obeyed. */
  readonly needsSettings: boolean;
  /** It may send writes, of which is said how they ended. */
  readonly maySend?: true;
  /** True: it calls the service, so the profile is chosen first and its preferences count. */
  readonly usesProfile: boolean;
  /** True: it serves call after call until a person ends it, so that a credential may change meanwhile. */
  readonly isLasting?: boolean;
  /** What `--columns` and `--sort-by` may name; undefined: anything, as the members of the result are not known before. */
  readonly columns?: readonly Column[];
  /** Dotted paths that may be named besides them. */
  readonly isOpenColumn?: IsOpenPath;
  /** What it prints as JSON, for `frontdesk schema`: the shape that the printing code is typed by. */
  output(): Shape<unknown> | Promise<Shape<unknown>>;
  /** The words as they are meant, where some may be left out. */
  meant?(words: readonly string[]): readonly string[];
  /** Raises USAGE for what is wrong with the values besides what each declaration says. A faulty value is not there. */
  check?(given: GivenValues, session: Session): void | Promise<void>;
  /** Returns the exit code where it is not 0. */
  run(session: Session, given: GivenValues): Promise<number | undefined>;
}

/** A command under the path that the registry has it by. */
export type Command = CallCommand | (LocalCommand & Pick<CallCommand, 'path'>);

/** What there is to say about a command, as plain data: help, completions, man page and `schema` follow from it. */
export interface CommandDoc extends CommandBase {
  /** `card block`. */
  readonly command: string;
  readonly path: readonly string[];
  readonly summary: string;
}

/** Describes a command from its declaration: its own options and those of its kind; every command has the others. */
export function describeCommand(command: Command, summary: string): CommandDoc {
  const { path, description, writes, arguments: words, examples, exitCodes } = command;
  const options = optionsOf(command).filter((option) => !COMMON_OPTIONS.includes(option));
  return {
    command: path.join(' '),
    path,
    summary,
    description,
    writes,
    arguments: words,
    options,
    examples,
    exitCodes,
  };
}

/** The rows of a command: several where the value of an option chooses. */
export function rowsOfCommand({ operation }: Pick<CallCommand, 'operation'>): readonly Operation[] {
  return 'rows' in operation ? Object.values(operation.rows) : [operation];
}

/** Any row of a command, where it does not matter which: rows of one choice differ in path and answer only. */
export function operationOf(command: Pick<CallCommand, 'operation'>): Operation {
  const [first] = rowsOfCommand(command);
  if (first === undefined) throw new Error('a command chooses among no operations');
  return first;
}

/** What a command over an operation was given. */
export interface CallGiven {
  readonly words: readonly string[];
  /** Values by name: of the options of all such commands by their types, and of those that are this one's own. */
  readonly options: CallOptions & GivenValues;
  /** Long names of all options that were given, also of those whose value is faulty. */
  readonly typed: ReadonlySet<string>;
  /** What is wrong with its options, and what is required and missing that cannot be asked for. */
  readonly faults: readonly Fault[];
}

/** Whether a call is over many rows: `--from`, or several ids. */
export function isBulk(command: CallCommand, { words, options }: CallGiven): boolean {
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

/** What a field accepts, for help: `at most 5000 characters`. */
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
  // The only field that the spec lets be null in a request is an event's url.
  if (field.nullable) return [option, { long: `no-${flag}`, text: `send ${name} as null`, field: name }];
  if (name !== 'description') return [option];
  const text = 'send the text of this file (- is stdin) as the description, exactly';
  return [option, { long: 'description-file', kind: 'path', value: 'file', text, field: name }];
}

type CallSpec = Pick<CallCommand, 'description' | 'operation' | 'columns'> & {
  /** Takes `--expect`. */
  readonly expect?: true;
  /** Rows that did not change against an older file can be left out (`--changed-from`). */
  readonly changedFrom?: true;
  /** Positional argument; null where the operation has no path id. */
  readonly argument: Pick<ArgumentSpec, 'name' | 'question' | 'text' | 'variadic'> | null;
  /** Options besides those that follow from the operation's fields; one of the same name takes its place. */
  readonly options?: OptionDeclarations;
  readonly examples: ExampleLines;
};

/** What the answer to a call, or that there is none, can come to: 404, 401, 403, another 4xx, no connection, 429. */
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

/**
 * What any command can end with: done, a bug, a usage error, an output that cannot be written, a signal, a reader of
 * stdout that went away (of a write: before it was sent, or of its dry run or plan).
 */
const COMMON = [0, 1, 2, 16, 129, 130, 141, 143];

function withCommon(codes: readonly number[]): readonly number[] {
  return [...new Set([...COMMON, ...codes])].sort((one, other) => one - other);
}

/** A settings file or folder that others can write to is refused. */
const UNSAFE = FAILURES.AUTH.exitCode;

/** Declares a command over one row of the operations table: arguments, options and exit codes follow from the row. */
export function callCommand(spec: CallSpec): CallCommand {
  const { argument } = spec;
  const words = argument === null ? [] : [argument];
  const operation = operationOf(spec);
  const writes = isWrite(operation);
  // An answer with secrets is kept by hand, one at a time.
  const bulk = sensitiveOf(operation).length === 0;
  const fields = [operation.body, operation.query].flatMap((schema) => (schema === null ? [] : describeFields(schema)));
  const special: readonly OptionSpec[] = Object.values(declareOptions(spec.options ?? {}));
  // Ids come from the command line or from a file.
  const excludes = argument === null ? {} : { excludes: { [`<${argument.name}>`]: '' } };
  const derived = [
    ...fields.flatMap(fieldOptions),
    ...(spec.expect === true ? [SPECIAL.expect] : []),
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
    exitCodes: withCommon(exitCodesOf(spec, writes, bulk)),
    writes,
    idParam: idParamOf(operation) ?? null,
    bulk,
  };
}

type LocalFacts = Pick<LocalCommand, 'description' | 'output'> &
  Partial<Omit<LocalCommand, 'kind' | 'arguments' | 'options' | 'examples' | 'check' | 'run' | 'exitCodes'>> & {
    /** Besides those that follow from the rest. */
    readonly exitCodes?: readonly number[];
  };

type LocalSpec<A, O, Given = GivenArguments<A> & GivenOptions<O>> = LocalFacts & {
  readonly examples: ExampleLines;
  readonly arguments?: A;
  readonly options?: O;
  check?(given: Partial<Given>, session: Session): void | Promise<void>;
  // Without a value: the exit code is 0.
  run(session: Session, given: Given): Promise<number | undefined> | Promise<void>;
};

/** Declares a command about this machine. Its arguments and options are what it is run with, by name and typed. */
export function localCommand<
  const A extends ArgumentDeclarations = Record<never, never>,
  const O extends OptionDeclarations = Record<never, never>,
>(spec: LocalSpec<A, O>): LocalCommand {
  type Given = GivenArguments<A> & GivenOptions<O>;
  const { check, ...facts } = spec;
  return {
    writes: false,
    needsSettings: true,
    usesProfile: false,
    ...facts,
    exitCodes: withCommon([...(spec.needsSettings === false ? [] : [UNSAFE]), ...(spec.exitCodes ?? [])]),
    kind: 'local',
    examples: examplesOf(spec.examples),
    arguments: Object.entries(spec.arguments ?? {}).map(([name, argument]) => ({ name, ...argument })),
    options: Object.values(declareOptions(spec.options ?? {})),
    // What is read by these declarations has their types, which a list of differently typed commands cannot know.
    ...(check === undefined ? {} : { check: (given, session) => check(given as Partial<Given>, session) }),
    run: async (session, given) => (await spec.run(session, given as Given)) ?? undefined,
  };
}
