import { CARD_ID } from '../api/field.ts';
import { peopleDate } from '../api/iso-date.ts';
import { isWrite } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import { localCommand } from '../command/command.ts';
import { Failure, note, OUTCOMES, usageFailure } from '../failure.ts';
import { unreadFailure } from '../files/io-failure.ts';
import {
  CLOSED_COLUMNS,
  HISTORY_COLUMNS,
  HISTORY_OUTPUT,
  historyJson,
  READ_COLUMNS,
  SHOWN_OUTPUT,
  shownJson,
} from '../history/entry-table.ts';
import type { HistoryEntry } from '../history/history-event.ts';
import { isPartOfCardId } from '../history/id-match.ts';
import { readOpenWrites } from '../history/open-index.ts';
import { readHistory, recordsBegin, showHistory } from '../history/read.ts';
import { cardIdProblem, readCardId } from '../input/card-id.ts';
import { quoteGiven } from '../input/given.ts';
import { INTEGER, jsonOf, list, object } from '../json/shape.ts';
import { YES } from '../options/common.ts';
import type { GivenOptions } from '../options/option.ts';
import { MOMENT_FORMS } from '../options/read-value.ts';
import { commandWords, localTime } from '../output/people-text.ts';
import { plural, safeText } from '../output/safe-text.ts';
import type { Session } from '../session.ts';
import { confirmLoss } from './missing.ts';

const SINCE = {
  kind: 'moment',
  value: 'age|date',
  text: `only writes since then: ${MOMENT_FORMS}; dates are local`,
} as const;

/** Commands whose calls are recorded; `api` stands for a raw call. */
const RECORDED = [...new Set(ALL_OPERATIONS.filter(isWrite).map(({ command }) => command)), 'api'];

/** Which writes are listed. */
export const HISTORY_FILTER = {
  since: SINCE,
  until: { kind: 'moment', value: 'age|date', text: 'only writes until then; a date includes that day' },
  id: {
    kind: 'text',
    value: 'id',
    text: 'only writes to this id, or whose answer has it; of a card its first 8 characters are enough',
  },
  operation: { kind: 'choice', value: 'command', choices: RECORDED, text: 'only writes of this command' },
  outcome: { kind: 'choice', value: 'outcome', choices: OUTCOMES, text: 'only writes with this outcome' },
  open: { text: 'only writes of unknown outcome that nothing has settled, superseded or resolved' },
  limit: { kind: 'count', default: '50', text: 'at most that many; the default is 50' },
} as const;

type HistoryFilter = Partial<GivenOptions<typeof HISTORY_FILTER>> & { readonly limit: number };

/** Entries that are offered where none was named. */
const OFFERED = 20;

/** What was looked for, in words: `card block of card 0b7a… since yesterday`. */
function lookedFor({ id, operation, outcome, since, until, open }: HistoryFilter): string {
  const kind = id !== undefined && CARD_ID.test(id) ? `card ${id}` : quoteGiven(id ?? '');
  const subject = isPartOfCardId(id ?? '') ? `a card whose id begins with ${id}, or of ${kind},` : kind;
  return [
    `${open === true ? 'open ' : ''}${operation === undefined ? 'write' : commandWords(operation)}`,
    ...(id === undefined ? [] : [`of ${subject}`]),
    ...(outcome === undefined ? [] : [`with outcome ${outcome}`]),
    ...(since === undefined ? [] : [`since ${since.text}`]),
    ...(until === undefined ? [] : [`until ${until.text}`]),
  ].join(' ');
}

/** A "no" that can be believed: what was looked for, and since when there are records. */
async function noMatch(session: Session, filter: HistoryFilter): Promise<string> {
  const beginMs = await recordsBegin(session.stateDir());
  const looked = lookedFor(filter);
  if (beginMs === undefined) return `No ${looked} on this machine: it has no records yet.`;
  const day = peopleDate(localTime(new Date(beginMs).toISOString()).slice(0, 10));
  return `No ${looked} on this machine; records begin ${day}.`;
}

/** USAGE for a text that holds card ids and is none: a "no" would say that the card was not written to. */
function refuseHeldId(id: string, where: string): void {
  const read = readCardId(id);
  if (read.kind === 'holds')
    throw usageFailure([{ where, problem: cardIdProblem(id) ?? 'is not a card id', refusedId: id }]);
  if (read.kind !== 'several') return;
  const lead = 'look for one of them';
  const hints = read.ids
    .slice(0, 2)
    .map((one) => ({ text: `${lead}: frontdesk history --id ${one}`, tool: `${lead}: history_list with id ${one}` }));
  throw usageFailure([{ where, problem: `holds several card ids: ${read.ids.join(', ')}` }], hints);
}

function recordsOf(session: Session) {
  const { clock, pid } = session.context;
  return readOpenWrites({ stateDir: session.stateDir(), clock, pid });
}

/** Entries of the rows of runs, of which the history has nothing else, with what closed them. */
async function withClosings(session: Session, entries: readonly HistoryEntry[]): Promise<readonly HistoryEntry[]> {
  if (!entries.some(({ run, ending }) => run !== undefined && ending.outcome === 'unknown')) return entries;
  const records = await recordsOf(session);
  return entries.map((entry) => (entry.run === undefined ? entry : { ...entry, ...records.closingOf(entry.entry) }));
}

/** The writes that match, newest first, and what could not be read. `where` the id was given, for a refusal. */
export async function matchingWrites(session: Session, { since, until, ...filter }: HistoryFilter, where: string) {
  const nowMs = session.context.clock.now();
  const times = { sinceMs: since?.at(nowMs).fromMs, untilMs: until?.at(nowMs).toMs };
  const { open, ...wanted } = filter;
  const opens = open === true ? new Set((await recordsOf(session)).open.map(({ entry }) => entry)) : undefined;
  const isWanted = opens === undefined ? {} : { isWanted: ({ entry }: HistoryEntry) => opens.has(entry) };
  const found = await readHistory(session.stateDir(), { ...times, ...wanted, ...isWanted });
  const { unread } = found;
  const entries = await withClosings(session, found.entries);
  // An id of any operation may look like that; where there is one, it is meant.
  if (entries.length === 0 && filter.id !== undefined) refuseHeldId(filter.id, where);
  return { rows: entries.map(historyJson), unread };
}

/** Prints the writes that match. */
export async function printHistory(session: Session, filter: HistoryFilter): Promise<void> {
  const { since, until, id, operation, outcome } = filter;
  const { rows, unread } = await matchingWrites(session, filter, '--id');
  const isFiltered = filter.open === true || (since ?? until ?? id ?? operation ?? outcome) !== undefined;
  const isUnmatched = rows.length === 0 && isFiltered;
  const nothing = 'No write was made from this machine yet; every one is recorded here.';
  const none = isUnmatched ? await noMatch(session, filter) : nothing;
  // On a terminal the sentence is the result.
  if (isUnmatched && !session.isForPeople) await session.notify(note('NO_MATCH', none));
  await session.print({ kind: 'list', rows, columns: HISTORY_COLUMNS, whenEmpty: none });
  const left = unreadFailure('run', unread);
  if (left !== undefined) throw left;
}

export const historyListCommand = localCommand({
  columns: HISTORY_COLUMNS,
  description:
    'Lists the writes made from this machine, newest first, single ones and the rows of runs: who blocked this card, when, with which outcome. It keeps no tokens, bodies or provisioning results. An entry without an end (the program was killed) reads unknown.',
  options: HISTORY_FILTER,
  exitCodes: [0, 1, 2, 4, 16, 141],
  examples: {
    'Who blocked this card?': 'history --id 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    'What must be looked at?': 'history --since 24h --outcome unknown',
    'What was blocked in October?': 'history --operation card.block --since 2026-10-01 --until 2026-10-31',
  },
  output: () => list(HISTORY_OUTPUT),
  check({ since, until, id }, { context }) {
    if (id === '') throw usageFailure([{ where: '--id', problem: 'is empty' }]);
    const nowMs = context.clock.now();
    if (since === undefined || until === undefined || until.at(nowMs).toMs > since.at(nowMs).fromMs) return;
    throw usageFailure([{ where: '--until', problem: 'is before --since' }]);
  },
  run: printHistory,
});

/** One of the newest entries, chosen from a list. */
async function chooseEntry(session: Session): Promise<string> {
  if (!session.prompt.available) throw new Failure('USAGE', '<entry>: is required');
  const { entries } = await readHistory(session.stateDir(), { limit: OFFERED });
  if (entries.length === 0) throw new Failure('USAGE', 'the history has no entry yet');
  const choices = entries.map(({ entry, time, operation, id = '', ending }) => ({
    value: entry,
    text: [localTime(time), commandWords(operation), ending.outcome, safeText(id)].filter(Boolean).join('  '),
  }));
  return session.prompt.choose('Which entry?', choices);
}

export const historyShowCommand = localCommand({
  columns: [...HISTORY_COLUMNS, ...CLOSED_COLUMNS, ...READ_COLUMNS],
  description:
    'Shows one entry of the history, by the name in its last column or any part of it that no other entry has. Of a write that was settled later it shows both what was known then and what the card showed.',
  arguments: { entry: { text: 'name of the entry', required: true, isOwnQuestion: true } },
  exitCodes: [0, 1, 2, 4, 16, 141],
  examples: {
    'Show an entry': 'history show 20270402T180000000-4d2-9f3a1c',
    'Its request id, for the service desk': 'history show 20270402T180000000-4d2-9f3a1c --json --query requestId',
  },
  output: () => SHOWN_OUTPUT,
  async run(session, given) {
    const name = given.entry ?? (await chooseEntry(session));
    const card = readCardId(name);
    if (card.kind === 'id' || card.kind === 'holds') {
      throw new Failure('USAGE', `${quoteGiven(name)} is a card id, not the name of an entry`, {
        hints: [`list the writes to the card: frontdesk history --id ${card.id}`],
      });
    }
    const [entry] = await withClosings(session, [await showHistory(session.stateDir(), name)]);
    if (entry === undefined) throw new Error('an entry that was shown is not there');
    const columns = [
      ...HISTORY_COLUMNS,
      ...(entry.supersededBy === undefined && entry.resolved === undefined ? [] : CLOSED_COLUMNS),
      ...(entry.read === undefined ? [] : READ_COLUMNS),
    ];
    await session.print({ kind: 'resource', resource: shownJson(entry), columns });
  },
});

export const historyReconcileCommand = localCommand({
  columns: HISTORY_COLUMNS,
  usesProfile: true,
  description:
    'Reads the card of each single activate, block or reissue of this profile and host whose outcome is unknown, and records what it shows: where that is what the write aims at, it becomes confirmed_by_read, else it stays unknown. A reissue is never settled by a read. Nothing is written to the service. Rows of a run are settled by `frontdesk runs resume <run> --reconcile`.',
  arguments: { entry: { text: 'name of an entry; none: all that are unknown', required: false, variadic: true } },
  options: { since: { ...SINCE, excludes: { '<entry>': '' } } },
  exitCodes: [0, 1, 2, 4, 8, 16, 141],
  examples: {
    'Settle what can be settled': 'history reconcile -p live',
    'The writes of the last week': 'history reconcile -p live --since 7d',
    'One write': 'history reconcile 9f3a1c -p live',
  },
  output: () => list(HISTORY_OUTPUT),
  async run(session, { entry, since }) {
    const { reconcileHistory } = await import('./history-reconcile.ts');
    return reconcileHistory(session, entry, since?.at(session.context.clock.now()).fromMs);
  },
});

export const historyResolveCommand = localCommand({
  columns: [...HISTORY_COLUMNS, ...CLOSED_COLUMNS],
  description:
    'Records what a person found out elsewhere about a write whose outcome is unknown, single or the row of a run (<run>:<row>): whether it was applied. The outcome stays unknown, and the write is open no more. It sends nothing. Resolving again replaces what was recorded.',
  arguments: { entry: { text: 'name of the entry, or a part of it', required: true, isOwnQuestion: true } },
  options: {
    as: {
      kind: 'choice',
      value: 'what',
      choices: ['applied', 'not_applied'],
      required: true,
      text: 'what was found out',
      question: 'Was it applied',
    },
    resultId: { kind: 'text', value: 'id', text: 'with applied: the id of the new card or event' },
    note: { kind: 'text', value: 'text', text: 'how it was found out' },
  },
  exitCodes: [0, 1, 2, 4, 16, 141],
  examples: {
    'The new card was found': 'history resolve 9f3a1c --as applied --result-id 4fbeb052-7396-41ce-8085-9263bed4f505',
    'Nothing was done, says the provider': 'history resolve 9f3a1c --as not_applied --note "ticket 4711"',
  },
  output: () => HISTORY_OUTPUT,
  check({ as, resultId }) {
    if (resultId === undefined || as !== 'not_applied') return;
    throw usageFailure([{ where: '--result-id', problem: 'goes with --as applied alone' }]);
  },
  async run(session, { entry, as, note: text, resultId }) {
    const { resolveEntry } = await import('./history-resolve.ts');
    const found = { as: as === 'applied' ? as : ('not_applied' as const), note: text, resultId };
    const resolved = await resolveEntry(session, entry ?? (await chooseEntry(session)), found);
    const columns = [...HISTORY_COLUMNS, ...CLOSED_COLUMNS];
    await session.print({ kind: 'resource', resource: historyJson(resolved), columns });
  },
});

const PRUNED = object({ removed: INTEGER });

export const historyPruneCommand = localCommand({
  description:
    'Deletes old single writes from the history, but for those whose outcome is still unknown. Asks first; off a terminal it needs --yes. Rows of runs are deleted with their runs: `frontdesk runs remove --older-than 90d`.',
  options: {
    olderThan: {
      kind: 'age',
      required: true,
      text: 'delete what is older: 90d',
      question: 'Delete what is older than (30m, 24h, 90d)',
    },
    yes: YES,
  },
  exitCodes: [0, 1, 2, 4, 16, 141],
  examples: {
    'Keep three months': 'history prune --older-than 90d',
    'Keep a week, without a question': 'history prune --older-than 7d --yes',
  },
  output: () => PRUNED,
  async run(session, { olderThan, yes }) {
    await confirmLoss(session, yes, `Delete all single writes older than ${olderThan.text} from the history?`);
    const { pruneHistory } = await import('../history/prune.ts');
    const { clock, pid } = session.context;
    const removed = await pruneHistory({ stateDir: session.stateDir(), clock, pid }, olderThan.ms);
    const text = `${plural(removed, 'entry', 'entries')} deleted.`;
    await session.print({ kind: 'text', text, json: jsonOf(PRUNED, { removed }) });
  },
});
