import { PassThrough } from 'node:stream';
import { input } from '@inquirer/prompts';
import { displayWidth } from '../../screen/cut-text.ts';
import { breakLine, safeText } from '../../screen/text.ts';
import {
  AROUND_ANSWER,
  type Insert,
  masked,
  type Standing,
  select,
  shownLine,
  type Theme,
  themeOf,
} from './inquirer.ts';
import type { PromptContext, PromptStyle, Question } from './prompt-context.ts';
import {
  answerGap,
  columnsOf,
  isInTwoColumns,
  judgeInput,
  noteText,
  type PromptInput,
  refusalOf,
} from './prompt-input.ts';
import { pastedLine } from './terminal-keys.ts';

/** Erases the screen, and puts the cursor at its beginning. */
const CLEAR = '\u001b[H\u001b[2J';
const CTRL_Z = '\u001a';
/** Ctrl-U: readline erases what stands before the cursor. */
const EMPTY_LINE = '\u0015';
/** `? ` before a question, and room for an answer after it. */
const AROUND_QUESTION = 8;
/** In place of what stays together: safe text has no control characters. */
const HELD = '\u0003';
/** A question too long for one line, broken between words. The offered answers stay together where they fit. */
function breakQuestion({ text, room = 0 }: Question, columns: number): string {
  const width = columns - AROUND_QUESTION;
  const held = safeText(text).replace(/\([^()]*\)$/, (answers) =>
    displayWidth(answers) > width ? answers : answers.replaceAll(' ', HELD),
  );
  const lines = breakLine(held, width).map((line) => line.replaceAll(HELD, ' '));
  return lines.join('\n  ') + answerGap(room, AROUND_ANSWER + displayWidth(lines.at(-1) ?? ''), columns);
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : '';
}

/** Text without keys, which is drawn once. */
const PLAIN_TEXT = /^[^\p{Cc}]{2,}$/u;

/** The widths of the lines into which a prompt breaks a text. */
function brokenLines(text: string, columns: number): readonly number[] {
  return text.split('\n').flatMap((line) => {
    const width = displayWidth(line);
    return [...Array.from({ length: Math.floor(width / columns) }, () => columns), width % columns];
  });
}

/** Rows of lines that a terminal has broken. */
function rowsOf(widths: readonly number[], columns: number): number {
  return widths.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0);
}

/** One question, redrawn with each key, with each message, and when the screen changes. */
class DrawnQuestion {
  readonly #asking: PromptContext;
  readonly #question: Question;
  readonly #style: PromptStyle;
  readonly #theme: Theme;
  readonly #standing: Standing = { line: '', at: 0, note: undefined };
  /** Ends the current drawing, for the next one. */
  #again = new AbortController();
  /** What the last refusal left in the line. */
  #refused = '';
  #isSuspending = false;
  #insert: Insert | undefined;
  /** The width of the drawing; undefined: there is none. */
  #drawnColumns: number | undefined;
  #rowsAbove = 0;

  constructor(asking: PromptContext, question: Question, style: PromptStyle) {
    this.#asking = asking;
    this.#question = question;
    this.#style = style;
    this.#theme = themeOf(style);
    this.#standing.note = asking.note;
  }

  async ask(): Promise<string> {
    const resized = () => this.#resized();
    const { output } = this.#asking;
    this.#asking.tell = (text) => this.#redraw(text);
    output.on('resize', resized);
    try {
      for (;;) {
        const input = await this.#drawn();
        this.#wipe();
        if (this.#isSuspending) await this.#suspend();
        if (input === undefined) continue;
        const { answer, verdict } = judgeInput(this.#question, input);
        if (verdict === true) return this.#answered(answer);
        const { instead, why } = refusalOf(verdict);
        this.#refused = instead;
        Object.assign(this.#standing, { line: instead, note: why });
      }
    } catch (error) {
      if (this.#question.above !== undefined) output.write(CLEAR);
      throw error;
    } finally {
      output.off('resize', resized);
    }
  }

  get #columns(): number {
    return columnsOf(this.#asking.output);
  }

  get #rows(): number {
    const { output } = this.#asking;
    return 'rows' in output && typeof output.rows === 'number' ? output.rows : 24;
  }

  #answered(answer: string): string {
    const { choices, show, isRefusal, isSecret, above } = this.#question;
    if (above !== undefined && choices !== undefined) return answer;
    const name = choices?.find(({ value }) => value === answer)?.text ?? show?.(answer) ?? answer;
    const shown = isSecret === true ? '*'.repeat(answer.length) : safeText(name);
    const { prefix, style } = this.#theme;
    const marks = typeof prefix === 'string' ? { idle: prefix, done: prefix } : prefix;
    const mark = isRefusal?.(answer) === true ? '-' : marks.done;
    const message = style.message(breakQuestion(this.#question, this.#columns), 'done');
    this.#asking.output.write(`${mark} ${message} ${style.answer(shown)}\n`);
    return answer;
  }

  /** Draws the question once, until there is an answer; undefined: draw it again. */
  async #drawn(): Promise<PromptInput | undefined> {
    const { keys, output, signal, leave } = this.#asking;
    const { above, emptiesFirst = false, longest } = this.#question;
    const again = new AbortController();
    this.#again = again;
    let input: PromptInput | undefined;
    let isAnswered = false;
    const keyboard = Object.assign(new PassThrough(), { setRawMode: () => undefined });
    // Readline pauses its input at ^D.
    keyboard.on('pause', () => {
      if (!isAnswered && !again.signal.aborted && !signal.aborted) leave('end');
    });
    this.#drawAbove();
    this.#drawnColumns = this.#columns;
    const context = {
      input: keyboard,
      output,
      signal: AbortSignal.any([signal, again.signal]),
      clearPromptOnDone: true,
    };
    // A question without an answer stays on the screen, unless the screen is redrawn.
    signal.addEventListener('abort', () => Object.assign(context, { clearPromptOnDone: above !== undefined }));
    const type = (text: string) => keyboard.write(text);
    const asked = this.#prompt(context, type, () => {
      isAnswered = true;
    });
    keys.listen({
      ...(longest === undefined ? {} : { longest }),
      keys: (text) => {
        this.#isSuspending = text.includes(CTRL_Z);
        if (this.#isSuspending) again.abort();
        else if (this.#insert !== undefined && PLAIN_TEXT.test(text)) this.#insert(text);
        else type(text);
      },
      paste: (text) => {
        input = this.#pasted(text, type);
        if (input !== undefined) again.abort();
      },
      escape: () => (emptiesFirst ? this.#empty() : leave('escape')),
      ctrlC: () => (emptiesFirst && this.#standing.line !== '' ? this.#empty() : leave('ctrl_c')),
      end: () => leave('end'),
      continued: () => this.#continued(),
    });
    try {
      return await asked;
    } catch (error) {
      if (signal.aborted || !again.signal.aborted) throw error;
      return input;
    } finally {
      this.#drawnColumns = undefined;
      keys.listen(undefined);
    }
  }

  #prompt(
    context: NonNullable<Parameters<typeof input>[1]>,
    type: (text: string) => void,
    onInput: () => void,
  ): Promise<PromptInput> {
    const { choices, isSecret = false } = this.#question;
    const standing = this.#standing;
    const columns = this.#columns;
    const base = { message: breakQuestion(this.#question, columns), theme: this.#theme };
    if (choices !== undefined) {
      const isInColumns = isInTwoColumns(this.#question, columns, this.#rows);
      const config = { ...base, standing, onInput, choices, columns, isInColumns, unicode: this.#style.unicode };
      return select(config, context);
    }
    const { line } = standing;
    if (isSecret) {
      const onOpen = (insert: Insert) => {
        this.#insert = insert;
        insert(line);
      };
      return masked({ ...base, standing, onInput, onOpen }, context);
    }
    // The first drawing is empty, before the line is typed into it again: a change of the width then must not lose it.
    let isTyped = line === '';
    const transformer = (text: string) => {
      isTyped ||= text === line;
      if (isTyped) standing.line = text;
      return text;
    };
    const validate = () => {
      onInput();
      return true;
    };
    const asked = input({ ...base, transformer, validate }, context);
    if (line !== '') type(line);
    return asked.then((text) => ({ text }));
  }

  #pasted(text: string, type: (text: string) => void): PromptInput | undefined {
    const { line, isEntered } = pastedLine(text);
    const { choices, takesPaste } = this.#question;
    if (!takesPaste || choices !== undefined) return { text: line, isPasted: true };
    const insert = this.#insert ?? type;
    // A refused text stays in the line to be corrected: a paste takes its place.
    insert(this.#standing.line !== '' && this.#standing.line === this.#refused ? `${EMPTY_LINE}${line}` : line);
    if (isEntered) type('\r');
    return undefined;
  }

  #empty(): void {
    this.#standing.line = '';
    this.#redraw();
  }

  /** A terminal breaks what was drawn at its new width. Erases it, and leaves the cursor where the prompt erases from. */
  #resized(): void {
    const { above, choices, isSecret = false } = this.#question;
    const { line, note } = this.#standing;
    const before = this.#drawnColumns;
    if (above === undefined && before !== undefined) {
      const drawn = `? ${breakQuestion(this.#question, before)} ${shownLine(line, isSecret)}`;
      const lines = brokenLines(drawn, before);
      const notes = note === undefined ? [] : noteText(note, before).split('\n');
      const entries = choices === undefined ? 0 : choices.length + Math.max(1, notes.length);
      const cursor = Math.floor((lines.at(-1) ?? 0) / this.#columns);
      const over = [...(entries > 0 ? [] : notes.map(displayWidth)), ...lines.slice(0, -1)];
      const erase = `${up(rowsOf(over, this.#columns) + cursor)}\r\u001b[J`;
      this.#asking.output.write(`${erase}${'\n'.repeat(lines.length - 1 + entries)}${up(entries)}`);
      this.#rowsAbove = 0;
    }
    this.#redraw(note);
  }

  #redraw(note?: string): void {
    this.#standing.note = note;
    this.#again.abort();
  }

  /** Another process stopped this one, which continues: the question is drawn below the shell's text. */
  #continued(): void {
    const rows = (this.#question.choices?.length ?? 0) + 3;
    this.#asking.output.write(`${'\n'.repeat(rows)}${up(rows)}`);
    this.#rowsAbove = 0;
    this.#redraw();
  }

  async #suspend(): Promise<void> {
    const { keys, suspend } = this.#asking;
    this.#isSuspending = false;
    keys.setModes(false);
    suspend?.();
    keys.setModes(true);
    await keys.drain();
  }

  /** Lines of the screen left by the question, its entries, its messages and the cursor. */
  get #room(): number {
    const { choices = [] } = this.#question;
    const { note } = this.#standing;
    const entries = isInTwoColumns(this.#question, this.#columns, this.#rows)
      ? Math.ceil(choices.length / 2)
      : choices.length;
    const said = note === undefined ? Number(choices.length > 0) : noteText(note, this.#columns).split('\n').length;
    const question = breakQuestion(this.#question, this.#columns).split('\n').length;
    return this.#rows - question - entries - said - 1;
  }

  #drawAbove(): void {
    const { output } = this.#asking;
    const { above, choices } = this.#question;
    const { note } = this.#standing;
    if (above !== undefined) output.write(`${CLEAR}${above(this.#room)}`);
    if (note === undefined || choices !== undefined) return;
    const shown = noteText(note, this.#columns);
    this.#rowsAbove = shown.split('\n').length;
    output.write(`${this.#theme.style.error(shown)}\n`);
  }

  /** Removes what was shown above the question. */
  #wipe(): void {
    if (this.#rowsAbove > 0) this.#asking.output.write(`${up(this.#rowsAbove)}\u001b[J`);
    this.#rowsAbove = 0;
  }
}

/** Asks by drawing. Readline reads the keys that the guarded stream lets through. */
export function askDrawn(asking: PromptContext, question: Question, style: PromptStyle): Promise<string> {
  return new DrawnQuestion(asking, question, style).ask();
}
