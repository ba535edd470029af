import type { ScreenAbove } from '../base/context.ts';
import { outside } from '../base/json/outside-text.ts';
import { shorten } from '../base/json/shorten.ts';
import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../base/json/value.ts';
import type { Service, Session } from '../command/session.ts';
import { showValue } from '../input/values.ts';
import { cardSummary, cardWithin } from '../screen/card-view.ts';
import type { ViewStyle } from '../screen/options.ts';
import { breakLine, dangerSign, safeText, sentenceCase, wrapOutside } from '../screen/text.ts';
import { isPast } from '../service/api/iso-date.ts';
import { actionOf, emptiedBy, isOnceOnly, nounOf, type Operation, targetStatus } from '../service/api/operation.ts';
import { subjectOf } from '../service/http/facts.ts';
import type { Facts } from './attempt.ts';
import type { CardReading, Write } from './judge.ts';
import { type OpenBefore, openText, sayOpen } from './open-guard.ts';
import { refuseReadOnly, takesReason, whereText, withReason } from './write-guards.ts';

/** What a single change asks first: about its card, where its secrets go, about the fields that it sends, or nothing. */
export type Question = 'card' | 'secrets' | 'fields' | 'none';

/** A card that a change is about, or why it cannot be shown, with line ends. */
function cardText(
  session: Session,
  reading: CardReading,
  draw: (card: JsonObject, style: ViewStyle) => string,
): string {
  const { columns } = session.context.stderr;
  if ('failure' in reading) {
    return `${breakLine(`  The card could not be read: ${safeText(reading.failure.problem)}`, columns).join('\n')}\n`;
  }
  const { colour, unicode, isAccessible } = session.output;
  return draw(reading.card, { width: columns ?? 80, colour, unicode, isAccessible, now: session.context.clock.now() });
}

/** Refuses (5) what was just confirmed if its profile was made read-only while the question stood. */
async function refuseReadOnlyNow(session: Session): Promise<void> {
  await session.renewProfile();
  refuseReadOnly(session);
}

/** Asks whether to send. FORBIDDEN after a yes if the profile is read-only by now. */
export async function confirmSending(session: Session, question: string): Promise<boolean> {
  const isYes = await session.prompt.confirm(question);
  if (isYes) await refuseReadOnlyNow(session);
  return isYes;
}

/** What sending a change again may come to. */
export function againText({ effect }: Operation): string {
  const second = effect.kind === 'write' ? effect.second : undefined;
  return `The first one may have been done${second === undefined ? '' : `: this may make ${second}`}.`;
}

/** What a yes may come to, where the same change is open already. */
function secondOf(operation: Operation, { repeated }: Pick<OpenBefore, 'repeated'>): readonly string[] {
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
function dangerText({ context, output }: Session, dangers: readonly string[]): string {
  const lines = dangers.flatMap((text) => breakLine(`${dangerSign(output)} ${text}`, context.stderr.columns));
  return lines.map((line) => `${line}\n`).join('');
}

/** Below the card, at the margin: the reason, and what a yes means. */
function whatFollows(session: Session, { write: { call, reason }, reading, open }: Facts): string {
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
function questionOf(session: Session, service: Service, { id = '', call }: Write, reading: CardReading): string {
  const reference =
    session.caller === 'desk' && 'card' in reading ? textAt(reading.card, 'clientReference') : undefined;
  const name = reference === undefined ? id : `${id} (${outside(safeText(reference))})`;
  return `${sentenceCase(actionOf(call.operation))} ${name}${whereText(session, service)}?`;
}

/** Lines of the desk's screen kept for messages during the change. */
const SENDING_LINES = 4;

/** What stands above a question about a card: open writes, the card in the rows that are left, what a yes means. */
function aboveQuestion(session: Session, facts: Facts, reading: CardReading, room: number | undefined): string {
  const openWrites = openText(session, facts.open);
  const follows = whatFollows(session, facts);
  const rows = (room ?? 0) - SENDING_LINES - `${openWrites}\n${follows}`.split('\n').length;
  const card = cardText(session, reading, (shown, style) =>
    room === undefined ? cardSummary(shown, style) : cardWithin(shown, style, rows),
  );
  return openWrites + card + (follows === '' ? '' : `\n${follows}`);
}

/** Asks about a card. Returns the change, perhaps with a reason; undefined: no. */
async function confirmCard(session: Session, facts: Facts, reading: CardReading): Promise<Write | undefined> {
  let { write } = facts;
  const { operation } = write.call;
  const { effect, family } = operation;
  const question = questionOf(session, await session.service(family), write, reading);
  const no = effect.kind === 'write' ? `not ${effect.done.toLowerCase()}` : 'no';
  const screen = (room?: number) => aboveQuestion(session, { ...facts, write }, reading, room);
  let isShown = session.caller !== 'desk';
  if (isShown) await session.context.stderr.write(screen());
  // A desk that redraws shows the card at each question, in the size of its screen; one that does not, once.
  const above: ScreenAbove = (room) => {
    if (room === undefined && isShown) return '';
    isShown = true;
    return screen(room);
  };
  const where = session.caller === 'desk' ? { above } : {};
  for (;;) {
    const other = write.reason === undefined && takesReason(operation) ? ADD_REASON : undefined;
    const answer = await session.prompt.decide(question, { other, no, ...where });
    if (answer === 'no') return undefined;
    if (answer === 'yes') {
      await refuseReadOnlyNow(session);
      return write;
    }
    const reason = await session.prompt.text('Reason (Enter = none)', () => true, where);
    if (reason !== '') write = withReason(write, reason);
  }
}

/** Asks where secrets go, below the card, and whether to have them made. */
async function confirmSecrets(session: Session, { write, reading, open }: Facts, place: () => Promise<void>) {
  const { call } = write;
  const { stderr } = session.context;
  await sayOpen(session, open);
  if (reading !== undefined) await stderr.write(cardText(session, reading, cardSummary));
  await place();
  await stderr.write(dangerText(session, secondOf(call.operation, open)));
  const service = await session.service(call.operation.family);
  return confirmSending(session, `${sentenceCase(subjectOf(call))}${whereText(session, service)}?`);
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
async function confirmFields(session: Session, { write: { call, id }, open }: Facts): Promise<boolean> {
  const service = await session.service(call.operation.family);
  const { clock, stderr } = session.context;
  const fields = isJsonObject(call.body) ? [...call.body] : [];
  const past = isPast(textAt(call.body, 'start') ?? '', clock.now()) ? ['  The start is in the past.'] : [];
  const emptied = emptiedBy(call.operation, call.body);
  const empties = emptied.length === 0 ? [] : [`This empties ${emptied.join(', ')}.`];
  const lines = [...fields.flatMap(([name, value]) => shownField(name, value, stderr.columns)), ...past];
  const dangers = dangerText(session, [...secondOf(call.operation, open), ...empties]);
  await sayOpen(session, open);
  await stderr.write(`${lines.join('\n')}\n${dangers}`);
  const subject = showValue(id ?? textAt(call.body, 'name'));
  const question = `${sentenceCase(actionOf(call.operation))} ${subject}${whereText(session, service)}?`;
  return confirmSending(session, question);
}

/** Asks about one change. Returns it as it was confirmed; undefined: no. */
export async function confirmWrite(
  session: Session,
  question: Exclude<Question, 'none'>,
  facts: Facts,
  placeSecrets: () => Promise<void>,
): Promise<Write | undefined> {
  if (question === 'card') {
    if (facts.reading === undefined) throw new Error('a question without a look at the card');
    return confirmCard(session, facts, facts.reading);
  }
  const isYes = await (question === 'fields'
    ? confirmFields(session, facts)
    : confirmSecrets(session, facts, placeSecrets));
  return isYes ? facts.write : undefined;
}
