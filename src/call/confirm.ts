import { isPast } from '../api/iso-date.ts';
import { actionOf, nounOf, type Operation, targetStatus } from '../api/operation.ts';
import type { ScreenAbove } from '../context.ts';
import { Failure } from '../failure.ts';
import type { CallInput } from '../http/call.ts';
import { subjectOf } from '../http/facts.ts';
import { unmetExpectation } from '../input/expect.ts';
import { showValue } from '../input/values.ts';
import { shorten } from '../json/shorten.ts';
import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../json/value.ts';
import type { ViewStyle } from '../output/options.ts';
import { breakLine, safeText, sentenceCase } from '../output/text.ts';
import type { Service, Session } from '../session.ts';
import type { SingleCall } from './read-call.ts';
import { callService, cardRead } from './resource.ts';
import { notConfirmed, takesReason, whereText, withReason } from './write-guards.ts';

/** Failures of the read that the change would meet too. */
const FATAL = new Set(['AUTH', 'FORBIDDEN', 'NOT_FOUND', 'CANCELLED']);

/** The card before the change, or why it could not be read. */
export type CardBefore = { readonly card: JsonObject } | { readonly failure: Failure };

/** Why the card could not be read, for a sentence that says so already. */
export function whyUnread({ message }: Failure): string {
  return safeText(message.replace(/^could not read card \S+: /, ''));
}

/** Reads the card of a change. Any failure ends the call with `mustRead`, else one that the change would meet too. */
export async function readCardBefore(
  session: Session,
  { params }: Pick<CallInput, 'params'>,
  mustRead: boolean,
): Promise<CardBefore> {
  const result = await callService(session, cardRead(params['cardId'] ?? ''));
  if (result.kind === 'answered' && isJsonObject(result.resource)) return { card: result.resource };
  const failure = result.kind === 'failed' ? result.failure : new Failure('BAD_REPLY', 'the answer is not a card', {});
  if (mustRead || FATAL.has(failure.code)) throw failure.with({ outcome: 'not_sent' });
  return { failure };
}

function notAsExpected({ call, id }: SingleCall, why: string, hint: string): Failure {
  const details = { id, outcome: 'not_sent' } as const;
  return Failure.unsent('PRECONDITION', `could not ${subjectOf(call)}: ${why}`, { hints: [hint], details });
}

/** Throws PRECONDITION unless every `--expect` holds. */
export function checkExpectations(single: SingleCall, before: CardBefore): void {
  const unmet = 'card' in before ? unmetExpectation(before.card, single.expectations) : undefined;
  if (unmet !== undefined) throw notAsExpected(single, unmet, 'check that this is the right card');
}

/** Reads the card again before the change leaves. PRECONDITION if an `--expect` or the shown status no longer holds. */
export async function recheckCard(session: Session, single: SingleCall, shown: CardBefore): Promise<void> {
  const status = 'card' in shown ? textAt(shown.card, 'status') : undefined;
  if (status === undefined && single.expectations.length === 0) return;
  const now = await readCardBefore(session, single.call, true);
  checkExpectations(single, now);
  const changed = changedSinceShown(status, 'card' in now ? now.card : null);
  if (changed !== undefined) throw notAsExpected(single, changed, 'check the card, then decide again');
}

/** The message if a card has another status than the question showed; undefined if not. */
export function changedSinceShown(shown: string | undefined, card: JsonValue): string | undefined {
  const found = textAt(card, 'status');
  if (shown === undefined || found === shown) return undefined;
  return `the card changed before you answered: its status was ${safeText(shown)}, and is ${safeText(found ?? 'not there')}`;
}

type DrawCard = (card: JsonObject, style: ViewStyle) => string;

function describe(session: Session, before: CardBefore, draw: DrawCard): string {
  const { columns } = session.context.stderr;
  if ('failure' in before) {
    return `${breakLine(`  The card could not be read: ${whyUnread(before.failure)}`, columns).join('\n')}\n`;
  }
  const { colour, unicode, isAccessible } = session.output;
  return draw(before.card, { width: columns ?? 80, colour, unicode, isAccessible, now: session.context.clock.now() });
}

/** The card that a change is about, or why it cannot be shown, with line ends. */
export async function describeBefore(session: Session, before: CardBefore): Promise<string> {
  const { cardSummary } = await import('../output/card-view.ts');
  return describe(session, before, cardSummary);
}

/** What a yes means: a second change of a card that is in that state already, and one that cannot be undone. */
export function consequencesOf(operation: Operation, before: CardBefore | undefined): readonly string[] {
  const { effect } = operation;
  const aim = targetStatus(operation);
  const status = before !== undefined && 'card' in before ? textAt(before.card, 'status') : undefined;
  const noun = nounOf(operation);
  return [
    ...(aim !== undefined && status === aim ? [`The card is already ${aim}. A yes sends a second ${noun}.`] : []),
    ...(effect.kind === 'write' && effect.confirm ? [`A ${noun} cannot be undone.`] : []),
  ];
}

/** Below the card: the given reason, and what a yes means. */
function whatFollows({ call, reason }: SingleCall, before: CardBefore, columns: number | undefined): string {
  const lines = [
    ...(reason === undefined ? [] : [`Reason: ${safeText(reason)}`]),
    ...consequencesOf(call.operation, before),
  ];
  return lines.flatMap((line) => breakLine(`  ${line}`, columns).map((part) => `${part}\n`)).join('');
}

/** Most characters of a field in the question. */
const MAX_SHOWN = 240;

const ADD_REASON = { word: 'reason', does: 'add a reason' };

/** `Block card 7c0e… on live (cards.example.com)?`; at the desk with the card's reference. */
function questionOf(session: Session, service: Service, { id = '', call }: SingleCall, before: CardBefore): string {
  const reference = session.caller === 'desk' && 'card' in before ? textAt(before.card, 'clientReference') : undefined;
  const name = reference === undefined ? id : `${id} (${safeText(reference)})`;
  return `${sentenceCase(actionOf(call.operation))} ${name}${whereText(session, service)}?`;
}

/** Lines of the desk's screen kept for messages during the change. */
const SENDING_LINES = 4;

/** Shows open writes (`openText`) and the card, and asks. Returns the call, perhaps with a reason; else 130. */
export async function confirmSingle(
  session: Session,
  service: Service,
  single: SingleCall,
  before: CardBefore,
  openText: string,
): Promise<SingleCall> {
  const { stderr } = session.context;
  const { effect } = single.call.operation;
  const no = effect.kind === 'write' ? `not ${effect.done.toLowerCase()}` : 'no';
  const question = questionOf(session, service, single, before);
  const { cardSummary, cardWithin } = await import('../output/card-view.ts');
  const shown = (asked: SingleCall, room: number | undefined) => {
    const follows = whatFollows(asked, before, stderr.columns);
    const rows = (room ?? 0) - SENDING_LINES - `${openText}${follows}`.split('\n').length;
    const draw: DrawCard = room === undefined ? cardSummary : (card, style) => cardWithin(card, style, rows);
    return openText + describe(session, before, draw) + follows;
  };
  if (session.caller !== 'desk') await stderr.write(shown(single, undefined));
  let asked = single;
  let isPrinted = false;
  // At the desk each question shows the card above, in the current size of the screen, or once where nothing is redrawn.
  const drawn: ScreenAbove = (room) => {
    if (room === undefined && isPrinted) return '';
    isPrinted = true;
    return shown(asked, room);
  };
  const above = session.caller === 'desk' ? drawn : undefined;
  for (;;) {
    const other = asked.reason === undefined && takesReason(single.call.operation) ? ADD_REASON : undefined;
    const answer = await session.prompt.decide(question, { other, no, above });
    if (answer === 'yes') return asked;
    if (answer === 'no') break;
    const reason = await session.prompt.text('Reason (Enter = none)', () => true, { above });
    if (reason !== '') asked = withReason(asked, reason);
  }
  throw notConfirmed(subjectOf(single.call));
}

/** A field as it will be sent, each line of a string on its own. */
function shownField(name: string, value: JsonValue): string[] {
  const label = `  ${name.padEnd(12)}  `;
  const [first = '', ...others] =
    typeof value === 'string' ? `"${shorten(value, MAX_SHOWN)}"`.split('\n').map(safeText) : [showValue(value)];
  return [label + first, ...others.map((line) => ' '.repeat(label.length) + line)];
}

/** Shows what will be made, and asks. Anything but yes ends the call with 130. */
export async function confirmMade(session: Session, service: Service, { call }: SingleCall): Promise<void> {
  const { clock, stderr } = session.context;
  const fields = isJsonObject(call.body) ? [...call.body] : [];
  const past = isPast(textAt(call.body, 'start') ?? '', clock.now()) ? ['  The start is in the past.'] : [];
  const lines = [...fields.flatMap(([name, value]) => shownField(name, value)), ...past];
  await stderr.write(`${lines.flatMap((line) => breakLine(line, stderr.columns)).join('\n')}\n`);
  const question = `${sentenceCase(actionOf(call.operation))} ${showValue(textAt(call.body, 'name'))}${whereText(session, service)}?`;
  if (!(await session.prompt.confirm(question))) throw notConfirmed(subjectOf(call));
}
