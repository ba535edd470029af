import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Failure, type Notice, OUTCOMES } from '../base/failure.ts';
import { printJson } from '../base/json/print.ts';
import { INTEGER, object, oneOf, type ShapeOf, TEXT } from '../base/json/shape.ts';
import type { JsonValue } from '../base/json/value.ts';
import { hintText } from '../base/next-step.ts';
import { safeText } from '../screen/text.ts';
import type { Answer } from '../service/http/call.ts';

/** `structuredContent`: the text of the result and how the call ended. A read has no outcome. */
export const STRUCTURED_RESULT = object(
  { text: TEXT, exitCode: INTEGER },
  { outcome: oneOf(OUTCOMES), code: TEXT, httpStatus: INTEGER, requestId: TEXT, resultId: TEXT },
);
type CallEnd = Omit<ShapeOf<typeof STRUCTURED_RESULT>, 'text'>;

/** `structuredContent` repeats the text, because some clients give a model nothing else. */
function result(texts: readonly string[], facts: CallEnd, isError: boolean): CallToolResult {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  const content = texts.map((text) => ({ type: 'text' as const, text }));
  const structuredContent = { text: texts.join('\n'), ...Object.fromEntries(known) };
  return { content, structuredContent, ...(isError ? { isError } : {}) };
}

/** What was asked for, digit for digit, followed by the warnings. */
export function found(value: JsonValue, warnings: readonly Notice[], facts: CallEnd = { exitCode: 0 }): CallToolResult {
  const json = printJson(value, { indent: 2 });
  return result([json, ...warnings.map(({ message }) => `warning: ${safeText(message)}`)], facts, false);
}

/** The response of the service to a read or to a change that was done. */
export function answered(answer: Answer, warnings: readonly Notice[]): CallToolResult {
  const { outcome, httpStatus, requestId, resultId, notices } = answer.callOutcome;
  const facts = { outcome: outcome ?? undefined, exitCode: 0, httpStatus, requestId, resultId };
  return found(answer.resource, [...notices, ...warnings], facts);
}

/** What a user would read on stderr, as an error of the tool. */
export function failed(failure: Failure, mask = (text: string) => text, advice: readonly string[] = []) {
  const { code, exitCode, details } = failure;
  const { outcome, http, resultId } = details;
  const lines = [failure.message, ...failure.hints.slice(0, 2).map((hint) => `hint: ${hintText(hint)}`), ...advice];
  const facts = { outcome, exitCode, code, httpStatus: http?.status, requestId: http?.requestId, resultId };
  return result([lines.map((line) => safeText(mask(line))).join('\n')], facts, true);
}
