import type { Shard } from '../records/shard.ts';
import type { MaxFailures } from './limits.ts';

/** A time as typed, for messages, and in milliseconds. */
export interface Span {
  readonly text: string;
  readonly ms: number;
}

/** From when, and before when, in milliseconds since 1970. The same for an age or a date-time. */
export interface Moment {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A moment of the past, as typed and as a time. */
interface When {
  readonly text: string;
  at(nowMs: number): Moment;
}

export interface KindValues {
  readonly text: string;
  /** Completions offer files. */
  readonly path: string;
  /** A wait, or a time from now: `30s`. */
  readonly duration: Span;
  /** An age, where days make sense: `90d`. */
  readonly age: Span;
  /** An age, a day or a time: `yesterday`. */
  readonly moment: When;
  /** Must be a card ID. In a terminal it is asked for until it is one. */
  readonly cardId: string;
  readonly count: number;
  /** Requests a second, perhaps a fraction. */
  readonly rate: number;
  readonly failures: MaxFailures;
  readonly shard: Shard;
  readonly choice: string;
  readonly list: readonly string[];
  /** Some of `choices`, separated by commas. */
  readonly choices: readonly string[];
}

type Kind = keyof KindValues;

/** How an option or argument is read, and which values it takes: plain data, for the reader, help and completions. */
export interface ValueSpec {
  /** Absent: an option is a switch, an argument any string. */
  readonly kind?: Kind;
  readonly text: string;
  readonly choices?: readonly string[];
  /** Limits: of a count the number, of a duration or age milliseconds. */
  readonly min?: number;
  readonly max?: number;
  /** In a terminal it is asked for, by `question` or by its text. */
  readonly required?: boolean;
  readonly question?: string;
  /** The command asks for it itself, or does without: which values exist is known only when it runs. */
  readonly isOwnQuestion?: true;
  /** The names on this machine that completions offer. */
  readonly names?: 'profile' | 'run';
  /** Behind an `@` stands a file. */
  readonly isFileAfterAt?: true;
  /** What a path that cannot be `-` must be, and why: `a file: a plan is read more than once`. */
  readonly notStdin?: string;
  /** A file is made at the path. */
  readonly makes?: true;
}

export interface ArgumentSpec extends ValueSpec {
  readonly name: string;
  readonly required: boolean;
  readonly variadic?: boolean;
}

/** An option for the reader, help, completions, `schema` and the tools of assistants. */
export interface OptionSpec extends ValueSpec {
  /** Without dashes: `client-device-id`, `no-url`. */
  readonly long: string;
  readonly short?: string;
  /** Placeholder of the value, `text` without brackets; absent: a switch. */
  readonly value?: string;
  /** The default, written as it would be typed. */
  readonly default?: string;
  /** May be given more than once. Otherwise two values are refused, or of a common option the last one counts. */
  readonly repeatable?: boolean;
  /** Environment variable with the same meaning. */
  readonly env?: string;
  /** API field of the body or query that the option sets. */
  readonly field?: string;
  /** Options (`plan`) and arguments (`<run>`) that exclude it, each with the reason or an empty string. */
  readonly excludes?: Readonly<Record<string, string>>;
  readonly needs?: string;
}

export interface Example {
  readonly text: string;
  /** The words after `frontdesk`, as typed in a shell. */
  readonly line: string;
}

export type ExampleLines = Readonly<Record<string, string>>;

/** Such examples as a list. */
export function examplesOf(lines: ExampleLines): readonly Example[] {
  return Object.entries(lines).map(([text, line]) => ({ text, line }));
}

/** Declared options by the names of their values: `olderThan` is `--older-than`. */
export type OptionDeclarations = Readonly<Record<string, Omit<OptionSpec, 'long'>>>;
export type ArgumentDeclarations = Readonly<Record<string, Omit<ArgumentSpec, 'name'>>>;

type ValueOf<S> = S extends { readonly kind: 'choice'; readonly choices: readonly (infer Choice)[] }
  ? Choice
  : S extends { readonly kind: 'choices'; readonly choices: readonly (infer Choice)[] }
    ? readonly Choice[]
    : S extends { readonly kind: infer K extends Kind }
      ? KindValues[K]
      : string;

/** Is there always a value when the command runs? */
type IsThere<S> = S extends { readonly isOwnQuestion: true }
  ? false
  : S extends { readonly required: true } | { readonly default: string }
    ? true
    : false;

type Many<S> = S extends { readonly repeatable: true } | { readonly variadic: true } ? true : false;

type ValuesOf<S> =
  Many<S> extends true ? readonly ValueOf<S>[] : IsThere<S> extends true ? ValueOf<S> : ValueOf<S> | undefined;

/** The values of declared options: a switch is a boolean, an omitted one undefined, a repeatable one a list. */
export type OptionValues<O> = {
  readonly [Name in keyof O]: O[Name] extends { readonly kind: string } ? ValuesOf<O[Name]> : boolean;
};
export type ArgumentValues<A> = { readonly [Name in keyof A]: ValuesOf<A[Name]> };

const PLACEHOLDERS: Readonly<Partial<Record<Kind, string>>> = {
  path: 'file',
  duration: 'duration',
  age: 'age',
  count: 'n',
  rate: 'n',
  failures: 'n|n%',
  shard: 'i/n',
};

/** `older-than` is the value `olderThan`. */
export function nameOf(long: string): string {
  return long.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function placeholderOf({ kind, value, choices }: Omit<OptionSpec, 'long'>): { readonly value?: string } {
  const placeholder = value ?? (kind === undefined ? undefined : (PLACEHOLDERS[kind] ?? choices?.join('|') ?? kind));
  return placeholder === undefined ? {} : { value: placeholder };
}

/** The declared options under their typed names. */
export function declareOptions<const O extends OptionDeclarations>(
  options: O,
): { readonly [Name in keyof O]: O[Name] & { readonly long: string } } {
  const named = Object.entries(options).map(([name, option]) => {
    const { short, ...more } = option;
    const long = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [name, { long, ...(short === undefined ? {} : { short }), ...more, ...placeholderOf(option) }];
  });
  // Object.fromEntries loses the names. These are exactly those of `options`.
  return Object.fromEntries(named);
}

/** What was typed for one command: words in order, and every occurrence of every option. */
export interface RawInput {
  readonly words: readonly string[];
  /** By long name (also `no-url`). A switch has the value `true`. Absent: not given. */
  readonly options: ReadonlyMap<string, readonly (string | true)[]>;
}

/** `-o, --output <format>`. */
export function optionName({ short, long, value }: OptionSpec): string {
  return `${short === undefined ? '' : `-${short}, `}--${long}${value === undefined ? '' : ` <${value}>`}`;
}

/** Does a word name one of the options, alone or with a value behind `=`? */
export function namesOption(word: string, { short, long }: OptionSpec): boolean {
  const [name] = word.split('=', 1);
  return name === `--${long}` || (short !== undefined && name === `-${short}`);
}

/** The option whose value is the next word: `--output`, `-o`, and the last of `-qo`. `-ojson` has its value. */
export function takerOf(word: string, options: readonly OptionSpec[]): OptionSpec | undefined {
  const takes = ({ value }: OptionSpec) => value !== undefined;
  if (word.startsWith('--')) return options.find((option) => takes(option) && word === `--${option.long}`);
  if (!word.startsWith('-')) return undefined;
  const letters = [...word.slice(1)].map((letter) => options.find(({ short }) => short === letter));
  const first = letters.findIndex((option) => option === undefined || takes(option));
  return first === letters.length - 1 ? letters[first] : undefined;
}
