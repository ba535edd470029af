import { JsonNumber, type JsonValue } from '../json/value.ts';
import { type Arguments, defineFunction, type QueryFunction } from './query-signature.ts';
import { QueryProblem } from './query-values.ts';

const WHITE_SPACE = /^[\s\u0085]$/u;

function find(given: Arguments, last: boolean): JsonValue {
  const subject = [...given.text(0)];
  const wanted = [...given.text(1)];
  const start = Math.max(0, given.integer(2, 0));
  const end = Math.min(subject.length, given.integer(3, subject.length));
  if (subject.length === 0 || wanted.length === 0) return null;
  let found: number | undefined;
  for (let at = start; at + wanted.length <= end; at += 1) {
    if (!wanted.every((character, index) => subject[at + index] === character)) continue;
    found = at;
    if (!last) break;
  }
  return found === undefined ? null : new JsonNumber(String(found));
}

function padding(name: string, given: Arguments): string {
  const pad = given.all().length > 2 ? given.text(2) : ' ';
  if ([...pad].length !== 1) throw new QueryProblem(`${name}() wants one character to pad with`);
  const width = given.integer(1, 0);
  if (width < 0 || width > 1_000_000) throw new QueryProblem(`${name}() wants a width from 0 to 1000000`);
  return pad.repeat(Math.max(0, width - [...given.text(0)].length));
}

function join(given: Arguments): JsonValue {
  const texts = given.array(1).map((item) => {
    if (typeof item !== 'string') throw new QueryProblem('join() wants an array of strings');
    return item;
  });
  return texts.join(given.text(0));
}

/** The parts between the first `limit` separators; the rest stays in the last part. */
function parts(subject: string, separator: string, limit: number): string[] {
  const all = separator === '' ? [...subject] : subject.split(separator);
  return all.length <= limit + 1 ? all : [...all.slice(0, limit), all.slice(limit).join(separator)];
}

function limitOf(name: string, given: Arguments, index: number): number {
  const limit = given.integer(index, Number.MAX_SAFE_INTEGER);
  if (limit < 0) throw new QueryProblem(`${name}() wants a count of 0 or more`);
  return limit;
}

function trim(given: Arguments, atStart: boolean, atEnd: boolean): JsonValue {
  const subject = [...given.text(0)];
  const chosen = given.all().length > 1 ? given.text(1) : '';
  const isTrimmed = (character: string | undefined): boolean => {
    if (character === undefined) return false;
    return chosen === '' ? WHITE_SPACE.test(character) : [...chosen].includes(character);
  };
  let start = 0;
  let end = subject.length;
  while (atStart && start < end && isTrimmed(subject[start])) start += 1;
  while (atEnd && end > start && isTrimmed(subject[end - 1])) end -= 1;
  return subject.slice(start, end).join('');
}

/** The functions of JMESPath on texts. Positions and widths count code points. */
export const TEXT_FUNCTIONS: readonly QueryFunction[] = [
  defineFunction('ends_with', 2, 2, (given) => given.text(0).endsWith(given.text(1))),
  defineFunction('find_first', 2, 4, (given) => find(given, false)),
  defineFunction('find_last', 2, 4, (given) => find(given, true)),
  defineFunction('join', 2, 2, join),
  defineFunction('lower', 1, 1, (given) => given.text(0).toLowerCase()),
  defineFunction('pad_left', 2, 3, (given) => padding('pad_left', given) + given.text(0)),
  defineFunction('pad_right', 2, 3, (given) => given.text(0) + padding('pad_right', given)),
  defineFunction('replace', 3, 4, (given) =>
    parts(given.text(0), given.text(1), limitOf('replace', given, 3)).join(given.text(2)),
  ),
  defineFunction('split', 2, 3, (given) => parts(given.text(0), given.text(1), limitOf('split', given, 2))),
  defineFunction('starts_with', 2, 2, (given) => given.text(0).startsWith(given.text(1))),
  defineFunction('trim', 1, 2, (given) => trim(given, true, true)),
  defineFunction('trim_left', 1, 2, (given) => trim(given, true, false)),
  defineFunction('trim_right', 1, 2, (given) => trim(given, false, true)),
  defineFunction('upper', 1, 1, (given) => given.text(0).toUpperCase()),
];
