import { PassThrough } from 'node:stream';
import type { PromptPort, SignalPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { breakLine } from '../output/line-break.ts';
import { safeText } from '../output/safe-text.ts';
import type { IdleTimer } from './idle-timer.ts';
import { type AbortReason, PromptAborted, type PromptContext, type Question } from './prompt-context.ts';
import type { DrawnQuestion, Happening } from './questions.ts';
import { TerminalKeys, type TerminalStreams } from './terminal-keys.ts';

export interface PromptStyle {
  readonly colour: boolean;
  readonly unicode: boolean;
  /** Drawn over with each key; in lines, for screen readers; in lines without escape sequences (TERM=dumb). */
  readonly look: 'drawn' | 'lines' | 'dumb';
}

const same = (text: string) => text;
const COLOURLESS = { message: same, answer: same, highlight: same, error: (text: string) => `> ${text}` };

/** `? ` before a question, and room for an answer behind it. */
const AROUND_QUESTION = 8;

/** A question that has no room on one line, broken between words; the answers that it offers stay together. */
function breakQuestion(question: string, columns: number): string {
  const held = safeText(question).replace(/\([^()]*\)$/, (answers) => answers.replaceAll(' ', '\u00a0'));
  return breakLine(held, columns - AROUND_QUESTION)
    .join('\n  ')
    .replaceAll('\u00a0', ' ');
}

/** How a question is drawn: without colour, or without marks that the locale cannot show, where that is wanted. */
function lookOf({ colour, unicode }: PromptStyle): Omit<DrawnQuestion, 'question' | 'message' | 'columns'> {
  const prefix = colour && unicode ? {} : { prefix: { idle: '?', done: unicode ? '✔' : '*' } };
  return {
    theme: { ...prefix, ...(colour ? {} : { style: COLOURLESS }) },
    pointer: unicode ? '❯' : '>',
    tip: unicode ? '↑↓ and Enter choose' : 'arrow keys and Enter choose',
  };
}

/** Asks by drawing: what readline makes of the keys, which reach it through a stream of their own. */
async function askDrawn(
  context: PromptContext,
  question: Question,
  { drawn }: typeof import('./questions.ts'),
  style: PromptStyle,
): Promise<string> {
  const { keys, output, signal, leave } = context;
  const keyboard = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => keys.setModes(on) });
  const happens = (happening: Happening) => keyboard.emit('keypress', undefined, happening);
  let isSuspending = false;
  keyboard.on('keypress', (_, key: { readonly ctrl?: boolean; readonly name?: string } | undefined) => {
    isSuspending = key?.ctrl === true && key.name === 'z';
  });
  // Readline pauses its input when it ends at ^D, and the question would wait for ever; and when ^Z and fg are over.
  keyboard.on('pause', () => {
    if (isSuspending) keyboard.resume();
    else leave('end');
  });
  keys.listen({
    keys: (text) => keyboard.write(text),
    paste: (text) => happens({ name: 'pasted', sequence: text }),
    escape: () => (question.keepsAtEscape === true ? happens({ name: 'emptied' }) : leave('escape')),
    ctrlC: () => leave('ctrl_c'),
    end: () => leave('end'),
    // The question is drawn again, below what the shell wrote.
    continued() {
      const rows = (question.choices?.length ?? 0) + 2;
      output.write(`${'\n'.repeat(rows)}\u001b[${rows}A`);
      happens({ name: 'continued' });
    },
  });
  context.tell = (text) => happens({ name: 'news', sequence: text });
  const columns = 'columns' in output && typeof output.columns === 'number' ? output.columns : 80;
  const message = breakQuestion(question.text, columns);
  return drawn({ question, message, columns, ...lookOf(style) }, { input: keyboard, output, signal }).finally(() =>
    keys.listen(undefined),
  );
}

/**
 * Questions on stderr, so that stdout stays the result alone. What was typed before a question stood there is thrown
 * away; Ctrl-C counts whenever it was. However a question ends, the terminal is as it was before: cursor shown, echo
 * on, colours reset, pastes unmarked.
 */
export function terminalPrompt(
  open: () => TerminalStreams,
  signals: SignalPort,
  style: PromptStyle,
  available: boolean,
  idle?: IdleTimer,
): PromptPort {
  const ask = async (question: Question): Promise<string> => {
    const streams = open();
    const stop = new AbortController();
    let left: AbortReason | undefined;
    const leave = (by: AbortReason) => {
      left ??= by;
      stop.abort();
    };
    // A terminal sends Ctrl-C as a signal unless its keys are read one by one.
    const readsKeys = () => 'isRaw' in streams.input && streams.input.isRaw === true;
    const release = signals.onSignal((name) => leave(name === 'SIGINT' && !readsKeys() ? 'ctrl_c' : name));
    const isOver = () => leave('leave');
    idle?.signal.addEventListener('abort', isOver);
    let keys: TerminalKeys | undefined;
    try {
      if (idle?.signal.aborted === true) isOver();
      // Loaded before the terminal is read: the question stands there in the same moment in which answers count.
      const module = style.look === 'drawn' ? await import('./questions.ts') : await import('./line-prompt.ts');
      keys = new TerminalKeys(streams, style.look !== 'dumb', () => idle?.touched());
      await keys.drain();
      if (keys.wasCancelled) leave('ctrl_c');
      stop.signal.throwIfAborted();
      const context: PromptContext = { ...streams, keys, signal: stop.signal, leave, tell: () => undefined };
      const put = () =>
        'drawn' in module
          ? askDrawn(context, question, module, style)
          : module.askInLines(context, question, style.look === 'dumb');
      return await (idle === undefined ? put() : idle.during(put, (text) => context.tell(text)));
    } catch (error) {
      const isCtrlC = error instanceof Error && error.name === 'ExitPromptError';
      if (error instanceof Failure || (left === undefined && !isCtrlC)) throw error;
      throw new PromptAborted(left ?? 'ctrl_c', error);
    } finally {
      keys?.close();
      idle?.signal.removeEventListener('abort', isOver);
      release();
    }
  };
  const decide: PromptPort['decide'] = async (question, other) => {
    const words = ['yes', 'no', ...(other === undefined ? [] : [other.word])];
    const wordOf = (answer: string) => {
      const given = answer.trim().toLowerCase();
      return given === '' ? 'no' : words.find((word) => given === word || given === word.charAt(0));
    };
    const offered = other === undefined ? 'y/N' : `y/N, ${other.word.charAt(0)} = ${other.does}`;
    const problem = other === undefined ? 'answer y or n' : `answer y, n, or ${other.word.charAt(0)}`;
    const text = `${question} (${offered})`;
    return (
      wordOf(await ask({ text, takesPaste: false, judge: (answer) => wordOf(answer) !== undefined || problem })) ?? 'no'
    );
  };
  return {
    available,
    text: (text, judge, how) => ask({ text, judge, takesPaste: true, ...how }),
    secret: (text, judge) => ask({ text, judge, takesPaste: true, isSecret: true }),
    decide,
    confirm: async (question) => (await decide(question)) === 'yes',
    choose: (text, choices, orText) =>
      ask({
        text,
        choices,
        takesPaste: orText !== undefined,
        judge: orText ?? (() => (style.look === 'drawn' ? 'choose with the arrow keys and Enter' : '')),
      }),
  };
}
