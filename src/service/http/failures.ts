import { cancelledExitCode, Failure, type FailureCode, type Hint, type Outcome } from '../../base/failure.ts';
import { outside } from '../../base/json/outside-text.ts';
import { isWrite } from '../api/operation.ts';
import { type BreakLabel, headerValues } from '../wire/exchange.ts';
import type { CallPolicy } from './call.ts';
import { afterRefusal, type CallFacts, cardHints, hostOf, ofProfile, urlPlace } from './facts.ts';
import { answered, detailsOf, localTime, whatHappened } from './failure-details.ts';
import { otherThanService } from './not-the-service.ts';
import { type FailedAttempt, type ReplyHead, redirectOrigin } from './response.ts';
import { parseHttpDate } from './retry-after.ts';

/** Why no attempt follows: none is left, the wait would be too long, or the caller ended the call. */
export type NoFurtherAttempt = 'final' | 'wait_too_long' | 'no_time' | 'held';

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
  /** What came back. */
  readonly problem: string;
  readonly where?: string;
  /** What a terminal shows instead. */
  readonly screen?: readonly string[];
  readonly hints: readonly Hint[];
}

/** The service refused: 3xx and 4xx other than 408 and 429. A change is `rejected`. */
function refusedFailure(facts: CallFacts, verdict: FailedAttempt, reply: ReplyHead): Failure {
  const { code, problem, where = '', hints, screen } = words(facts, verdict, reply);
  const details = detailsOf(facts, verdict, 'rejected');
  const attempted = `${facts.subject}${where}`;
  return new Failure(code, problem, {
    attempted,
    after: afterRefusal(facts),
    hints: hints.slice(0, 2),
    details,
    screen,
  });
}

function words(facts: CallFacts, verdict: FailedAttempt, reply: ReplyHead): Words {
  const { status } = reply;
  if (status === 401) return unauthorized(facts, verdict, reply);
  if (status === 403) return forbidden(facts, verdict);
  if (status === 404) return notFound(facts, verdict);
  if (status < 400) return redirected(facts, reply);
  // The card often shows why a change of it was refused.
  const looks = isWrite(facts.operation) ? cardHints('see the card as it is now', facts) : [];
  const bytes = encodeURIComponent(facts.id ?? '').length;
  const shorter = `use a shorter ID: this one makes a URL of ${bytes} bytes or more, longer than the service takes`;
  const setting = settingHints(facts, verdict);
  const hints = status === 414 || status === 431 ? [shorter] : [...setting, ...looks];
  return { code: 'REJECTED', problem: answered(verdict), hints };
}

function unauthorized(facts: CallFacts, verdict: FailedAttempt, reply: ReplyHead): Words {
  const { endpoint, nowMs } = facts;
  const { source } = endpoint.credential;
  const { words = `the credential${ofProfile(endpoint)}`, remedy = 'give a valid token' } = source ?? {};
  const said = `401 ${verdict.error.summary}`.trimEnd();
  const { oddInToken: odd } = facts;
  const holds = odd.length === 0 ? '' : `. It holds ${odd.join(' ')}, which tokens rarely do`;
  const problem = `${hostOf(endpoint)} did not accept ${words} (${said})${holds}`;
  return { code: 'AUTH', problem, hints: [remedy, ...clockHints(reply, nowMs)] };
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
  // A gateway answers so to an expired token too: nothing more is known.
  const problem = `${hostOf(facts.endpoint)} refused the request: ${answered(verdict)}`;
  const ask = 'ask the team that runs the service, or use a profile that has the permission';
  return { code: 'FORBIDDEN', problem, hints: [...settingHints(facts, verdict), ask] };
}

function notFound(facts: CallFacts, verdict: FailedAttempt): Words {
  const { endpoint, operation, id } = facts;
  const place = `${hostOf(endpoint)} (profile ${endpoint.profile})`;
  const setting = settingHints(facts, verdict);
  const isOfService = setting.length === 0 && id !== undefined;
  const where = isOfService ? '' : ` at ${place}`;
  const problem = isOfService ? `no such ${operation.object} at ${place}: ` : '';
  const hints = isOfService
    ? [`compare the ID with its source, and check that ${endpoint.profile} is the right profile`]
    : setting;
  const screen = isOfService
    ? [`NO SUCH ${operation.object.toUpperCase()} ${outside(id)} at ${hostOf(endpoint)}`]
    : undefined;
  return { code: 'NOT_FOUND', problem: `${problem}${answered(verdict)}`, where, hints, ...(screen && { screen }) };
}

/** The setting to check if something else than the service seems to have responded. */
function settingHints({ endpoint, operation }: CallFacts, verdict: FailedAttempt): readonly string[] {
  const why = otherThanService(operation, endpoint.baseUrl, verdict);
  return why === undefined ? [] : [`check ${urlPlace(endpoint)}: ${why}`];
}

function redirected({ endpoint }: CallFacts, reply: ReplyHead): Words {
  const origin = redirectOrigin(reply, endpoint.baseUrl.origin);
  const target = origin === undefined ? '' : ` to ${origin}`;
  const problem = `the service redirected (${reply.status})${target}, and redirects are never followed`;
  return { code: 'REJECTED', problem, hints: [`check ${urlPlace(endpoint)}`] };
}

/** A row of a run does not show this hint: the run says how to continue. */
const DOWN: Hint = { do: 'repeat', words: 'try again in a minute. The service may be down' };
const NO_NETWORK: Hint = { do: 'repeat', words: "try again in a minute. This machine's network may be down" };

/** What to do if the address is probably right. */
const FIRST_HINTS: Partial<Record<BreakLabel, Hint>> = {
  refused: DOWN,
  connect_timeout: DOWN,
  connect_reset: DOWN,
  lookup_failed: NO_NETWORK,
  unroutable: NO_NETWORK,
};

const HINTS: Partial<Record<BreakLabel, Hint>> = {
  untrusted: 'name the certificate authority with --ca-file <pem> (the check cannot be switched off)',
  wrong_name: 'check the host name in the base URL',
  unsafe: 'ask the owner of the service for a certificate that is signed with SHA-256',
  no_certificate: 'ask the owner of the service for an address that needs no client certificate',
  certificate_dates: "check this machine's clock, then ask the owner of the service",
  not_tls: 'check scheme and port of the base URL',
  not_found: 'check the host name in the base URL',
};

/** What to check about a proxy, by the variable that names it. */
function proxyHint({ breakage }: FailedAttempt): string | undefined {
  const { label, variable } = breakage ?? {};
  if (variable === undefined) return undefined;
  if (label === 'proxy_auth')
    return `set ${variable} to http://<user>:<password>@<host>:<port>, or ask for a proxy with such a login`;
  return `check the proxy that ${variable} names`;
}

function unreachable(facts: CallFacts, verdict: FailedAttempt): Failure {
  const { label = 'other' } = verdict.breakage ?? {};
  const first = FIRST_HINTS[label];
  const place = urlPlace(facts.endpoint);
  return new Failure('UNREACHABLE', whatHappened(verdict), {
    attempted: facts.subject,
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
  if (why === 'no_time') return `no time is left for another response within ${limitName}`;
  return why === 'held' ? 'it was not sent again' : 'no retries are left';
}

/** 429, 408, or a 5xx that asks a read to wait too long. */
export function busyFailure(facts: CallFacts, verdict: FailedAttempt, why: NoFurtherAttempt, outcome: Outcome) {
  // A date in the past, or 0, asks for no wait.
  const retryAfterMs = verdict.retryAfterMs || undefined;
  const retryAt = retryAfterMs === undefined ? undefined : new Date(facts.nowMs + retryAfterMs).toISOString();
  const asked = retryAfterMs === undefined ? '' : `, asking to wait ${Math.ceil(retryAfterMs / 1000)} s`;
  const problem = `${whatHappened(verdict)}${asked}, and ${whyText(why, facts.policy)}`;
  return new Failure('BUSY', problem, {
    attempted: facts.subject,
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
  return { do: 'repeat', words: `run the command again${how}` };
}

function badReply(facts: CallFacts, verdict: FailedAttempt): Failure {
  const isPage = verdict.error.isHtml;
  const place = urlPlace(facts.endpoint);
  const repeat = repeatHint(': a read changes nothing');
  const isDown = (verdict.reply?.status ?? 0) >= 500;
  const hints = isDown ? [DOWN, ...(isPage ? [ifItStays(place)] : [])] : [isPage ? `check ${place}` : repeat];
  const details = detailsOf(facts, verdict, undefined);
  return new Failure('BAD_REPLY', whatHappened(verdict), { attempted: facts.subject, hints, details });
}

/** The time for the call was over before its token was there. */
export function lateFailure(facts: CallFacts): Failure {
  const { limitName = '--retry-max-time' } = facts.policy;
  return Failure.unsent('UNREACHABLE', `the token came too late: no time is left for a response within ${limitName}`, {
    attempted: facts.subject,
    hints: [repeatHint('')],
    details: detailsOf(facts, undefined, 'not_sent'),
  });
}

/** A signal ended the call, and nothing is unknown. */
export function cancelledFailure(facts: CallFacts, by: unknown): Failure {
  return new Failure('CANCELLED', '', {
    attempted: facts.subject,
    after: facts.wasAnswered || facts.sentAtMs !== undefined ? 'unchanged' : 'unsent',
    details: detailsOf(facts, undefined, facts.unsentOutcome),
    exitCode: cancelledExitCode(by),
  });
}
