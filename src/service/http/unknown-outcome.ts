import { Failure, type FailureDetails, type Hint, type Notice, warning } from '../../base/failure.ts';
import { outside } from '../../base/json/outside-text.ts';
import { fromPlain, textAt } from '../../base/json/value.ts';
import { nounOf, resolvedBy, targetStatus } from '../api/operation.ts';
import { referenceAt, statusAt } from '../call-outcome.ts';
import type { CallInput } from './call.ts';
import { type CallFacts, cardHints, subjectOf, urlPlace } from './facts.ts';
import { detailsOf, localTime, whatHappened } from './failure-details.ts';
import { otherThanService } from './not-the-service.ts';
import type { Accepted, FailedAttempt, Verdict } from './response.ts';

/** What a card check showed. */
export type Observation = ReturnType<typeof observe>;

const MAX_TIME = 64;

/** Sums up the reads of a card check. */
export function observe(seen: readonly Verdict[]) {
  const cards = seen.filter((verdict) => verdict.kind === 'accepted').map(({ resource }) => resource);
  const last = seen.at(-1);
  return {
    /** Reads that returned the card, or failed. */
    reads: seen.length,
    status: statusAt(cards.at(-1)),
    updatedAt: textAt(cards.at(-1), 'updatedAt')?.slice(0, MAX_TIME),
    clientReference: referenceAt(cards.at(-1)),
    /** Why the last read failed. */
    problem: last?.kind === 'failed' ? whatHappened(last) : undefined,
  };
}

/** The card check after `doubtful` showed that it was applied. */
export function confirmedNotice(input: CallInput, { resource }: Accepted, doubtful: FailedAttempt): Notice {
  const reason = textAt(input.body, 'reason') === undefined ? '' : ', and the reason may not have been stored';
  const status = textAt(resource, 'status');
  const seen = `The card then showed status ${status}, so this counts as done. Another request may have made the change`;
  return warning('CONFIRMED_BY_READ', `${subjectOf(input)}: ${whatHappened(doubtful)}. ${seen}${reason}`);
}

/**
 * The failure of a change that may have been applied (docs/reference/outcomes.md): when it was sent, what a card check
 * showed and meant, and how to find out. `later`: how later attempts ended, which does not change the outcome. A
 * terminal shows it on lines of its own.
 */
export function unknownFailure(
  facts: CallFacts,
  verdict: FailedAttempt,
  observation: Observation | undefined,
  later: FailedAttempt | undefined,
): Failure {
  const happened = whatHappened(verdict);
  const repeated = later === undefined ? undefined : whatHappened(later);
  const sent =
    facts.sentAtMs === undefined ? 'an unknown time' : `${new Date(facts.sentAtMs).toISOString().slice(11, 19)}Z`;
  const seen = observation === undefined ? undefined : seenText(observation, facts);
  const checked = observation?.reads === 0 ? 'There was no time left to check the card.' : `Card check: ${seen}.`;
  const meaning = meaningOf(facts, observation);
  const parts = [
    `The request was sent at ${sent}. ${capital(happened)}.`,
    ...(repeated === undefined ? [] : [`A retry ended with: ${repeated}.`]),
    'It may or may not have been applied.',
    ...(observation === undefined ? [] : [checked]),
    ...(meaning === undefined ? [] : [`${capital(meaning)}.`]),
  ];
  const screen = [
    `OUTCOME UNKNOWN - ${facts.subject}`,
    row('What happened', happened),
    ...(repeated === undefined ? [] : [row('A retry', repeated)]),
    row('Sent', facts.sentAtMs === undefined ? sent : `${sent} (${localTime(facts.sentAtMs)} your time)`),
    targetStatus(facts.operation) !== undefined
      ? row('Card check', seen ?? 'not made')
      : row('Check', 'not possible: no command can show it'),
    row('That means', meaning ?? 'it may or may not have been applied'),
  ];
  const details = detailsOf(facts, verdict, 'unknown');
  const advice = adviceOf(facts, details);
  const other = otherThanService(facts.operation, facts.endpoint.baseUrl, verdict);
  const { status, updatedAt, reads, problem } = observation ?? {};
  const shown = { status, updatedAt, reads, problem };
  return new Failure('OUTCOME_UNKNOWN', parts.join(' '), {
    attempted: facts.subject,
    // Nothing is suggested that no command can do.
    hints: [
      other === undefined ? advice : `check ${urlPlace(facts.endpoint)}: ${other}. ${capital(advice)}`,
      ...(targetStatus(facts.operation) === undefined ? [] : cardHints('check with', facts)),
    ],
    details: observation === undefined ? details : { ...details, observed: fromPlain(shown) },
    screen,
    steps: stepsOf(facts, details),
  });
}

/** What to do. No command shows the card that a reissue made: the service's team can find it by these facts. */
function adviceOf({ operation: { effect }, id }: CallFacts, details: FailureDetails): string {
  if (effect.kind !== 'write') return 'check before you run this again';
  if (effect.cardCheck === 'none' || !('observes' in effect.cardCheck)) return effect.unknownHint;
  return `${effect.unknownHint}. No command can show the new card: ask the team that runs the service, and give them ${knownOf(id, details)}`;
}

/** What the service's team needs to find a change. */
function knownOf(id: string | undefined, { sentAt, http }: FailureDetails): string {
  const request = http?.requestId === undefined ? 'no request ID' : `request ID ${outside(http.requestId)}`;
  return [sentAt ?? 'time unknown', `card ${id}`, request].join(', ');
}

/** The same in the order in which it is done. The recorder of the change adds how to record what is found out. */
function stepsOf(facts: CallFacts, details: FailureDetails): readonly Hint[] {
  const { operation, id } = facts;
  const aim = targetStatus(operation);
  if (operation.effect.kind !== 'write') return [];
  if (resolvedBy(operation) !== undefined) {
    const check = cardHints('check with', facts).map((hint) => ({ ...hint, words: 'Check the card' }));
    return [...check, `Run this again only if the card still is not ${aim}.`];
  }
  if (aim === undefined) return [`${capital(operation.effect.unknownHint)}.`];
  return [
    `Do not ${operation.verb} again: it may make a second live card.`,
    `Ask the team that runs the service: ${knownOf(id, details)}`,
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const LABEL_WIDTH = 'What happened'.length;

function row(label: string, text: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}  ${text}`;
}

/** `status REISSUED, ACTIVE before you confirmed (2 reads, 2 s apart)`. Records show it later, so it is not of now. */
function seenText(seen: Observation, { before }: CallFacts): string {
  if (seen.reads === 0) return 'there was no time left';
  if (seen.status === undefined) return `failed, ${seen.problem ?? 'no card came'}`;
  const reads = seen.reads === 1 ? '1 read' : `${seen.reads} reads, 2 s apart`;
  if (before !== undefined)
    return `status ${outside(seen.status)}, ${outside(before.status)} ${before.when} (${reads})`;
  const updated = seen.updatedAt === undefined ? '' : `, updatedAt ${outside(seen.updatedAt)}`;
  return `status ${outside(seen.status)}${updated} (${reads})`;
}

/** What the card's status says of the change, if anything. */
function meaningOf({ operation, before }: CallFacts, seen: Observation | undefined): string | undefined {
  const { effect } = operation;
  const observes = targetStatus(operation);
  if (effect.kind !== 'write' || observes === undefined || seen?.status === undefined) return undefined;
  if (resolvedBy(operation) !== undefined) {
    return `the card was ${outside(seen.status)}, not ${observes}. The change may still take effect. Once the card reads ${observes}, it is done`;
  }
  const noun = nounOf(operation);
  if (seen.status !== observes) return `status ${outside(seen.status)} shows no ${noun} yet. It may still take effect`;
  if (before === undefined) return `status ${observes} shows a ${noun}, but it may be this one or an earlier one`;
  if (before.status === observes)
    return `the card was already ${observes}, so it is not known whether it was ${effect.done.toLowerCase()} again`;
  return `the ${noun} happened, but the ID of the new card is not known`;
}
