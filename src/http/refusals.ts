import { type Family, isWrite } from '../api/operation.ts';
import { Failure, type FailureCode } from '../failure.ts';
import { headerValues } from '../wire/exchange.ts';
import type { Site } from './call.ts';
import { afterRefusal, type CallFacts, checkCommand, hostOf, ofProfile, urlPlace } from './facts.ts';
import { answered, detailsOf } from './failure-details.ts';
import { type FailedAttempt, type ReplyHead, redirectOrigin } from './response.ts';
import { parseHttpDate } from './retry-after.ts';

interface Words {
  readonly code: FailureCode;
  readonly message: string;
  readonly hints: readonly string[];
}

/** The service said no: 3xx and 4xx other than 408 and 429. A write is `rejected`. */
export function refusedFailure(facts: CallFacts, verdict: FailedAttempt, reply: ReplyHead): Failure {
  const { code, message, hints } = words(facts, verdict, reply);
  return new Failure(code, message, {
    after: afterRefusal(facts),
    hints: hints.slice(0, 2),
    details: detailsOf(facts, verdict, 'rejected'),
  });
}

function words(facts: CallFacts, verdict: FailedAttempt, reply: ReplyHead): Words {
  const { status } = reply;
  if (status === 401) return unauthorized(facts, verdict, reply);
  if (status === 403) return forbidden(facts, verdict);
  if (status === 404) return notFound(facts, verdict);
  if (status < 400) return redirected(facts, reply);
  const hints = status === 414 || status === 431 ? [tooLongHint(facts)] : lookHint(facts);
  return { code: 'REJECTED', message: `${facts.subject} was rejected: ${answered(verdict)}`, hints };
}

function unauthorized(facts: CallFacts, verdict: FailedAttempt, reply: ReplyHead): Words {
  const { site, operation } = facts;
  const message = `${facts.subject} was refused: ${hostOf(site)} did not accept ${credentialWords(site)} (${saidOf(verdict, 401)})`;
  const skew = clockHint(reply, facts.nowMs);
  const way = credentialHint(site, operation.family);
  return { code: 'AUTH', message, hints: skew === undefined ? [way] : [way, skew] };
}

/** `401 UNAUTHORIZED: the token was revoked`, as far as the answer says it. */
function saidOf({ error }: FailedAttempt, status: number): string {
  return error.summary === '' ? String(status) : `${status} ${error.summary}`;
}

/** The variable of the environment that the token came from. */
function tokenVariable({ credential }: Site): string | undefined {
  return /^environment \((\w+)\)$/.exec(credential.source)?.[1];
}

function credentialWords(site: Site): string {
  const { credential, profile } = site;
  const variable = tokenVariable(site);
  if (variable !== undefined) return `the token in ${variable}`;
  if (credential.source === `profile ${profile}`) return `the stored login of ${profile}`;
  return `the credential${ofProfile(site)} (${credential.source})`;
}

/** Where another token has to be put for this very call to have it. The command names the profile, always. */
function credentialHint(site: Site, family: Family): string {
  const { credential, profile } = site;
  const variable = tokenVariable(site);
  if (profile === undefined) return 'give a valid token';
  if (variable !== undefined) return `put a valid token into ${variable}`;
  if (credential.source.startsWith('token ')) return `check what the ${credential.source} gives`;
  return `log in again: frontdesk auth login -p ${profile} --family ${family}`;
}

const MAX_SKEW_MS = 5 * 60_000;

/** A clock that is wrong makes valid tokens look expired (docs/faults.md H29). */
function clockHint(reply: ReplyHead, nowMs: number): string | undefined {
  const service = parseHttpDate(headerValues(reply.headers, 'date')[0] ?? '');
  if (service === undefined || Math.abs(service - nowMs) <= MAX_SKEW_MS) return undefined;
  const ours = new Date(nowMs).toISOString();
  return `check this machine's clock: it says ${ours}, the service says ${new Date(service).toISOString()}`;
}

function forbidden(facts: CallFacts, verdict: FailedAttempt): Words {
  const { site } = facts;
  return {
    code: 'FORBIDDEN',
    message:
      `${facts.subject} is not allowed: ${hostOf(site)} accepted the credential${ofProfile(site)}, ` +
      `but ${answered(verdict)}`,
    hints: ['ask for the permission, or use a profile that has it'],
  };
}

function notFound(facts: CallFacts, verdict: FailedAttempt): Words {
  const { site, operation, id } = facts;
  const place = site.profile === undefined ? hostOf(site) : `${hostOf(site)} (profile ${site.profile})`;
  // `/v1/calendars/{id}` -> calendar.
  const noun = operation.path.includes('{cardId}') ? 'card' : /\/([a-z]+)s\/\{id\}/.exec(operation.path)?.[1];
  const what =
    id === undefined || noun === undefined
      ? `${facts.subject} was rejected by ${place}: ${answered(verdict)}`
      : `${isWrite(operation) ? `${facts.subject} was rejected: ` : ''}no ${noun} ${id} at ${place}: ${answered(verdict)}`;
  const hints = verdict.error.isHtml
    ? [`check ${urlPlace(site)}: a web page answered instead of the service`]
    : [`compare the id letter by letter, and check that it belongs to ${place}`];
  return { code: 'NOT_FOUND', message: what, hints };
}

function redirected(facts: CallFacts, reply: ReplyHead): Words {
  const { baseUrl } = facts.site;
  const origin = redirectOrigin(reply, baseUrl.origin);
  const target = origin === undefined ? '' : ` to ${origin}`;
  return {
    code: 'REJECTED',
    message: `${facts.subject} was rejected: the service redirected (${reply.status})${target}; redirects are never followed`,
    hints: [`check ${urlPlace(facts.site)}`],
  };
}

/** After a refused write of a card: what the card is now says why more often than not. */
function lookHint(facts: CallFacts): readonly string[] {
  const command = isWrite(facts.operation) ? checkCommand(facts) : undefined;
  return command === undefined ? [] : [`see the card as it is now: ${command}`];
}

function tooLongHint(facts: CallFacts): string {
  const bytes = facts.id === undefined ? 0 : encodeURIComponent(facts.id).length;
  return `use a shorter id: this one makes a URL of ${bytes} bytes or more, longer than the service takes`;
}
