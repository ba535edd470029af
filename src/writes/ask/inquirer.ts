import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isUpKey,
  makeTheme,
  useEffect,
  useKeypress,
  usePrefix,
  useState,
} from '@inquirer/core';
import type { Choice } from '../../base/context.ts';
import { cutText, displayWidth, padText } from '../../screen/cut-text.ts';
import { safeText } from '../../screen/text.ts';
import type { PromptStyle } from './prompt-context.ts';
import { answerGap, noteText, type PromptInput } from './prompt-input.ts';

/** `? ` before a question, and the blank and the cursor beside an answer. */
export const AROUND_ANSWER = 4;

const same = (text: string) => text;
const COLOURLESS = {
  message: same,
  answer: same,
  highlight: same,
  help: same,
  defaultAnswer: same,
  error: (text: string) => `> ${text}`,
};

/** The one theme of all prompts, without colors or Unicode marks if wanted. */
export function themeOf({ colour, unicode }: PromptStyle) {
  const prefix = colour && unicode ? {} : { prefix: { idle: '?', done: unicode ? '✔' : '*' } };
  return makeTheme<object>({ ...prefix, ...(colour ? {} : { style: COLOURLESS }) });
}

export type Theme = ReturnType<typeof themeOf>;

/** What is in a prompt when it is drawn, and when it must be drawn again. */
export interface Standing {
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
  onInput(): void;
}

/** The entries, one per line or in two columns, with the pointer. */
function listOf({ choices, columns, isInColumns, unicode, theme }: SelectConfig, at: number): string[] {
  const width = isInColumns ? Math.floor(columns / 2) : columns;
  const digits = String(Math.max(...choices.map(({ number }, index) => number ?? index + 1))).length;
  const entries = choices.map(({ text, remark = '', number }, index) => {
    const name = `${padText(String(number ?? index + 1), digits, 'right')} ${safeText(text)}`;
    const shown = cutText(remark === '' ? name : `${name}  (${safeText(remark)})`, width - 3, unicode);
    const filling = isInColumns ? ' '.repeat(Math.max(0, width - 2 - displayWidth(shown))) : '';
    if (index === at) return theme.style.highlight(`${unicode ? '❯' : '>'} ${shown}`) + filling;
    return `  ${remark === '' ? shown : theme.style.help(shown)}${filling}`;
  });
  if (!isInColumns) return entries;
  const rows = Math.ceil(entries.length / 2);
  return entries.slice(0, rows).map((entry, row) => `${entry}${entries[rows + row] ?? ''}`.trimEnd());
}

/** A list in which a number, a name or a text may be typed too. Nothing counts without Enter. */
export const select = createPrompt<PromptInput, SelectConfig>((config, done) => {
  const { message, choices, columns, theme, standing, unicode } = config;
  const [line, setLine] = useState('');
  const [at, setAt] = useState(standing.at);
  const prefix = usePrefix({ status: 'idle', theme });
  useEffect((editor) => {
    editor.write(standing.line);
    setLine(editor.line);
  }, []);
  useKeypress((key, editor) => {
    if (isEnterKey(key)) {
      config.onInput();
      return done(line === '' ? { at } : { text: line });
    }
    const step = Number(isDownKey(key)) - Number(isUpKey(key));
    if (step !== 0) editor.clearLine(0);
    standing.at = (at + step + choices.length) % choices.length;
    standing.line = editor.line;
    setAt(standing.at);
    setLine(standing.line);
  });
  const tip = unicode ? '↑↓, a number or a name, then Enter' : 'arrows, a number or a name, then Enter';
  const note = standing.note === undefined ? undefined : noteText(standing.note, columns);
  const below = note === undefined ? theme.style.help(tip) : theme.style.error(note);
  // A card ID typed here is not broken.
  const width = AROUND_ANSWER + displayWidth(message.split('\n').at(-1) ?? '');
  const gap = answerGap(displayWidth(line), width, columns);
  return [`${prefix} ${theme.style.message(message, 'idle')}${gap} ${line}`, [...listOf(config, at), below].join('\n')];
});

/** Inserts a text at the cursor, and draws once: each key is drawn, which takes long for a token. */
export type Insert = (text: string) => void;

interface MaskedConfig {
  readonly message: string;
  readonly theme: Theme;
  readonly standing: Standing;
  onOpen(insert: Insert): void;
  onInput(): void;
}

/** What stands behind the message. */
export function shownLine(line: string, isSecret: boolean): string {
  return isSecret ? '*'.repeat(line.length) : line;
}

/** A secret, masked as it is typed. */
export const masked = createPrompt<PromptInput, MaskedConfig>((config, done) => {
  const { message, theme, standing } = config;
  const [line, setLine] = useState('');
  const prefix = usePrefix({ status: 'idle', theme });
  const show = (text: string) => {
    standing.line = text;
    setLine(text);
  };
  useEffect((editor) => {
    config.onOpen((text) => {
      editor.write(text);
      show(editor.line);
    });
  }, []);
  useKeypress((key, editor) => {
    if (!isEnterKey(key)) return show(editor.line);
    config.onInput();
    done({ text: line });
  });
  return `${prefix} ${theme.style.message(message, 'idle')} ${shownLine(line, true)}`;
});
