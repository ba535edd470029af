import { type Failure, type Notice, note, OUTCOMES, usageFailure, warning } from '../../../base/failure.ts';
import { type Unread, unreadFailure } from '../../../base/files/io-failure.ts';
import { outside } from '../../../base/json/outside-text.ts';
import { list } from '../../../base/json/shape.ts';
import { localCommand } from '../../../command/command.ts';
import type { Session } from '../../../command/session.ts';
import { WORKBOOK } from '../../../input/options/call-options.ts';
import type { OptionValues } from '../../../input/options/option.ts';
import { cardIdProblem, nearlyIdProblem, quoteValue, readCardId } from '../../../input/values.ts';
import { blockOf, HISTORY_COLUMNS, HISTORY_OUTPUT, historyJson } from '../../../records/entry-table.ts';
import { readOpenWrites } from '../../../records/open-files.ts';
import { pageOf } from '../../../records/page.ts';
import { readHistory, recordsBegin } from '../../../records/read.ts';
import { type HistoryEntry, isPartOfCardId } from '../../../records/write-record.ts';
import type { Result, WhenTall } from '../../../screen/options.ts';
import { commandWords, outcomeWords, peopleTime, shortEntry } from '../../../screen/people-text.ts';
import { plural, safeText } from '../../../screen/text.ts';
import { CARD_ID } from '../../../service/api/field.ts';
import { isWrite } from '../../../service/api/operation.ts';
import { ALL_OPERATIONS } from '../../../service/api/operations.ts';
import { SINCE } from './entry.ts';

/** Commands whose calls are recorded. `api` is a raw call. */
const RECORDED = [...new Set(ALL_OPERATIONS.filter(isWrite).map(({ command }) => command)), 'api'];

/** A change that `--skip-if` left out has no entry. */
const RECORDED_OUTCOMES = OUTCOMES.filter((outcome) => outcome !== 'skipped');

export const HISTORY_FILTER = {
  since: SINCE,
  until: { kind: 'moment', value: 'age|date', text: 'list only changes until then; a date includes that day' },
  id: {
    kind: 'text',
    value: 'id',
    text: 'list only changes of this ID, or with it as result; for a card also 8 characters, or its order number',
  },
  operation: { kind: 'choice', value: 'command', choices: RECORDED, text: 'list only changes of this command' },
  outcome: {
    kind: 'choice',
    value: 'outcome',
    choices: RECORDED_OUTCOMES,
    text: 'list only changes with this outcome',
  },
  reason: { kind: 'text', value: 'text', text: 'list only changes with this text in their reason, in any case' },
  user: { kind: 'text', value: 'name', text: 'list only changes of this OS user, also those of their assistant' },
  open: { text: 'list only changes whose outcome is still unknown (not resolved or superseded)' },
  limit: { kind: 'count', text: 'at most that many (1 or more); the default is 50, in a terminal as many as fit' },
} as const;

type HistoryFilter = Partial<OptionValues<typeof HISTORY_FILTER>>;

const LIMIT = 50;

/** The search in words: `card block of card 0b7a… since yesterday`. */
function lookedFor({ id, operation, outcome, since, until, open, reason, user }: HistoryFilter): string {
  const near = nearlyIdProblem(id ?? '');
  const quoted = `${quoteValue(id ?? '')}${near === undefined ? '' : ` (${near})`}`;
  const kind = id !== undefined && CARD_ID.test(id) ? `card ${id}` : quoted;
  const subject = isPartOfCardId(id ?? '') ? `a card whose id begins with ${id}, or of ${kind},` : kind;
  return [
    `${open === true ? 'open ' : ''}${operation === undefined ? 'write' : commandWords(operation)}`,
    ...(id === undefined ? [] : [`of ${subject}`]),
    ...(outcome === undefined ? [] : [`with outcome ${outcome}`]),
    ...(reason === undefined ? [] : [`with ${quoteValue(reason)} in its reason`]),
    ...(user === undefined ? [] : [`by ${quoteValue(user)}`]),
    ...(since === undefined ? [] : [`since ${since.text}`]),
    ...(until === undefined ? [] : [`until ${until.text}`]),
  ].join(' ');
}

/** Which entries are wanted besides those of an ID, a command and an outcome. */
function choiceOf(session: Session, { reason, user }: HistoryFilter): (entry: HistoryEntry) => boolean {
  const text = reason?.toLowerCase();
  const { profile } = session.common;
  return (entry) =>
    (text === undefined || entry.reason?.toLowerCase().includes(text) === true) &&
    (user === undefined || entry.user === user || entry.user === `${user} via mcp`) &&
    (profile === undefined || entry.profile === profile);
}

/** A "no" that can be trusted: what was searched for, and since when there are records. */
async function noMatchText(session: Session, filter: HistoryFilter): Promise<string> {
  const beginMs = await recordsBegin(session.stateDir());
  const { maskArguments } = await import('../../mask-arguments.ts');
  const shown = maskArguments(session.context.argv)?.(lookedFor(filter)) ?? lookedFor(filter);
  if (beginMs === undefined) return `No ${shown} on this machine: it has no records yet.`;
  return `No ${shown} on this machine. Records begin ${peopleTime(new Date(beginMs).toISOString())}.`;
}

/** USAGE for a text that contains card IDs and is none: a "no" would say that the card was not changed. */
function refuseHeldId(id: string, where: string, profile: string | undefined): void {
  const read = readCardId(id);
  if (read.kind === 'holds')
    throw usageFailure([{ where, problem: cardIdProblem(id) ?? 'is not a card ID', refusedId: id }]);
  if (read.kind !== 'several') return;
  const step = { do: 'list the changes of the card', words: 'look for one of them', profile } as const;
  const hints = read.ids.slice(0, 2).map((about) => ({ ...step, about }));
  throw usageFailure([{ where, problem: `holds several card IDs: ${read.ids.join(', ')}` }], hints);
}

/** The cards that this machine knows by an order number: an entry may not have it. */
async function cardsOf(stateDir: string, id: string | undefined) {
  if (id === undefined || readCardId(id).kind !== 'none') return {};
  return { cardIds: (await import('../../../records/known-cards.ts')).cardsOfReference(stateDir, id) };
}

/**
 * The matching entries, newest first, whether more match than the limit lets through (`hasOlder`), and what could not be
 * read: runs, or (`failure`) all single changes. `noMatch`: what was searched for in vain. `dashes`: before the name of
 * an option, for a refusal.
 */
export async function matchingWrites(session: Session, whole: HistoryFilter, dashes: '--' | '') {
  const { since, until, limit = LIMIT, reason, user, ...filter } = whole;
  const nowMs = session.context.clock.now();
  if (since !== undefined && until !== undefined && until.at(nowMs).toMs <= since.at(nowMs).fromMs)
    throw usageFailure([{ where: `${dashes}until`, problem: `is before ${dashes}since` }]);
  const times = { untilMs: until?.at(nowMs).toMs };
  const stateDir = session.stateDir();
  const { open, ...ids } = filter;
  const wanted = { ...ids, ...(await cardsOf(stateDir, ids.id)) };
  let failure: Failure | undefined;
  const onUnreadable = (error: Failure) => {
    failure = error;
  };
  const isWanted = choiceOf(session, { reason, user });
  const which = { ...times, ...wanted, isWanted, sinceMs: since?.at(nowMs).fromMs, limit: limit + 1 };
  const readOpen = async () => {
    const unread: Unread = new Map();
    const all = await readOpenWrites({ stateDir, clock: session.context.clock, unread });
    return { entries: pageOf(all, which), unread, cut: 0 };
  };
  const found = open === true ? await readOpen() : await readHistory(stateDir, { ...which, onUnreadable });
  const { unread } = found;
  if (found.cut > 0) {
    const lines = plural(found.cut, 'line');
    await session.notify(warning('UNREADABLE_LINES', `left out ${lines} of the history that cannot be read`));
  }
  const entries = found.entries.slice(0, limit);
  // An ID of any operation may look like that. If it exists, it is meant.
  if (entries.length === 0 && filter.id !== undefined) refuseHeldId(filter.id, `${dashes}id`, session.common.profile);
  const isFiltered =
    open === true ||
    [session.common.profile, since, until, reason, user, ...Object.values(ids)].some((each) => each !== undefined);
  const noMatch =
    entries.length === 0 && isFiltered && failure === undefined ? await noMatchText(session, whole) : undefined;
  const rows = entries.map(historyJson);
  return { entries, hasOlder: found.entries.length > limit, rows, unread, failure, noMatch };
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
  const what = `${commandWords(operation)} ${outside(safeText(id))}`.trimEnd();
  return `${peopleTime(time, true)}, ${outcomeWords(callOutcome.outcome ?? 'unknown')}, entry ${safeText(shortEntry(entry))}, ${what}`;
}

/** The matching entries as a result. `failure`: what could not be read. */
export async function historyResult(session: Session, filter: HistoryFilter) {
  const { entries, hasOlder, rows, unread, failure, noMatch } = await matchingWrites(session, filter, '--');
  const whenEmpty = failure === undefined ? { whenEmpty: noMatch ?? 'No changes recorded on this machine yet.' } : {};
  const tall = { whenTall: whenTall(filter.limit, entries) };
  return {
    result: {
      kind: 'list',
      rows,
      columns: HISTORY_COLUMNS,
      block: blockOf(rows),
      ...whenEmpty,
      ...tall,
    } satisfies Result,
    noMatch,
    hasOlder,
    failure: failure ?? unreadFailure('run', unread),
  };
}

export function olderChanges(limitName: string): Notice {
  return note('OLDER_CHANGES', `older changes are not listed. ${limitName} lists more`);
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
  check({ id }) {
    if (id === '') throw usageFailure([{ where: '--id', problem: 'is empty' }]);
  },
  async run(session, values) {
    const { result, noMatch, hasOlder, failure } = await historyResult(session, values);
    if (noMatch !== undefined && !session.isForPeople()) await session.notify(note('NO_MATCH', noMatch));
    await session.print(result);
    // In a terminal the list itself says what it leaves out, or its length was given.
    if (hasOlder && !session.isForPeople()) await session.notify(olderChanges('--limit'));
    if (failure !== undefined) throw failure;
  },
});
