/** Columns of a stream that is a terminal, 80 where it does not say; undefined: it is none. */
export function widthOf(stream: {
  readonly isTerminal: boolean;
  readonly columns?: number | undefined;
}): number | undefined {
  return stream.isTerminal ? (stream.columns ?? 80) : undefined;
}

/** What must not be broken, or it could not be pasted: what stands in backticks. */
const UNBROKEN = /`[^`]*`/g;
const HELD = '\ue001';

/** `  Label   text`: what comes before the text, which further lines stand under. */
const LABELLED = /^ +\S(?:\S| (?! ))* {2,}(?=\S)/;

/** A command to be pasted, after the sentence that leads to it, and what follows. */
const COMMAND = /^(.*?:) (frontdesk [a-z-][^;]*)(?:; (.*))?$/s;

/** A long line in parts: each command that it gives stands on a line of its own, unbroken. */
function partsOf(line: string): readonly { readonly text: string; readonly isCommand: boolean }[] {
  const [, sentence, command = '', rest] = COMMAND.exec(line) ?? [];
  if (sentence === undefined) return [{ text: line, isCommand: false }];
  const after = rest === undefined ? [] : partsOf(rest);
  return [{ text: sentence, isCommand: false }, { text: command, isCommand: true }, ...after];
}

/**
 * A line that is too long, with every command in it on a line of its own. `always`: also where it is not too long.
 */
export function breakLine(line: string, width: number | undefined, always = false): readonly string[] {
  if (width === undefined || (line.length <= width && !always)) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  return partsOf(line).flatMap(({ text, isCommand }) => (isCommand ? [`${indent}  ${text}`] : breakWords(text, width)));
}

/** Words on lines of at most `width` columns; one that is longer has a line of its own. */
export function fillLines(
  words: readonly string[],
  width: number,
  columnsOf = (text: string): number => text.length,
): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && columnsOf(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

/**
 * A line broken between words so that each part fits into `width` columns; further ones stand under its first word, or
 * under the text beside a label.
 * A word that is longer than the width stays whole: the terminal breaks it, and it is pasted in one piece.
 */
function breakWords(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  const label = LABELLED.exec(line)?.[0] ?? '';
  const lead = label.length > width / 2 ? '' : label;
  const indent = lead === '' ? (/^ */.exec(line)?.[0] ?? '') : ' '.repeat(lead.length);
  const held = line.replace(UNBROKEN, (code) => code.replaceAll(' ', HELD));
  const lines = fillLines(held.slice(indent.length).split(' '), width - indent.length).map((each) => indent + each);
  return lines.map((each, index) => (index === 0 ? lead + each.slice(lead.length) : each).replaceAll(HELD, ' '));
}
