import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isUpKey,
  type KeypressEvent,
  makeTheme,
  useKeypress,
  usePrefix,
  useState,
} from '@inquirer/core';
import { cutText } from '../output/cut-text.ts';
import { safeText } from '../output/safe-text.ts';
import type { Question } from './prompt-context.ts';
import { pastedLine } from './terminal-keys.ts';

/** A key, or what else happens: text is `pasted`, `news` comes, the line is `emptied`, ^Z is over (`continued`). */
export type Happening = Pick<KeypressEvent, 'name'> & { readonly sequence?: string };

export interface DrawnQuestion {
  readonly question: Question;
  readonly message: string;
  readonly theme: {
    readonly prefix?: { readonly idle: string; readonly done: string };
    readonly style?: Readonly<Record<'message' | 'answer' | 'highlight' | 'error', (text: string) => string>>;
  };
  readonly columns: number;
  readonly pointer: string;
  /** Below a list: how to choose. */
  readonly tip: string;
}

/** The line that is typed, as readline edits it. */
type Editor = Parameters<Parameters<typeof useKeypress>[0]>[1];

/** A typed answer, or a list in which text may be typed too, drawn over. A wrong answer is taken out of the line. */
export const drawn = createPrompt<string, DrawnQuestion>(
  ({ question, message, columns, pointer, tip, ...config }, done) => {
    const { choices, takesPaste, isSecret } = question;
    const theme = makeTheme<object>(config.theme);
    const [status, setStatus] = useState<'idle' | 'done'>('idle');
    const [line, setLine] = useState('');
    const [at, setAt] = useState(0);
    const [problem, setProblem] = useState<string>();
    const [continuations, setContinuations] = useState(0);
    const prefix = usePrefix({ status, theme });

    const finish = (answer: string, shown: string) => {
      setProblem(undefined);
      setLine(shown);
      setStatus('done');
      done(answer);
    };
    const give = (answer: string, editor: Editor) => {
      const chosen = answer === '' ? choices?.[at] : undefined;
      if (chosen !== undefined) return finish(chosen.value, chosen.text);
      const verdict = question.judge(answer);
      if (verdict === true) return finish(answer, question.show?.(answer) ?? answer);
      const { instead, why } = typeof verdict === 'string' ? { instead: '', why: verdict } : verdict;
      editor.clearLine(0);
      editor.write(instead);
      setLine(instead);
      setProblem(why);
    };
    const paste = (text: string, editor: Editor) => {
      const pasted = pastedLine(text);
      // In a list an empty line stands for the entry at the pointer.
      const isEmpty = choices !== undefined && pasted.line.trim() === '';
      if (!takesPaste || isEmpty) return setProblem('what is pasted is no answer here: type it');
      if (choices !== undefined) return give(pasted.line.trim(), editor);
      editor.write(pasted.line);
      if (pasted.isEntered) give(editor.line, editor);
      else setLine(editor.line);
    };
    useKeypress((key: Happening, editor) => {
      const step =
        choices === undefined ? 0 : Number(isDownKey(key as KeypressEvent)) - Number(isUpKey(key as KeypressEvent));
      if (status === 'done') return;
      if (key.name === 'pasted') return paste(key.sequence ?? '', editor);
      if (key.name === 'news') return setProblem(key.sequence);
      if (key.name === 'continued') return setContinuations(continuations + 1);
      if (isEnterKey(key as KeypressEvent)) return give(line, editor);
      if (step !== 0 || key.name === 'emptied') editor.clearLine(0);
      setAt((at + step + (choices?.length ?? 1)) % (choices?.length ?? 1));
      setLine(editor.line);
      setProblem(undefined);
    });

    const isOver = status === 'done';
    const typed = isSecret === true ? '*'.repeat(line.length) : isOver ? safeText(line) : line;
    const head = `${prefix} ${theme.style.message(message, status)} ${isOver ? theme.style.answer(typed) : typed}`;
    if (isOver) return head;
    const list = choices?.map(({ text }, index) => {
      const shown = cutText(safeText(text), columns - 2);
      return index === at ? theme.style.highlight(`${pointer} ${shown}`) : `  ${shown}`;
    });
    const error = problem === undefined ? [] : [theme.style.error(safeText(problem))];
    return [head, [...(list === undefined ? error : [...list, ' ', ...error, tip])].join('\n')];
  },
);
