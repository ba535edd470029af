import { PassThrough } from 'node:stream';
import { input, password } from '@inquirer/prompts';
import { displayWidth } from '../output/cut-text.ts';
import { breakLine, safeText } from '../output/text.ts';
import {
  answerGap,
  columnsOf,
  type Given,
  isInTwoColumns,
  judgeGiven,
  type PromptContext,
  type PromptStyle,
  type Question,
  refusalOf,
} from './prompt-context.ts';
import { AROUND_ANSWER, noteText, type Standing, select, type Theme, themeOf } from './select.ts';
import { pastedLine } from './terminal-keys.ts';

/** Erases the screen, and puts the cursor at its beginning. */
const CLEAR = '\u001b[H\u001b[2J';
const CTRL_Z = '\u001a';
/** `? ` before a question, and room for an answer after it. */
const AROUND_QUESTION = 8;
/** A question too long for one line, broken between words. The offered answers stay together where they fit. */
function breakQuestion({ text, room = 0 }: Question, columns: number): string {
  const width = columns - AROUND_QUESTION;
  const held = safeText(text).replace(/\([^()]*\)$/, (answers) =>
    displayWidth(answers) > width ? answers : answers.replaceAll(' ', '\u00a0'),
  );
  const lines = breakLine(held, width).map((line) => line.replaceAll('\u00a0', ' '));
  return lines.join('\n  ') + answerGap(room, AROUND_ANSWER + displayWidth(lines.at(-1) ?? ''), columns);
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
  #isSuspending = false;
  #rowsAbove = 0;

  constructor(asking: PromptContext, question: Question, style: PromptStyle) {
    this.#asking = asking;
    this.#question = question;
    this.#style = style;
    this.#theme = themeOf(style);
    this.#standing.note = asking.note;
  }

  async ask(): Promise<string> {
    const resized = () => this.#redraw();
    const { output } = this.#asking;
    this.#asking.tell = (text) => this.#redraw(text);
    if (this.#question.above !== undefined) output.on('resize', resized);
    try {
      for (;;) {
        const given = await this.#drawn();
        this.#wipe();
        if (this.#isSuspending) await this.#suspend();
        if (given === undefined) continue;
        const { answer, verdict } = judgeGiven(this.#question, given);
        if (verdict === true) return this.#answered(answer);
        const { instead, why } = refusalOf(verdict);
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
  async #drawn(): Promise<Given | undefined> {
    const { keys, output, signal, leave } = this.#asking;
    const { above, keepsAtEscape, longest } = this.#question;
    const again = new AbortController();
    this.#again = again;
    let given: Given | undefined;
    let isGiven = false;
    const keyboard = Object.assign(new PassThrough(), { setRawMode: () => undefined });
    // Readline pauses its input at ^D.
    keyboard.on('pause', () => {
      if (!isGiven && !again.signal.aborted && !signal.aborted) leave('end');
    });
    this.#drawAbove();
    const { line } = this.#standing;
    const context = {
      input: keyboard,
      output,
      signal: AbortSignal.any([signal, again.signal]),
      clearPromptOnDone: true,
    };
    // A question without an answer stays on the screen, unless the screen is redrawn.
    signal.addEventListener('abort', () => Object.assign(context, { clearPromptOnDone: above !== undefined }));
    const asked = this.#prompt(context, () => {
      isGiven = true;
      return true;
    });
    keys.listen({
      ...(longest === undefined ? {} : { longest }),
      keys: (text) => {
        this.#isSuspending = text.includes(CTRL_Z);
        if (this.#isSuspending) again.abort();
        else keyboard.write(text);
      },
      paste: (text) => {
        given = this.#pasted(text, keyboard);
        if (given !== undefined) again.abort();
      },
      escape: () => {
        if (keepsAtEscape !== true) return leave('escape');
        this.#standing.line = '';
        again.abort();
      },
      ctrlC: () => leave('ctrl_c'),
      end: () => leave('end'),
      continued: () => this.#continued(),
    });
    // Types again what the line held before it was redrawn.
    if (line !== '') keyboard.write(line);
    try {
      return await asked;
    } catch (error) {
      if (signal.aborted || !again.signal.aborted) throw error;
      return given;
    } finally {
      keys.listen(undefined);
    }
  }

  #prompt(context: NonNullable<Parameters<typeof input>[1]>, onGiven: () => true): Promise<Given> {
    const { choices, isSecret } = this.#question;
    const standing = this.#standing;
    const columns = this.#columns;
    const base = { message: breakQuestion(this.#question, columns), theme: this.#theme };
    const textOf = (answer: string): Given => ({ text: answer });
    if (choices !== undefined) {
      const isInColumns = isInTwoColumns(this.#question, this.#columns, this.#rows);
      return select(
        { ...base, choices, columns, isInColumns, unicode: this.#style.unicode, standing, onGiven },
        context,
      );
    }
    if (isSecret === true) {
      return password({ ...base, mask: '*', toggleMask: false, validate: onGiven }, context).then(textOf);
    }
    const transformer = (line: string) => {
      standing.line = line;
      return line;
    };
    return input({ ...base, transformer, validate: onGiven }, context).then(textOf);
  }

  #pasted(text: string, keyboard: PassThrough): Given | undefined {
    const { line, isEntered } = pastedLine(text);
    const { choices, takesPaste } = this.#question;
    if (!takesPaste || choices !== undefined) return { text: line, isPasted: true };
    keyboard.write(isEntered ? `${line}\r` : line);
    return undefined;
  }

  #redraw(note?: string): void {
    this.#standing.note = note;
    this.#again.abort();
  }

  /** Another process stopped this one, which continues: the question is drawn below the shell's text. */
  #continued(): void {
    const rows = (this.#question.choices?.length ?? 0) + 3;
    this.#asking.output.write(`${'\n'.repeat(rows)}\u001b[${rows}A`);
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
    if (this.#rowsAbove > 0) this.#asking.output.write(`\u001b[${this.#rowsAbove}A\u001b[J`);
    this.#rowsAbove = 0;
  }
}

/** Asks by drawing. Readline reads the keys that the guarded stream lets through. */
export function askDrawn(asking: PromptContext, question: Question, style: PromptStyle): Promise<string> {
  return new DrawnQuestion(asking, question, style).ask();
}
