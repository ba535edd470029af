import { CARD_ID } from '../api/field.ts';
import { type Notice, warning } from '../failure.ts';
import { shorten } from '../json/shorten.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from '../json/value.ts';
import { safeText } from '../output/text.ts';

/** Longer values are cut in messages: a description may have 40,000 characters. */
const SHOWN_CHARACTERS = 60;

/** A given text for a message: quoted, safe for a terminal, cut at 60 characters. Never call it with a secret. */
export function quoteValue(text: string): string {
  return `"${safeText(shorten(text, SHOWN_CHARACTERS))}"`;
}

/** A JSON value for a message: strings quoted, numbers digit for digit, others by their kind. */
export function showValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quoteValue(value);
  if (value instanceof JsonNumber) return value.text.length > SHOWN_CHARACTERS ? 'a number' : value.text;
  if (isJsonArray(value)) return 'an array';
  return isJsonObject(value) ? 'an object' : 'a value';
}

/** A longer string is not searched for an ID. */
const MAX_GIVEN = 5000;
const DIGITS = 32;
/** Columns of a card ID: a question leaves room for one. */
export const CARD_ID_COLUMNS = 36;

/** What a card ID looks like, for refusals. */
const CARD_ID_EXAMPLE = 'A card ID has 36 characters with dashes, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';

/**
 * What a string has of card IDs. `id`: it is one. `holds`: it contains one (a URL, quotes, missing or typographic
 * dashes, a sentence). `several`: it contains different ones. IDs have their dashes and keep their case.
 */
export type CardIdReading =
  | { readonly kind: 'id' | 'holds'; readonly id: string }
  | { readonly kind: 'several'; readonly ids: readonly string[] }
  | { readonly kind: 'none' };

/** THE way to read card IDs. One that was found in a text is confirmed or typed again: a wrong card is worse. */
export function readCardId(text: string): CardIdReading {
  if (CARD_ID.test(text)) return { kind: 'id', id: text };
  if (text.length > MAX_GIVEN) return { kind: 'none' };
  // Made here: V8 takes half a millisecond for these patterns, and most IDs do not need them.
  const visible = text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '').replace(/[‐‑‒–—―−﹣－]/g, '-');
  const groups = [8, 4, 4, 4, 12].map((digits) => `([0-9a-f]{${digits}})`).join('[\\s-]{0,3}');
  // No letter or digit touches it, and no further group of hexadecimal digits follows a dash.
  const within = new RegExp(`(?<![0-9a-z]|\\b[0-9a-f]+-)(?:${groups})(?![0-9a-z]|-[0-9a-f]+\\b)`, 'gi');
  const found = new Map(
    [...visible.matchAll(within)].map(([, ...parts]) => parts.join('-')).map((id) => [id.toLowerCase(), id]),
  );
  const [first, ...others] = found.values();
  if (first === undefined) return { kind: 'none' };
  return others.length === 0 ? { kind: 'holds', id: first } : { kind: 'several', ids: [first, ...others] };
}

/** What is wrong with a string as a card ID; undefined if it is one. */
export function cardIdProblem(text: string): string | undefined {
  const read = readCardId(text);
  if (read.kind === 'id') return undefined;
  const given = quoteValue(text);
  if (read.kind === 'holds') return `${given} is not a card ID: did you mean ${read.id}?`;
  if (read.kind === 'several') return `${given} holds ${read.ids.length} card ids: ${read.ids.join(', ')}`;
  // A digit was lost or doubled.
  const digits = /^[0-9a-f\s-]{1,99}$/i.test(text) ? text.replace(/[\s-]/g, '').length : DIGITS;
  const count = digits !== DIGITS && Math.abs(digits - DIGITS) <= 4 ? ` (it has ${digits} digits, not ${DIGITS})` : '';
  return `${text === '' ? 'is empty' : `${given} is not a card ID${count}`}. ${CARD_ID_EXAMPLE}`;
}

/** What looks pasted by mistake in an ID that is not a card's. It may be right, so it is sent (docs/faults.md I11). */
export function idWarnings(id: string): readonly string[] {
  const shown = quoteValue(id);
  const warnings: string[] = [];
  if (safeText(id) !== id) warnings.push(`the id ${shown} has invisible characters, and is sent as given`);
  if (id.trim() !== id) warnings.push(`the id ${shown} begins or ends with a space, and is sent as given`);
  return warnings;
}

/** Space, tab, and the space of web pages. */
const BLANK_EDGE = /^[ \t\u00a0]|[ \t\u00a0]$/;

/** What looks unintended in a value: `no @`, for a sentence about it. It is sent anyway. Undefined: nothing. */
export function suspicionOf(field: string, value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  if (field === 'email' && !value.includes('@')) return 'no @';
  if (value.includes('\\n')) return 'a backslash and an n, not a line break';
  return BLANK_EDGE.test(value) ? 'a space before or after the text' : undefined;
}

/** The warnings about odd IDs and values that are sent. */
export function warningsOf(ids: readonly string[], values: readonly string[]): readonly Notice[] {
  return [
    ...ids.map((message) => warning('SUSPICIOUS_ID', message)),
    ...values.map((message) => warning('SUSPICIOUS_VALUE', message)),
  ];
}
