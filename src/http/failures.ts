import { isWrite } from '../api/operation.ts';
import { cancelledExitCode, Failure, type FailureCode, type Hint, type Outcome } from '../failure.ts';
import { type BreakLabel, headerValues } from '../wire/exchange.ts';
import type { CallPolicy } from './call.ts';
import { afterRefusal, type CallFacts, hostOf, lookHints, ofProfile, urlPlace } from './facts.ts';
import { answered, detailsOf, localTime, whatHappened } from './failure-details.ts';
import { type FailedAttempt, type ReplyHead, redirectOrigin } from './response.ts';
import { parseHttpDate } from './retry-after.ts';

/** Why no attempt follows: none is left, the wait would be too long, or the caller ended the call. */
export type NoFurtherAttempt = 'final' | 'wait_too_long' | 'stopped';

/** The failure of a call whose end is certain. `unknownFailure` is for a change that may have been applied. */
export function certainFailure(facts: CallFacts, verdict: FailedAttempt, why: NoFurtherAttempt): Failure {
  const { event, reply } = verdict;
  if (event === 'refused' && reply !== undefined) return refusedFailure(facts, verdict, reply);
  if (event === 'busy') return busyFailure(facts, verdict, why, 'rejected');
  if (verdict.reply === undefined && verdict.phase === 'connecting') return unreachable(facts, verdict);
  const asksTooLong = why === 'wait_too_long' && (verdict.retryAfterMs ?? 0) > 0;
  if (asksTooLong && (event === 'unavailable' || event === 'server_error')) {
    return busyFailure(facts, verdict, why, 'rejected');
  }
  return badReply(facts, verdict);
}

interface Words {
  readonly code: FailureCode;
  readonly message: string;
  readonly hints: readonly Hint[];
}

/** The service refused: 3xx and 4xx other than 408 and 429. A change is `rejected`. */
function refusedFailure(facts: CallFacts, verdict: FailedAttempt, reply: ReplyHead): Failure {
  const { code, message, hints } = words(facts, verdict, reply);
  const details = detailsOf(facts, verdict, 'rejected');
  return new Failure(code, message, { after: afterRefusal(facts), hints: hints.slice(0, 2), details });
}

function words(facts: CallFacts, verdict: FailedAttempt, reply: ReplyHead): Words {
  const { status } = reply;
  if (status === 401) return unauthorized(facts, verdict, reply);
  if (status === 403) return forbidden(facts, verdict);
  if (status === 404) return notFound(facts, verdict);
  if (status < 400) return redirected(facts, reply);
  // The card often shows why a change of it was refused.
  const looks = isWrite(facts.operation) ? lookHints('see the card as it is now', facts) : [];
  const bytes = encodeURIComponent(facts.id ?? '').length;
  const shorter = `use a shorter ID: this one makes a URL of ${bytes} bytes or more, longer than the service takes`;
  const hints = status === 414 || status === 431 ? [shorter] : looks;
  return { code: 'REJECTED', message: `could not ${facts.subject}: ${answered(verdict)}`, hints };
}

function unauthorized(facts: CallFacts, verdict: FailedAttempt, reply: ReplyHead): Words {
  const { endpoint, subject, nowMs } = facts;
  const { source } = endpoint.credential;
  const { words = `the credential${ofProfile(endpoint)}`, remedy = 'give a valid token' } = source ?? {};
  const said = `401 ${verdict.error.summary}`.trimEnd();
  const message = `could not ${subject}: ${hostOf(endpoint)} did not accept ${words} (${said})`;
  return { code: 'AUTH', message, hints: [remedy, ...clockHints(reply, nowMs)] };
}

const MAX_SKEW_MS = 5 * 60_000;

/** A clock that is wrong makes valid tokens look expired (docs/faults.md H29). */
function clockHints(reply: ReplyHead, nowMs: number): readonly string[] {
  const service = parseHttpDate(headerValues(reply.headers, 'date')[0] ?? '');
  if (service === undefined || Math.abs(service - nowMs) <= MAX_SKEW_MS) return [];
  const [here, there] = [nowMs, service].map((time) => new Date(time).toISOString());
  return [`check this machine's clock: it says ${here}, the service says ${there}`];
}

function forbidden(facts: CallFacts, verdict: FailedAttempt): Words {
  const { endpoint, subject } = facts;
  const message = `could not ${subject}: ${hostOf(endpoint)} accepted the credential${ofProfile(endpoint)}, but ${answered(verdict)}`;
  return { code: 'FORBIDDEN', message, hints: ['ask for the permission, or use a profile that has it'] };
}

function notFound(facts: CallFacts, verdict: FailedAttempt): Words {
  const { endpoint, operation, id } = facts;
  const place = endpoint.profile === undefined ? hostOf(endpoint) : `${hostOf(endpoint)} (profile ${endpoint.profile})`;
  const where = id === undefined ? ` at ${place}` : `: no such ${operation.object} at ${place}`;
  const hints = verdict.error.isHtml
    ? [`check ${urlPlace(endpoint)}: a web page responded instead of the service`]
    : [`check every character of the ID, and that it belongs to ${place}`];
  return { code: 'NOT_FOUND', message: `could not ${facts.subject}${where}: ${answered(verdict)}`, hints };
}

function redirected({ endpoint, subject }: CallFacts, reply: ReplyHead): Words {
  const origin = redirectOrigin(reply, endpoint.baseUrl.origin);
  const target = origin === undefined ? '' : ` to ${origin}`;
  const message = `could not ${subject}: the service redirected (${reply.status})${target}, and redirects are never followed`;
  return { code: 'REJECTED', message, hints: [`check ${urlPlace(endpoint)}`] };
}

/** A row of a run does not show this hint: the run says how to continue. */
const DOWN: Hint = { asks: 'repeat', text: 'try again in a minute. The service may be down' };
const NO_NETWORK: Hint = { asks: 'repeat', text: "try again in a minute. This machine's network may be down" };

/** What to do if the address is probably right. */
const FIRST_HINTS: Partial<Record<BreakLabel, Hint>> = {
  refused: DOWN,
  connect_timeout: DOWN,
  connect_reset: DOWN,
  lookup_failed: NO_NETWORK,
  unroutable: NO_NETWORK,
};

const HINTS: Partial<Record<BreakLabel, Hint>> = {
  untrusted: { text: 'name the certificate authority with --ca-file <pem> (the check cannot be switched off)' },
  wrong_name: 'check the host name in the base URL',
  certificate_dates: "check this machine's clock, then ask the owner of the service",
  not_tls: 'check scheme and port of the base URL',
  not_found: 'check the host name in the base URL',
};

/** What to check about a proxy, by the variable that names it. */
function proxyHint({ breakage }: FailedAttempt): string | undefined {
  const { label, variable } = breakage ?? {};
  if (variable === undefined) return undefined;
  if (label === 'proxy_auth') return `set ${variable} to http://<user>:<password>@<host>:<port>`;
  return `check the proxy that ${variable} names`;
}

function unreachable(facts: CallFacts, verdict: FailedAttempt): Failure {
  const { label = 'other' } = verdict.breakage ?? {};
  const first = FIRST_HINTS[label];
  const place = urlPlace(facts.endpoint);
  return new Failure('UNREACHABLE', `could not ${facts.subject}: ${whatHappened(verdict)}`, {
    after: facts.wasAnswered ? 'unchanged' : 'unsent',
    hints: first === undefined ? [proxyHint(verdict) ?? HINTS[label] ?? `check ${place}`] : [first, ifItStays(place)],
    details: detailsOf(facts, verdict, facts.unsentOutcome),
  });
}

/** A row of a run shows this hint alone. */
function ifItStays(place: string): string {
  return `check ${place} if it happens again`;
}

function whyText(why: NoFurtherAttempt, { limitName = '--retry-max-time' }: CallPolicy): string {
  if (why === 'wait_too_long') return `that wait is longer than ${limitName} allows`;
  return why === 'stopped' ? 'the call ended before the next attempt' : 'no retries are left';
}

/** 429, 408, or a 5xx that asks a read to wait too long. */
export function busyFailure(facts: CallFacts, verdict: FailedAttempt, why: NoFurtherAttempt, outcome: Outcome) {
  const { retryAfterMs } = verdict;
  const retryAt = retryAfterMs === undefined ? undefined : new Date(facts.nowMs + retryAfterMs).toISOString();
  const asked = retryAfterMs === undefined ? '' : `, asking to wait ${Math.ceil(retryAfterMs / 1000)} s`;
  const message = `could not ${facts.subject}: ${whatHappened(verdict)}${asked}, and ${whyText(why, facts.policy)}`;
  return new Failure('BUSY', message, {
    after: afterRefusal(facts),
    hints: [repeatHint(retryAfterMs === undefined ? ' later' : timeText(facts.nowMs, retryAfterMs))],
    details: { ...detailsOf(facts, verdict, outcome), retryAt },
  });
}

/** A wait in words, rounded up: `12 s`, `3 min`, `2 h`, `5 days`. */
function waitText(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.ceil(hours / 24)} days`;
}

/** ` in 12 s, at 19:48:05 your time (2026-05-01T17:48:05.250Z)`. */
function timeText(nowMs: number, waitMs: number): string {
  const at = nowMs + waitMs;
  return ` in ${waitText(waitMs)}, at ${localTime(at)} your time (${new Date(at).toISOString()})`;
}

function repeatHint(how: string): Hint {
  return {
    asks: 'repeat',
    text: `run the command again${how}`,
    tool: `repeat the call${how}`,
    desk: `choose it in the menu again${how}`,
  };
}

function badReply(facts: CallFacts, verdict: FailedAttempt): Failure {
  const isPage = verdict.error.isHtml;
  const place = urlPlace(facts.endpoint);
  const repeat = repeatHint(': a read changes nothing');
  const isDown = (verdict.reply?.status ?? 0) >= 500;
  const hints = isDown ? [DOWN, ...(isPage ? [ifItStays(place)] : [])] : [isPage ? `check ${place}` : repeat];
  const details = detailsOf(facts, verdict, undefined);
  return new Failure('BAD_REPLY', `could not ${facts.subject}: ${whatHappened(verdict)}`, { hints, details });
}

/** A signal ended the call, and nothing is unknown. */
export function cancelledFailure(facts: CallFacts, by: unknown): Failure {
  return new Failure('CANCELLED', `cancelled: ${facts.subject}`, {
    after: facts.wasAnswered || facts.sentAtMs !== undefined ? 'unchanged' : 'unsent',
    details: detailsOf(facts, undefined, facts.unsentOutcome),
    exitCode: cancelledExitCode(by),
  });
}
