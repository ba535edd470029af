import { actionOf, nounOf } from '../api/operation.ts';
import { type CardBefore, readCardBefore, whyUnread } from '../call/confirm.ts';
import { notConfirmed, requirePerson, whereText } from '../call/write-guards.ts';
import { Failure, type Notice, note, warning } from '../failure.ts';
import type { CheckedInput } from '../input/records/check-input.ts';
import { quoteValue, showValue } from '../input/values.ts';
import { type JsonValue, textAt } from '../json/value.ts';
import { cellText } from '../output/column.ts';
import { isJson } from '../output/options.ts';
import { arrow, commandWords } from '../output/people-text.ts';
import { breakMessage, groupThousands, plural, safeText, sentenceCase, shortenText } from '../output/text.ts';
import type { Row } from '../rows/row.ts';
import { unchangedLines } from '../run/summary.ts';
import type { Service, Session } from '../session.ts';
import type { BulkCall } from './bulk-call.ts';
import { sayOpenRows } from './open-rows.ts';
import { notifyUnchanged } from './run-output.ts';

/** Most characters of a row in the question. */
const MAX_SHOWN = 240;

/** Of more rows only the first are shown. */
const SHOWN_ROWS = 5;

/** What distinguishes cards in one line. */
const CARD_FACTS = ['status', 'currentBalance', 'initialBalance', 'clientReference'];
const MAX_FACT = 60;

/** The first rows as they will be sent: ID and fields only. */
function shownRows({ reading }: BulkCall, rows: readonly Row[], between: string): readonly string[] {
  // Quotes make empty texts and blanks visible.
  const cellOf = (value: JsonValue | undefined) => (value === undefined ? 'not there' : showValue(value));
  return rows.map(({ row, id, body }) => {
    const old = id === undefined ? undefined : reading.changedFrom?.cells(id);
    const cells = [...(body ?? [])].map(([name, value]) => {
      const before = old === undefined ? '' : `${cellOf(old.get(name))} ${between} `;
      return `${name} ${before}${cellOf(value)}`;
    });
    const parts = [...(id === undefined ? [] : [safeText(id)]), ...cells];
    return `row ${row}: ${shortenText(parts.join(', '), MAX_SHOWN)}`;
  });
}

function shownCard(id: string, before: CardBefore): string {
  if ('failure' in before) return `${id}: could not be read: ${whyUnread(before.failure)}`;
  const [status, current, initial, reference] = CARD_FACTS.map((name) => {
    const value = before.card.get(name);
    return value === undefined || value === null ? '' : shortenText(safeText(cellText(value)), MAX_FACT);
  });
  const balance = current === '' ? `initially ${initial}` : `${current} of ${initial}`;
  return `${id}: ${status}, ${balance}${reference === '' ? '' : `, ${reference}`}`;
}

/** The cards of a few rows. The first is read alone: its 401 ends the call before others are asked for. */
async function readCards(session: Session, call: BulkCall, { selected, first }: CheckedInput): Promise<CardBefore[]> {
  if (call.reading.operation.family !== 'cards' || selected > first.length) return [];
  const read = (row: Row) =>
    readCardBefore(session, row, false).catch((error: unknown): CardBefore => {
      // A 404 is about that row alone, 401, 403 and Ctrl-C about the call.
      if (error instanceof Failure && error.code === 'NOT_FOUND') return { failure: error };
      throw error;
    });
  const atOnce = session.preferences.concurrency.value;
  const cards: CardBefore[] = [];
  for (let end = 1; cards.length < first.length; end += atOnce) {
    cards.push(...(await Promise.all(first.slice(cards.length, end).map(read))));
  }
  return cards;
}

/** The status that the question showed of each card, if it could be read. */
function statusesShown(rows: readonly Row[], cards: readonly CardBefore[]): ReadonlyMap<number, string> {
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

function changeLines({ reading }: BulkCall, { selected, unchanged }: CheckedInput): readonly string[] {
  if (reading.changedFrom === undefined) return [];
  return [`${groupThousands(selected)} of ${groupThousands(selected + unchanged)} rows change`];
}

function pastLines({ past, selected }: CheckedInput): readonly string[] {
  if (past === 0) return [];
  return [`${groupThousands(past)} of ${plural(selected, 'row')} ${past === 1 ? 'starts' : 'start'} in the past`];
}

/** The end of a dry run: the number of rows, and what the question would add. */
export async function noteCounts(session: Session, call: BulkCall, checked: CheckedInput): Promise<void> {
  await notifyUnchanged(session, { ...checked, unchanged: 0 });
  const counts = [...changeLines(call, checked), ...pastLines(checked)];
  // A program counts the requests on stdout.
  if (counts.length === 0 && isJson(session.output.format)) return;
  const rows = `${plural(checked.selected, 'row')} would be sent`;
  await session.notify(note('DRY_RUN', [rows, ...counts].join('; ')));
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
  const cards = await readCards(session, call, checked);
  const shown = shownRows(call, checked.first.slice(0, SHOWN_ROWS), arrow(session.output));
  const rest = checked.selected - shown.length;
  const lines = [
    ...cards.map((card, index) => shortenText(shownCard(safeText(checked.first[index]?.id ?? ''), card), MAX_SHOWN)),
    ...shown,
    ...(rest > 0 ? [`and ${groupThousands(rest)} more`] : []),
    ...changeLines(call, checked),
    ...(effect.confirm ? [`A ${nounOf(operation)} cannot be undone.`] : []),
    ...pastLines(checked),
    ...hiddenNotices(checked).map(({ message }) => message),
    ...unchangedLines({ ...checked, unchanged: 0 }),
  ];
  await sayOpenRows(session, operation, input());
  const { columns } = session.context.stderr;
  const broken = lines.flatMap((line) => breakMessage(`  ${line}`, columns));
  await session.context.stderr.write(broken.map((line) => `${line}\n`).join(''));
  const question = `${sentenceCase(actionOf(operation))}${checked.selected === 1 ? '' : 's'}: ${rows}${whereText(session, service)}?`;
  if (!(await session.prompt.confirm(question))) throw notConfirmed(subject);
  return statusesShown(checked.first, cards);
}

/** Warns of a token that expires before the work ends, so that a run need not stop half-way with 401. */
export async function compareTokenLife(session: Session, service: Service, rows: number, rate: number | undefined) {
  const remainingMs = await service.remainingMs();
  if (remainingMs === undefined) return;
  const perSecond = rate ?? session.preferences.concurrency.value / 0.25;
  const neededMs = (rows / perSecond) * 1000;
  if (remainingMs >= neededMs) return;
  const { formatDuration } = await import('../output/text.ts');
  const message = `the token expires in ${formatDuration(Math.max(0, remainingMs))}, and ${plural(rows, 'row')} take about ${formatDuration(neededMs)}. If it expires, log in again and resume the run`;
  await session.notify(warning('TOKEN_TOO_SHORT', message));
}
