import type { Verdict } from '../base/context.ts';
import { type Notice, warning } from '../base/failure.ts';
import { quoted } from '../base/json/outside-text.ts';
import { shorten } from '../base/json/shorten.ts';
import { isJsonArray, JsonNumber, type JsonValue } from '../base/json/value.ts';
import { safeText } from '../screen/text.ts';
import { CARD_ID } from '../service/api/field.ts';

/** Longer values are cut in messages: a description may have 40,000 characters. */
const SHOWN_CHARACTERS = 60;

/** A given text for a message: quoted, safe for a terminal, cut at 60 characters. Never call it with a secret. */
export function quoteValue(text: string): string {
  return quoted(safeText(shorten(text, SHOWN_CHARACTERS)));
}

/** A path for a message. A cut one keeps its end, which tells files apart. */
export function quotePath(path: string): string {
  const characters = [...path];
  const end = characters.slice(1 - SHOWN_CHARACTERS).join('');
  return quoteValue(characters.length > SHOWN_CHARACTERS ? `…${end}` : path);
}

/** A JSON value for a message: strings quoted, numbers digit for digit, others by their kind. */
export function showValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quoteValue(value);
  if (value instanceof JsonNumber) return value.text.length > SHOWN_CHARACTERS ? 'a number' : value.text;
  return isJsonArray(value) ? 'an array' : 'an object';
}

/** A longer string is not searched for an ID. */
const MAX_GIVEN = 5000;
const DIGITS = 32;
/** Characters of a text that may be an ID with a slip in it. */
const [MIN_NEAR, MAX_NEAR] = [30, 40];
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
  // Groups as they are read over the phone.
  const digits = visible.replace(/[\s-]/g, '');
  const whole = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i.exec(digits);
  if (found.size === 0 && whole !== null) return { kind: 'holds', id: whole.slice(1).join('-') };
  const [first, ...others] = found.values();
  if (first === undefined) return { kind: 'none' };
  return others.length === 0 ? { kind: 'holds', id: first } : { kind: 'several', ids: [first, ...others] };
}

/** What is wrong with a string as a card ID; undefined if it is one. */
export function cardIdProblem(text: string): string | undefined {
  const read = readCardId(text);
  if (read.kind === 'id') return undefined;
  const quoted = quoteValue(text);
  if (read.kind === 'holds') return `${quoted} is not a card ID: did you mean ${read.id}?`;
  if (read.kind === 'several') return `${quoted} holds ${read.ids.length} card IDs: ${read.ids.join(', ')}`;
  const near = nearlyIdProblem(text);
  const why = near === undefined ? '' : ` (${near})`;
  return `${text === '' ? 'is empty' : `${quoted} is not a card ID${why}`}. ${CARD_ID_EXAMPLE}`;
}

/** What is wrong with a text that is nearly a card ID: 30 to 40 letters, digits and dashes. Undefined: it is not. */
export function nearlyIdProblem(text: string): string | undefined {
  const characters = [...text];
  if (characters.length < MIN_NEAR || characters.length > MAX_NEAR || !/^[\p{L}\p{N}-]+$/u.test(text)) return undefined;
  const wrong = characters.findIndex((character) => !/[0-9a-f-]/i.test(character));
  const character = characters[wrong];
  if (character !== undefined) {
    const what = /\p{L}/u.test(character) ? 'letter' : 'digit';
    return `character ${wrong + 1} is the ${what} ${character}: an ID has 0-9 and a-f`;
  }
  const digits = characters.filter((one) => one !== '-').length;
  return digits === DIGITS ? undefined : `${digits} digits, not ${DIGITS}`;
}

/**
 * Judges a card ID that was given at a question. One inside a text is shown first, and taken by Enter. One with a slip in
 * it stays in the line. `otherwise`: what is wrong with a text that has none.
 */
export function judgeId(text: string, otherwise?: string): Verdict {
  const read = readCardId(text);
  if (read.kind === 'id') return true;
  if (read.kind === 'holds') return { instead: read.id, why: 'Enter takes this card' };
  const slip = nearlyIdProblem(text);
  if (slip !== undefined) return { instead: text, why: slip };
  return (read.kind === 'none' ? otherwise : undefined) ?? cardIdProblem(text) ?? true;
}

export function looksLikeId(text: string): boolean {
  return readCardId(text).kind !== 'none' || nearlyIdProblem(text) !== undefined;
}

/** What looks pasted by mistake in an ID that is not a card's. It may be right, so it is sent (docs/faults.md I11). */
export function idWarnings(id: string): readonly string[] {
  const shown = quoteValue(id);
  const warnings: string[] = [];
  if (safeText(id) !== id) warnings.push(`the id ${shown} has invisible characters, and is sent as given`);
  if (id.trim() !== id) warnings.push(`the id ${shown} begins or ends with a space, and is sent as given`);
  return warnings;
}

/** The warnings about odd IDs and values that are sent. */
export function warningsOf(ids: readonly string[], values: readonly string[]): readonly Notice[] {
  return [
    ...ids.map((message) => warning('SUSPICIOUS_ID', message)),
    ...values.map((message) => warning('SUSPICIOUS_VALUE', message)),
  ];
}

/**
 * The cells of a row with a number for so many empty ones between them, and nothing for those at the end: a header may
 * reach column 16,384.
 */
export type PackedCells<Cell = string> = readonly (Cell | number)[];

/** `cells`: with their places, in order. */
export function packCells(cells: Iterable<readonly [number, string]>): PackedCells {
  const packed: (string | number)[] = [];
  let end = 0;
  for (const [place, cell] of cells) {
    if (cell === '') continue;
    if (place > end) packed.push(place - end);
    packed.push(cell);
    end = place + 1;
  }
  return packed;
}

/** The cells up to the last one that is not empty. */
export function unpackCells(packed: PackedCells): readonly string[] {
  return packed.flatMap((cell) => (typeof cell === 'number' ? Array.from({ length: cell }, () => '') : cell));
}

/** The cell at a place; undefined for the place -1 of a column that is not there. */
export function cellAt<Cell>(packed: PackedCells<Cell>, place: number): Cell | '' | undefined {
  if (place < 0) return undefined;
  let at = 0;
  for (const cell of packed) {
    if (typeof cell !== 'number' && at === place) return cell;
    at += typeof cell === 'number' ? cell : 1;
    if (at > place) break;
  }
  return '';
}
