import { type Notice, warning } from '../failure.ts';
import type { JsonValue } from '../json/value.ts';

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
