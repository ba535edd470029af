import { outside } from '../base/json/outside-text.ts';
import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../base/json/value.ts';
import { commandOf } from '../base/next-step.ts';
import type { Session } from '../command/session.ts';
import { namedProfile } from '../profile/resolve.ts';
import { cellText } from '../screen/column.ts';
import { displayWidth } from '../screen/cut-text.ts';
import { makePaint } from '../screen/paint.ts';
import { localClock } from '../screen/people-text.ts';
import { outcomeSign, safeText, sentenceCase, wrapOutside } from '../screen/text.ts';
import type { Answer } from '../service/http/call.ts';
import type { Write } from './judge.ts';

const LABEL_WIDTH = 11;

/** A text behind its label, broken where it has no room. */
function labelled(label: string, text: string, width: number): readonly string[] {
  return wrapOutside(text, width - LABEL_WIDTH).map((part, at) => (at === 0 ? label : '').padEnd(LABEL_WIDTH) + part);
}

/** What identifies a card on one line, or on two: an ID is never cut. */
function cardLines(label: string, card: JsonObject, width: number): readonly string[] {
  const shown = (name: string) => outside(safeText(cellText(card.get(name))));
  const head = labelled(label, shown('cardId'), width);
  const known = ['clientReference', 'status', 'currentBalance'].filter((name) => (card.get(name) ?? null) !== null);
  const facts = known.map(shown).join('  ');
  const line = `${head.join('')}  ${facts}`.trimEnd();
  if (displayWidth(line) <= width) return [line];
  return [...head, ...labelled('', facts, width)];
}

/** The card that was changed; of a reissue the old one, as far as it is known, and the new one. */
function subjectLines(
  { id = '', seen, call }: Write,
  { resource, callOutcome: { resultId } }: Answer,
  width: number,
): readonly string[] {
  const made = textAt(resource, 'cardId');
  const isCard = call.operation.family === 'cards' && isJsonObject(resource) && made !== undefined;
  if (!isCard) {
    const result = textAt(resource, 'id') ?? id;
    return result === '' ? [] : labelled(sentenceCase(call.operation.object), outside(safeText(result)), width);
  }
  if (made.toLowerCase() === id.toLowerCase() || id === '') return cardLines('Card', resource, width);
  const old = new Map<string, JsonValue>([['cardId', id]]);
  if (seen?.clientReference !== undefined) old.set('clientReference', seen.clientReference);
  const oldLines = cardLines('Old card', old, width);
  return resultId === undefined ? oldLines : [...oldLines, ...cardLines('New card', resource, width)];
}

/** The end of a change on a terminal: how, of which card, when. Nothing that stood before the question comes again. */
export function doneText(session: Session, write: Write, answer: Answer, width = 80): string {
  const { callOutcome } = answer;
  const { colour, unicode, mask = (text: string) => text } = session.output;
  const { effect } = write.call.operation;
  const done = effect.kind === 'write' ? effect.done.toUpperCase() : '';
  const how = callOutcome.outcome === 'confirmed_by_read' ? ', confirmed by read' : '';
  const head = `${outcomeSign('applied', { unicode })} ${done} at ${localClock(session.context.clock.now())}${how}`;
  const { resultId } = callOutcome;
  // Only the new card has an ID that was not known before.
  const isNewCard = write.call.operation.family === 'cards' && resultId !== undefined && resultId !== write.id;
  const next = isNewCard
    ? [`Show it: ${commandOf({ do: 'show it', about: resultId, profile: namedProfile(session.selectedProfile()) })}`]
    : [];
  const reason = write.reason === undefined ? [] : labelled('Reason', safeText(mask(write.reason)), width);
  const lines = [
    makePaint(colour).bold(makePaint(colour).toned('outcome', callOutcome.outcome ?? '', head)),
    ...subjectLines(write, answer, width),
    ...reason,
    ...next,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
