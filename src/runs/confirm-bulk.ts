import { type Notice, note, warning } from '../base/failure.ts';
import { markedLine } from '../base/json/outside-text.ts';
import { type JsonObject, type JsonValue, textAt } from '../base/json/value.ts';
import type { Service, Session } from '../command/session.ts';
import type { ChangedFrom } from '../input/records/changed-from.ts';
import type { CheckedInput } from '../input/records/check-input.ts';
import { shapeLines } from '../input/records/shape.ts';
import type { Row } from '../input/rows/row.ts';
import { quoteValue } from '../input/values.ts';
import { isJson } from '../screen/options.ts';
import { commandWords } from '../screen/people-text.ts';
import {
  breakMessage,
  dangerSign,
  groupThousands,
  plural,
  safeText,
  sentenceCase,
  shortenText,
  wrapOutside,
} from '../screen/text.ts';
import { nounOf, type Operation, targetStatus } from '../service/api/operation.ts';
import { againText, confirmSending } from '../writes/confirm.ts';
import { readCard } from '../writes/deliver.ts';
import { type CardReading, heldFailure, judge, knownOf, skipText } from '../writes/judge.ts';
import { notConfirmed, requirePerson, whereText } from '../writes/write-guards.ts';
import type { BulkCall } from './bulk-call.ts';
import { addForeseen, type Foreseen, sayOpenRows } from './open-rows.ts';
import { type ChangeRow, changeLines, isAlready } from './plan/plan-row-lines.ts';
import { callOf, writeOf } from './row-requests.ts';
import { notifyUnchanged } from './run-output.ts';
import { unchangedLines } from './summary.ts';

/** Most characters of a value in the question. */
const MAX_SHOWN = 240;

function shortened(body: JsonObject | undefined): JsonObject | undefined {
  if (body === undefined) return undefined;
  const short = (value: JsonValue) => (typeof value === 'string' ? shortenText(value, MAX_SHOWN) : value);
  return new Map([...body].map(([name, value]) => [name, short(value)]));
}

/** A row of the question with what is known of it: its card as it is now, or the cells of the older file. */
function changeRow(row: Row, reading: CardReading | undefined, older: ChangedFrom | undefined): ChangeRow {
  const shown = { ...row, body: shortened(row.body) };
  if (reading === undefined) {
    return { ...shown, before: row.id === undefined ? undefined : shortened(older?.cells(row.id)) };
  }
  if ('failure' in reading) return { ...shown, unread: `could not be read: ${safeText(reading.failure.problem)}` };
  return { ...shown, ...knownOf(reading.card) };
}

/** The rows of a question, and the cards of a few: none if there are more. */
interface Asked {
  readonly rows: readonly Row[];
  readonly cards: readonly CardReading[];
  /** How many rows there are. */
  readonly count: number;
  /** How to see the others. */
  readonly all: string;
}

/** What a yes to several means, right above the question: cards that are so already, and what cannot be undone. */
export function dangersOf(
  operation: Operation,
  { already, count, isPlan = false }: { readonly already: number; readonly count: number; readonly isPlan?: boolean },
  output: { readonly unicode: boolean },
): readonly string[] {
  const { effect } = operation;
  const [one, many] = isPlan ? ['was', 'were'] : ['is', 'are'];
  const are = `${groupThousands(already)} of ${groupThousands(count)} ${already === 1 ? one : many}`;
  const so = `${dangerSign(output)} ${are} ${targetStatus(operation)} already${isPlan ? ' when planned' : ''}.`;
  return [
    ...(already === 0 ? [] : [so]),
    ...(effect.kind === 'write' && effect.confirm ? [`A ${nounOf(operation)} cannot be undone.`] : []),
  ];
}

/** What a question shows of rows: the list, and what makes a yes dangerous or final, in lines. */
function shownOf(session: Session, operation: Operation, { rows, cards, count, all }: Asked, older?: ChangedFrom) {
  const { output, context } = session;
  const listed = rows.map((row, at) => changeRow(row, cards[at], older));
  const style = { ...output, width: context.stderr.columns ?? 80 };
  const rest = count - rows.length;
  const aim = targetStatus(operation);
  const already = listed.filter((row) => isAlready(row, aim)).length;
  const [reason, ...others] = new Set(listed.map(({ body }) => textAt(body, 'reason')));
  const isShared = rest === 0 && rows.length > 1 && reason !== undefined && others.length === 0;
  return {
    list: [
      ...changeLines(listed, operation.command, { statusHeader: 'NOW', isShared }, style),
      ...(rest > 0 ? [`and ${groupThousands(rest)} more${all}`] : []),
      '',
      ...(isShared ? wrapOutside(`Reason  ${safeText(reason)}`, style.width) : []),
    ],
    dangers: dangersOf(operation, { already, count }, output),
  };
}

/** Writes what a question shows: a list, which is fitted already, and lines about it. */
function writeShown({ stderr }: Session['context'], list: readonly string[], lines: readonly string[]): Promise<void> {
  const broken = lines.flatMap((line) => breakMessage(line, stderr.columns ?? 80));
  return stderr.write([...list, ...broken].map((line) => `${line}\n`).join(''));
}

/** The cards of a few rows. The first is read alone: its 401 ends the call before others are asked for. */
async function readCards(session: Session, operation: Operation, rows: readonly Row[]): Promise<CardReading[]> {
  if (operation.family !== 'cards') return [];
  const read = async (row: Row): Promise<CardReading> => {
    const write = { call: callOf(operation, row), id: row.id, expects: [] };
    const reading = await readCard(session, write);
    const judged = judge(write, reading);
    if (judged === 'go' || !('held' in judged)) return reading;
    const failure = heldFailure(write, judged.held);
    // A 404 is about that row alone, 401, 403 and Ctrl-C about the call.
    if (failure.code === 'NOT_FOUND') return { failure };
    throw failure;
  };
  const atOnce = session.preferences.concurrency.value;
  const cards: CardReading[] = [];
  for (let end = 1; cards.length < rows.length; end += atOnce) {
    cards.push(...(await Promise.all(rows.slice(cards.length, end).map(read))));
  }
  return cards;
}

/** The status that the question showed of each card, if it could be read. */
function statusesShown(rows: readonly Row[], cards: readonly CardReading[]): ReadonlyMap<number, string> {
  return new Map(
    cards.flatMap((card, index): [number, string][] => {
      const status = 'card' in card ? textAt(card.card, 'status') : undefined;
      const row = rows[index]?.row;
      return status === undefined || row === undefined ? [] : [[row, status]];
    }),
  );
}

const NAMED_COLUMNS = 5;

/** How many rows, and which columns, are hidden in their sheet; empty if none. */
export function hiddenNotices(checked: Pick<CheckedInput, 'selected' | 'hidden' | 'hiddenColumns'>): readonly Notice[] {
  const { selected, hidden, hiddenColumns: columns } = checked;
  const are = (count: number) => `${count === 1 ? 'is' : 'are'} hidden in the sheet, but included in this run`;
  const more = columns.length > NAMED_COLUMNS ? ' and others' : '';
  const named = `${columns.slice(0, NAMED_COLUMNS).map(quoteValue).join(', ')}${more}`;
  const rows = `${groupThousands(hidden)} of ${plural(selected, 'row')} ${are(hidden)}`;
  return [
    ...(hidden === 0 ? [] : [warning('HIDDEN_ROWS', rows)]),
    ...(columns.length === 0
      ? []
      : [warning('HIDDEN_COLUMNS', `${plural(columns.length, 'column')} (${named}) ${are(columns.length)}`)]),
  ];
}

function changeCounts({ reading }: BulkCall, { selected, unchanged }: CheckedInput): readonly string[] {
  if (reading.changedFrom === undefined) return [];
  return [`${groupThousands(selected)} of ${groupThousands(selected + unchanged)} rows change`];
}

/** `2 email, 1 first_name will be emptied` */
function clearLines({ clears }: Pick<CheckedInput, 'clears'>): readonly string[] {
  const counts = [...clears].map(([field, rows]) => `${groupThousands(rows)} ${field}`);
  return counts.length === 0 ? [] : [`${counts.join(', ')} will be emptied`];
}

function pastLines({ past, selected }: CheckedInput): readonly string[] {
  if (past === 0) return [];
  return [`${groupThousands(past)} of ${plural(selected, 'row')} ${past === 1 ? 'starts' : 'start'} in the past`];
}

/** The end of a dry run: the number of rows, and what the question would add. */
export async function noteCounts(session: Session, call: BulkCall, checked: CheckedInput): Promise<void> {
  await notifyUnchanged(session, { ...checked, unchanged: 0 });
  const counts = [
    ...shapeLines(call.reading.shape.typed, checked.leftOut),
    ...changeCounts(call, checked),
    ...clearLines(checked),
    ...pastLines(checked),
  ];
  // A program counts the requests on stdout.
  if (counts.length === 0 && isJson(session.output.format)) return;
  const how = session.isPage() && !session.common.verbose ? ' (-v shows the requests)' : '';
  const rows = `${plural(checked.selected, 'row')} would be sent${how}`;
  await session.notify(note('DRY_RUN', [rows, ...counts].join('; ')));
}

/** What is known already of rows that will not be sent, by why. */
function foreseen({ reading: { operation } }: BulkCall, first: readonly Row[], cards: readonly CardReading[]) {
  const [expected, skipped]: [Foreseen, Foreseen] = [{ rows: 0 }, { rows: 0 }];
  for (const [index, reading] of cards.entries()) {
    const row = first[index];
    if (row === undefined || 'failure' in reading) continue;
    const write = writeOf(operation, row);
    const judged = judge(write, reading);
    if (judged === 'go') continue;
    if ('skipped' in judged) addForeseen(skipped, row, skipText(write, judged.skipped) ?? '');
    else if (judged.held.why === 'expected') addForeseen(expected, row, judged.held.text);
  }
  return { expected, skipped };
}

/** `2 rows will not be sent because of --skip-if: row 1: the card is BLOCKED already, and others`. */
function foreseenLine(why: string, { rows, first }: Foreseen): readonly string[] {
  if (first === undefined) return [];
  const others = rows > 1 ? ', and others' : '';
  return [`${plural(rows, 'row')} will not be sent because of ${why}: row ${first.row}: ${first.text}${others}`];
}

/** Asks before many rows are changed, or refuses without a terminal. Returns the card statuses shown, by row. */
export async function confirmBulk(
  session: Session,
  call: BulkCall,
  checked: CheckedInput,
  service: Service,
  input: () => AsyncIterable<readonly Row[]>,
): Promise<ReadonlyMap<number, string>> {
  const { operation } = call.reading;
  const { effect } = operation;
  if (effect.kind !== 'write' || session.common.yes) return new Map();
  const asksHere = effect.asksOnTerminal === true && session.prompt.available;
  if (checked.selected === 1 && !effect.confirm && !asksHere) return new Map();
  const rows = plural(checked.selected, 'row');
  const subject = `run ${commandWords(session.operation)} on ${rows}`;
  requirePerson(session, subject);
  const { first, selected } = checked;
  const cards = selected > first.length ? [] : await readCards(session, operation, first);
  const { expected, skipped } = foreseen(call, first, cards);
  // Nobody is asked whether to do what will be skipped.
  if (skipped.rows === selected) return new Map();
  const { changedFrom } = call.reading;
  const all = '. To list them all, answer no, and run it again with --dry-run';
  const { list, dangers } = shownOf(session, operation, { rows: first, cards, count: selected, all }, changedFrom);
  const repeats = await sayOpenRows(session, operation, input());
  const sign = dangerSign(session.output);
  const ofInput = [
    ...shapeLines(call.reading.shape.typed, checked.leftOut),
    ...changeCounts(call, checked),
    ...pastLines(checked),
    ...hiddenNotices(checked).map(({ message }) => message),
  ];
  const lines = [
    ...ofInput.map(markedLine),
    ...unchangedLines({ ...checked, unchanged: 0 }, `${sign} `),
    ...foreseenLine('--expect', expected),
    ...foreseenLine('--skip-if', skipped),
    ...(call.options.again === true ? [] : foreseenLine('an open write', repeats)),
    ...clearLines(checked).map((line) => `${sign} ${line}`),
    ...dangers,
  ];
  await writeShown(session.context, list, lines);
  const question = `${sentenceCase(operation.verb)} ${plural(selected, operation.object)}${whereText(session, service)}?`;
  if (!(await confirmSending(session, question))) throw notConfirmed(subject);
  return statusesShown(first, cards);
}

/** Asks before rows with an unknown outcome are sent again. Returns the card statuses shown, by row. */
export async function confirmResend(
  session: Session,
  operation: Operation,
  service: Service,
  unknown: Omit<Asked, 'cards'>,
): Promise<ReadonlyMap<number, string>> {
  if (session.common.yes) return new Map();
  const { rows, count } = unknown;
  const subject = 'send rows with an unknown outcome again';
  const hint = 'rows with an unknown outcome may already have been applied. To send them again anyway, add --yes';
  requirePerson(session, subject, hint);
  const cards = count > rows.length ? [] : await readCards(session, operation, rows);
  const { list, dangers } = shownOf(session, operation, { ...unknown, cards });
  await writeShown(session.context, list, [`${dangerSign(session.output)} ${againText(operation)}`, ...dangers]);
  const what = `${sentenceCase(operation.verb)} ${plural(count, operation.object)} again`;
  if (!(await confirmSending(session, `${what}${whereText(session, service)}?`))) throw notConfirmed(subject);
  return statusesShown(rows, cards);
}

/** Warns of a token that expires before the work ends, so that a run need not stop half-way with 401. */
export async function compareTokenLife(session: Session, service: Service, rows: number, rate: number | undefined) {
  const remainingMs = await service.remainingMs();
  if (remainingMs === undefined) return;
  const perSecond = rate ?? session.preferences.concurrency.value / 0.25;
  const neededMs = (rows / perSecond) * 1000;
  if (remainingMs >= neededMs) return;
  const { formatDuration } = await import('../screen/text.ts');
  const message = `the token expires in ${formatDuration(Math.max(0, remainingMs))}, and ${plural(rows, 'row')} take about ${formatDuration(neededMs)}. If it expires, log in again and resume the run`;
  await session.notify(warning('TOKEN_TOO_SHORT', message));
}
