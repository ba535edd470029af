import type { Fault } from '../failure.ts';
import type { JsonValue } from '../json/value.ts';
import { lastValue, type RawInput } from '../options/raw-input.ts';
import type { Column } from '../output/column.ts';
import { meantBy } from '../output/nearest.ts';
import type { Session } from '../session.ts';

/** Is the result read by a person, who is told what an empty list means? */
export function isForPeople({ output, context }: Session): boolean {
  return output.format === 'table' && context.stdout.isTerminal;
}

/**
 * Prints a list of what this machine keeps. On a terminal an empty one is a sentence that says what would fill it;
 * everywhere else it is an empty list.
 */
export async function printList(
  session: Session,
  list: { readonly document: JsonValue; readonly rows: readonly JsonValue[]; readonly columns: readonly Column[] },
  whenEmpty: string,
): Promise<void> {
  if (list.rows.length > 0 || !isForPeople(session)) return session.print({ kind: 'list', ...list });
  return session.print({ kind: 'text', text: whenEmpty, json: list.document });
}

/** One of a few words, or a fault with the nearest of them. */
export function readOneOf<Word extends string>(
  text: string | undefined,
  words: readonly Word[],
  where: string,
  faults: Fault[],
): Word | undefined {
  const known = words.find((word) => word === text);
  if (text !== undefined && known === undefined) {
    faults.push({ where, problem: `must be one of ${words.join(', ')}, not "${text}"${meantBy(text, words)}` });
  }
  return known;
}

/** `--limit` of a list; 50 when it is not given. */
export function readLimit(input: RawInput, faults: Fault[]): number {
  const text = lastValue(input, 'limit') ?? '50';
  const limit = /^[1-9][0-9]{0,6}$/.test(text) ? Number(text) : undefined;
  if (limit === undefined)
    faults.push({ where: '--limit', problem: `must be a whole number from 1 to 9999999, not "${text}"` });
  return limit ?? 50;
}
