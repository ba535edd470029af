import { shortenText } from '../output/text.ts';

/** Far above any id or code; longer ones are cut, so that one text cannot fill a document. */
const MAX_LENGTH = 200;
const MAX_READ = 10_000;

/** Controls, half surrogates, noncharacters, line separators, and what is drawn as nothing or turns the order. */
const UNSAFE =
  /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
/** Percent-encoded, full-width and small at signs too. */
const ADDRESS = /[^\s@\uff20\ufe6b<>"']+?(?:@|%(?:25)*40|[\uff20\ufe6b])[^\s@\uff20\ufe6b<>"']+/gi;

/** Text from outside in one line that every format can hold: what cannot be seen shows as `\u{202e}`. */
export function plainText(text: string, maxLength = MAX_LENGTH): string {
  const visible = text
    .slice(0, Math.max(MAX_READ, maxLength))
    .replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  return shortenText(visible, maxLength);
}

/** A text without the e-mail addresses in it: reports go to more people than the cards and subscribers do. */
export function withoutAddresses(text: string): string {
  return text.replace(ADDRESS, '<address>');
}

/** Plain text of what the service says of a row, in which it may repeat whom the row is about. */
export function plainCause(text: string): string {
  return withoutAddresses(plainText(text));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Plain text in HTML and XML, inside an element or an attribute. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * Plain text in Markdown as a span of code, in which nothing is a mark, a link or the mention of a person. A tag is
 * taken apart even there, for what reads the document without knowing Markdown. `alsoApart`: what is taken apart besides.
 */
export function markdownCode(text: string, alsoApart = ''): string {
  if (text.includes('<') || [...alsoApart].some((mark) => text.includes(mark))) {
    const entity = (mark: string) => ENTITIES[mark] ?? `&#${mark.charCodeAt(0)};`;
    return `<code>${text.replace(/[!-+\--/:-@[-`{-~]/g, entity)}</code>`;
  }
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = /^[` ]|[` ]$/.test(text) ? ' ' : '';
  return text === '' ? '' : `${fence}${space}${text}${space}${fence}`;
}
