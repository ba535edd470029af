import { aimOf, nounOf } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { Failure } from '../failure.ts';
import { subjectOf } from '../http/facts.ts';
import { unmetExpectation } from '../input/expect.ts';
import { showGiven } from '../input/given.ts';
import { isJsonObject, type JsonObject, textAt } from '../json/value.ts';
import { breakLine } from '../output/line-break.ts';
import { safeText, shortenText } from '../output/safe-text.ts';
import type { Service, Session } from '../session.ts';
import type { SingleCall } from './read-call.ts';
import { notConfirmed, takesReason, whereText, withReason } from './write-guards.ts';

/** Failures of the read before a write that end the call: the write would fail the same way. */
const FATAL = new Set(['AUTH', 'FORBIDDEN', 'NOT_FOUND', 'CANCELLED']);

/** The card as it is before the write, or why it could not be read. */
export type CardBefore = { readonly card: JsonObject } | { readonly failure: Failure };

/**
 * Reads the card that a write is about to hit. With `mustRead` (an expectation hangs on it) any failure is
 * the call's; else only those that the write would meet too.
 */
export async function readCardBefore(
  session: Session,
  single: Pick<SingleCall, 'call'>,
  mustRead: boolean,
): Promise<CardBefore> {
  const service = await session.service('cards');
  const result = await service.client.call(
    { operation: OPERATIONS.cardGet, params: single.call.params, query: {}, body: undefined },
    { policy: session.policy, listener: session.listener },
  );
  if (result.kind === 'answered' && isJsonObject(result.resource)) return { card: result.resource };
  const failure = result.kind === 'failed' ? result.failure : new Failure('BAD_REPLY', 'the answer is not a card', {});
  if (mustRead || FATAL.has(failure.code)) throw failure.with({ outcome: 'not_sent' });
  return { failure };
}

/** Throws PRECONDITION unless every `--expect` holds. */
export function checkExpectations(single: SingleCall, before: CardBefore): void {
  if (!('card' in before)) return;
  const unmet = unmetExpectation(before.card, single.expectations);
  if (unmet === undefined) return;
  throw new Failure('PRECONDITION', `${subjectOf(single.call)} was not sent: ${unmet}`, {
    hints: ['check the card id; nothing was changed'],
    details: { id: single.id, outcome: 'not_sent' },
  });
}

/** What a write is about to hit, or why it cannot be shown; line ends included. */
export async function describeBefore(session: Session, before: CardBefore): Promise<string> {
  const { columns } = session.context.stderr;
  if ('failure' in before) {
    return `${breakLine(`  The card could not be read: ${safeText(before.failure.message)}`, columns).join('\n')}\n`;
  }
  const { cardSummary } = await import('../output/card-view.ts');
  const { colour, unicode } = session.output;
  return cardSummary(before.card, { width: columns ?? 80, colour, unicode, now: session.context.clock.now() });
}

/** Below the card: whether it is that way already, the reason that was given, and that nothing takes the write back. */
function whatFollows({ call, reason }: SingleCall, before: CardBefore): string {
  const { effect } = call.operation;
  if (effect.kind !== 'write') return '';
  const status = 'card' in before ? textAt(before.card, 'status') : undefined;
  const aim = aimOf(call.operation);
  return [
    ...(aim !== undefined && status === aim ? [`  The card is ${aim} already.\n`] : []),
    ...(reason === undefined ? [] : [`  Reason        ${safeText(reason)}\n`]),
    ...(effect.confirm ? [`  There is no way back from a ${nounOf(call.operation)}.\n`] : []),
  ].join('');
}

/** A field of the summary is a few lines of a terminal at most. */
const MAX_SHOWN = 240;

const ADD_REASON = { word: 'reason', does: 'add a reason' };

/**
 * Shows what will be hit and asks; answers the call as confirmed. Anything but yes ends the call with 130. A
 * profile other than the sandbox is named in the question, so that nobody blocks a live card by accident. A
 * reason that was not given can be added before the answer.
 */
export async function confirmSingle(
  session: Session,
  service: Service,
  single: SingleCall,
  before: CardBefore,
): Promise<SingleCall> {
  await session.context.stderr.write((await describeBefore(session, before)) + whatFollows(single, before));
  const verb = single.call.operation.command.split('.').at(-1) ?? '';
  const question = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} card ${single.id ?? ''}${whereText(session, service)}?`;
  let asked = single;
  for (;;) {
    const offersReason = asked.reason === undefined && takesReason(single.call.operation);
    const answer = await session.prompt.decide(question, offersReason ? ADD_REASON : undefined);
    if (answer === 'yes') return asked;
    if (answer === 'no') break;
    const reason = await session.prompt.text('Reason (Enter = none)', () => true);
    if (reason !== '') asked = withReason(asked, reason);
  }
  throw notConfirmed(subjectOf(single.call));
}

/** Shows what will be made and asks; anything but yes ends the call with 130. */
export async function confirmMade(session: Session, service: Service, { call }: SingleCall): Promise<void> {
  const fields = isJsonObject(call.body) ? [...call.body] : [];
  const lines = fields.map(([name, value]) => `  ${name.padEnd(12)}  ${shortenText(showGiven(value), MAX_SHOWN)}\n`);
  await session.context.stderr.write(lines.join(''));
  const question = `Create event ${showGiven(textAt(call.body, 'name'))}${whereText(session, service)}?`;
  if (!(await session.prompt.confirm(question))) throw notConfirmed(subjectOf(call));
}
