import { FAMILIES } from '../api/operation.ts';
import { Failure, type Hint } from '../failure.ts';
import { list, nullable, object, oneOf, type ShapeOf, TEXT } from '../json/shape.ts';
import { type CredentialRequest, freshTokenHint, openCredential } from './resolve.ts';
import { judgeExpiry, lastFour, timesOf } from './token.ts';

/** What `auth status` says of one family, under the names of its JSON. No member holds a secret. */
const CREDENTIAL_STATUS = object({
  family: oneOf(FAMILIES),
  origin: TEXT,
  /** Where the token comes from; null when there is none for this origin. */
  source: nullable(TEXT),
  /** Null for a token of fewer than 20 characters. */
  lastFour: nullable(TEXT),
  /** ISO 8601, by the token's own word; null when it does not say. */
  expiresAt: nullable(TEXT),
  /** Why no request can be made with it; null when all is well. With one, `auth status` ends with 4. */
  problem: nullable(TEXT),
});

export const STATUS_OUTPUT = list(CREDENTIAL_STATUS);

/** How a family stands, and what to do about its problem: as a call that needs the token would say it. */
export interface CredentialReport {
  readonly status: ShapeOf<typeof CREDENTIAL_STATUS>;
  readonly hints: readonly Hint[];
}

/**
 * How one family with a URL stands. A token command is run for it, as a call would. Never fails for a
 * credential that is missing, unsafe or expired: that is in `problem`.
 */
export async function describeCredential(request: CredentialRequest): Promise<CredentialReport> {
  const { family, origin, clock } = request;
  const credential = openCredential({ ...request, ignoreExpiry: true });
  try {
    const token = await credential.token();
    const times = timesOf(family, token);
    const isExpired = !request.ignoreExpiry && judgeExpiry(times, clock.now()) === 'expired';
    const status = {
      family,
      origin,
      source: credential.source?.name ?? null,
      lastFour: lastFour(token) ?? null,
      expiresAt: times.expiresAtMs === undefined ? null : new Date(times.expiresAtMs).toISOString(),
      problem: isExpired ? 'the token has expired' : null,
    };
    return { status, hints: isExpired ? [freshTokenHint(request)] : [] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const source = credential.source?.name ?? null;
    const status = { family, origin, source, lastFour: null, expiresAt: null, problem: error.problem };
    return { status, hints: error.hints };
  }
}
