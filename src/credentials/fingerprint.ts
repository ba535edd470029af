import { createHash } from 'node:crypto';

/** A short name of a token that tells nothing about it: the first 12 hex digits of its SHA-256. */
export function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}
