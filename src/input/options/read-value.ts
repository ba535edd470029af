import type { Fault } from '../../base/failure.ts';
import { unexpandedProblem } from '../../base/files/paths.ts';
import { didYouMean } from '../../screen/nearest.ts';
import { parseIsoDate } from '../../service/api/iso-date.ts';
import { parseShard } from '../records/shard.ts';
import { quoteValue } from '../values.ts';
import { COMMON_OPTIONS } from './common.ts';
import { parseMaxFailures, parseRate } from './limits.ts';
import {
  type ArgumentSpec,
  type KindValues,
  type Moment,
  nameOf,
  type OptionSpec,
  type RawInput,
  type Span,
  type ValueSpec,
} from './option.ts';
import { windowsNameProblem } from './windows-name.ts';

/** A value, or what is wrong with it, for a sentence after its source. */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

const DAY_MS = 86_400_000;

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', DAY_MS],
  ['w', 7 * DAY_MS],
]);

/** Longer than any sensible wait, and below the 24.8 days at which a timer overflows. */
const MAX_WAIT_MS = 7 * DAY_MS;
/** 100 years. */
const MAX_AGE_MS = 36_525 * DAY_MS;

/** Milliseconds of a typed time. A plain number is none. */
function parseTime(text: string): number {
  const [, digits, unit = ''] = /^([0-9]{1,12})([a-z]+)$/.exec(text) ?? [];
  return Number(digits) * (UNIT_MS.get(unit) ?? Number.NaN);
}

/** The forms of a moment of the past, for messages. */
export const MOMENT_FORMS = '24h, 7d, 2w, yesterday or 2026-11-01';

const NANOSECONDS_OF_MS = 1_000_000n;

/** A day of this machine's zone, which may have 23 or 25 hours. */
function dayOf(year: number, month: number, day: number): Moment {
  return { fromMs: new Date(year, month, day).getTime(), toMs: new Date(year, month, day + 1).getTime() };
}

/** A moment as typed: an age, `today`, `yesterday`, or an ISO 8601 date or date-time (local without a zone) that exists. */
function parseMoment(text: string, nowMs: number): Moment | undefined {
  const age = parseTime(text);
  if (age <= MAX_AGE_MS) return { fromMs: nowMs - age, toMs: nowMs - age };
  const now = new Date(nowMs);
  if (text === 'today' || text === 'yesterday') {
    return dayOf(now.getFullYear(), now.getMonth(), now.getDate() - (text === 'today' ? 0 : 1));
  }
  const date = parseIsoDate(text);
  if ('problem' in date) return undefined;
  const day = new Date(date.dayMs);
  const [year, month, dayOfMonth] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()];
  if (date.clock === undefined) return dayOf(year, month, dayOfMonth);
  const clockMs = Number(date.clock / NANOSECONDS_OF_MS);
  const { offsetMinutes } = date;
  const timeMs =
    offsetMinutes === undefined
      ? new Date(year, month, dayOfMonth, 0, 0, 0, clockMs).getTime()
      : day.getTime() + clockMs - offsetMinutes * 60_000;
  return { fromMs: timeMs, toMs: timeMs };
}

/** What a kind needs of a declaration. */
type Limits = Pick<ValueSpec, 'choices' | 'min' | 'max' | 'notStdin' | 'makes'>;

export function found<Value>(value: Value): Reading<Value> {
  return { ok: true, value };
}

export function bad(problem: string): Reading<never> {
  return { ok: false, problem };
}

/** `true or false`, `one of table, json, ndjson, csv`. */
export function choiceWords(choices: readonly string[]): string {
  return choices.length === 2 ? choices.join(' or ') : `one of ${choices.join(', ')}`;
}

/** `must be true or false, not "yes"`, with the nearest choice when there is one. */
function choiceProblem(value: string, choices: readonly string[]): string {
  return `must be ${choiceWords(choices)}, not ${quoteValue(value)}${didYouMean(value, choices)}`;
}

/** `what`: `an age such as 90d`. */
function readTime(what: string, text: string, min: number, max: number): Reading<Span> {
  const ms = parseTime(text);
  if (ms >= min && ms <= max) return found({ text, ms });
  const limits = `${min > 0 ? 'more than 0 and ' : ''}at most ${max / DAY_MS}d`;
  return bad(`must be ${what}, ${limits}, not ${quoteValue(text)}`);
}

function or<Value>(value: Value | undefined, problem: string, text: string): Reading<Value> {
  return value === undefined ? bad(`must be ${problem}, not ${quoteValue(text)}`) : found(value);
}

type Readers = { readonly [Kind in keyof KindValues]: (text: string, spec: Limits) => Reading<KindValues[Kind]> };

const READERS: Readers = {
  text: found,
  cardId: found,
  path(text, { notStdin, makes }) {
    if ((text === '-' || text === '') && notStdin !== undefined) return bad(`must be ${notStdin}`);
    if (text === '') return bad('is empty');
    const problem = unexpandedProblem(text) ?? (makes === undefined ? undefined : windowsNameProblem(text));
    return problem === undefined ? found(text) : bad(problem);
  },
  duration: (text, { min = 0, max = MAX_WAIT_MS }) =>
    readTime('a duration such as 500ms, 30s, 2m, 1h or 7d', text, min, max),
  age: (text, { min = 0 }) => readTime('an age such as 30s, 2m, 24h, 90d or 2w', text, min, MAX_AGE_MS),
  moment(text) {
    const moment = (nowMs: number) => parseMoment(text, nowMs);
    const known = moment(0);
    if (known === undefined) return bad(`must be an age or a date such as ${MOMENT_FORMS}, not ${quoteValue(text)}`);
    return found({ text, at: (nowMs: number) => moment(nowMs) ?? known });
  },
  count(text, { min = 1, max = 9_999_999 }) {
    const value = /^(?:0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return found(value);
    return bad(`must be a whole number from ${min} to ${max}, not ${quoteValue(text)}`);
  },
  rate: (text) => or(parseRate(text), '1 to 999999 requests a second or a minute, such as 5, 5/s or 30/m', text),
  failures: (text) =>
    or(parseMaxFailures(text), 'a number of rows (at least 1) or a percentage (at most 100%), such as 20 or 5%', text),
  shard: (text) => or(parseShard(text), 'i/n with i from 1 to n, such as 1/4', text),
  choice: (text, { choices = [] }) => readChoice(choices, text),
  list: (text) => found(text.split(',')),
  choices(text, { choices = [] }) {
    const named = (word: string) => choices.find((choice) => choice.toLowerCase() === word.toLowerCase()) ?? word;
    const words = text.split(',').map((word) => named(word.trim()));
    const unknown = words.find((word) => !choices.includes(word));
    return unknown === undefined ? found(words) : bad(choiceProblem(unknown, choices));
  },
};

export function readChoice<Choice extends string>(choices: readonly Choice[], text: string): Reading<Choice> {
  const choice = choices.find((candidate) => candidate === text);
  return choice === undefined ? bad(choiceProblem(text, choices)) : found(choice);
}

/** The typed value of the declared kind, or what is wrong with it. */
export function readValue<Kind extends keyof KindValues>(
  spec: Limits & { readonly kind: Kind },
  text: string,
): Reading<KindValues[Kind]> {
  return READERS[spec.kind](text, spec);
}

/** The values of one command line by name. Their declarations have the types. */
export type NamedValues = Readonly<Record<string, unknown>>;

function read(spec: ValueSpec, place: Omit<Fault, 'problem'>, text: string, faults: Fault[]): unknown {
  const reading = readValue({ ...spec, kind: spec.kind ?? 'text' }, text);
  if (reading.ok) return reading.value;
  faults.push({ ...place, problem: reading.problem });
  return undefined;
}

function readOption(option: OptionSpec, texts: readonly (string | true)[], faults: Fault[]): unknown {
  const where = `--${option.long}`;
  const place = option.field === undefined ? { where } : { where, field: option.field };
  if (option.value === undefined) return texts.length > 0;
  const typed = texts.filter((text) => text !== true);
  if (option.repeatable === true) {
    return typed.map((text) => read(option, place, text, faults)).filter((value) => value !== undefined);
  }
  // Of an option of every command the last one counts, as an alias that gives it needs.
  if (new Set(typed).size > 1 && !COMMON_OPTIONS.some(({ long }) => long === option.long)) {
    faults.push({ ...place, problem: 'is given more than once, with different values' });
  }
  const text = typed.at(-1) ?? option.default;
  return text === undefined ? undefined : read(option, place, text, faults);
}

/** What is wrong with this option beside the others. */
function conflictsOf({ long, excludes = {}, needs }: OptionSpec, isSet: (name: string) => boolean): readonly Fault[] {
  const own = `--${long}`;
  const excluded = Object.entries(excludes).filter(([name]) => isSet(name));
  return [
    ...excluded.map(([name, reason]) => ({
      where: name.startsWith('<') ? `${name} and ${own}` : `${own} and --${name}`,
      problem: reason === '' ? 'exclude each other' : `exclude each other: ${reason}`,
    })),
    ...(needs === undefined || isSet(needs) ? [] : [{ where: own, problem: `belongs to --${needs}` }]),
  ];
}

/** The values of options by name. Faults are added to `faults`, and faulty values left out. */
export function readOptions(options: readonly OptionSpec[], input: RawInput, faults: Fault[]): NamedValues {
  const isSet = (name: string) => input.options.has(name) || (name.startsWith('<') && input.words.length > 0);
  return Object.fromEntries(
    options.map((option) => {
      if (input.options.has(option.long)) faults.push(...conflictsOf(option, isSet));
      return [nameOf(option.long), readOption(option, input.options.get(option.long) ?? [], faults)];
    }),
  );
}

export function readArguments(specs: readonly ArgumentSpec[], words: readonly string[], faults: Fault[]): NamedValues {
  return Object.fromEntries(
    specs.map((spec, at) => {
      if (spec.variadic === true) return [spec.name, words.slice(at)];
      const word = words[at];
      return [spec.name, word === undefined ? undefined : read(spec, { where: `<${spec.name}>` }, word, faults)];
    }),
  );
}

/** A missing argument or option that is required. */
export type Missing = ReturnType<typeof missingOf>[number];

/** What a command line lacks, without what the command asks for itself. */
export function missingOf(
  specs: { readonly arguments: readonly ArgumentSpec[]; readonly options: readonly OptionSpec[] },
  { words, options }: RawInput,
) {
  const missing = (spec: ValueSpec, isSet: boolean, name: string, where: string) => {
    if (spec.required !== true || spec.isOwnQuestion === true || isSet) return [];
    const which = spec.choices === undefined ? '' : `: ${choiceWords(spec.choices)}`;
    return [{ name, spec, fault: { where, problem: `is required${which}` } }];
  };
  return [
    ...specs.arguments.flatMap((spec, at) => missing(spec, at in words, spec.name, `<${spec.name}>`)),
    ...specs.options.flatMap((spec) => missing(spec, options.has(spec.long), nameOf(spec.long), `--${spec.long}`)),
  ];
}
