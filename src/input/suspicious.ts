import type { JsonValue } from '../base/json/value.ts';

/** Characters that nobody can see or has typed, with their names. */
const HIDDEN: Readonly<Record<string, string>> = {
  '\u200b': 'zero width space',
  '\u2060': 'word joiner',
  '\ufeff': 'byte order mark',
  '\u00ad': 'soft hyphen',
  '\ufffd': 'replacement character, where a program lost another one',
};
const ANY_HIDDEN = /[\u200b\u2060\ufeff\u00ad\ufffd]|(?!\s)\p{Cc}/u;
/** Within words of scripts and within emoji, joiners are ordinary. */
const LOOSE_JOINER = /^[\u200c\u200d]|[\u200c\u200d]$|(?<=\s)[\u200c\u200d]|[\u200c\u200d](?=\s)/u;
/** A blank that is no space, or a line break. */
const EDGE = /^[^\S ]|[^\S ]$/u;
const QUOTES = /^(?:".*"|'.*'|[“”„‟«»‹›‘’‚‛].*[“”„‟«»‹›‘’‚‛])$/su;

function nameOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const name = HIDDEN[character];
  return `U+${code}${name === undefined ? '' : ` (${name})`}`;
}

/** What nobody can see or has typed in a text: the first such character, or quotes around it. Undefined: nothing. */
function hiddenIn(text: string): string | undefined {
  const hidden = ANY_HIDDEN.exec(text)?.[0] ?? LOOSE_JOINER.exec(text)?.[0];
  if (hidden !== undefined) return nameOf(hidden);
  const edge = EDGE.exec(text)?.[0];
  if (edge !== undefined) return `${nameOf(edge)} at its ${text.startsWith(edge) ? 'beginning' : 'end'}`;
  return text.length > 1 && QUOTES.test(text) ? `quotes around it (${text[0]}…${text.at(-1)})` : undefined;
}

/** The same in an ID, where no blank but a space is ever right. */
export function hiddenInId(id: string): string | undefined {
  const blank = /[^\S ]/u.exec(id)?.[0];
  return hiddenIn(id) ?? (blank === undefined ? undefined : nameOf(blank));
}

/** What looks unintended in a value: `no @`, for a sentence about it. It is sent anyway. Undefined: nothing. */
export function suspicionOf(field: string, value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const hidden = hiddenIn(value);
  if (hidden !== undefined) return hidden;
  if (field === 'email' && !value.includes('@')) return 'no @';
  if (value.includes('\\n')) return 'a backslash and an n, not a line break';
  return value.startsWith(' ') || value.endsWith(' ') ? 'a space before or after the text' : undefined;
}
