import type { Choice, Verdict } from '../../base/context.ts';
import { displayWidth } from '../../screen/cut-text.ts';
import { breakLine, safeText } from '../../screen/text.ts';
import { LOST_PASTE, type Question } from './prompt-context.ts';

/** On fewer rows, a menu below a screen has two columns, if its names fit. */
const FEW_ROWS = 28;
const TWO_COLUMNS = 56;

/** What stands around the name of an entry: the pointer, its number, and a gap. */
const AROUND_NAME = 6;

/** Does a list have two columns, in a terminal of that size? */
export function isInTwoColumns(
  { above, choices = [] }: Pick<Question, 'above' | 'choices'>,
  columns: number,
  rows: number,
): boolean {
  const fits = choices.every(({ text }) => displayWidth(text) + AROUND_NAME <= columns / 2);
  return above !== undefined && rows < FEW_ROWS && columns >= TWO_COLUMNS && fits;
}

/** The input at a question: a text, or the place of an entry in its list. */
export type PromptInput = { readonly text: string; readonly isPasted?: boolean } | { readonly at: number };

/** The answer, if `verdict` is true; else why it is none, and what replaces it in the line. */
type Judged = { readonly answer: string; readonly verdict: Verdict };

/** The entries that a text names, by number, name or beginning of a name. */
function named(choices: readonly Choice[], text: string): readonly Choice[] {
  const wanted = text.toLowerCase();
  const byNumber = choices.filter(({ number }, at) => wanted === String(number ?? at + 1));
  if (byNumber.length > 0) return byNumber;
  const whole = choices.filter((choice) => choice.text.toLowerCase() === wanted);
  return whole.length > 0 ? whole : choices.filter((choice) => choice.text.toLowerCase().startsWith(wanted));
}

/** Judges the input: an entry of the list, a text that stands for one, or a typed answer. */
export function judgeInput(question: Question, input: PromptInput): Judged {
  const { choices, takesPaste } = question;
  if ('at' in input) return { answer: choices?.[input.at]?.value ?? '', verdict: true };
  const { text, isPasted = false } = input;
  if (isPasted && !takesPaste) return { answer: '', verdict: LOST_PASTE };
  if (choices === undefined) return { answer: text, verdict: question.judge(text) };
  const typed = text.trim();
  // A paste may be an ID, and never an entry.
  const [found, second] = isPasted || typed === '' ? [] : named(choices, typed);
  if (found !== undefined && second === undefined) return { answer: found.value, verdict: true };
  if (second !== undefined)
    return { answer: '', verdict: `several entries begin with "${typed}": type more, or a number` };
  const verdict: Verdict = typed === '' ? '' : question.judge(typed, isPasted);
  if (verdict !== '') return { answer: typed, verdict };
  return { answer: '', verdict: isPasted ? LOST_PASTE : 'type the number of an entry, or the beginning of its name' };
}

/** The width of a terminal, 80 columns if unknown. */
export function columnsOf(output: NodeJS.WritableStream): number {
  return 'columns' in output && typeof output.columns === 'number' && output.columns > 0 ? output.columns : 80;
}

/** What separates a question, whose last line has so many columns, from an answer that must not be broken. */
export function answerGap(room: number, width: number, columns: number): string {
  return room > 0 && width + room > columns && room < columns ? '\n ' : '';
}

/** A message with a question. */
export function noteText(note: string, columns: number): string {
  return breakLine(safeText(note), columns - 2).join('\n  ');
}

/** Why an input is no answer, and what replaces it in the line: nothing, or what was probably meant. */
export function refusalOf(verdict: Exclude<Verdict, true>): { readonly instead: string; readonly why: string } {
  return typeof verdict === 'string' ? { instead: '', why: verdict } : verdict;
}
