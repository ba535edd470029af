import { CARD_ID } from '../api/field.ts';
import type { Failure } from '../failure.ts';
import { shellQuote } from '../files/shell-quote.ts';
import { readCardId } from '../input/values.ts';
import { FLAG_LETTERS } from '../options/common.ts';
import { maskArguments } from './secret-arguments.ts';

/** The words that stand for one that was refused as a card id; undefined: it was not, or names no id. */
function correctedWords(word: string, { faults }: Failure, writes: boolean): readonly string[] | undefined {
  const [, option = '', text = word] = /^(--[^=]+=)(.*)$/s.exec(word) ?? [];
  if (!faults.some(({ refusedId }) => refusedId === text)) return undefined;
  const read = readCardId(text);
  if (read.kind === 'holds') return [`${option}${read.id}`];
  // Which of several is meant to be changed is not guessed; they may all be read.
  return read.kind === 'several' && !writes && option === '' ? read.ids : undefined;
}

const CONFIRMED = new RegExp(`^-[${FLAG_LETTERS}]*y[${FLAG_LETTERS}]*$`);

/** `--yes` is not repeated for another id than was typed: `-qy` becomes `-q`. */
export function withoutYes(word: string): readonly string[] {
  if (!CONFIRMED.test(word)) return word === '--yes' ? [] : [word];
  const rest = word.replaceAll('y', '');
  return rest === '-' ? [] : [rest];
}

/** A refusal of words without quotes (`--reason lost ticket`), with the quoted text as a hint. `texts`: its options. */
export function withQuotesHint(failure: Failure, argv: readonly string[], texts: readonly string[]): Failure {
  if (maskArguments(argv) !== undefined) return failure;
  const refused = failure.faults.flatMap(({ refusedId, unexpected = [] }) => [refusedId, ...unexpected]);
  for (const [index, option] of argv.entries()) {
    if (!texts.includes(option)) continue;
    const end = argv.findIndex((word, at) => at > index + 1 && (word.startsWith('-') || CARD_ID.test(word)));
    const words = argv.slice(index + 1, end === -1 ? argv.length : end);
    if (words.length < 2 || !words.slice(1).some((word) => refused.includes(word))) continue;
    const text = words.join(' ');
    // In double quotes, as people type it, where no character means anything to a shell.
    const quoted = /["$`\\!]/.test(text) ? shellQuote(text) : `"${text}"`;
    return failure.with({}, [`put the text in quotes: ${option} ${quoted}`, ...failure.hints]);
  }
  return failure;
}

/** A refusal of words that hold card ids, with the command line to paste as a hint, if nothing else is wrong. */
export function withCleanedCommand(failure: Failure, argv: readonly string[], writes: boolean): Failure {
  const end = argv.indexOf('--');
  const corrected = new Map(argv.map((word) => [word, correctedWords(word, failure, writes)] as const));
  const found = [...corrected.values()].flatMap((words) => words ?? []);
  const faults = failure.parts?.problems.length ?? 1;
  const refused = [...corrected.values()].filter((words) => words !== undefined).length;
  if (refused === 0 || faults !== refused) return failure;
  if (maskArguments(argv) !== undefined) {
    return failure.with({}, [`give the id alone: ${found.join(' ')}`, ...failure.hints]);
  }
  const isOption = (index: number) => end === -1 || index < end;
  const line = argv.flatMap((word, index) => corrected.get(word) ?? (isOption(index) ? withoutYes(word) : [word]));
  const command = `frontdesk ${line.map((word) => shellQuote(word)).join(' ')}`;
  return failure.with({}, [`check the id, then run: ${command}`, ...failure.hints]);
}
