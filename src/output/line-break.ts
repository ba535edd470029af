/** Columns of a stream that is a terminal, 80 where it does not say; undefined: it is none. */
export function widthOf(stream: {
  readonly isTerminal: boolean;
  readonly columns?: number | undefined;
}): number | undefined {
  return stream.isTerminal ? (stream.columns ?? 80) : undefined;
}

/**
 * Terminal columns that a string takes at most: of a joined emoji more than it takes, as terminals and readline differ in
 * that. Needs no package, so that a message costs no start; `displayWidth` measures what has to be aligned.
 */
function columnsAtMost(text: string): number {
  const wide =
    /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;
  return text.length + (text.match(wide)?.length ?? 0);
}

/** What must not be broken: what stands in backticks, or it could not be pasted, and a number with its unit. */
const UNBROKEN = /`[^`]*`|\d (?:ms|s|min|h|d)\b/g;
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
  if (width === undefined || (columnsAtMost(line) <= width && !always)) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  return partsOf(line).flatMap(({ text, isCommand }, at) =>
    isCommand ? [`${indent}  ${text}`] : breakWords(at === 0 ? text : indent + text, width),
  );
}

/**
 * A line that holds text from outside: no command in it is laid out as one of frontdesk, and where a line of the screen would
 * begin with `hint:` or `frontdesk`, a `|` goes before.
 */
export function breakMessage(line: string, width: number | undefined): readonly string[] {
  if (width === undefined || columnsAtMost(line) <= width) return [line];
  return breakWords(line, width).map((each, index) =>
    each.replace(/\s*(?:hint:|frontdesk)/gi, (found, at: number) => {
      if (at === 0) return index === 0 ? found : found.replace(/\S/, '| $&');
      const start = columnsAtMost(each.slice(0, at));
      const end = start + found.search(/\S/);
      // The terminal itself breaks a word that is longer than its rows.
      const isBroken = start % width === 0 || Math.floor(start / width) < Math.floor(end / width);
      return isBroken ? found.replace(/\S/, '|$&') : found;
    }),
  );
}

/** Words on lines of at most `width` columns; one that is longer has a line of its own. */
export function fillLines(words: readonly string[], width: number, columnsOf = columnsAtMost): string[] {
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
  if (columnsAtMost(line) <= width) return [line];
  const label = LABELLED.exec(line)?.[0] ?? '';
  const lead = label.length > width / 2 ? '' : label;
  const indent = lead === '' ? (/^ */.exec(line)?.[0] ?? '') : ' '.repeat(lead.length);
  const held = line.replace(UNBROKEN, (code) => code.replaceAll(' ', HELD));
  const lines = fillLines(held.slice(indent.length).split(' '), width - indent.length).map((each) => indent + each);
  return lines.map((each, index) => (index === 0 ? lead + each.slice(lead.length) : each).replaceAll(HELD, ' '));
}
