import type { HeardAtQuestions, PromptPort, SignalPort } from '../../base/context.ts';
import { Failure } from '../../base/failure.ts';
import type { IdleTimer } from './idle-timer.ts';
import {
  type AbortReason,
  LOST_PASTE,
  PromptAborted,
  type PromptContext,
  type PromptStyle,
  type Question,
} from './prompt-context.ts';
import type { TerminalKeys, TerminalStreams } from './terminal-keys.ts';

/** A yes or no, perhaps with a third word. */
function deciding(ask: (question: Question) => Promise<string>): PromptPort['decide'] {
  return async (question, { other, no = 'no', above } = {}) => {
    const words = ['yes', 'no', ...(other === undefined ? [] : [other.word])];
    const wordOf = (answer: string) => {
      const input = answer.trim().toLowerCase();
      return input === '' ? 'no' : words.find((word) => input === word || input === word.charAt(0));
    };
    const offered = other === undefined ? 'y/N' : `y/N, ${other.word.charAt(0)} = ${other.does}`;
    const problem = other === undefined ? 'answer y or n' : `answer y, n, or ${other.word.charAt(0)}`;
    const answer = await ask({
      text: `${question} (${offered})`,
      takesPaste: false,
      longest: Math.max(...words.map(({ length }) => length)),
      judge: (input) => wordOf(input) !== undefined || problem,
      show: (input) => (wordOf(input) === 'no' ? no : input),
      isRefusal: (input) => wordOf(input) === 'no',
      above,
    });
    return wordOf(answer) ?? 'no';
  };
}

/**
 * Questions on stderr. What was typed before one is thrown away, but Ctrl-C always counts. However it ends, the terminal
 * is as before.
 */
export function terminalPrompt(
  open: () => TerminalStreams,
  signals: SignalPort,
  style: PromptStyle,
  available: boolean,
  { idle, onLostPaste, onCtrlC }: HeardAtQuestions & { readonly idle?: IdleTimer | undefined } = {},
): PromptPort {
  const ask = async (question: Question): Promise<string> => {
    const streams = open();
    const stop = new AbortController();
    let left: AbortReason | undefined;
    const leave = (by: AbortReason) => {
      left ??= by;
      stop.abort();
    };
    // A Ctrl-C from before keys are read one by one is a signal, and may be heard only after that.
    const release = signals.onSignal((name) => {
      if (name === 'SIGINT') onCtrlC?.();
      leave(name === 'SIGINT' ? 'ctrl_c' : name);
    });
    const isOver = () => leave('leave');
    idle?.signal.addEventListener('abort', isOver);
    let keys: TerminalKeys | undefined;
    try {
      if (idle?.signal.aborted === true) isOver();
      // Loaded before the terminal is read: the question appears in the moment in which answers count.
      const [module, reading] = await Promise.all([
        style.mode === 'drawn' ? import('./drawn.ts') : import('./line-prompt.ts'),
        import('./terminal-keys.ts'),
      ]);
      let note: string | undefined;
      let lost = () => {
        note = LOST_PASTE;
      };
      keys = new reading.TerminalKeys(streams, style.mode !== 'dumb', {
        onKey: () => idle?.touched(),
        onLostPaste: () => lost(),
      });
      await keys.drain();
      if (keys.wasCancelled) leave('ctrl_c');
      stop.signal.throwIfAborted();
      // The next question reports what is lost from now on.
      lost = () => onLostPaste?.();
      const asking: PromptContext = { ...streams, keys, signal: stop.signal, leave, tell: () => undefined, note };
      const put = () =>
        'askDrawn' in module
          ? module.askDrawn(asking, question, style)
          : module.askInLines(asking, question, style.mode === 'dumb');
      return await (idle === undefined ? put() : idle.during(put, (text) => asking.tell(text)));
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
  const decide = deciding(ask);
  return {
    available,
    text: (text, judge, how) => ask({ text, judge, takesPaste: true, ...how }),
    secret: (text, judge) => ask({ text, judge, takesPaste: true, isSecret: true }),
    decide,
    confirm: async (question) => (await decide(question)) === 'yes',
    choose: (text, choices, { orText, above } = {}) =>
      ask({
        text,
        choices,
        takesPaste: orText !== undefined,
        longest: Math.max(...choices.map((choice) => choice.text.length)),
        judge: (answer, isPasted = false) => orText?.(answer, isPasted) ?? '',
        above,
      }),
  };
}
