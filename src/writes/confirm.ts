import type { ScreenAbove } from '../base/context.ts';
import { outside } from '../base/json/outside-text.ts';
import { shorten } from '../base/json/shorten.ts';
import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../base/json/value.ts';
import type { Service, Session } from '../command/session.ts';
import { showValue } from '../input/values.ts';
import type { ViewStyle } from '../screen/options.ts';
import { dangerSign } from '../screen/people-text.ts';
import { breakLine, safeText, sentenceCase, wrapOutside } from '../screen/text.ts';
import { isPast } from '../service/api/iso-date.ts';
import { actionOf, emptiedBy, isOnceOnly, nounOf, type Operation, targetStatus } from '../service/api/operation.ts';
import type { Facts } from './attempt.ts';
import type { CardReading, Write } from './judge.ts';
import { type OpenBefore, openText } from './open-guard.ts';
import { takesReason, whereText, withReason } from './write-guards.ts';

type DrawCard = (card: JsonObject, style: ViewStyle) => string;

function describe(session: Session, before: CardReading, draw: DrawCard): string {
  const { columns } = session.context.stderr;
  if ('failure' in before) {
    return `${breakLine(`  The card could not be read: ${safeText(before.failure.problem)}`, columns).join('\n')}\n`;
  }
  const { colour, unicode, isAccessible } = session.output;
  return draw(before.card, { width: columns ?? 80, colour, unicode, isAccessible, now: session.context.clock.now() });
}

/** The card that a change is about, or why it cannot be shown, with line ends. */
export async function describeBefore(session: Session, before: CardReading): Promise<string> {
  const { cardSummary } = await import('../screen/card-view.ts');
  return describe(session, before, cardSummary);
}

/** What sending a change again may come to. */
export function againText({ effect }: Operation): string {
  const second = effect.kind === 'write' ? effect.second : undefined;
  return `The first one may have been done${second === undefined ? '' : `: this may make ${second}`}.`;
}

/** What a yes may come to, where the same change is open already. */
export function secondOf(operation: Operation, { repeated }: Pick<OpenBefore, 'repeated'>): readonly string[] {
  return isOnceOnly(operation) && repeated.length > 0 ? [againText(operation)] : [];
}

/** What a yes means: a second change of a card that is in that state already, and one that cannot be undone. */
export function consequencesOf(
  operation: Operation,
  before: CardReading | undefined,
  open: Pick<OpenBefore, 'repeated'>,
) {
  const { effect } = operation;
  const aim = targetStatus(operation);
  const status = before !== undefined && 'card' in before ? textAt(before.card, 'status') : undefined;
  const noun = nounOf(operation);
  const isAlready = aim !== undefined && status === aim;
  return [
    ...(isAlready ? [{ isDanger: true, text: `The card is ${aim} already. A yes sends a second ${noun}.` }] : []),
    ...(effect.kind === 'write' && effect.confirm ? [{ isDanger: false, text: `A ${noun} cannot be undone.` }] : []),
    ...secondOf(operation, open).map((text) => ({ isDanger: true, text })),
  ];
}

/** What makes a change dangerous, with a sign and line ends, right above the question. */
export function dangerText({ context, output }: Session, dangers: readonly string[]): string {
  const lines = dangers.flatMap((text) => breakLine(`${dangerSign(output)} ${text}`, context.stderr.columns));
  return lines.map((line) => `${line}\n`).join('');
}

/** Below the card, at the margin: the given reason, and what a yes means. */
function whatFollows({ write: { call, reason }, reading, open }: Shown, session: Session): string {
  const width = session.context.stderr.columns ?? 80;
  const shownReason = reason === undefined ? [] : wrapOutside(`Reason        ${safeText(reason)}`, width);
  const lines = [
    ...shownReason.map((line) => `${line}\n`),
    ...consequencesOf(call.operation, reading, open).map(({ isDanger, text }) =>
      isDanger ? dangerText(session, [text]) : `${breakLine(text, width).join('\n')}\n`,
    ),
  ];
  return lines.join('');
}

/** Most characters of a field in the question. */
const MAX_SHOWN = 240;

const ADD_REASON = { word: 'reason', does: 'add a reason' };

/** `Block card 7c0e… on live (cards.example.com)?`; at the desk with the card's reference. */
function questionOf(session: Session, service: Service, { id = '', call }: Write, before: CardReading): string {
  const reference = session.caller === 'desk' && 'card' in before ? textAt(before.card, 'clientReference') : undefined;
  const name = reference === undefined ? id : `${id} (${outside(safeText(reference))})`;
  return `${sentenceCase(actionOf(call.operation))} ${name}${whereText(session, service)}?`;
}

/** Lines of the desk's screen kept for messages during the change. */
const SENDING_LINES = 4;

/** What a question about a card shows. */
type Shown = Facts & { readonly reading: CardReading };

/** Shows open writes and the card, and asks. Returns the change, perhaps with a reason; undefined: no. */
export async function confirmSingle(session: Session, facts: Shown): Promise<Write | undefined> {
  const { write: single, reading: before } = facts;
  const openAbove = openText(session, facts.open);
  const { stderr } = session.context;
  const { effect, family } = { ...single.call.operation };
  const service = await session.service(family);
  const no = effect.kind === 'write' ? `not ${effect.done.toLowerCase()}` : 'no';
  const question = questionOf(session, service, single, before);
  const { cardSummary, cardWithin } = await import('../screen/card-view.ts');
  const shown = (asked: Write, room: number | undefined) => {
    const follows = whatFollows({ ...facts, write: asked }, session);
    const rows = (room ?? 0) - SENDING_LINES - `${openAbove}\n${follows}`.split('\n').length;
    const draw: DrawCard = room === undefined ? cardSummary : (card, style) => cardWithin(card, style, rows);
    return openAbove + describe(session, before, draw) + (follows === '' ? '' : `\n${follows}`);
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
    if (answer === 'no') return undefined;
    const reason = await session.prompt.text('Reason (Enter = none)', () => true, { above });
    if (reason !== '') asked = withReason(asked, reason);
  }
}

/** A field as it will be sent, each line of a string on its own. */
function shownField(name: string, value: JsonValue, columns = 80): string[] {
  const label = `  ${name.padEnd(12)}  `;
  const texts =
    typeof value === 'string' ? `"${shorten(value, MAX_SHOWN)}"`.split('\n').map(safeText) : [showValue(value)];
  const lines = texts.flatMap((text, at) => wrapOutside(at === 0 ? text : `| ${text}`, columns - label.length));
  return lines.map((line, at) => (at === 0 ? label : ' '.repeat(label.length)) + line);
}

/** Shows what will be made or overwritten, and asks. */
export async function confirmMade(session: Session, { write: { call, id }, open }: Facts): Promise<boolean> {
  const service = await session.service(call.operation.family);
  const { clock, stderr } = session.context;
  const fields = isJsonObject(call.body) ? [...call.body] : [];
  const past = isPast(textAt(call.body, 'start') ?? '', clock.now()) ? ['  The start is in the past.'] : [];
  const emptied = emptiedBy(call.operation, call.body);
  const empties = emptied.length === 0 ? [] : [`This empties ${emptied.join(', ')}.`];
  const lines = [...fields.flatMap(([name, value]) => shownField(name, value, stderr.columns)), ...past];
  const dangers = dangerText(session, [...secondOf(call.operation, open), ...empties]);
  await stderr.write(`${lines.join('\n')}\n${dangers}`);
  const subject = showValue(id ?? textAt(call.body, 'name'));
  const question = `${sentenceCase(actionOf(call.operation))} ${subject}${whereText(session, service)}?`;
  return session.prompt.confirm(question);
}
