import type { ScreenAbove, SignalName, Verdict } from '../context.ts';
import { CANCELLED_EXIT_CODES, Failure, type FailureDetails } from '../failure.ts';
import type { TerminalKeys, TerminalStreams } from './terminal-keys.ts';

export interface PromptStyle {
  readonly colour: boolean;
  readonly unicode: boolean;
  /** Drawn over with each key; in lines, for screen readers; in lines without escape sequences (TERM=dumb). */
  readonly look: 'drawn' | 'lines' | 'dumb';
}

/** An entry of a list. Its number is its own: where others are not offered it stays. */
export interface Choice {
  readonly value: string;
  /** Its name, by whose beginning it can be chosen. */
  readonly text: string;
  readonly remark?: string | undefined;
  /** Its place in the list unless it says another. */
  readonly number?: number;
}

export interface Question {
  readonly text: string;
  /** What may be chosen; none: the answer is typed. */
  readonly choices?: readonly Choice[];
  readonly isSecret?: boolean;
  /** Whether text that was pasted may stand in the answer: never in a yes or no. */
  readonly takesPaste: boolean;
  /** Of a question that takes none: a piece longer than this was pasted, whatever the terminal says. */
  readonly longest?: number;
  /** What a typed answer is worth. Where there are choices: whether a text may stand for one. */
  judge(answer: string): Verdict;
  show?(answer: string): string;
  /** Whether the answer is a refusal, which gets no tick. */
  isRefusal?(answer: string): boolean;
  /** Columns of an answer that is not to be broken: it has a line of its own where the question leaves less. */
  readonly room?: number;
  /** Esc empties the line in place of leaving. */
  readonly keepsAtEscape?: boolean;
  /** What the rest of the screen shows; drawn anew with the question, which then leaves no line of its own. */
  readonly above?: ScreenAbove | undefined;
}

/** What a question is asked with: `signal` ends it when no answer can come any more, which `leave` reports. */
export interface PromptContext extends TerminalStreams {
  readonly keys: TerminalKeys;
  readonly signal: AbortSignal;
  leave(by: AbortReason): void;
  /** Shows a line to the person while the question stands there. */
  tell: (text: string) => void;
  /** Said with the question, when it is asked: what was typed too early. */
  readonly note?: string | undefined;
}

export type AbortReason = 'ctrl_c' | 'escape' | 'end' | 'leave' | SignalName;

/** A question that was left without an answer. */
export class PromptAborted extends Failure {
  readonly by: AbortReason;

  constructor(by: AbortReason, cause: unknown, details: FailureDetails = {}) {
    const isSignal = by === 'SIGTERM' || by === 'SIGHUP';
    super('CANCELLED', `cancelled${isSignal ? ` by ${by}` : ''} at a question`, {
      after: 'unsent',
      details: { outcome: 'not_sent', ...details },
      exitCode: CANCELLED_EXIT_CODES[isSignal ? by : 'SIGINT'],
      cause,
    });
    this.by = by;
  }

  /** Left by Esc or Ctrl-C: one step back, where there is one. */
  get isStepBack(): boolean {
    return this.by === 'ctrl_c' || this.by === 'escape';
  }

  /** How it was left is still known where more was added: the desk goes a step back for one and leaves for another. */
  override with(details: FailureDetails): PromptAborted {
    return new PromptAborted(this.by, this.cause, super.with(details).details);
  }
}

/** Below so many rows the entries of a menu that has a screen above it stand in two columns, where their names fit. */
const FEW_ROWS = 28;
const TWO_COLUMNS = 56;

/** Whether the entries of a list stand in two columns, on a terminal of that size. */
export function isInTwoColumns({ above }: Pick<Question, 'above'>, columns: number, rows: number): boolean {
  return above !== undefined && rows < FEW_ROWS && columns >= TWO_COLUMNS;
}

/** What was given at a question: a text, or the place of an entry in its list. */
export type Given = { readonly text: string; readonly isPasted?: boolean } | { readonly at: number };

/** What came is the answer (`true`), or why it is none, and what stands in the line instead. */
type Judged = { readonly answer: string; readonly verdict: Verdict };

/** Said of a paste that was thrown away, because no question stood there yet or any more. */
export const LOST_PASTE = 'pasted while waiting, not used: press it again';

const NOT_PASTED = 'pasted text is not accepted here. Type the answer';

/** The entries whose number or name a text gives: its number, its name, or the beginning of a name. */
function named(choices: readonly Choice[], text: string): readonly Choice[] {
  const wanted = text.toLowerCase();
  const byNumber = choices.filter(({ number }, at) => wanted === String(number ?? at + 1));
  if (byNumber.length > 0) return byNumber;
  const whole = choices.filter((choice) => choice.text.toLowerCase() === wanted);
  return whole.length > 0 ? whole : choices.filter((choice) => choice.text.toLowerCase().startsWith(wanted));
}

/** Judges what was given: an entry of the list, a text that stands for one, or a typed answer. */
export function judgeGiven(question: Question, given: Given): Judged {
  const { choices, takesPaste } = question;
  if ('at' in given) return { answer: choices?.[given.at]?.value ?? '', verdict: true };
  const { text, isPasted = false } = given;
  if (isPasted && !takesPaste) return { answer: '', verdict: NOT_PASTED };
  if (choices === undefined) return { answer: text, verdict: question.judge(text) };
  const typed = text.trim();
  // A paste may be an id, and is never an entry.
  const [found, second] = isPasted || typed === '' ? [] : named(choices, typed);
  if (found !== undefined && second === undefined) return { answer: found.value, verdict: true };
  if (second !== undefined)
    return { answer: '', verdict: `several entries begin with "${typed}": type more, or a number` };
  const verdict: Verdict = typed === '' ? '' : question.judge(typed);
  if (verdict !== '') return { answer: typed, verdict };
  return { answer: '', verdict: isPasted ? NOT_PASTED : 'type the number of an entry, or the beginning of its name' };
}

/** The width of a terminal, 80 columns where it does not say. */
export function columnsOf(output: NodeJS.WritableStream): number {
  return 'columns' in output && typeof output.columns === 'number' && output.columns > 0 ? output.columns : 80;
}

/** What separates a question, whose last line has so many columns, from an answer that is not to be broken. */
export function answerGap(room: number, width: number, columns: number): string {
  return room > 0 && width + room > columns && room < columns ? '\n ' : '';
}

/** Why an answer was none, and what stands in the line instead: nothing, or what was meant by it. */
export function refusalOf(verdict: Exclude<Verdict, true>): { readonly instead: string; readonly why: string } {
  return typeof verdict === 'string' ? { instead: '', why: verdict } : verdict;
}
