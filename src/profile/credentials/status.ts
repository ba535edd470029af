import { Failure } from '../../base/failure.ts';
import { list, nullable, object, oneOf, TEXT } from '../../base/json/shape.ts';
import { FAMILIES } from '../../service/api/operation.ts';
import { type CredentialRequest, freshTokenHint, openCredential } from './resolve.ts';
import { judgeExpiry, lastFour, timesOf } from './token.ts';

/** A family in `auth status`, with the names of its JSON. No member holds a secret. */
const CREDENTIAL_STATUS = object({
  family: oneOf(FAMILIES),
  origin: TEXT,
  /** Source of the token; null if there is none for this origin. */
  source: nullable(TEXT),
  /** null for a token of fewer than 20 characters. */
  lastFour: nullable(TEXT),
  /** ISO 8601, by the token's own claim; null without one. */
  expiresAt: nullable(TEXT),
  /** Why it cannot be used; null if it can. With a problem, `auth status` ends with 4. */
  problem: nullable(TEXT),
});

export const STATUS_OUTPUT = list(CREDENTIAL_STATUS);

/** The status of one family, and hints about its problem, which fails no call. Runs a token command. */
export async function describeCredential(request: CredentialRequest) {
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
    const status = { family, origin, source, lastFour: null, expiresAt: null, problem: error.statement };
    return { status, hints: error.hints };
  }
}
