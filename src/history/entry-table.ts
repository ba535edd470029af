import { OUTCOMES } from '../failure.ts';
import { INTEGER, NUMBER, nullable, object, oneOf, type Shape, type ShapeOf, shapesOf, TEXT } from '../json/shape.ts';
import { fromPlain, type JsonValue } from '../json/value.ts';
import { type Column, columnsOf } from '../output/column.ts';
import { commandWords, localTime, shortEntry } from '../output/people-text.ts';
import type { HistoryEntry } from './history-event.ts';

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
  time: member(TEXT, ({ time }) => time, { header: 'TIME', keep: true, people: localTime }),
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
  { name: 'resolved.time', header: 'RESOLVED', people: localTime },
  { name: 'resolved.note', header: 'NOTE' },
  { name: 'resolved.resultId', header: 'FOUND ID' },
];

/** Columns of an entry that was read again. What the read showed is below. */
export const READ_COLUMNS: readonly Column[] = [
  { name: 'read.time', header: 'READ AGAIN', people: localTime },
  { name: 'read.user', header: 'READ BY' },
  { name: 'read.status', header: 'CARD STATUS', tone: 'status' },
  { name: 'read.before.outcome', header: 'OUTCOME BEFORE', tone: 'outcome' },
];

/** The columns of a list in a terminal: what closed an unknown outcome has a column if any entry has it. */
export function columnsForPeople(entries: readonly HistoryEntry[]): readonly Column[] {
  const [supersededBy, resolvedAs] = CLOSED_COLUMNS;
  const closed = [
    entries.some((entry) => entry.supersededBy !== undefined) ? supersededBy : undefined,
    entries.some((entry) => entry.resolved !== undefined) ? resolvedAs : undefined,
  ].filter((column) => column !== undefined);
  return closed.length === 0 ? HISTORY_COLUMNS : HISTORY_COLUMNS.toSpliced(-1, 0, ...closed);
}
