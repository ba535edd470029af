/** What begins a line of frontdesk: nothing from outside may begin one with it, nor a command of a CI service. */
const OURS = /^\s*(?:hint:|frontdesk|::)/i;
/** A verdict, with its sign or one that looks like it: any but the pictures among them. */
const VERDICT = /^\s*(?:[✅❌❎⛔]|(?!\p{EPres})[\p{So}×√∆]|[x*!] (?:NOT |OUTCOME |[A-Z]+ED\b))/u;
/** What looks like the sign that ends a quoted text. */
const END_OF_QUOTES = /["ʺ״“-‟″〃〝-〟＂❝❞🙶-🙸]/gu;
/** How Azure Pipelines and TeamCity begin a command, anywhere in a line of a log. */
const CI_COMMAND = /##(?=\w*\[)/g;
/** A status, a code, an ID, a path: it needs no quotes to be told from the words around it. */
const PLAIN_WORD = /^(?!hint)\/?[\p{L}\p{N}](?:[\p{L}\p{N}._@+/-]|:(?=[\p{N}/]))*$/iu;
/** A name of a member, which may have single blanks. */
const PLAIN_NAME = /^(?!hint)[\p{L}\p{N}](?:[\p{L}\p{N}._@+/-]| (?=\S))*$/iu;

/** A text from outside in quotes that it cannot end: nothing behind them is its own. */
export function quoted(text: string): string {
  return `"${text.replace(END_OF_QUOTES, "'")}"`;
}

/** A text from outside within a sentence: one plain word as it is, anything else in quotes. */
export function outside(text: string): string {
  return isPlainWord(text) ? text : quoted(text);
}

/** A word that cannot be taken for frontdesk's own. */
export function isPlainWord(text: string): boolean {
  return PLAIN_WORD.test(text) && !/^[^/]*frontdesk/i.test(text);
}

/** A member's name from outside, at the beginning of a line. */
export function outsideName(name: string): string {
  return PLAIN_NAME.test(name) && !/frontdesk/i.test(name) ? name : quoted(name);
}

/** A line that begins with a text from outside, marked if it would look like one of frontdesk's own. */
export function markedLine(line: string): string {
  return OURS.test(line) || VERDICT.test(line) ? line.replace(/^\s*/, '$&| ') : line;
}

/** The text without a command of a CI service: `##|[error]`. `marks`: what stands for `##`. */
export function withoutCommands(text: string, marks = '##|'): string {
  return text.includes('##') ? text.replace(CI_COMMAND, marks) : text;
}

/** JSON for stderr, which CI services read for commands: the same value, spelt so that it holds none. */
export function logJson(json: string): string {
  return withoutCommands(json, '#\\u0023');
}
