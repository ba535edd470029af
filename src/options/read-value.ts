import { AGE_FORMS, DURATION_FORMS, parseAge, parseDuration } from '../input/duration.ts';
import { quoteGiven } from '../input/given.ts';
import { MOMENT_FORMS, parseMoment } from '../input/moment.ts';
import { parseShard } from '../input/records/shard.ts';
import { meantBy } from '../output/nearest.ts';
import { parseMaxFailures, parseRate } from './limits.ts';
import type { KindValues, Span, ValueSpec, When } from './option.ts';

/** A text read as a value, or what is wrong with it (to be put after the name of its source). */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

/** What a kind looks at of a declaration. */
type Limits = Pick<ValueSpec, 'choices' | 'min' | 'max' | 'notStdin'>;

function found<Value>(value: Value): Reading<Value> {
  return { ok: true, value };
}

function bad(problem: string): Reading<never> {
  return { ok: false, problem };
}

/** `true or false`, `one of table, json, ndjson, csv`. */
export function choiceWords(choices: readonly string[]): string {
  return choices.length === 2 ? choices.join(' or ') : `one of ${choices.join(', ')}`;
}

/** `must be true or false, not "yes"`, with the nearest choice when there is one. */
function choiceProblem(value: string, choices: readonly string[]): string {
  return `must be ${choiceWords(choices)}, not ${quoteGiven(value)}${meantBy(value, choices)}`;
}

function readCount(text: string, { min = 1, max = 9_999_999 }: Limits): Reading<number> {
  const value = /^(?:0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return found(value);
  return bad(`must be a whole number from ${min} to ${max}, not ${quoteGiven(text)}`);
}

const DAY_MS = 86_400_000;

/** How a time is typed: what it is called, in which forms, and how long it can be where no less is declared. */
interface TimeForm {
  readonly noun: string;
  readonly forms: string;
  readonly most: string;
  parse(text: string): number | undefined;
}

const WAIT: TimeForm = { noun: 'a duration', forms: DURATION_FORMS, most: '7d', parse: parseDuration };
const AGE: TimeForm = { noun: 'an age', forms: AGE_FORMS, most: '100 years', parse: parseAge };
const LIFETIME: TimeForm = { ...AGE, noun: 'a duration' };

function readTime({ noun, forms, most, parse }: TimeForm, text: string, { min = 0, max }: Limits): Reading<Span> {
  const ms = parse(text);
  if (ms === undefined) return bad(`must be ${noun} such as ${forms}, not ${quoteGiven(text)}`);
  if (ms >= min && (max === undefined || ms <= max)) return found({ text, ms });
  const limit = max === undefined ? most : `${max / DAY_MS}d`;
  return bad(`must be ${min > 0 ? 'more than 0 and ' : ''}at most ${limit}, not ${quoteGiven(text)}`);
}

function readWhen(text: string): Reading<When> {
  const moment = (nowMs: number) => parseMoment(text, nowMs);
  const known = moment(0);
  if (known === undefined) return bad(`must be an age or a date such as ${MOMENT_FORMS}, not ${quoteGiven(text)}`);
  return found({ text, at: (nowMs) => moment(nowMs) ?? known });
}

function readChoices(text: string, { choices = [] }: Limits): Reading<readonly string[]> {
  const named = (word: string) => choices.find((choice) => choice.toLowerCase() === word.toLowerCase()) ?? word;
  const words = text.split(',').map((word) => named(word.trim()));
  const unknown = words.find((word) => !choices.includes(word));
  return unknown === undefined ? found(words) : bad(choiceProblem(unknown, choices));
}

function readPath(text: string, { notStdin }: Limits): Reading<string> {
  return (text === '-' || text === '') && notStdin !== undefined ? bad(`must be ${notStdin}`) : found(text);
}

function or<Value>(value: Value | undefined, problem: string, text: string): Reading<Value> {
  return value === undefined ? bad(`must be ${problem}, not ${quoteGiven(text)}`) : found(value);
}

type Readers = {
  readonly [Kind in keyof KindValues]: (text: string, spec: Limits) => Reading<KindValues[Kind]>;
};

const READERS: Readers = {
  text: found,
  cardId: found,
  path: readPath,
  duration: (text, spec) => readTime(WAIT, text, spec),
  age: (text, spec) => readTime(AGE, text, spec),
  lifetime: (text, spec) => readTime(LIFETIME, text, spec),
  moment: readWhen,
  count: readCount,
  rate: (text) => or(parseRate(text), 'requests a second, such as 5 or 5/s', text),
  failures: (text) => or(parseMaxFailures(text), 'a number of rows or a percentage, such as 20 or 5%', text),
  shard(text) {
    const shard = parseShard(text);
    return 'problem' in shard ? bad(shard.problem) : found(shard);
  },
  choice: (text, { choices = [] }) => readChoice(choices, text),
  list: (text) => found(text.split(',')),
  choices: readChoices,
};

/** The value of a text as one of the choices of its declaration, or what is wrong with it. */
export function readChoice<Choice extends string>(choices: readonly Choice[], text: string): Reading<Choice> {
  const choice = choices.find((candidate) => candidate === text);
  return choice === undefined ? bad(choiceProblem(text, choices)) : found(choice);
}

/** The value of a text as its declaration has it, or what is wrong with it. */
export function readValue<Kind extends keyof KindValues>(
  spec: Limits & { readonly kind: Kind },
  text: string,
): Reading<KindValues[Kind]> {
  return READERS[spec.kind](text, spec);
}
