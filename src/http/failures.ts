import { CANCELLED_EXIT_CODES, Failure, type Outcome } from '../failure.ts';
import type { BreakLabel } from '../wire/exchange.ts';
import type { Site } from './call.ts';
import { afterRefusal, type CallFacts, urlPlace } from './facts.ts';
import { detailsOf, localTime, whatHappened } from './failure-details.ts';
import { refusedFailure } from './refusals.ts';
import type { FailedAttempt } from './response.ts';

/** Why no attempt follows: none is left, its wait would be too long, or the caller ended the call. */
export type NoFurtherAttempt = 'final' | 'wait_too_long' | 'stopped';

/**
 * The failure of a call whose last attempt says for certain how it ended. (A write that may have been applied
 * is `unknownFailure`.)
 */
export function certainFailure(facts: CallFacts, verdict: FailedAttempt, why: NoFurtherAttempt): Failure {
  const { event, reply } = verdict;
  if (event === 'refused' && reply !== undefined) return refusedFailure(facts, verdict, reply);
  if (event === 'busy') return busyFailure(facts, verdict, why, 'rejected');
  if (verdict.reply === undefined && verdict.phase === 'connecting') return unreachable(facts, verdict);
  if (event === 'unavailable' && why === 'wait_too_long') return busyFailure(facts, verdict, why, 'rejected');
  return badReply(facts, verdict);
}

const DOWN = 'The service may be down. Try again in a minute';
const NO_NETWORK = "This machine's network may be down. Try again in a minute";

/** What to do where it is not the address that is likely to be wrong. */
const FIRST_HINTS: Partial<Record<BreakLabel, string>> = {
  refused: DOWN,
  connect_timeout: DOWN,
  connect_reset: DOWN,
  lookup_failed: NO_NETWORK,
  unroutable: NO_NETWORK,
};

const HINTS: Partial<Record<BreakLabel, string>> = {
  untrusted: 'name the certificate authority with --ca-file <pem>; verification cannot be switched off',
  wrong_name: 'check the host name in the base URL',
  certificate_dates: "check this machine's clock, then ask the owner of the service",
  not_tls: 'check scheme and port of the base URL',
  not_found: 'check the host name in the base URL',
  proxy_auth: 'set HTTPS_PROXY to http://USER:PASSWORD@HOST:PORT',
};

function unreachable(facts: CallFacts, verdict: FailedAttempt): Failure {
  const { label = 'other' } = verdict.breakage ?? {};
  const first = FIRST_HINTS[label];
  const place = urlPlace(facts.site);
  return Failure.unsent('UNREACHABLE', `${facts.subject}: ${whatHappened(verdict)}`, {
    hints: first === undefined ? [HINTS[label] ?? `check ${place}, then repeat`] : [first, ifItStays(place)],
    details: detailsOf(facts, verdict, 'not_sent'),
  });
}

function ifItStays(place: string): string {
  return `if it stays so, check ${place}`;
}

function whyText(why: NoFurtherAttempt, { limitName = '--retry-max-time' }: Site): string {
  if (why === 'wait_too_long') return `the wait would pass ${limitName}`;
  return why === 'stopped' ? 'it was ended before the next attempt' : 'no retries are left';
}

/** 429, 408, or a 503 that asks a read to wait for too long. */
export function busyFailure(
  facts: CallFacts,
  verdict: FailedAttempt,
  why: NoFurtherAttempt,
  outcome: Outcome,
): Failure {
  const { retryAfterMs } = verdict;
  const retryAt = retryAfterMs === undefined ? undefined : new Date(facts.nowMs + retryAfterMs).toISOString();
  const asked = retryAfterMs === undefined ? '' : `, asking to wait ${Math.ceil(retryAfterMs / 1000)} s`;
  return new Failure(
    'BUSY',
    `${facts.subject} was refused for now: ${whatHappened(verdict)}${asked}; ${whyText(why, facts.site)}`,
    {
      after: afterRefusal(facts),
      hints: [retryAfterMs === undefined ? 'repeat the command later' : repeatHint(facts.nowMs, retryAfterMs)],
      details: { ...detailsOf(facts, verdict, outcome), retryAt },
    },
  );
}

/** A wait as a person says it, rounded up: `12 s`, `3 min`, `2 h`, `5 days`. */
function waitText(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.ceil(hours / 24)} days`;
}

/** `repeat the command in 12 s, at 19:48:05 your time (2026-05-01T17:48:05.250Z)`. */
function repeatHint(nowMs: number, waitMs: number): string {
  const at = nowMs + waitMs;
  return `repeat the command in ${waitText(waitMs)}, at ${localTime(at)} your time (${new Date(at).toISOString()})`;
}

function badReply(facts: CallFacts, verdict: FailedAttempt): Failure {
  const isPage = verdict.error.isHtml;
  const place = urlPlace(facts.site);
  const repeat = 'repeat the command: a read changes nothing';
  const isDown = (verdict.reply?.status ?? 0) >= 500;
  const hints = isDown ? [DOWN, ...(isPage ? [ifItStays(place)] : [])] : [isPage ? `check ${place}` : repeat];
  return new Failure('BAD_REPLY', `${facts.subject} failed: ${whatHappened(verdict)}`, {
    hints,
    details: detailsOf(facts, verdict, undefined),
  });
}

/** Exit code of the signal that an abort carries as its reason; 130 when it carries none. */
function signalExitCode(signal: AbortSignal | undefined): number {
  const name: unknown = signal?.reason;
  return CANCELLED_EXIT_CODES[name === 'SIGTERM' || name === 'SIGHUP' ? name : 'SIGINT'];
}

/** A signal ended the call and nothing is unknown: `outcome` says whether it was refused or never sent. */
export function cancelledFailure(facts: CallFacts, outcome: Outcome, signal: AbortSignal | undefined): Failure {
  const isUnsent = outcome === 'not_sent' && facts.sentAtMs === undefined;
  return new Failure('CANCELLED', `${facts.subject} was cancelled`, {
    after: isUnsent ? 'unsent' : 'unchanged',
    details: detailsOf(facts, undefined, outcome),
    exitCode: signalExitCode(signal),
  });
}
