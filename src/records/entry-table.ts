import { OUTCOMES } from '../base/failure.ts';
import { outside } from '../base/json/outside-text.ts';
import {
  INTEGER,
  NUMBER,
  nullable,
  object,
  oneOf,
  type Shape,
  type ShapeOf,
  shapesOf,
  TEXT,
} from '../base/json/shape.ts';
import { fromPlain, getPath, type JsonObject, type JsonValue } from '../base/json/value.ts';
import { type Column, cellText, columnsOf } from '../screen/column.ts';
import { displayWidth, padText } from '../screen/cut-text.ts';
import type { Block, Fact } from '../screen/options.ts';
import { makePaint } from '../screen/paint.ts';
import { commandWords, outcomeWords, peopleTime, shortEntry } from '../screen/people-text.ts';
import { safeText, sentenceCase, wrapOutside } from '../screen/text.ts';
import { operationNamed } from '../service/api/operations.ts';
import type { HistoryEntry } from './write-record.ts';

function member<Value>(shape: Shape<Value>, of: (entry: HistoryEntry) => Value, column: Omit<Column, 'name'>) {
  return { shape, of, column };
}

/** Returns a member of the call outcome; null if it is not known. */
function known<Name extends 'resultId' | 'httpStatus' | 'requestId' | 'durationMs'>(name: Name) {
  return ({ callOutcome }: HistoryEntry) => callOutcome[name] ?? null;
}

/** What is printed of an entry, in the order of its JSON. Short forms leave room on a terminal of 80 columns. */
const MEMBERS = {
  entry: member(TEXT, ({ entry }) => entry, { header: 'ENTRY', keep: true, people: shortEntry }),
  time: member(TEXT, ({ time }) => time, { header: 'TIME', keep: true, people: peopleTime }),
  user: member(TEXT, ({ user }) => user, { header: 'USER' }),
  profile: member(TEXT, ({ profile }) => profile, { header: 'PROFILE', spare: true }),
  host: member(TEXT, ({ host }) => host, { header: 'HOST', wide: true }),
  operation: member(TEXT, ({ operation }) => operation, { header: 'OPERATION', keep: true, people: commandWords }),
  id: member(nullable(TEXT), ({ id = null }) => id, { header: 'ID', keep: true, below: 'labelled' }),
  resultId: member(nullable(TEXT), known('resultId'), { header: 'RESULT ID', keep: true, below: 'labelled' }),
  reason: member(nullable(TEXT), ({ reason = null }) => reason, { header: 'REASON', below: 'labelled' }),
  outcome: member(oneOf(OUTCOMES), ({ callOutcome }) => callOutcome.outcome ?? 'unknown', {
    header: 'OUTCOME',
    tone: 'outcome',
    people: outcomeWords,
  }),
  httpStatus: member(nullable(INTEGER), known('httpStatus'), { header: 'STATUS', align: 'right', spare: true }),
  requestId: member(nullable(TEXT), known('requestId'), { header: 'REQUEST ID', wide: true }),
  durationMs: member(nullable(NUMBER), known('durationMs'), { header: 'MS', align: 'right', wide: true }),
  run: member(nullable(TEXT), ({ run = null }) => run, { header: 'RUN', wide: true }),
};

/** What was read of the card. */
const SEEN = { clientReference: TEXT, status: TEXT };

/** What a user recorded about an unknown outcome. */
const RESOLVED = object({
  as: oneOf(['applied', 'not_applied'] as const),
  by: TEXT,
  time: TEXT,
  note: nullable(TEXT),
  resultId: nullable(TEXT),
});
const CLOSED = { supersededBy: TEXT, resolved: RESOLVED };

/** What a later read of the card showed, and what was known before. */
const READ = object({
  time: TEXT,
  user: TEXT,
  status: nullable(TEXT),
  before: object({ outcome: oneOf(OUTCOMES), httpStatus: nullable(INTEGER), requestId: nullable(TEXT) }),
});

/** One entry as `history` prints it. */
export const HISTORY_OUTPUT = object(shapesOf(MEMBERS), { ...SEEN, ...CLOSED });
/** The same with what a later read showed, for `history show`. */
export const SHOWN_OUTPUT = object(shapesOf(MEMBERS), { ...SEEN, ...CLOSED, read: READ });

const [NAME, ...FACTS] = columnsOf(MEMBERS);
const SEEN_COLUMNS: readonly Column[] = [
  { name: 'clientReference', header: 'REFERENCE', wide: true },
  { name: 'status', header: 'CARD', tone: 'status', wide: true },
];

/** Tables have the name of the entry last: the user types it next. */
export const HISTORY_COLUMNS: readonly Column[] = [...FACTS, ...SEEN_COLUMNS, ...(NAME === undefined ? [] : [NAME])];

function foundOut(resolved: NonNullable<HistoryEntry['resolved']>): ShapeOf<typeof RESOLVED> {
  const { as, by, time, note = null, resultId = null } = resolved;
  return { as, by, time, note, resultId };
}

function membersOf(entry: HistoryEntry): object {
  const members = Object.fromEntries(Object.entries(MEMBERS).map(([name, { of }]) => [name, of(entry)]));
  const { supersededBy, resolved, clientReference } = entry;
  const status = entry.callOutcome.observedStatus ?? entry.status;
  const more = { clientReference, status, supersededBy, resolved: resolved && foundOut(resolved) };
  return { ...members, ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)) };
}

/** An entry as `history` prints it. */
export function historyJson(entry: HistoryEntry): JsonValue {
  return fromPlain(membersOf(entry));
}

/** The same with what a later read showed. */
export function shownJson(entry: HistoryEntry): JsonValue {
  if (entry.read === undefined) return historyJson(entry);
  const { time, user, before } = entry.read;
  const { outcome, httpStatus = null, requestId = null } = before;
  const known = { outcome: outcome ?? 'unknown', httpStatus, requestId };
  const read: ShapeOf<typeof READ> = { time, user, status: entry.callOutcome.observedStatus ?? null, before: known };
  return fromPlain({ ...membersOf(entry), read });
}

/** Columns of an entry that is closed although its outcome is unknown. */
export const CLOSED_COLUMNS: readonly Column[] = [
  { name: 'supersededBy', header: 'SUPERSEDED BY', below: 'labelled', people: shortEntry },
  { name: 'resolved.as', header: 'RESOLVED AS', below: 'labelled' },
  { name: 'resolved.by', header: 'RESOLVED BY' },
  { name: 'resolved.time', header: 'RESOLVED', people: peopleTime },
  { name: 'resolved.note', header: 'NOTE' },
  { name: 'resolved.resultId', header: 'FOUND ID' },
];

/** Columns of an entry that was read again. What the read showed is below. */
export const READ_COLUMNS: readonly Column[] = [
  { name: 'read.time', header: 'READ AGAIN', people: peopleTime },
  { name: 'read.user', header: 'READ BY' },
  { name: 'read.status', header: 'CARD STATUS', tone: 'status' },
  { name: 'read.before.outcome', header: 'OUTCOME BEFORE', tone: 'outcome', people: outcomeWords },
];

/** What the ID of an entry is of: `Card`; of a raw POST its request. */
function nounOf(operation: string): string {
  return sentenceCase(operationNamed(operation)?.object ?? 'request');
}

/** What the ID in the response is of: `New card`. */
function resultNounOf(operation: string): string {
  return operation.startsWith('card.') ? 'New card' : nounOf(operation);
}

/** A member of an entry as JSON, safe for a screen; empty if it has none. */
function shownAt(row: JsonValue, path: string): string {
  return safeText(cellText(getPath(row, path)));
}

function closedText(row: JsonValue): string {
  const by = shownAt(row, 'supersededBy');
  const as = outcomeWords(shownAt(row, 'resolved.as'));
  if (by !== '') return `superseded by ${shortEntry(by)}`;
  return as === '' ? '' : `resolved as ${as} by ${outside(shownAt(row, 'resolved.by'))}`;
}

/** A text at the right end of a line, or on a line of its own. */
function withRight(left: string, right: string, width: number): readonly string[] {
  const gap = width - displayWidth(left) - displayWidth(right);
  if (right === '') return [left];
  return gap >= 2 ? [left + ' '.repeat(gap) + right] : [left, padText(right, width, 'right')];
}

const MARGIN = '  ';
const OPERATION_WIDTH = 14;

/** How a list shows an entry in a terminal. Nothing is cut. The profile stands there if entries of several are listed. */
export function blockOf(rows: readonly JsonValue[]): Block {
  const hasProfile = new Set(rows.map((row) => shownAt(row, 'profile'))).size > 1;
  return (row, { width, colour }) => {
    const [operation, outcome] = ['operation', 'outcome'].map((name) => shownAt(row, name));
    const words = outcomeWords(outcome ?? '');
    const when = peopleTime(shownAt(row, 'time'), true);
    const what = padText(commandWords(operation ?? ''), OPERATION_WIDTH);
    const [first = '', ...rest] = withRight(`${when}   ${what}   ${words}`, shortEntry(shownAt(row, 'entry')), width);
    const room = width - MARGIN.length;
    const [id, reference, made, reason] = ['id', 'clientReference', 'resultId', 'reason']
      .map((name) => shownAt(row, name))
      .map((text) => (text === '' ? '' : outside(text)));
    const subject = [id, reference].filter((text) => text !== '').join(MARGIN);
    const isBeside = reference === '' || (id !== '' && displayWidth(subject) <= room);
    const below = [
      ...(isBeside ? [subject] : [id, reference]),
      made === '' ? '' : `${resultNounOf(operation ?? '')} ${made}`,
      reason === '' ? '' : `Reason ${reason}`,
      closedText(row),
    ].filter((text) => text !== undefined && text !== '');
    const lines = below.flatMap((text) => wrapOutside(text ?? '', room)).map((text) => MARGIN + text);
    const who = [...(hasProfile ? [shownAt(row, 'profile')] : []), shownAt(row, 'user')].join(MARGIN);
    const toned = makePaint(colour).toned('outcome', outcome ?? '', words);
    return [first.replace(words, toned), ...rest, ...lines.slice(0, -1), ...withRight(lines.at(-1) ?? '', who, width)];
  };
}

export function factsOf(row: JsonObject): readonly Fact[] {
  const operation = shownAt(row, 'operation');
  const timeAt = (path: string) => peopleTime(shownAt(row, path), true);
  const took = shownAt(row, 'durationMs');
  const before = shownAt(row, 'read.before.outcome');
  const facts: readonly Fact[] = [
    ['Change', commandWords(operation)],
    ['Outcome', outcomeWords(shownAt(row, 'outcome'))],
    ['Time', timeAt('time')],
    [nounOf(operation), shownAt(row, 'id')],
    ['Reference', shownAt(row, 'clientReference')],
    [resultNounOf(operation), shownAt(row, 'resultId')],
    ['Reason', shownAt(row, 'reason')],
    ['Card status', shownAt(row, 'status')],
    ['By', shownAt(row, 'user')],
    ['Profile', shownAt(row, 'profile')],
    ['Host', shownAt(row, 'host')],
    ['HTTP status', shownAt(row, 'httpStatus')],
    ['Request ID', shownAt(row, 'requestId')],
    ['Took', took === '' ? '' : `${took} ms`],
    ['Run', shownAt(row, 'run')],
    ['Closed', closedText(row)],
    ['', timeAt('resolved.time')],
    ['Note', shownAt(row, 'resolved.note')],
    ['Found ID', shownAt(row, 'resolved.resultId')],
    ['Read again', before === '' ? '' : `${timeAt('read.time')} by ${outside(shownAt(row, 'read.user'))}`],
    ['', before === '' ? '' : `before: ${outcomeWords(before)}`],
    ['Entry', shownAt(row, 'entry')],
  ];
  return facts.filter(([, text]) => text !== '');
}
