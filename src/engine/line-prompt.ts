import type { PromptPort } from '../context.ts';
import { safeText } from '../output/safe-text.ts';
import type { Ask, Asking } from './asking.ts';

const BACKSPACE = ['\u007f', '\b'];
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const LINE_LENGTH = 80;

/** One line as the terminal itself edits and echoes it. */
async function readLine({ input, output, signal }: Asking, question: string): Promise<string> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input, output, terminal: false });
  try {
    return await new Promise<string>((resolve, reject) => {
      const leave = () => {
        output.write('\n');
        reject(new Error('no answer'));
      };
      signal.addEventListener('abort', leave);
      lines.on('close', leave).question(question, (answer) => {
        lines.off('close', leave);
        signal.removeEventListener('abort', leave);
        resolve(answer);
      });
    });
  } finally {
    lines.close();
  }
}

function isRawable(input: NodeJS.ReadableStream): input is NodeJS.ReadStream {
  return 'setRawMode' in input && typeof input.setRawMode === 'function';
}

/** One line that is not echoed at all. */
async function readHidden({ input, output, signal }: Asking, question: string): Promise<string> {
  if (!isRawable(input)) throw new Error('the echo of this terminal cannot be switched off');
  const answer: string[] = [];
  let hear: (part: Buffer) => void = () => undefined;
  // The echo goes first: what is typed as soon as the question stands there must not be shown.
  input.setRawMode(true);
  output.write(question);
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', reject);
      hear = (part) => {
        for (const typed of part.toString('utf8')) {
          if (typed === '\r' || typed === '\n') return resolve();
          if (typed === CTRL_C || (typed === CTRL_D && answer.length === 0)) return reject(new Error('no answer'));
          if (BACKSPACE.includes(typed)) answer.pop();
          else answer.push(typed);
        }
      };
      input.on('data', hear);
    });
    return answer.join('');
  } finally {
    input.off('data', hear);
    input.setRawMode(false);
    input.pause();
    output.write('\n');
  }
}

/** Asks again, saying why, until the answer is accepted. */
async function untilValid(
  asking: Asking,
  read: () => Promise<string>,
  validate: (answer: string) => true | string,
): Promise<string> {
  for (;;) {
    const answer = await read();
    const verdict = validate(answer);
    if (verdict === true) return answer;
    asking.output.write(`> ${safeText(verdict)}\n`);
  }
}

/** Questions for a terminal that obeys no escape sequences: an editor's shell, a serial line, a screen reader. */
export function linePrompt(ask: Ask): Omit<PromptPort, 'available'> {
  const text: PromptPort['text'] = (question, validate, show) =>
    ask(async (asking) => {
      const line = `? ${safeText(question)} `;
      const answer = await untilValid(asking, () => readLine(asking, line), validate);
      const shown = show?.(answer) ?? answer;
      if (shown !== answer) asking.output.write(`  ${safeText(shown)}\n`);
      return answer;
    });
  return {
    text,
    secret: (question, validate) =>
      ask((asking) => untilValid(asking, () => readHidden(asking, `? ${safeText(question)} (not shown) `), validate)),
    async confirm(question) {
      const answer = await text(`${question} (y/N)`, (word) =>
        /^(?:y|yes|n|no|)$/i.test(word.trim()) ? true : 'answer y or n',
      );
      return /^y/i.test(answer.trim());
    },
    async choose(question, choices) {
      const named = choices.map((choice, index) => `${index + 1} ${choice.text}`);
      const list = named.join(', ');
      // More than a line holds: one choice to a line, as a screen reader reads them.
      const isLong = list.length > LINE_LENGTH;
      const shown = isLong ? named.map((choice) => `  ${safeText(choice)}\n`).join('') : '';
      const indexOf = (word: string) => (/^[0-9]{1,4}$/.test(word.trim()) ? Number(word) - 1 : -1);
      const range = isLong ? `1 to ${choices.length}` : list;
      const answer = await ask(async (asking) => {
        asking.output.write(shown);
        const line = `? ${safeText(`${question} (${range})`)} `;
        return untilValid(
          asking,
          () => readLine(asking, line),
          (word) => (choices[indexOf(word)] === undefined ? `answer a number from 1 to ${choices.length}` : true),
        );
      });
      return choices[indexOf(answer)]?.value ?? '';
    },
  };
}
