import { PassThrough } from 'node:stream';
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isUpKey,
  makeTheme,
  useKeypress,
  usePrefix,
  useState,
} from '@inquirer/core';
import { input, password } from '@inquirer/prompts';
import { cutText, displayWidth, padText } from '../output/cut-text.ts';
import { breakLine } from '../output/line-break.ts';
import { safeText } from '../output/safe-text.ts';
import {
  type Choice,
  type Given,
  isInTwoColumns,
  judgeGiven,
  type PromptContext,
  type PromptStyle,
  type Question,
  refusalOf,
} from './prompt-context.ts';
import { pastedLine } from './terminal-keys.ts';

/** Erases the screen, and puts the cursor at its beginning. */
const CLEAR = '\u001b[H\u001b[2J';
const CTRL_Z = '\u001a';
/** `? ` before a question, and room for an answer behind it. */
const AROUND_QUESTION = 8;

const same = (text: string) => text;
const COLOURLESS = {
  message: same,
  answer: same,
  highlight: same,
  help: same,
  defaultAnswer: same,
  error: (text: string) => `> ${text}`,
};

/** The one theme of all prompts: without colour, or without marks that the locale cannot show, where that is wanted. */
function themeOf({ colour, unicode }: PromptStyle) {
  const prefix = colour && unicode ? {} : { prefix: { idle: '?', done: unicode ? '✔' : '*' } };
  return makeTheme<object>({ ...prefix, ...(colour ? {} : { style: COLOURLESS }) });
}

type Theme = ReturnType<typeof themeOf>;

/** A question that has no room on one line, broken between words; the answers that it offers stay together. */
function breakQuestion(question: string, columns: number): string {
  const held = safeText(question).replace(/\([^()]*\)$/, (answers) => answers.replaceAll(' ', '\u00a0'));
  return breakLine(held, columns - AROUND_QUESTION)
    .join('\n  ')
    .replaceAll('\u00a0', ' ');
}

function noteText(note: string, columns: number): string {
  return breakLine(safeText(note), columns - 2).join('\n  ');
}

/** What stands in a prompt when it is drawn, and when it had to be drawn anew. */
interface Standing {
  line: string;
  at: number;
  note: string | undefined;
}

interface SelectConfig {
  readonly message: string;
  readonly choices: readonly Choice[];
  readonly columns: number;
  readonly isInColumns: boolean;
  readonly unicode: boolean;
  readonly theme: Theme;
  readonly standing: Standing;
  onGiven(): void;
}

/** The entries, one on a line or in two columns; the one at the pointer is marked. */
function listOf({ choices, columns, isInColumns, unicode, theme }: SelectConfig, at: number): string[] {
  const width = isInColumns ? Math.floor(columns / 2) : columns;
  const digits = String(Math.max(...choices.map(({ number }, index) => number ?? index + 1))).length;
  const entries = choices.map(({ text, remark = '', number }, index) => {
    const name = `${padText(String(number ?? index + 1), digits, 'right')} ${safeText(text)}`;
    const shown = cutText(remark === '' ? name : `${name}  ${safeText(remark)}`, width - 3, unicode);
    const filling = isInColumns ? ' '.repeat(Math.max(0, width - 2 - displayWidth(shown))) : '';
    if (index === at) return theme.style.highlight(`${unicode ? '❯' : '>'} ${shown}`) + filling;
    return `  ${remark === '' ? shown : theme.style.help(shown)}${filling}`;
  });
  if (!isInColumns) return entries;
  const rows = Math.ceil(entries.length / 2);
  return entries.slice(0, rows).map((entry, row) => `${entry}${entries[rows + row] ?? ''}`.trimEnd());
}

/** A list in which a number, a name or a text may be typed too: nothing counts without Enter. */
const select = createPrompt<Given, SelectConfig>((config, done) => {
  const { message, choices, columns, theme, standing, unicode } = config;
  const [line, setLine] = useState('');
  const [at, setAt] = useState(standing.at);
  const prefix = usePrefix({ status: 'idle', theme });
  useKeypress((key, editor) => {
    if (isEnterKey(key)) {
      config.onGiven();
      return done(line === '' ? { at } : { text: line });
    }
    const step = Number(isDownKey(key)) - Number(isUpKey(key));
    if (step !== 0) editor.clearLine(0);
    standing.at = (at + step + choices.length) % choices.length;
    standing.line = editor.line;
    setAt(standing.at);
    setLine(standing.line);
  });
  const tip = unicode ? '↑↓, a number or a name, then Enter' : 'arrow keys, a number or a name, then Enter';
  const note = standing.note === undefined ? undefined : noteText(standing.note, columns);
  const below = note === undefined ? theme.style.help(tip) : theme.style.error(note);
  return [`${prefix} ${theme.style.message(message, 'idle')} ${line}`, [...listOf(config, at), below].join('\n')];
});

/** One question, drawn over with each key, and anew when something is said or the screen is another one. */
class DrawnQuestion {
  readonly #asking: PromptContext;
  readonly #question: Question;
  readonly #style: PromptStyle;
  readonly #theme: Theme;
  readonly #standing: Standing = { line: '', at: 0, note: undefined };
  /** Ends what is drawn, for another drawing. */
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
    const { output } = this.#asking;
    return 'columns' in output && typeof output.columns === 'number' ? output.columns : 80;
  }

  get #rows(): number {
    const { output } = this.#asking;
    return 'rows' in output && typeof output.rows === 'number' ? output.rows : 24;
  }

  /** The line of an answer is all that is left of a question. */
  #answered(answer: string): string {
    const { text, choices, show, isRefusal, isSecret, above } = this.#question;
    if (above !== undefined && choices !== undefined) return answer;
    const name = choices?.find(({ value }) => value === answer)?.text ?? show?.(answer) ?? answer;
    const shown = isSecret === true ? '*'.repeat(answer.length) : safeText(name);
    const { prefix, style } = this.#theme;
    const marks = typeof prefix === 'string' ? { idle: prefix, done: prefix } : prefix;
    const mark = isRefusal?.(answer) === true ? '-' : marks.done;
    const message = style.message(breakQuestion(text, this.#columns), 'done');
    this.#asking.output.write(`${mark} ${message} ${style.answer(shown)}\n`);
    return answer;
  }

  /** Draws the question once, until something is given; undefined: it is to be drawn anew. */
  async #drawn(): Promise<Given | undefined> {
    const { keys, output, signal, leave } = this.#asking;
    const { above, keepsAtEscape, longest } = this.#question;
    const again = new AbortController();
    this.#again = again;
    let given: Given | undefined;
    let isGiven = false;
    const keyboard = Object.assign(new PassThrough(), { setRawMode: () => undefined });
    // Readline pauses its input when it ends by itself, at ^D.
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
    // A question that is left stays to be read, unless the screen is drawn anew.
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
    // What the line held before it was drawn anew is typed again.
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
    const { text, choices, isSecret } = this.#question;
    const standing = this.#standing;
    const columns = this.#columns;
    const base = { message: breakQuestion(text, columns), theme: this.#theme };
    const textOf = (answer: string): Given => ({ text: answer });
    if (choices !== undefined) {
      const isInColumns = isInTwoColumns(this.#question, this.#rows);
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

  /** The process was stopped by another and goes on: the question is drawn below what the shell wrote. */
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

  #drawAbove(): void {
    const { output } = this.#asking;
    const { above, choices } = this.#question;
    const { note } = this.#standing;
    if (above !== undefined) output.write(`${CLEAR}${above()}`);
    if (note === undefined || choices !== undefined) return;
    const shown = noteText(note, this.#columns);
    this.#rowsAbove = shown.split('\n').length;
    output.write(`${this.#theme.style.error(shown)}\n`);
  }

  /** Takes away what was said above the question. */
  #wipe(): void {
    if (this.#rowsAbove > 0) this.#asking.output.write(`\u001b[${this.#rowsAbove}A\u001b[J`);
    this.#rowsAbove = 0;
  }
}

/** Asks by drawing, with what readline makes of the keys that the guarded stream lets through. */
export function askDrawn(asking: PromptContext, question: Question, style: PromptStyle): Promise<string> {
  return new DrawnQuestion(asking, question, style).ask();
}
