import type { FailureDetails, Outcome } from '../failure.ts';
import type { JsonValue } from '../json/value.ts';
import type { CallFacts } from './facts.ts';
import { hideMembers } from './mask.ts';
import { NO_BODY, type Rejected } from './response.ts';

/** The members of the JSON error object that the http layer knows. */
export function detailsOf(
  facts: CallFacts,
  verdict: Rejected | undefined,
  outcome: Outcome | undefined,
): FailureDetails {
  return {
    operation: facts.operation.command,
    ...(facts.id === undefined ? {} : { id: facts.id }),
    ...(outcome === undefined || facts.operation.effect.kind === 'read' ? {} : { outcome }),
    ...(verdict === undefined ? {} : answerDetails(facts, verdict)),
    attempts: facts.attempts,
    ...(facts.sentAtMs === undefined ? {} : { sentAt: new Date(facts.sentAtMs).toISOString() }),
    ...(verdict === undefined ? {} : { phase: verdict.phase }),
  };
}

function answerDetails(facts: CallFacts, { reply, error }: Rejected): FailureDetails {
  if (reply === undefined) return {};
  const { status, requestId } = reply;
  const service = withoutSecrets(facts, error.service);
  const body = withoutSecrets(facts, error.body);
  return {
    http: requestId === undefined ? { status } : { status, requestId },
    ...(service === undefined ? {} : { service }),
    ...(body === undefined ? {} : { body }),
  };
}

/** One-time secrets never reach an error (docs/faults.md C23): an answer that was cut may hold half of one as text. */
function withoutSecrets(facts: CallFacts, value: JsonValue | undefined): JsonValue | undefined {
  const { effect } = facts.operation;
  const names = effect.kind === 'write' ? (effect.sensitive ?? []) : [];
  if (value === undefined || names.length === 0) return value;
  if (typeof value === 'string') return undefined;
  return hideMembers(value, names);
}

/** What came back, as a clause: `the service answered 500 (E1: no luck)`, `the connection closed before a reply`. */
export function whatHappened(verdict: Rejected): string {
  const { reply, breakage, problem, event } = verdict;
  if (reply === undefined) return breakage?.text ?? problem;
  if (event !== 'unreadable') return answered(verdict);
  if (breakage !== undefined) return `the service answered ${reply.status}, but ${breakage.text}`;
  if (problem === NO_BODY) return `the service answered ${reply.status} without a body`;
  return `the service answered ${reply.status} with a body that cannot be read: ${problem}`;
}

/** `the service answered 404 (CARD_NOT_FOUND: no such card)`. */
export function answered({ reply, error }: Rejected): string {
  const summary = error.summary === '' ? '' : ` (${error.summary})`;
  return `the service answered ${reply?.status ?? 'nothing'}${summary}`;
}
