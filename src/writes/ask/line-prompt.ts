import { breakLine, safeText } from '../../screen/text.ts';
import type { PromptContext, Question } from './prompt-context.ts';
import { answerGap, columnsOf, judgeInput, noteText, type PromptInput, refusalOf } from './prompt-input.ts';
import { EMPTY_LINE, OTHER_KEYS, pastedLine } from './terminal-keys.ts';

const BACKSPACE = ['\u007f', '\b'];
const CTRL_D = '\u0004';
const LINE_LENGTH = 80;
const INDENT = '  ';
const ASKED_AGAIN = 'keys pressed before the question do not count. Answer again';
const NOT_ONE_LINE = 'several lines came at once. Answer with one';

/** A line, or why the input is none. */
type Line = Extract<PromptInput, { readonly text: string }> | { readonly problem: string };

/** A line being typed, with each key echoed once. */
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

/** Reads a typed line. The terminal edits and echoes it if keys are not read one by one (`isEdited`). */
function readLine(
  asking: PromptContext,
  { isSecret, longest, takesPaste, emptiesFirst = false }: Question,
  isEdited: boolean,
): Promise<Line> {
  const { keys, output, signal, leave } = asking;
  const line = typedLine(isEdited || isSecret === true ? () => undefined : (text) => output.write(text));
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      output.write('\n');
      reject(signal.reason);
    });
    let isPasted = false;
    const type = (text: string) => {
      for (const typed of text) {
        if (typed === '\r' || typed === '\n') return resolve({ text: line.text, isPasted });
        if (typed === CTRL_D && line.text === '') return leave('end');
        line.key(typed);
        if (line.text === '') isPasted = false;
      }
    };
    keys.listen({
      // A line edited by the terminal comes in one piece.
      ...(longest === undefined || isEdited ? {} : { longest }),
      keys: (text) => type(text.replace(OTHER_KEYS, '')),
      paste(text) {
        const pasted = pastedLine(text);
        if (!takesPaste) return resolve({ text: pasted.line, isPasted: true });
        if (isEdited) return resolve({ problem: NOT_ONE_LINE });
        isPasted = true;
        type(pasted.isEntered ? `${pasted.line}\r` : pasted.line);
      },
      escape: () => (emptiesFirst ? type(EMPTY_LINE) : leave('escape')),
      ctrlC: () => (emptiesFirst && line.text !== '' ? type(EMPTY_LINE) : leave('ctrl_c')),
      end: () => leave('end'),
      continued: () => resolve({ problem: ASKED_AGAIN }),
    });
  });
}

/** Reads a line, and drops what came with it before the next question. */
async function readAlone(asking: PromptContext, question: Question, isEdited: boolean): Promise<Line> {
  const { keys, output } = asking;
  if (isEdited) keys.setModes(false);
  const input = await readLine(asking, question, isEdited).finally(() => keys.listen(undefined));
  if (!isEdited) {
    output.write('\n');
    return input;
  }
  keys.setModes(true);
  return (await keys.drain()) ? { problem: NOT_ONE_LINE } : input;
}

/** A list on one line if it fits, else one choice per line for screen readers. */
function numbered({ text: question, choices = [], above, isSecret }: Question) {
  const named = choices.map(({ text, remark, number }, index) => {
    const name = `${number ?? index + 1} ${safeText(text)}`;
    return remark === undefined ? name : `${name} (${safeText(remark)})`;
  });
  const inLine = named.join(', ');
  const isLong = choices.length > 0 && (above !== undefined || `? ${question} (${inLine}) 1`.length > LINE_LENGTH);
  return {
    above: isLong ? named.map((choice) => `  ${choice}\n`).join('') : '',
    offered:
      isSecret === true
        ? ' (not shown)'
        : isLong
          ? ` (1 to ${choices.at(-1)?.number ?? choices.length})`
          : inLine && ` (${inLine})`,
  };
}

/** Asks in lines without redrawing: in a terminal without escape sequences (`isDumb`), and for screen readers. */
export async function askInLines(asking: PromptContext, question: Question, isDumb: boolean): Promise<string> {
  const { output } = asking;
  const { isSecret = false, choices } = question;
  const list = numbered(question);
  const say = (text: string) => output.write(`> ${noteText(text, columnsOf(output))}\n`);
  asking.tell = (text) => {
    output.write('\n');
    say(text);
  };
  output.write(
    (question.above?.(undefined) ?? '') + list.above + (asking.note === undefined ? '' : `> ${asking.note}\n`),
  );
  for (let instead = ''; ; ) {
    const lines = breakLine(`? ${safeText(question.text)}${list.offered}`, columnsOf(output) - INDENT.length);
    const gap = answerGap(question.room ?? 0, INDENT.length + (lines.at(-1)?.length ?? 0), columnsOf(output));
    output.write(`${lines.join(`\n${INDENT}`)}${gap} `);
    const line = await readAlone(asking, question, isDumb && !isSecret);
    const input = 'problem' in line || line.text !== '' ? line : { text: instead };
    const { answer, verdict } =
      'problem' in input ? { answer: '', verdict: input.problem } : judgeInput(question, input);
    if (verdict === true) {
      const shown = question.show?.(answer) ?? answer;
      if (choices === undefined && shown !== answer) output.write(`  ${safeText(shown)}\n`);
      return answer;
    }
    const refusal = refusalOf(verdict);
    instead = refusal.instead;
    say(instead === '' ? refusal.why : `${instead}: ${refusal.why}`);
  }
}
