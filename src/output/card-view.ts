import { CARD_STATUSES } from '../api/card.ts';
import { CARD_ID } from '../api/field.ts';
import { momentOf, peopleDate } from '../api/iso-date.ts';
import { CARD_ACTIONS } from '../api/operations.ts';
import { compareDecimals } from '../json/decimal.ts';
import { multiplyDecimals } from '../json/decimal-arithmetic.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import { cellText } from './column.ts';
import { flatten } from './csv.ts';
import { cutText, displayWidth, padText } from './cut-text.ts';
import { awayFrom } from './duration.ts';
import type { ViewStyle } from './options.ts';
import { makePaint, type Paint } from './paint.ts';
import { commandWords } from './people-text.ts';
import { safeText } from './safe-text.ts';

const LABEL_WIDTH = 12;
const BAR_CELLS = 20;
const SHOWN_TRANSACTIONS = 5;
const TRANSACTION_HEADERS = ['TIME', 'TYPE', 'AMOUNT', 'ID'];
const MIN_TEXT_WIDTH = 16;
/** Id, status, balance, expiry and reference are never left out, and neither is metadata: whose card it is stands there. */
const SHORTEST_SUMMARY = 5;

/** Members that have a line of their own below; all others follow as they are, unknown ones too. */
const LAID_OUT = new Set([
  'cardId',
  'status',
  'initialBalance',
  'currentBalance',
  'expiryDate',
  'cancelledAt',
  'cancellationAction',
  'cancellationAmount',
  'metadata',
  'transactions',
]);

const LABELS = new Map([
  ['clientReference', 'Reference'],
  ['design', 'Design'],
  ['createdAt', 'Created'],
  ['updatedAt', 'Updated'],
  ['activatedAt', 'Activated'],
]);

/**
 * What is sensible next, by status; each line can be run as it stands (block and reissue ask, and offer a reason).
 * Which transitions the service allows: not shown.
 */
export const NEXT_STEPS: ReadonlyMap<string, readonly string[]> = new Map(
  CARD_STATUSES.map((status) => {
    const actions = CARD_ACTIONS.filter(({ suggestedAt = [] }) => suggestedAt.includes(status));
    const isOver = ['BLOCKED', 'REISSUED', 'CANCELLED'].includes(status);
    const steps = actions.map(({ command }) => `${commandWords(command)} <id>`);
    return [status, isOver ? [...steps, 'history --id <id>'] : steps] as const;
  }),
);

/** One card for a person at a terminal: what it is, what it holds, until when, and what can be done next. */
export function cardView(card: JsonObject, style: ViewStyle): string {
  const view = new CardView(card, style);
  return joinSections([view.summary(), view.metadata(), view.transactions(), view.nextSteps()]);
}

/** What identifies this card, whose it is and what state it is in, as shown before a question. */
export function cardSummary(card: JsonObject, style: ViewStyle): string {
  const view = new CardView(card, style);
  return joinSections([view.summary(), view.metadata()]);
}

/** The card in so many lines: what identifies it and its metadata first, then transactions where they still fit. */
export function cardViewWithin(card: JsonObject, style: ViewStyle, lines: number): string {
  const view = new CardView(card, style);
  const metadata = view.metadata();
  const ofMetadata = metadata.length === 0 ? 0 : metadata.length + 1;
  const summary = view.summary().slice(0, Math.max(SHORTEST_SUMMARY, lines - ofMetadata));
  const left = lines - summary.length - ofMetadata;
  const transactions = view.transactions();
  return joinSections([summary, metadata, transactions.length + 1 > left ? [] : transactions]);
}

function joinSections(sections: readonly (readonly string[])[]): string {
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line.trimEnd()}\n`).join(''))
    .join('\n');
}

class CardView {
  readonly #card: JsonObject;
  readonly #style: ViewStyle;
  readonly #paint: Paint;

  constructor(card: JsonObject, style: ViewStyle) {
    this.#card = card;
    this.#style = style;
    this.#paint = makePaint(style.colour);
  }

  summary(): string[] {
    const status = this.#text('status');
    const { bold, toned } = this.#paint;
    const lines = [
      this.#line('Card', this.#text('cardId'), bold),
      this.#line('Status', status, (shown) => bold(toned('status', status, shown))),
      this.#balance(),
      this.#dated('Expires', this.#card.get('expiryDate')),
    ];
    const cancelled = ['cancellationAction', 'cancellationAmount'].map((name) => this.#text(name)).filter(Boolean);
    if (this.#text('cancelledAt') !== '' || cancelled.length > 0) {
      lines.push(this.#dated('Cancelled', this.#card.get('cancelledAt')));
      if (cancelled.length > 0) lines.push(this.#line('', cancelled.join(', ')));
    }
    for (const [name, value] of this.#card) {
      if (LAID_OUT.has(name) || value === null) continue;
      const label = LABELS.get(name) ?? safeText(name);
      lines.push(name.endsWith('At') ? this.#dated(label, value) : this.#line(label, safeText(cellText(value))));
    }
    return lines;
  }

  metadata(): string[] {
    const metadata = this.#card.get('metadata');
    if (!isJsonObject(metadata) || metadata.size === 0) return [];
    const members = flatten(metadata).map((parts) => parts.map((part) => safeText(cellText(part))));
    const room = Math.max(LABEL_WIDTH, ...members.map(([name = '']) => displayWidth(name)));
    const nameWidth = Math.min(room, Math.floor(this.#style.width / 2));
    const lines = members.map(([name = '', text = '']) => {
      const label = padText(this.#cut(name, nameWidth), nameWidth);
      return `  ${label}  ${this.#cut(text, this.#roomAfter(nameWidth + 4))}`;
    });
    return [this.#paint.bold('Metadata'), ...lines];
  }

  transactions(): string[] {
    const all = this.#card.get('transactions');
    if (!isJsonArray(all) || all.length === 0) return [];
    const rows = latestFirst(all)
      .slice(0, SHOWN_TRANSACTIONS)
      .map((one) => [
        dateText(isJsonObject(one) ? one.get('createdAt') : undefined),
        ...['type', 'amount', 'transactionId'].map((name) => memberText(one, name)),
      ]);
    const table = [TRANSACTION_HEADERS, ...rows];
    const widths = TRANSACTION_HEADERS.map((_, column) =>
      Math.max(...table.map((row) => displayWidth(row[column] ?? ''))),
    );
    const lines = table.map((row, index) => {
      const cells = row.map((cell, column) => padText(cell, widths[column] ?? 0, column === 2 ? 'right' : 'left'));
      const shown = `  ${this.#cut(cells.join('  ').trimEnd(), this.#roomAfter(2))}`;
      return index === 0 ? this.#paint.faint(shown.trimEnd()) : shown;
    });
    const title =
      all.length > rows.length ? `Last transactions (${rows.length} of ${all.length})` : 'Last transactions';
    return [this.#paint.bold(title), ...lines];
  }

  nextSteps(): string[] {
    const id = this.#card.get('cardId');
    // A command ready to copy must not carry what a shell would read as more than an id.
    if (typeof id !== 'string' || !CARD_ID.test(id)) return [];
    const steps = NEXT_STEPS.get(this.#text('status')) ?? [];
    const { command } = this.#style;
    if (steps.length === 0 || command === undefined) return [];
    const lines = steps.map((step) => `  ${command} ${step.replace('<id>', id)}`);
    return [this.#paint.bold('Next'), ...lines];
  }

  #balance(): string {
    const current = this.#card.get('currentBalance');
    const initial = this.#card.get('initialBalance');
    const of = this.#text('initialBalance');
    const isKnown = current !== undefined && current !== null;
    const text = isKnown ? `${this.#text('currentBalance')} of ${of}` : `initially ${of}`;
    const { unicode, isAccessible = false } = this.#style;
    const areNumbers = current instanceof JsonNumber && initial instanceof JsonNumber;
    const bar = areNumbers && !isAccessible ? drawBar(current.text, initial.text, unicode) : '';
    const fits = displayWidth(text) + bar.length + 2 <= this.#roomAfter(LABEL_WIDTH + 2);
    return this.#line('Balance', text) + (fits && bar !== '' ? `  ${this.#paint.faint(bar)}` : '');
  }

  #dated(label: string, value: JsonValue | undefined): string {
    const text = dateText(value);
    const away = typeof value === 'string' ? awayFrom(value, this.#style.now) : undefined;
    return this.#line(label, away === undefined ? text : `${text} (${away})`);
  }

  #line(label: string, text: string, dress = (shown: string) => shown): string {
    const shown = this.#cut(text, this.#roomAfter(LABEL_WIDTH + 2));
    return `${this.#paint.faint(padText(this.#cut(label, LABEL_WIDTH), LABEL_WIDTH))}  ${dress(shown)}`;
  }

  #text(name: string): string {
    return safeText(cellText(this.#card.get(name)));
  }

  #roomAfter(used: number): number {
    return Math.max(MIN_TEXT_WIDTH, this.#style.width - used);
  }

  #cut(text: string, width: number): string {
    return cutText(text, width, this.#style.unicode);
  }
}

/** How much of the initial balance is left, by comparing exact products: nothing is rounded or shown as a number. */
function drawBar(current: string, initial: string, unicode: boolean): string {
  if (compareDecimals(initial, '0') <= 0) return '';
  const left = multiplyDecimals(current, String(BAR_CELLS));
  let filled = 0;
  while (filled < BAR_CELLS && compareDecimals(left, multiplyDecimals(initial, String(filled + 1))) >= 0) filled += 1;
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  return `[${full.repeat(filled)}${empty.repeat(BAR_CELLS - filled)}]`;
}

/** Newest first where the times can be read; otherwise as the service sent them. */
function latestFirst(transactions: readonly JsonValue[]): readonly JsonValue[] {
  const timed = transactions.map((transaction) => ({
    transaction,
    time: momentOf(memberText(transaction, 'createdAt')) ?? Number.NaN,
  }));
  if (timed.some(({ time }) => Number.isNaN(time))) return transactions;
  return timed.sort((a, b) => b.time - a.time).map(({ transaction }) => transaction);
}

/** A date as people write it; what is none as it was sent. */
function dateText(value: JsonValue | undefined): string {
  return (typeof value === 'string' ? peopleDate(value) : undefined) ?? safeText(cellText(value));
}

function memberText(value: JsonValue, name: string): string {
  return isJsonObject(value) ? safeText(cellText(value.get(name))) : '';
}
