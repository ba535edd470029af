import type { PromptPort, SignalPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { breakLine } from '../output/line-break.ts';
import { safeText } from '../output/safe-text.ts';
import { type Ask, type Asking, type LeftBy, QuestionLeft, type TerminalStreams } from './asking.ts';
import { linePrompt } from './line-prompt.ts';

export interface PromptStyle {
  readonly colour: boolean;
  readonly unicode: boolean;
  /** The terminal obeys no escape sequences (TERM=dumb): every question is a line, and nothing is drawn over. */
  readonly plain: boolean;
}

/** Ctrl-C, the end of input and a signal at a prompt are "no": nothing was sent. */
function leftBy(error: unknown, heard: LeftBy | undefined): LeftBy {
  if (heard !== undefined) return heard;
  return error instanceof Error && error.name === 'ExitPromptError' ? 'ctrl_c' : 'end';
}

function readsKeys(input: NodeJS.ReadableStream): boolean {
  return 'isRaw' in input && input.isRaw === true;
}

const same = (text: string) => text;
const COLOURLESS = { message: same, answer: same, help: same, highlight: same, error: (text: string) => `> ${text}` };

/** `? ` before a question, and room for an answer behind it. */
const AROUND_QUESTION = 8;

/** A question that has no room on one line, broken between words; the answers that it offers stay together. */
function breakQuestion(question: string, { output }: Asking): string {
  const columns = 'columns' in output && typeof output.columns === 'number' ? output.columns : 80;
  const held = safeText(question).replace(/\([^()]*\)$/, (answers) => answers.replaceAll(' ', '\u00a0'));
  return breakLine(held, columns - AROUND_QUESTION)
    .join('\n  ')
    .replaceAll('\u00a0', ' ');
}

/** How inquirer draws: without colour, or without marks that the locale cannot show, where that is wanted. */
function themeOf({ colour, unicode }: PromptStyle) {
  const prefix = colour && unicode ? {} : { prefix: { idle: '?', done: unicode ? '✔' : '*' } };
  return { ...prefix, ...(colour ? {} : { style: COLOURLESS }) };
}

/** The same for a list, which has a mark and a line of help besides. */
function listThemeOf(style: PromptStyle) {
  const keysHelpTip = () => (style.unicode ? '↑↓ and Enter choose' : 'arrow keys and Enter choose');
  const icon = style.unicode ? {} : { icon: { cursor: '>' } };
  return { ...themeOf(style), ...icon, style: { ...(style.colour ? {} : COLOURLESS), keysHelpTip } };
}

/** Readline pauses its input when it ends at ^D, and inquirer would wait for ever; and when ^Z and fg are over. */
async function keepingInput<Value>(asking: Asking, question: () => Promise<Value>): Promise<Value> {
  const { input } = asking;
  let isSuspending = false;
  const onKey = (_: unknown, key: { readonly ctrl?: boolean; readonly name?: string } | undefined) => {
    isSuspending = key?.ctrl === true && key.name === 'z';
  };
  const onPause = () => {
    if (isSuspending) input.resume();
    else asking.leave();
  };
  input.on('keypress', onKey).on('pause', onPause);
  try {
    return await question();
  } finally {
    input.off('keypress', onKey).off('pause', onPause);
    // After ^Z and fg readline takes it for paused already, and it would keep the program from ending.
    input.pause();
  }
}

/**
 * Questions on stderr, so that stdout stays the result alone. Drawn by @inquirer/prompts (questions.ts). However
 * a question ends, the terminal is as it was before: cursor shown, echo on, colours reset. `until` leaves a question
 * that nobody answers.
 */
export function terminalPrompt(
  open: () => TerminalStreams,
  signals: SignalPort,
  style: PromptStyle,
  available: boolean,
  until?: AbortSignal,
): PromptPort {
  const theme = themeOf(style);
  const listTheme = listThemeOf(style);
  const ask: Ask = async (question) => {
    const streams = open();
    const stop = new AbortController();
    let heard: LeftBy | undefined;
    const release = signals.onSignal((name) => {
      // A terminal sends Ctrl-C as a signal unless its keys are read one by one: not when nothing is drawn over, and
      // not before the question is.
      heard = name === 'SIGINT' && !readsKeys(streams.input) ? 'ctrl_c' : name;
      stop.abort();
    });
    const leave = () => stop.abort();
    streams.input.on('end', leave);
    until?.addEventListener('abort', leave);
    if (until?.aborted === true) leave();
    try {
      return await question({ ...streams, signal: stop.signal, leave });
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new QuestionLeft(until?.aborted === true ? 'leave' : leftBy(error, heard), error);
    } finally {
      streams.input.off('end', leave);
      until?.removeEventListener('abort', leave);
      release();
    }
  };
  if (style.plain) return { available, ...linePrompt(ask) };
  const draw = <Value>(question: (asking: Asking, by: typeof import('./questions.ts')) => Promise<Value>) =>
    ask((asking) => keepingInput(asking, async () => question(asking, await import('./questions.ts'))));
  return {
    available,
    text: (question, validate, show = (answer) => answer) =>
      draw((asking, { input }) => {
        const transformer = (text: string, { isFinal }: { isFinal: boolean }) =>
          isFinal ? safeText(show(text)) : text;
        return input({ message: breakQuestion(question, asking), validate, theme, transformer }, asking);
      }),
    secret: (question, validate) =>
      draw((asking, { password }) =>
        password({ message: safeText(question), mask: '*', toggleMask: false, validate, theme }, asking),
      ),
    confirm: (question) =>
      draw((asking, { confirm }) =>
        confirm({ message: breakQuestion(question, asking), default: false, theme }, asking),
      ),
    choose: (question, choices) =>
      draw((asking, { select }) => {
        const shown = choices.map(({ value, text }) => ({ value, name: safeText(text) }));
        // All of them at once: what has scrolled out of a short list is not found.
        return select(
          { message: safeText(question), choices: shown, pageSize: shown.length, theme: listTheme },
          asking,
        );
      }),
  };
}
