import { CARD_ID } from '../api/field.ts';
import { type Notice, warning } from '../failure.ts';
import { shorten } from '../json/shorten.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from '../json/value.ts';
import { safeText } from '../output/text.ts';

/** Longer values are cut in messages: a description may have 40,000 characters. */
const SHOWN_CHARACTERS = 60;

/**
 * What was given, for a message: quoted, safe for a terminal, cut at 60 characters. Never call it with a
 * secret; no field of the API's request bodies is one.
 */
export function quoteValue(text: string): string {
  return `"${safeText(shorten(text, SHOWN_CHARACTERS))}"`;
}

/** Any JSON value for a message: strings are quoted, numbers shown digit for digit, the rest is named by its kind. */
export function showValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quoteValue(value);
  if (value instanceof JsonNumber) return value.text.length > SHOWN_CHARACTERS ? 'a number' : value.text;
  if (isJsonArray(value)) return 'an array';
  return isJsonObject(value) ? 'an object' : 'a value';
}

/** A string that holds an id is not longer: a URL, a line of a mail. */
const MAX_GIVEN = 5000;
const DIGITS = 32;
/** Columns of a card id: a question leaves room for one. */
export const CARD_ID_COLUMNS = 36;

/** What a card id looks like, for refusals. */
const CARD_ID_EXAMPLE = 'a card ID has 36 characters with dashes, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';

/**
 * What a string has of card ids. `id`: it is one. `holds`: it is none, but one stands in it (a URL, quotes, missing or
 * typographic dashes, a sentence). `several`: two or more different ones do. Ids have their dashes and keep their case.
 */
export type CardIdReading =
  | { readonly kind: 'id' | 'holds'; readonly id: string }
  | { readonly kind: 'several'; readonly ids: readonly string[] }
  | { readonly kind: 'none' };

/**
 * THE way in which card ids are read, wherever a person or a file gives one. An id is used as it is; one that was
 * found in a string is shown and confirmed or typed again: the wrong card is worse than a second try.
 */
export function readCardId(text: string): CardIdReading {
  if (CARD_ID.test(text)) return { kind: 'id', id: text };
  if (text.length > MAX_GIVEN) return { kind: 'none' };
  // Here, as V8 takes half a millisecond to make these patterns, and most ids are as they should be.
  const visible = text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '').replace(/[‐‑‒–—―−﹣－]/g, '-');
  const groups = [8, 4, 4, 4, 12].map((digits) => `([0-9a-f]{${digits}})`).join('[\\s-]{0,3}');
  // No letter or digit touches it, and no further group of hexadecimal digits hangs on it by a dash.
  const within = new RegExp(`(?<![0-9a-z]|\\b[0-9a-f]+-)(?:${groups})(?![0-9a-z]|-[0-9a-f]+\\b)`, 'gi');
  const found = new Map(
    [...visible.matchAll(within)].map(([, ...parts]) => parts.join('-')).map((id) => [id.toLowerCase(), id]),
  );
  const [first, ...others] = found.values();
  if (first === undefined) return { kind: 'none' };
  return others.length === 0 ? { kind: 'holds', id: first } : { kind: 'several', ids: [first, ...others] };
}

/** Returns what is wrong with a string that was given as a card id; undefined: it is one. */
export function cardIdProblem(text: string): string | undefined {
  const read = readCardId(text);
  if (read.kind === 'id') return undefined;
  const given = quoteValue(text);
  if (read.kind === 'holds') return `${given} is not a card ID: did you mean ${read.id}?`;
  if (read.kind === 'several') return `${given} holds ${read.ids.length} card ids: ${read.ids.join(', ')}`;
  // A digit was lost or doubled.
  const digits = /^[0-9a-f\s-]{1,99}$/i.test(text) ? text.replace(/[\s-]/g, '').length : DIGITS;
  const count = digits !== DIGITS && Math.abs(digits - DIGITS) <= 4 ? ` (it has ${digits} digits, not ${DIGITS})` : '';
  return `${text === '' ? 'is empty' : `${given} is not a card ID${count}`}; ${CARD_ID_EXAMPLE}`;
}

/**
 * What looks pasted by mistake in an id of a calendar or subscriber: it may still be right, so it is sent, and
 * this is said (docs/faults.md I11). One sentence each; empty for an ordinary id.
 */
export function idWarnings(id: string): readonly string[] {
  const shown = quoteValue(id);
  const warnings: string[] = [];
  if (safeText(id) !== id) warnings.push(`the id ${shown} has invisible characters, and is sent as given`);
  if (id.trim() !== id) warnings.push(`the id ${shown} begins or ends with a space, and is sent as given`);
  return warnings;
}

/** Space, tab, and the space that web pages put between words. */
const BLANK_EDGE = /^[ \t\u00a0]|[ \t\u00a0]$/;

/**
 * What a value has that was perhaps not meant: `no @`, for a sentence about it. It may be right anyway, so the value
 * is sent as it is. Undefined: nothing is odd about it.
 */
export function suspicionOf(field: string, value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  if (field === 'email' && !value.includes('@')) return 'no @';
  if (value.includes('\\n')) return 'a backslash and an n, not a line break';
  return BLANK_EDGE.test(value) ? 'a space before or after the text' : undefined;
}

/** What is said of ids, and of values, that are sent although they were perhaps not meant. */
export function warningsOf(ids: readonly string[], values: readonly string[]): readonly Notice[] {
  return [
    ...ids.map((message) => warning('SUSPICIOUS_ID', message)),
    ...values.map((message) => warning('SUSPICIOUS_VALUE', message)),
  ];
}
