import { CARD_ID } from '../../api/field.ts';
import { peopleDate } from '../../api/iso-date.ts';
import { isWrite } from '../../api/operation.ts';
import { ALL_OPERATIONS } from '../../api/operations.ts';
import { localCommand } from '../../command/command.ts';
import { type Failure, note, OUTCOMES, usageFailure } from '../../failure.ts';
import { type Unread, unreadFailure } from '../../files/io-failure.ts';
import { columnsForPeople, HISTORY_COLUMNS, HISTORY_OUTPUT, historyJson } from '../../history/entry-table.ts';
import { type HistoryEntry, isPartOfCardId } from '../../history/history-event.ts';
import { readHistory, recordsBegin } from '../../history/read.ts';
import { cardIdProblem, quoteValue, readCardId } from '../../input/values.ts';
import { list } from '../../json/shape.ts';
import { WORKBOOK } from '../../options/call-options.ts';
import type { GivenOptions } from '../../options/option.ts';
import type { Result, WhenTall } from '../../output/options.ts';
import { commandWords, localTime, shortEntry } from '../../output/people-text.ts';
import { plural, safeText } from '../../output/text.ts';
import type { Session } from '../../session.ts';
import { recordsOf, SINCE, withClosings } from './entry.ts';

/** Commands whose calls are recorded. `api` is a raw call. */
const RECORDED = [...new Set(ALL_OPERATIONS.filter(isWrite).map(({ command }) => command)), 'api'];

/** The options that choose entries. */
export const HISTORY_FILTER = {
  since: SINCE,
  until: { kind: 'moment', value: 'age|date', text: 'list only changes until then; a date includes that day' },
  id: {
    kind: 'text',
    value: 'id',
    text: 'list only changes of this ID, or with it as result; for a card, 8 characters are enough',
  },
  operation: { kind: 'choice', value: 'command', choices: RECORDED, text: 'list only changes of this command' },
  outcome: { kind: 'choice', value: 'outcome', choices: OUTCOMES, text: 'list only changes with this outcome' },
  open: { text: 'list only changes whose outcome is still unknown (not resolved or superseded)' },
  limit: { kind: 'count', text: 'at most that many (1 or more); the default is 50, in a terminal as many as fit' },
} as const;

type HistoryFilter = Partial<GivenOptions<typeof HISTORY_FILTER>>;

const LIMIT = 50;

/** The search in words: `card block of card 0b7a… since yesterday`. */
function lookedFor({ id, operation, outcome, since, until, open }: HistoryFilter): string {
  const kind = id !== undefined && CARD_ID.test(id) ? `card ${id}` : quoteValue(id ?? '');
  const subject = isPartOfCardId(id ?? '') ? `a card whose id begins with ${id}, or of ${kind},` : kind;
  return [
    `${open === true ? 'open ' : ''}${operation === undefined ? 'write' : commandWords(operation)}`,
    ...(id === undefined ? [] : [`of ${subject}`]),
    ...(outcome === undefined ? [] : [`with outcome ${outcome}`]),
    ...(since === undefined ? [] : [`since ${since.text}`]),
    ...(until === undefined ? [] : [`until ${until.text}`]),
  ].join(' ');
}

/** A "no" that can be trusted: what was searched for, and since when there are records. */
async function noMatch(session: Session, filter: HistoryFilter): Promise<string> {
  const beginMs = await recordsBegin(session.stateDir());
  const { maskArguments } = await import('../../engine/failure-hints.ts');
  const looked = maskArguments(session.context.argv)?.(lookedFor(filter)) ?? lookedFor(filter);
  if (beginMs === undefined) return `No ${looked} on this machine: it has no records yet.`;
  const day = peopleDate(localTime(new Date(beginMs).toISOString()).slice(0, 10));
  return `No ${looked} on this machine. Records begin ${day}.`;
}

/** USAGE for a text that contains card IDs and is none: a "no" would say that the card was not changed. */
function refuseHeldId(id: string, where: string): void {
  const read = readCardId(id);
  if (read.kind === 'holds')
    throw usageFailure([{ where, problem: cardIdProblem(id) ?? 'is not a card ID', refusedId: id }]);
  if (read.kind !== 'several') return;
  const lead = 'look for one of them';
  const hints = read.ids
    .slice(0, 2)
    .map((one) => ({ text: `${lead}: frontdesk history --id ${one}`, tool: `${lead}: history_list with id ${one}` }));
  throw usageFailure([{ where, problem: `holds several card ids: ${read.ids.join(', ')}` }], hints);
}

/**
 * The matching entries, newest first, whether more match than the limit lets through (`hasOlder`), and what could not be
 * read: runs, or (`failure`) all single changes. `where`: the option of the ID, for a refusal.
 */
export async function matchingWrites(
  session: Session,
  { since, until, limit = LIMIT, ...filter }: HistoryFilter,
  where: string,
) {
  const nowMs = session.context.clock.now();
  const times = { untilMs: until?.at(nowMs).toMs };
  const { open, ...wanted } = filter;
  const left: Unread = new Map();
  const opens = open === true ? (await recordsOf(session, left)).open : undefined;
  // What began before the oldest open entry need not be read.
  const oldest = opens && Date.parse(opens[0]?.time ?? '9999-12-31');
  const from = [since?.at(nowMs).fromMs, oldest].filter((ms) => ms !== undefined);
  const sinceMs = from.length === 0 ? undefined : Math.max(...from);
  const among = opens && new Set(opens.map(({ entry }) => entry));
  let failure: Failure | undefined;
  const onUnreadable = (error: Failure) => {
    failure = error;
  };
  const which = { ...times, ...wanted, sinceMs, among, limit: limit + 1 };
  const found = await readHistory(session.stateDir(), { ...which, onUnreadable });
  const unread: Unread = new Map([...left, ...found.unread]);
  const newest = found.entries.slice(0, limit);
  const entries = failure === undefined ? await withClosings(session, newest) : newest;
  // An ID of any operation may look like that. If it exists, it is meant.
  if (entries.length === 0 && filter.id !== undefined) refuseHeldId(filter.id, where);
  return { entries, hasOlder: found.entries.length > limit, rows: entries.map(historyJson), unread, failure };
}

/** What a terminal shows of a list that is too tall: the newest entries, unless their number was given. */
function whenTall(limit: number | undefined, [newest]: readonly HistoryEntry[]): WhenTall {
  return {
    keepsAll: limit !== undefined,
    text: (left) =>
      limit === undefined
        ? `${plural(left, 'older change', 'older changes')} not shown: add --limit ${LIMIT}`
        : `Newest, at the top: ${newest === undefined ? '' : newestWords(newest)}`,
  };
}

function newestWords({ entry, time, operation, id = '', callOutcome }: HistoryEntry): string {
  const what = `${commandWords(operation)} ${safeText(id)}`.trimEnd();
  return `${localTime(time)}, ${callOutcome.outcome ?? 'unknown'}, entry ${safeText(shortEntry(entry))}, ${what}`;
}

/** The matching entries as a result. `noMatch`: what was searched for in vain. `failure`: what could not be read. */
export async function historyResult(session: Session, filter: HistoryFilter) {
  const { since, until, id, operation, outcome, limit } = filter;
  const { entries, hasOlder, rows, unread, failure } = await matchingWrites(session, filter, '--id');
  const isFiltered = filter.open === true || (since ?? until ?? id ?? operation ?? outcome) !== undefined;
  const isUnmatched = rows.length === 0 && isFiltered && failure === undefined;
  const nothing = 'No changes recorded on this machine yet.';
  const none = isUnmatched ? await noMatch(session, filter) : nothing;
  const whenEmpty = failure === undefined ? { whenEmpty: none } : {};
  const tall = { whenTall: whenTall(limit, entries) };
  const columns = session.isForPeople ? columnsForPeople(entries) : HISTORY_COLUMNS;
  return {
    result: { kind: 'list', rows, columns, ...whenEmpty, ...tall } satisfies Result,
    noMatch: isUnmatched ? none : undefined,
    hasOlder,
    failure: failure ?? unreadFailure('run', unread),
  };
}

export const command = localCommand({
  columns: HISTORY_COLUMNS,
  description:
    'Lists single changes and rows of bulk runs, made from this machine, newest first: who changed what, when, and the outcome. It contains no tokens, request bodies or provisioning results. If frontdesk was killed during a change, its outcome is unknown.',
  options: { ...HISTORY_FILTER, out: WORKBOOK.out },
  examples: {
    'Who blocked this card?': 'history --id 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    'What needs a check?': 'history --since 24h --outcome unknown',
    'What was blocked in October?': 'history --operation card.block --since 2026-10-01 --until 2026-10-31',
  },
  output: () => list(HISTORY_OUTPUT),
  check({ since, until, id }, { context }) {
    if (id === '') throw usageFailure([{ where: '--id', problem: 'is empty' }]);
    const nowMs = context.clock.now();
    if (since === undefined || until === undefined || until.at(nowMs).toMs > since.at(nowMs).fromMs) return;
    throw usageFailure([{ where: '--until', problem: 'is before --since' }]);
  },
  async run(session, given) {
    const { result, noMatch, hasOlder, failure } = await historyResult(session, given);
    if (noMatch !== undefined && !session.isForPeople) await session.notify(note('NO_MATCH', noMatch));
    await session.print(result);
    // In a terminal the list itself says what it leaves out, or its length was given.
    if (hasOlder && !session.isForPeople)
      await session.notify(note('OLDER_CHANGES', 'older changes are not listed. --limit lists more'));
    if (failure !== undefined) throw failure;
  },
});
