import type { CallOutcome } from '../call-outcome.ts';
import type { Failure } from '../failure.ts';
import type { CallResult } from '../http/call.ts';
import type { TokenMask } from '../http/mask.ts';
import { parseJson } from '../json/parse.ts';
import { printJson } from '../json/print.ts';
import type { JsonValue } from '../json/value.ts';
import type { Answer, CallError, ReadResult, WriteResult } from './types.ts';

/**
 * The body as it was sent, frontdesk's own token masked. Where the token hides behind escapes, the masked resource is
 * printed anew: the comparison is between values.
 */
export function textOf(resource: JsonValue, sent: string, mask: TokenMask): string {
  // A byte order mark is no part of the JSON.
  const body = sent.startsWith('\uFEFF') ? sent.slice(1) : sent;
  if (!mask.mayBeIn(body)) return body;
  const printed = printJson(resource);
  const masked = mask.text(body);
  return printJson(parseJson(masked)) === printed ? masked : printed;
}

function answerOf({ requestId, notices }: CallOutcome, text: string, mask: TokenMask): Answer<unknown> {
  const masked = notices.map(({ code, message }) => ({ code, message: mask.text(message) }));
  return { resource: JSON.parse(text), text, requestId, notices: masked };
}

function errorOf({ code, exitCode, message, details }: Failure, mask: TokenMask): CallError {
  const { http, service, sentAt } = details;
  const { status = 0, requestId } = http ?? {};
  return {
    // The calls of a client end with these codes alone; test/e2e/library proves it event by event.
    code: code as CallError['code'],
    exitCode,
    message: mask.text(message),
    ...(http === undefined ? {} : { http: requestId === undefined ? { status } : { status, requestId } }),
    ...(service === undefined ? {} : { service: JSON.parse(printJson(mask.json(service))) }),
    ...(sentAt === undefined ? {} : { sentAt }),
  };
}

/** How a read ended; `text` is that of its resource. */
export function readResult(result: CallResult, text: string, mask: TokenMask): ReadResult<unknown> {
  if (result.kind === 'failed') return { ok: false, error: errorOf(result.failure.asSilent(), mask) };
  return { ok: true, ...answerOf(result.ending, text, mask) };
}

/** How a write ended; `text` is that of its resource. */
export function writeResult(result: CallResult, text: string, mask: TokenMask): WriteResult<unknown> {
  const { outcome } = result.ending;
  if (result.kind === 'answered') {
    return { outcome: outcome === 'confirmed_by_read' ? outcome : 'applied', ...answerOf(result.ending, text, mask) };
  }
  const error = errorOf(result.failure, mask);
  // No answer, and not proven unsent.
  return { outcome: outcome === 'rejected' || outcome === 'not_sent' ? outcome : 'unknown', error };
}
