import type { Operation } from '../api/operation.ts';
import type { BaseUrl } from '../wire/base-url.ts';
import type { FailedAttempt } from './response.ts';
import { redirectOrigin } from './response.ts';

/** What a gateway says that was reached without TLS, or without a client certificate. */
const ABOUT_TLS = /plain HTTP request|HTTPS (?:port|server)|(?:SSL|TLS|client) certificate|no required SSL/i;

/** Does an error have the body that this API documents? The calendar API documents none, so any JSON will do. */
export function hasErrorBody({ family }: Pick<Operation, 'family'>, error: FailedAttempt['error']): boolean {
  if (error.service !== undefined) return true;
  return family === 'calendar' && error.body !== undefined && typeof error.body !== 'string';
}

/** Why something else than the service seems to have responded; undefined if nothing says so. */
export function otherThanService(
  operation: Pick<Operation, 'family'>,
  baseUrl: Pick<BaseUrl, 'origin'>,
  { reply, error }: FailedAttempt,
): string | undefined {
  if (reply === undefined) return undefined;
  if (error.isHtml) return 'a web page responded instead of the service';
  if (reply.status >= 300 && reply.status < 400) {
    const origin = redirectOrigin(reply, baseUrl.origin);
    if (origin !== undefined && origin !== baseUrl.origin) return `the response is a redirect to ${origin}`;
  }
  if (reply.status === 404 && !hasErrorBody(operation, error)) return 'the response has no error body of the service';
  // Gateways say it in JSON too, but not in the error body of the gift cards.
  const isAboutTls = reply.status === 400 && error.service === undefined && ABOUT_TLS.test(error.summary);
  return isAboutTls ? 'a gateway refused the connection' : undefined;
}
