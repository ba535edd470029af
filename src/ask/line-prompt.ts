import type { Verdict } from '../context.ts';
import { safeText } from '../output/safe-text.ts';
import type { PromptContext, Question } from './prompt-context.ts';
import { pastedLine } from './terminal-keys.ts';

const BACKSPACE = ['\u007f', '\b'];
const EMPTY_LINE = '\u0015';
const CTRL_D = '\u0004';
const LINE_LENGTH = 80;
/** Keys that mean something only where a line can be drawn over. */
const OTHER_KEYS = /\u001b(?:\[[\d;]*[~A-Za-z]|O[A-Za-z]|.)/gs;
const NOT_PASTED = 'what is pasted is no answer here: type it';
const ASKED_AGAIN = 'asked again: what was typed meanwhile is no answer';
const NOT_ONE_LINE = 'several lines came at once: answer with one';

/** `problem`: what came is no answer. `isPasted`: some of the line was. */
type Given = { readonly line: string; readonly isPasted?: boolean } | { readonly problem: string };

/** A line in the making, of which each key is echoed once. */
function typedLine(echo: (text: string) => void) {
  const line: string[] = [];
  const erase = () => {
    if (line.pop() !== undefined) echo('\b \b');
  };
  return {
    get text() {
      return line.join('');
    },
    key(typed: string): void {
      if (BACKSPACE.includes(typed)) erase();
      else if (typed === EMPTY_LINE) while (line.length > 0) erase();
      else if (typed >= ' ') {
        line.push(typed);
        echo(typed);
      }
    },
  };
}

/** The line that is typed. The terminal edits and echoes it where its keys are not read one by one (`isEdited`). */
function readLine(context: PromptContext, { isSecret, takesPaste }: Question, isEdited: boolean): Promise<Given> {
  const { keys, output, signal, leave } = context;
  const line = typedLine(isEdited || isSecret === true ? () => undefined : (text) => output.write(text));
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      output.write('\n');
      reject(signal.reason);
    });
    let isPasted = false;
    const type = (text: string) => {
      for (const typed of text) {
        if (typed === '\r' || typed === '\n') return resolve({ line: line.text, isPasted });
        if (typed === CTRL_D && line.text === '') return leave('end');
        line.key(typed);
        if (line.text === '') isPasted = false;
      }
    };
    keys.listen({
      keys: (text) => type(text.replace(OTHER_KEYS, '')),
      paste(text) {
        const pasted = pastedLine(text);
        if (!takesPaste) return resolve({ problem: NOT_PASTED });
        if (isEdited) return resolve({ problem: NOT_ONE_LINE });
        isPasted = true;
        type(pasted.isEntered ? `${pasted.line}\r` : pasted.line);
      },
      escape: () => leave('escape'),
      ctrlC: () => leave('ctrl_c'),
      end: () => leave('end'),
      continued: () => resolve({ problem: ASKED_AGAIN }),
    });
  });
}

/** Like the above, and drops what came with it before the next question. */
async function readAlone(context: PromptContext, question: Question, isEdited: boolean): Promise<Given> {
  const { keys, output } = context;
  if (isEdited) keys.setModes(false);
  const given = await readLine(context, question, isEdited).finally(() => keys.listen(undefined));
  if (!isEdited) {
    output.write('\n');
    return given;
  }
  keys.setModes(true);
  return (await keys.drain()) ? { problem: NOT_ONE_LINE } : given;
}

/** A list as one line, where it has room there; else one choice to a line, as a screen reader reads them. */
function numbered({ text: question, choices = [] }: Question) {
  const named = choices.map(({ text }, index) => `${index + 1} ${safeText(text)}`);
  const inLine = named.join(', ');
  const isLong = choices.length > 0 && `? ${question} (${inLine}) 1`.length > LINE_LENGTH;
  return {
    above: isLong ? named.map((choice) => `  ${choice}\n`).join('') : '',
    offered: isLong ? ` (1 to ${choices.length})` : inLine && ` (${inLine})`,
    valueOf: (text: string) => (/^[0-9]{1,4}$/.test(text.trim()) ? choices[Number(text) - 1]?.value : undefined),
    problem: `answer a number from 1 to ${choices.length}`,
  };
}

/** What came is the answer (`true`), is none for a reason, or stands for another. */
function judge(question: Question, given: Given, instead: string, list: ReturnType<typeof numbered>) {
  if ('problem' in given) return { answer: '', verdict: given.problem };
  const answer = given.line || instead;
  if (question.choices === undefined) return { answer, verdict: question.judge(answer) };
  // A paste may be an id, and is never an entry.
  if (given.isPasted !== true && list.valueOf(answer) !== undefined) return { answer, verdict: true } as const;
  const verdict: Verdict = answer.trim() === '' ? '' : question.judge(answer);
  return { answer, verdict: verdict === '' ? list.problem : verdict };
}

/** Asks in lines, none drawn over: on a terminal without escape sequences (`isDumb`), and for screen readers. */
export async function askInLines(context: PromptContext, question: Question, isDumb: boolean): Promise<string> {
  const { output } = context;
  const { isSecret = false } = question;
  const list = numbered(question);
  const say = (text: string) => output.write(`> ${safeText(text)}\n`);
  context.tell = (text) => output.write(`\n> ${safeText(text)}\n`);
  output.write(list.above);
  for (let instead = ''; ; ) {
    output.write(`? ${safeText(question.text)}${isSecret ? ' (not shown)' : list.offered} `);
    const given = await readAlone(context, question, isDumb && !isSecret);
    const { answer, verdict } = judge(question, given, instead, list);
    if (verdict === true) {
      const shown = question.show?.(answer) ?? answer;
      if (shown !== answer) output.write(`  ${safeText(shown)}\n`);
      return list.valueOf(answer) ?? answer;
    }
    const meant = typeof verdict === 'string' ? undefined : verdict;
    instead = meant?.instead ?? '';
    say(meant === undefined ? String(verdict) : `${meant.instead}: ${meant.why}`);
  }
}
