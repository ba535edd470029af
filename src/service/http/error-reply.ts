import { outside, quoted } from '../../base/json/outside-text.ts';
import { parseJson } from '../../base/json/parse.ts';
import { printJsonPieces } from '../../base/json/print.ts';
import { cutText, shorten } from '../../base/json/shorten.ts';
import { beginningAsText, takeUtf8 } from '../../base/json/utf8.ts';
import { isJsonObject, type JsonValue, textAt } from '../../base/json/value.ts';
import { byteLength } from '../wire/exchange.ts';
import { type TokenMask, withoutSecrets, withoutSecretsInText } from './mask.ts';

/** What a response other than the resource says, for messages and for the JSON error object. */
export interface ErrorReply {
  /** A body in the error shape of the gift-card API, as sent. */
  readonly service: JsonValue | undefined;
  /** Another body: JSON as sent, or text cut to 500 characters; undefined: none. */
  readonly body: JsonValue | undefined;
  readonly message: string | undefined;
  /** One line of text: `CARD_NOT_FOUND: no such card`, or empty. */
  readonly summary: string;
  readonly isHtml: boolean;
}

/** No response, or an empty one. */
export const NO_ERROR: ErrorReply = {
  service: undefined,
  body: undefined,
  message: undefined,
  summary: '',
  isHtml: false,
};

const MAX_TEXT = 500;
const MAX_EXCERPT = 120;
const MAX_DETAILS = 200;

/** How much of a body is searched for a title and an excerpt. */
const BEGINNING_BYTES = 65_536;
/** Longer than any token. A cut body loses this much at the cut, because no mask knows half a token. */
const LONGEST_TOKEN = 8192;

/** A longer text (UTF-16 units) is kept in part: every row of a run may be refused with one. */
export const MAX_KEPT = 65_536;
const MAX_KEPT_MESSAGE = 2000;

/** Values in one response. Small objects take twenty times the memory of their text (docs/faults.md G14). */
export const MAX_VALUES = 1_700_000;

/** Of an error: several rows may be refused at once, and what V8 makes of them is freed late. */
const MAX_ERROR_VALUES = 200_000;

/** Of a longer body only the beginning is shown: printing it would double its memory. */
const MAX_ERROR_JSON_BYTES = 8 * 1024 * 1024;

export function beginningOf(body: readonly Uint8Array[]): string {
  // Not fatal: an error page in another charset is still worth an excerpt.
  const text = beginningAsText(body, BEGINNING_BYTES);
  return byteLength(body) > BEGINNING_BYTES ? text.slice(0, -LONGEST_TOKEN) : text;
}

/** Reads the body of an error, taking its bytes out. Never fails. `keepsLong`: keeps a long one whole. */
export function readErrorReply(body: Uint8Array[], mask: TokenMask, keepsLong = false): ErrorReply {
  const length = byteLength(body);
  const beginning = beginningOf(body);
  let json: JsonValue | undefined;
  if (length > MAX_ERROR_JSON_BYTES) return errorReplyOf(undefined, beginning, mask);
  try {
    const text = takeUtf8(body);
    if (hasManyValues(text)) return errorReplyOf(undefined, beginning, mask);
    if (text.length > MAX_KEPT && !keepsLong) return partOf(text, beginning, mask);
    json = parseJson(text, { maxValues: MAX_VALUES });
  } catch {
    // Whatever is wrong with the JSON, it is shown as text.
  }
  return errorReplyOf(json, beginning, mask);
}

/** Before a value stands a comma or what opens an array or an object. */
const BEFORE_VALUE = new Set([...',[{'].map((sign) => sign.charCodeAt(0)));

/** Could the text be JSON of more values than are kept of an error? V8's parser has no limit, of depth neither. */
function hasManyValues(text: string): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (BEFORE_VALUE.has(text.charCodeAt(at))) count += 1;
  return count > MAX_ERROR_VALUES;
}

/** Members that say what an error is. */
const TELLING = ['errorCode', 'message', 'title', 'detail', 'error'];

/** What is kept of a long error: its code, the beginning of its message, its length. Throws what V8 throws. */
export function partOf(text: string, beginning: string, mask: TokenMask): ErrorReply {
  const value: unknown = JSON.parse(text);
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const kept = (member: string) => cutText(withoutSecretsInText(mask.text(member)), MAX_KEPT_MESSAGE);
  const telling = members.flatMap(([name, member]): [string, JsonValue][] =>
    TELLING.includes(name) && typeof member === 'string' ? [[name, kept(member)]] : [],
  );
  const cut = new Map([['cut', `the rest of ${text.length} characters`]]);
  const reply = errorReplyOf(new Map<string, JsonValue>([...telling, ['details', cut]]), '', mask);
  if (reply.service !== undefined) return reply;
  return { ...reply, body: shorten(withoutSecretsInText(mask.text(beginning)), MAX_TEXT) };
}

/**
 * What a response says, from JSON or from its beginning, without tokens and one-time secrets. Masked before it is cut:
 * no mask knows half a token.
 */
export function errorReplyOf(json: JsonValue | undefined, beginning: string, mask: TokenMask): ErrorReply {
  if (json === undefined) {
    if (beginning.trim() === '') return NO_ERROR;
    return ofText(withoutSecretsInText(mask.text(beginning)));
  }
  const value = withoutSecrets(mask.json(json));
  if (!isJsonObject(value)) return { ...NO_ERROR, body: value, summary: excerptOf(value) };
  const [errorCode, message] = [textAt(value, 'errorCode'), textAt(value, 'message')];
  if (errorCode !== undefined && message !== undefined) {
    const summary = `${outside(shorten(errorCode, 80))}: ${quoted(shorten(message, MAX_TEXT))}${detailsText(value.get('details'))}`;
    return { service: value, body: undefined, message, summary, isHtml: false };
  }
  const own = shorten(otherSummary(value), MAX_TEXT);
  if (own === '') return { ...NO_ERROR, body: value, summary: excerptOf(value) };
  return { ...NO_ERROR, body: value, message: own, summary: quoted(own) };
}

function detailsText(details: JsonValue | undefined): string {
  if (!isJsonObject(details) || details.size === 0) return '';
  return `, details ${jsonExcerpt(details, MAX_DETAILS)}`;
}

/** The error body of the calendar API is not documented: RFC 9457 and the commonest members are tried. */
function otherSummary(value: ReadonlyMap<string, JsonValue>): string {
  const texts = ['title', 'detail'].map((name) => textAt(value, name)).filter((text) => text !== undefined);
  if (texts.length > 0) return texts.join(': ');
  for (const name of ['errorCode', 'message', 'error']) {
    const member = value.get(name);
    if (typeof member === 'string') return member;
    const inner = textAt(member, 'message');
    if (inner !== undefined) return inner;
  }
  return '';
}

/** An excerpt of a body of unknown shape; empty if it is empty. */
function excerptOf(value: JsonValue): string {
  const isEmpty = isJsonObject(value) ? value.size === 0 : value === null || value === '';
  if (isEmpty) return '';
  return jsonExcerpt(value, MAX_EXCERPT);
}

/** The beginning of a body, without quotes inside of its strings: they would seem to end there. */
function jsonExcerpt(value: JsonValue, length: number): string {
  const [first = ''] = printJsonPieces(value);
  return shorten(
    first.replaceAll(/\\(.)/g, (escaped, letter) => (letter === '"' ? "'" : escaped)),
    length,
  );
}

function ofText(text: string): ErrorReply {
  const isHtml = /<(?:!doctype|html|head|body|title)\b/i.test(text.slice(0, 4096));
  const title = isHtml ? /<title[^<>]*>([^<]*)/i.exec(text.slice(0, 65_536))?.[1] : undefined;
  const plain = (title ?? text.slice(0, 65_536).replaceAll(/<[^<>]*>/g, ' ')).replaceAll(/\s+/g, ' ').trim();
  const excerpt = shorten(plain, MAX_EXCERPT);
  return { ...NO_ERROR, body: shorten(text, MAX_TEXT), summary: excerpt === '' ? '' : quoted(excerpt), isHtml };
}
