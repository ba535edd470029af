import { en } from 'zod/locales';
import type * as z from 'zod/mini';
import type { Change, Decision, Reply } from './state.ts';

/** Error codes of no single operation. The service documents none, so these are the sandbox's choice. */
export const COMMON_CODES = [
  'UNAUTHORIZED',
  'PATH_UNKNOWN',
  'METHOD_NOT_ALLOWED',
  'PATH_INVALID',
  'QUERY_INVALID',
  'BODY_INVALID',
  'BODY_MISSING',
  'BODY_NOT_ALLOWED',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'CARD_NOT_FOUND',
  'CALENDAR_NOT_FOUND',
  'SUBSCRIBER_NOT_FOUND',
  'SANDBOX_STATE',
  'SANDBOX_FAULT',
  'SANDBOX_BUG',
] as const;

/** One of these, or that of a card whose status does not allow an operation. */
export type ErrorCode = (typeof COMMON_CODES)[number] | `CARD_NOT_${Uppercase<string>}`;

/** An error response in the gift-card API's shape. */
export function refusalReply(
  status: number,
  errorCode: ErrorCode,
  message: string,
  details?: Readonly<Record<string, unknown>>,
  headers: Reply['headers'] = [],
): Reply {
  return { status, body: JSON.stringify({ errorCode, message, details }), headers };
}

/** A refusal by the rules of the service: nothing changes. */
export function refuse(...refusal: Parameters<typeof refusalReply>): Decision {
  return { reply: refusalReply(...refusal), changes: [] };
}

/** The response to a request that was carried out. `body`: JSON text. */
export function accept(body: string, ...changes: readonly Change[]): Decision {
  return { reply: { status: 200, body }, changes };
}

/** Thrown for the first rule that a request breaks. */
export class Refused extends Error {
  readonly reply: Reply;
  constructor(...refusal: Parameters<typeof refusalReply>) {
    super('refused');
    this.reply = refusalReply(...refusal);
  }
}

/** Messages for schemas without their own. */
const ISSUE_TEXT = { error: en().localeError };

/** What of a value breaks its schema, by dotted path. */
export function problemsOf(schema: z.ZodMiniType, value: unknown): readonly { field: string; problem: string }[] {
  const { error } = schema.safeParse(value, ISSUE_TEXT);
  return (error?.issues ?? []).map(({ path, message }) => ({ field: path.map(String).join('.'), problem: message }));
}
