import type { Outcome } from '../base/failure.ts';
import { markedLine, withoutCommands } from '../base/json/outside-text.ts';
import { countFrom } from '../base/json/shorten.ts';
import { escapeUnsafe } from '../base/json/unsafe-characters.ts';
import { momentOf } from '../service/api/iso-date.ts';

const NAMED = new Map([
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
]);

const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/**
 * Text from outside for people: one line, nothing that a terminal or a CI service obeys, nothing invisible. Controls
 * become `\x1b`, `\n`, `\t`, bidi and zero-width characters `<U+202E>`, half a surrogate pair U+FFFD. Ordinary text of
 * every script and emoji stay.
 */
export function safeText(text: string): string {
  // Sets of characters take milliseconds to build, so plain text returns before that.
  if (PLAIN_ASCII.test(text)) return withoutCommands(text);
  const visible = withoutCommands(escapeUnsafe(text, showCodePoint));
  // More marks on one letter than any script uses: they would cover the lines above and below.
  return visible.replace(
    /(\p{M}{8})(\p{M}+)/gu,
    (_, kept: string, flood: string) => `${kept}<+${countFrom(flood, 0)} marks>`,
  );
}

function showCodePoint(codePoint: number): string {
  const named = NAMED.get(codePoint);
  if (named !== undefined) return named;
  if (codePoint <= 0x9f) return `\\x${codePoint.toString(16).padStart(2, '0')}`;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return '\ufffd';
  return `<U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** The first `maxLength` code points, and how many are missing. */
export function shortenText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  for (let count = 0; count < maxLength; count += 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end >= text.length ? text : `${text.slice(0, end)}… (+${groupThousands(countFrom(text, end))})`;
}

/** 39800 as 39,800. */
export function groupThousands(count: number | string): string {
  return String(count).replace(/\B(?=(?:[0-9]{3})+$)/g, ',');
}

/** The text with a capital first letter: `Block card`. */
export function sentenceCase(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** `1 row`, `1,200 rows`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${groupThousands(count)} ${count === 1 ? one : many}`;
}

/** Columns of a terminal, 80 if unknown; undefined for another stream. */
export function widthOf(stream: {
  readonly isTerminal: boolean;
  readonly columns?: number | undefined;
}): number | undefined {
  return stream.isTerminal ? (stream.columns ?? 80) : undefined;
}

/** The columns that a string takes at most. Needs no package, so that a message costs no start. */
function columnsAtMost(text: string): number {
  const wide =
    /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;
  return text.length + (text.match(wide)?.length ?? 0);
}

/** Never broken: text in backticks, which could not be pasted, and a number with its unit. */
const UNBROKEN = /`[^`]*`|\d (?:ms|s|min|h|d)\b/g;
/** In place of what stays together: safe text has no control characters. */
const [HELD, HELD_QUOTE] = ['\x01', '\x02'];

/** `  Label   text`: what comes before the text. Further lines are aligned with the text. */
const LABELLED = /^ +\S(?:\S| (?! ))* {2,}(?=\S)/;

/** A command to paste outside of quotes, with the sentence before it and the rest after it. */
const COMMAND = /^((?:[^"]|"[^"]*")*?:) (frontdesk [a-z-][^;]*)(?:; (.*))?$/s;

/** A line in parts: each command gets an unbroken line of its own. */
function partsOf(line: string): readonly { readonly text: string; readonly isCommand: boolean }[] {
  const [, sentence, command = '', rest] = COMMAND.exec(line) ?? [];
  if (sentence === undefined) return [{ text: line, isCommand: false }];
  const after = rest === undefined ? [] : partsOf(rest);
  return [{ text: sentence, isCommand: false }, { text: command, isCommand: true }, ...after];
}

/** Breaks a line that is too long, with every command on a line of its own. */
export function breakLine(line: string, width: number | undefined): readonly string[] {
  if (width === undefined || columnsAtMost(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  return partsOf(line).flatMap(({ text, isCommand }, at) =>
    isCommand ? [`${indent}  ${text}`] : breakWords(at === 0 ? text : indent + text, width),
  );
}

/** Breaks a line that holds no command. `splits`: a word that is longer than a line, too. */
export function breakMessage(line: string, width: number | undefined, splits = false): readonly string[] {
  return width === undefined ? [line] : breakWords(line, width, splits);
}

/** Words on lines of at most `width` columns. A longer word has a line of its own. */
export function fillLines(words: readonly string[], width: number, columnsOf: (text: string) => number): string[] {
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

/** Before each further line of a quoted text. */
const MARK = '| ';

function isOdd(quotes: string): boolean {
  return (quotes.match(/"/g)?.length ?? 0) % 2 === 1;
}

function piecesOf(word: string, room: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const letter of word) {
    if (piece !== '' && columnsAtMost(piece + letter) > room) {
      pieces.push(piece);
      piece = '';
    }
    piece += letter;
  }
  return [...pieces, piece];
}

/** Words in pieces that have room, and whether a line that begins with one begins inside of quotes. */
function* piecesToPlace(words: readonly string[], width: number, lead: string, splits: boolean) {
  let isQuoted = isOdd(lead);
  for (const word of words) {
    const isOutside = isQuoted || word.includes('"');
    const room = isOutside ? Math.max(1, width - MARK.length) : width;
    const isSplit = (splits || isOutside) && columnsAtMost(word) > room;
    for (const text of isSplit ? piecesOf(word, room) : [word]) {
      yield { text, isQuoted };
      if (isOdd(text)) isQuoted = !isQuoted;
    }
  }
}

/** Words on lines. Further lines of a quoted text are marked, and a long word in it is split, not left to the terminal. */
export function fillQuoted(words: readonly string[], width: number, lead = '', splits = false): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const { text, isQuoted } of piecesToPlace(words, width, lead, splits)) {
    const longer = line === '' ? text : `${line} ${text}`;
    if (line !== '' && columnsAtMost(longer) > width) {
      lines.push(line);
      line = isQuoted ? MARK + text : text;
    } else line = longer;
  }
  return [...lines, line].map((each, index) => (index === 0 ? each : markedLine(each)));
}

/** A text from outside in lines. Further ones are marked, so that none looks like frontdesk's own. */
export function wrapOutside(text: string, width: number): readonly string[] {
  if (columnsAtMost(text) <= width) return [text];
  const words = text.replaceAll('"', HELD_QUOTE).split(' ');
  return fillQuoted(words, width, '"').map((line) => line.replaceAll(HELD_QUOTE, '"'));
}

/** Breaks a line between words, aligned with its first word or label. A longer word stays whole, to be pasted. */
function breakWords(line: string, width: number, splits = false): readonly string[] {
  if (columnsAtMost(line) <= width) return [line];
  const label = LABELLED.exec(line)?.[0] ?? '';
  const held = line.replace(UNBROKEN, (code) => code.replaceAll(' ', HELD));
  const longest = Math.max(...held.split(' ').map(columnsAtMost));
  // An ID that has room on a line of its own is not pushed out of it.
  const isPushed = longest <= width && label.length + longest > width;
  const lead = label.length > width / 2 || isPushed ? '' : label;
  const indent = lead === '' ? (/^ */.exec(line)?.[0] ?? '') : ' '.repeat(lead.length);
  const lines = fillQuoted(held.slice(indent.length).split(' '), width - indent.length, lead, splits).map(
    (each) => indent + each,
  );
  return lines.map((each, index) => (index === 0 ? lead + each.slice(lead.length) : each).replaceAll(HELD, ' '));
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const STEPS = Object.entries({ d: DAY_MS, h: HOUR_MS, min: MINUTE_MS, s: 1000 });

/** A time span, rounded down, in its two largest units: `450 ms`, `12 s`, `2 h 5 min`. A negative one is `0 ms`. */
export function formatDuration(ms: number): string {
  const first = STEPS.findIndex(([, stepMs]) => ms >= stepMs);
  const largest = STEPS[first];
  if (largest === undefined) return `${Math.max(0, Math.floor(ms))} ms`;
  const [unit, stepMs] = largest;
  const head = `${Math.floor(ms / stepMs)} ${unit}`;
  const next = STEPS[first + 1];
  if (next === undefined) return head;
  const rest = Math.floor((ms % stepMs) / next[1]);
  return rest === 0 ? head : `${head} ${rest} ${next[0]}`;
}

/** A time span in whole seconds, rounded up: `7 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatSeconds(ms: number): string {
  return ms <= 0 ? '0 s' : formatDuration(Math.ceil(ms / 1000) * 1000);
}

const UNITS = Object.entries({
  year: 365.25 * DAY_MS,
  month: 30.4375 * DAY_MS,
  day: DAY_MS,
  hour: HOUR_MS,
  minute: MINUTE_MS,
});

/** How far away a time is (`in 3 months`, `now`); undefined without an exact moment, as without a zone. */
export function awayFrom(text: string, nowMs: number): string | undefined {
  const timeMs = momentOf(text);
  if (timeMs === undefined) return undefined;
  const awayMs = timeMs - nowMs;
  // To the nearest minute: a new plan expires in 1 day, not in 23 hours.
  const distanceMs = Math.ceil(Math.abs(awayMs) / MINUTE_MS - 0.5) * MINUTE_MS;
  for (const [name, lengthMs] of UNITS) {
    const count = Math.floor(distanceMs / lengthMs);
    // Days up to two months, months up to two years.
    if (count < 1 || (count < 2 && (name === 'year' || name === 'month'))) continue;
    const words = `${count} ${name}${count === 1 ? '' : 's'}`;
    return awayMs > 0 ? `in ${words}` : `${words} ago`;
  }
  return 'now';
}

/** The sign of what makes a change dangerous. */
export function dangerSign({ unicode }: { readonly unicode: boolean }): string {
  return unicode ? '▲' : '!';
}

/** The sign before the words of an outcome. */
export function outcomeSign(outcome: Outcome, { unicode }: { readonly unicode: boolean }): string {
  if (outcome === 'unknown') return dangerSign({ unicode });
  if (outcome === 'rejected' || outcome === 'not_sent') return unicode ? '✖' : 'x';
  return unicode ? '✔' : '*';
}
