import { rewriteJson } from '../json/rewrite.ts';
import type { JsonValue } from '../json/value.ts';

const MASKED = '***';

/** A shorter text would be found in innocent words; no real token is that short. */
const MIN_TOKEN_LENGTH = 6;

/**
 * Takes our own tokens out of what comes back, should the service or a proxy echo them:
 * as they are, percent-encoded, and in base64. Tokens are added as they come into use and never shown.
 */
export class TokenMask {
  readonly #forms = new Set<string>();
  #shortestLength = Number.POSITIVE_INFINITY;

  add(token: string): void {
    if (token.length < MIN_TOKEN_LENGTH || this.#forms.has(token)) return;
    this.#forms.add(token);
    this.#forms.add(encodeURIComponent(token));
    this.#forms.add(Buffer.from(token, 'utf8').toString('base64'));
    // Encoding only lengthens a token.
    this.#shortestLength = Math.min(this.#shortestLength, token.length);
  }

  /** False when no value of this JSON text can hold a token, not even an escaped one. */
  mayBeIn(jsonText: string): boolean {
    if (jsonText.includes('\\')) return true;
    for (const form of this.#forms) if (jsonText.includes(form)) return true;
    return false;
  }

  text(text: string): string {
    // Most texts of an answer are shorter than any token, and there are many of them.
    if (text.length < this.#shortestLength) return text;
    let masked = text;
    for (const form of this.#forms) {
      if (masked.includes(form)) masked = masked.replaceAll(form, MASKED);
    }
    return masked;
  }

  /** The same value when nothing was found in it, so that large answers are not copied. */
  json(value: JsonValue): JsonValue {
    return rewriteJson(value, { text: (text) => this.text(text) });
  }
}

/** The value without the one-time secrets of an operation, wherever in it they are (docs/faults.md C23). */
export function maskMembers(value: JsonValue, names: readonly string[]): JsonValue {
  if (names.length === 0) return value;
  return rewriteJson(value, { member: (name) => (names.includes(name) ? MASKED : undefined) });
}
