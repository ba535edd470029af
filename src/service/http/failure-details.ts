import type { Outcome } from '../../base/failure.ts';
import { quoted } from '../../base/json/outside-text.ts';
import { shorten } from '../../base/json/shorten.ts';
import { twoDigits } from '../api/iso-date.ts';
import { sensitiveOf } from '../api/operation.ts';
import type { CallFacts } from './facts.ts';
import { type FailedAttempt, NO_BODY } from './response.ts';
import { AN_ERROR } from './response-shape.ts';

/** The members of the JSON error object that this layer knows. */
export function detailsOf(facts: CallFacts, verdict: FailedAttempt | undefined, outcome: Outcome | undefined) {
  const { operation, id, attempts, sentAtMs } = facts;
  const { reply, error, phase } = verdict ?? {};
  return {
    operation: operation.command,
    id,
    outcome: operation.effect.kind === 'read' ? undefined : outcome,
    http: reply === undefined ? undefined : { status: reply.status, requestId: reply.requestId },
    service: error?.service,
    body: hasSecrets(facts, verdict) ? undefined : error?.body,
    attempts,
    sentAt: sentAtMs === undefined ? undefined : new Date(sentAtMs).toISOString(),
    phase,
  };
}

/** One-time secrets never reach an error (docs/faults.md C23), whatever members a 2xx has and wherever it is cut. */
function hasSecrets({ operation }: CallFacts, verdict: FailedAttempt | undefined): boolean {
  const status = verdict?.reply?.status ?? 0;
  return sensitiveOf(operation).length > 0 && status >= 200 && status < 300;
}

/** What happened, as a clause: `the service returned 500 (E1: no luck)`, `the connection closed before a reply`. */
export function whatHappened(verdict: FailedAttempt): string {
  const { reply, breakage, problem, event, error } = verdict;
  if (reply === undefined) return breakage?.text ?? problem;
  if (event !== 'unreadable') return answered(verdict);
  if (breakage !== undefined) return `the service returned ${reply.status}, but ${breakage.text}`;
  if (problem === NO_BODY) return `the service returned ${reply.status} without a body`;
  const page = error.summary === '' ? reply.status : `${reply.status}, ${error.summary}`;
  if (error.isHtml) return `a web page responded instead of the service (${page})`;
  const said = problem === AN_ERROR && error.summary !== '' ? ` (${error.summary})` : '';
  return `the service returned ${reply.status}, but ${problem}${said}`;
}

/** The reason without status and code, which are kept apart; undefined if the response says nothing more. */
export function reasonOf({ reply, breakage, problem, error }: FailedAttempt): string | undefined {
  const text = breakage?.text ?? problem;
  return reply === undefined || text !== '' ? text : error.message;
}

/** `the service returned 404 (CARD_NOT_FOUND: no such card)`. */
export function answered({ reply, error, oddRetryAfter }: FailedAttempt): string {
  const summary = error.summary === '' ? '' : ` (${error.summary})`;
  const odd =
    oddRetryAfter === undefined ? '' : `, and its Retry-After cannot be read (${quoted(shorten(oddRetryAfter, 40))})`;
  return `the service returned ${reply?.status ?? 'nothing'}${summary}${odd}`;
}

/** The time of day on this machine's clock, in the zone that people see: `19:48:05`. */
export function localTime(timeMs: number): string {
  const time = new Date(timeMs);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
}
