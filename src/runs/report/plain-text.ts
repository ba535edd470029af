import { withoutCommands } from '../../base/json/outside-text.ts';
import { shortenText } from '../../screen/text.ts';

/** Far above any ID or code. Longer texts are cut, so that none can fill a document. */
const MAX_LENGTH = 200;
const MAX_READ = 10_000;

/** Controls, half surrogates, noncharacters, line separators, and invisible or reordering characters. */
const UNSAFE =
  /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
/** Percent-encoded, full-width and small at signs too. */
const ADDRESS = /[^\s@\uff20\ufe6b<>"']+?(?:@|%(?:25)*40|[\uff20\ufe6b])[^\s@\uff20\ufe6b<>"']+/gi;

/** Text from outside in one line that every format can hold. Invisible characters become `\u{202e}`. */
export function plainText(text: string, maxLength = MAX_LENGTH): string {
  const visible = text
    .slice(0, Math.max(MAX_READ, maxLength))
    .replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  return shortenText(visible, maxLength);
}

/** A text without e-mail addresses: more people read a report than cards and subscribers. */
export function withoutAddresses(text: string): string {
  return text.replace(ADDRESS, '<address>');
}

/** Plain text of the service about a row, which may name a customer. */
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

/** Plain text in HTML and XML, for an element or an attribute: no command of a CI service, if a log has the document. */
export function escapeMarkup(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
  return withoutCommands(escaped, '#&#35;');
}

/**
 * Plain text as a Markdown code span, in which nothing is a mark, a link or a mention. A tag is split even there, for
 * programs that do not know Markdown, and a command of a CI service. `alsoApart`: what else is split.
 */
export function markdownCode(text: string, alsoApart = ''): string {
  if (withoutCommands(text) !== text || ['<', ...alsoApart].some((mark) => text.includes(mark))) {
    const entity = (mark: string) => ENTITIES[mark] ?? `&#${mark.charCodeAt(0)};`;
    return `<code>${text.replace(/[!-+\--/:-@[-`{-~]/g, entity)}</code>`;
  }
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = /^[` ]|[` ]$/.test(text) ? ' ' : '';
  return text === '' ? '' : `${fence}${space}${text}${space}${fence}`;
}
