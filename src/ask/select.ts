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
import type { Choice } from '../context.ts';
import { cutText, displayWidth, padText } from '../output/cut-text.ts';
import { breakLine, safeText } from '../output/text.ts';
import { answerGap, type Given, type PromptStyle } from './prompt-context.ts';

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

/** A message with a question. */
export function noteText(note: string, columns: number): string {
  return breakLine(safeText(note), columns - 2).join('\n  ');
}

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
  onGiven(): void;
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
export const select = createPrompt<Given, SelectConfig>((config, done) => {
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
  const tip = unicode ? '↑↓, a number or a name, then Enter' : 'arrows, a number or a name, then Enter';
  const note = standing.note === undefined ? undefined : noteText(standing.note, columns);
  const below = note === undefined ? theme.style.help(tip) : theme.style.error(note);
  // A card ID typed here is not broken.
  const width = AROUND_ANSWER + displayWidth(message.split('\n').at(-1) ?? '');
  const gap = answerGap(displayWidth(line), width, columns);
  return [`${prefix} ${theme.style.message(message, 'idle')}${gap} ${line}`, [...listOf(config, at), below].join('\n')];
});
