import type { Choice, ScreenAbove, SignalName, Verdict } from '../context.ts';
import { CANCELLED_EXIT_CODES, Failure, type FailureDetails } from '../failure.ts';
import type { TerminalKeys, TerminalStreams } from './terminal-keys.ts';

export interface PromptStyle {
  readonly colour: boolean;
  readonly unicode: boolean;
  /** Redrawn with each key; in lines, for screen readers; in lines without escape sequences (TERM=dumb). */
  readonly look: 'drawn' | 'lines' | 'dumb';
}

export interface Question {
  readonly text: string;
  /** The choices; none: the answer is typed. */
  readonly choices?: readonly Choice[];
  readonly isSecret?: boolean;
  /** May pasted text be an answer? Never for a yes or no. */
  readonly takesPaste: boolean;
  /** For a question without pastes: a longer piece was pasted, whatever the terminal says. */
  readonly longest?: number;
  /** Judges a typed answer. With choices: may the text stand for one? */
  judge(answer: string): Verdict;
  show?(answer: string): string;
  /** Is the answer a refusal, which gets no tick? */
  isRefusal?(answer: string): boolean;
  /** Columns of an answer that must not be broken. It gets its own line if the question leaves less. */
  readonly room?: number;
  /** Esc empties the line instead of leaving. */
  readonly keepsAtEscape?: boolean;
  /** The rest of the screen, redrawn with the question, which then leaves no line behind. */
  readonly above?: ScreenAbove | undefined;
}

/** The context of a question. `signal` ends it when no answer can come any more, for the reason in `leave`. */
export interface PromptContext extends TerminalStreams {
  readonly keys: TerminalKeys;
  readonly signal: AbortSignal;
  leave(by: AbortReason): void;
  /** Shows a line while the question is open. */
  tell: (text: string) => void;
  /** A message shown with the question: what was typed too early. */
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

  /** Left by Esc or Ctrl-C, which go one step back if there is one. */
  get isStepBack(): boolean {
    return this.by === 'ctrl_c' || this.by === 'escape';
  }

  /** Keeps how the question was left: the desk goes a step back for one way and leaves for another. */
  override with(details: FailureDetails): PromptAborted {
    return new PromptAborted(this.by, this.cause, super.with(details).details);
  }
}

/** On fewer rows, a menu below a screen has two columns, if its names fit. */
const FEW_ROWS = 28;
const TWO_COLUMNS = 56;

/** Does a list have two columns, in a terminal of that size? */
export function isInTwoColumns({ above }: Pick<Question, 'above'>, columns: number, rows: number): boolean {
  return above !== undefined && rows < FEW_ROWS && columns >= TWO_COLUMNS;
}

/** The input at a question: a text, or the place of an entry in its list. */
export type Given = { readonly text: string; readonly isPasted?: boolean } | { readonly at: number };

/** The answer, if `verdict` is true; else why it is none, and what replaces it in the line. */
type Judged = { readonly answer: string; readonly verdict: Verdict };

/** The message about a paste without an open question. */
export const LOST_PASTE = 'pasted while waiting, not used: press it again';

const NOT_PASTED = 'pasted text is not accepted here. Type the answer';

/** The entries that a text names, by number, name or beginning of a name. */
function named(choices: readonly Choice[], text: string): readonly Choice[] {
  const wanted = text.toLowerCase();
  const byNumber = choices.filter(({ number }, at) => wanted === String(number ?? at + 1));
  if (byNumber.length > 0) return byNumber;
  const whole = choices.filter((choice) => choice.text.toLowerCase() === wanted);
  return whole.length > 0 ? whole : choices.filter((choice) => choice.text.toLowerCase().startsWith(wanted));
}

/** Judges the input: an entry of the list, a text that stands for one, or a typed answer. */
export function judgeGiven(question: Question, given: Given): Judged {
  const { choices, takesPaste } = question;
  if ('at' in given) return { answer: choices?.[given.at]?.value ?? '', verdict: true };
  const { text, isPasted = false } = given;
  if (isPasted && !takesPaste) return { answer: '', verdict: NOT_PASTED };
  if (choices === undefined) return { answer: text, verdict: question.judge(text) };
  const typed = text.trim();
  // A paste may be an ID, and never an entry.
  const [found, second] = isPasted || typed === '' ? [] : named(choices, typed);
  if (found !== undefined && second === undefined) return { answer: found.value, verdict: true };
  if (second !== undefined)
    return { answer: '', verdict: `several entries begin with "${typed}": type more, or a number` };
  const verdict: Verdict = typed === '' ? '' : question.judge(typed);
  if (verdict !== '') return { answer: typed, verdict };
  return { answer: '', verdict: isPasted ? NOT_PASTED : 'type the number of an entry, or the beginning of its name' };
}

/** The width of a terminal, 80 columns if unknown. */
export function columnsOf(output: NodeJS.WritableStream): number {
  return 'columns' in output && typeof output.columns === 'number' && output.columns > 0 ? output.columns : 80;
}

/** What separates a question, whose last line has so many columns, from an answer that must not be broken. */
export function answerGap(room: number, width: number, columns: number): string {
  return room > 0 && width + room > columns && room < columns ? '\n ' : '';
}

/** Why an input is no answer, and what replaces it in the line: nothing, or what was probably meant. */
export function refusalOf(verdict: Exclude<Verdict, true>): { readonly instead: string; readonly why: string } {
  return typeof verdict === 'string' ? { instead: '', why: verdict } : verdict;
}
