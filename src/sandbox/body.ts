import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** Spec: request size limits are not shown. Far above the longest texts, so that only a mistake meets it. */
export const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** A body that has arrived whole. `text` is undefined when there was none, null when it is not UTF-8. */
export interface Body {
  readonly text: string | undefined | null;
  readonly isTooLarge: boolean;
}

const NO_BODY: Body = { text: undefined, isTooLarge: false };

function decode(chunks: readonly Buffer[]): Body {
  const [first] = chunks;
  if (first === undefined) return NO_BODY;
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
  return { text: isUtf8(bytes) ? bytes.toString('utf8') : null, isTooLarge: false };
}

/**
 * Calls back with the body once its last byte is here; never, when the request was aborted before: half a
 * request changes nothing. Of a body over the limit nothing is kept.
 */
export function readBody(request: IncomingMessage, onBody: (body: Body) => void): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) {
    onBody(NO_BODY);
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= BODY_LIMIT_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('end', () => onBody(size > BODY_LIMIT_BYTES ? { text: undefined, isTooLarge: true } : decode(chunks)));
}
