import { compareDecimals } from '../base/json/decimal.ts';
import { multiplyDecimals } from '../base/json/decimal-arithmetic.ts';
import { markedLine, outside, outsideName, quoted } from '../base/json/outside-text.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../base/json/value.ts';
import { pasteable } from '../base/next-step.ts';
import { CARD_STATUSES } from '../service/api/card.ts';
import { CARD_ID } from '../service/api/field.ts';
import { momentOf, peopleDate } from '../service/api/iso-date.ts';
import { CARD_ACTIONS } from '../service/api/operations.ts';
import { cellText } from './column.ts';
import { flatten } from './csv.ts';
import { cutText, displayWidth, fittingLength, padText, widestOf } from './cut-text.ts';
import type { ViewStyle } from './options.ts';
import { makePaint, type Paint } from './paint.ts';
import { commandWords } from './people-text.ts';
import { awayFrom, breakLine, fillLines, plural, safeText, wrapOutside } from './text.ts';

const LABEL_WIDTH = 12;
const BAR_CELLS = 20;
const SHOWN_TRANSACTIONS = 5;
const TRANSACTION_HEADERS = ['TIME', 'TYPE', 'AMOUNT', 'ID'];
const MIN_TEXT_WIDTH = 16;

/** Members with a line of their own below. All others follow as they are, unknown ones too. */
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

/** Next commands to suggest by status. Which transitions the service allows is not documented. */
export const NEXT_STEPS: ReadonlyMap<string, readonly string[]> = new Map(
  CARD_STATUSES.map((status) => {
    const actions = CARD_ACTIONS.filter(({ suggestedAt = [] }) => suggestedAt.includes(status));
    const isOver = ['BLOCKED', 'REISSUED', 'CANCELLED'].includes(status);
    const steps = actions.map(({ command }) => `${commandWords(command)} {}`);
    return [status, isOver ? [...steps, 'history --id {}'] : steps] as const;
  }),
);

/** Above and below a card: a note, and the prompt of the shell. */
const AROUND = 2;

/**
 * One card for a terminal: what it is, what it holds, until when, and what can be done next. On so few rows that its ID
 * would scroll away it is denser, and ends with what matters least.
 */
export function cardView(card: JsonObject, style: ViewStyle, rows = Number.POSITIVE_INFINITY): string {
  const view = new CardView(card, style);
  const [metadata, transactions, next] = [view.metadata(), view.transactions(), view.nextSteps()];
  const airy = joinSections([view.summary(), metadata, transactions, next]);
  if (airy.split('\n').length - 1 + AROUND <= rows) return airy;
  return joinSections([[...view.head(''), ...metadata, ...transactions, ...view.others('clientReference'), ...next]]);
}

/** What identifies this card, its owner and its state, as shown before a question. */
export function cardSummary(card: JsonObject, style: ViewStyle): string {
  const view = new CardView(card, style);
  return joinSections([view.summary(), view.metadata()]);
}

/** What identifies a card and its state, a line each. Reference and expiry may take two. `remark`: behind the status. */
export function cardHead(card: JsonObject, style: ViewStyle, remark = ''): readonly string[] {
  return new CardView(card, style).head(remark);
}

/** The rest of the card in so many lines, its owner's metadata first. What has no room is counted, and `more` follows. */
export function cardBody(card: JsonObject, style: ViewStyle, rows: number, more = ''): readonly string[] {
  return new CardView(card, style).body(rows, more);
}

/** The head of a card, and as much of the rest as fits into so many rows. */
export function cardWithin(card: JsonObject, style: ViewStyle, rows: number): string {
  const head = cardHead(card, style);
  const body = rows > head.length ? cardBody(card, style, rows - head.length) : [];
  return `${[...head, ...body].join('\n')}\n`;
}

/** A card ID behind a label, or alone if both have no room on a line: a part of an ID names no card. */
export function labelledId(label: string, cardId: string, width: number, { faint, bold }: Paint): string {
  const id = outside(cardId);
  const isBeside = displayWidth(id) <= width - LABEL_WIDTH - 2;
  return isBeside ? `${faint(padText(label, LABEL_WIDTH))}  ${bold(id)}` : bold(cutText(id, width));
}

/** All that is known of a card: what has no room on a line is broken, not cut. */
export function cardDetails(card: JsonObject, style: ViewStyle): string {
  const view = new CardView(card, style, true);
  return joinSections([view.summary(), view.metadata(), view.transactions(Number.POSITIVE_INFINITY)]);
}

function joinSections(sections: readonly (readonly string[])[]): string {
  const textOf = (lines: readonly string[]) => lines.map((line) => `${line.trimEnd()}\n`).join('');
  return sections
    .filter(({ length }) => length > 0)
    .map(textOf)
    .join('\n');
}

class CardView {
  readonly #card: JsonObject;
  readonly #style: ViewStyle;
  readonly #paint: Paint;
  readonly #isWhole: boolean;

  constructor(card: JsonObject, style: ViewStyle, isWhole = false) {
    this.#isWhole = isWhole;
    this.#card = card;
    this.#style = style;
    this.#paint = makePaint(style.colour);
  }

  summary(): string[] {
    return [...this.#state(), ...this.others()];
  }

  head(remark: string): string[] {
    const reference = this.#text('clientReference');
    return [
      ...this.#state(remark),
      ...this.#twoLines('Reference', reference.trim() === '' ? ['none'] : reference.split(' ')),
    ];
  }

  /** A label and words on at most two lines. */
  #twoLines(label: string, words: readonly string[]): string[] {
    const room = this.#roomAfter(LABEL_WIDTH + 2);
    const [first = '', ...rest] = fillLines(words, room, displayWidth);
    // A text without a place to break is split where the room ends.
    const at = fittingLength(first, room);
    const second = [first.slice(at), ...rest].filter((part) => part !== '').join(' ');
    const mark = label === 'Reference' || at < first.length ? '| ' : '';
    return [
      `${this.#paint.faint(padText(label, LABEL_WIDTH))}  ${first.slice(0, at)}`,
      ...(second === '' ? [] : [`${' '.repeat(LABEL_WIDTH + 2)}${this.#cut(mark + second, room)}`]),
    ];
  }

  body(rows: number, shows: string): string[] {
    const [metadata, transactions, others] = [this.metadata(), this.transactions(), this.others('clientReference')];
    const all = this.#card.get('transactions');
    const made = isJsonArray(all) ? all.length : 0;
    const shownMade = Math.max(0, transactions.length - 2);
    if (metadata.length + others.length + transactions.length <= rows && shownMade === made) {
      return [...metadata, ...transactions, ...others];
    }
    const count = (hidden: number, word: string) => (hidden === 0 ? [] : [plural(hidden, word)]);
    const notShown = (hiddenMade: number, hiddenFields: number) => {
      const counted = [...count(hiddenMade, 'transaction'), ...count(hiddenFields, 'field')].join(', ');
      return breakLine(`Not shown: ${counted}${shows}`, this.#style.width);
    };
    const left = rows - notShown(made, metadata.length + others.length).length;
    const fields = left < 2 ? [] : metadata.slice(0, left);
    const table = transactions.slice(0, left - fields.length);
    const kept = table.length < 3 ? [] : table;
    const more = others.slice(0, Math.max(0, left - fields.length - kept.length));
    const hiddenMade = made - Math.max(0, kept.length - 2);
    const hiddenFields =
      Math.max(0, metadata.length - 1) - Math.max(0, fields.length - 1) + others.length - more.length;
    return [...fields, ...kept, ...more, ...notShown(hiddenMade, hiddenFields).map(this.#paint.faint)];
  }

  #state(remark = ''): string[] {
    const status = this.#text('status');
    const { bold, toned } = this.#paint;
    return [
      labelledId('Card', this.#text('cardId'), this.#style.width, this.#paint),
      this.#line('Status', outside(status) + remark, (shown) => bold(toned('status', status, shown))),
      this.#balance(),
      ...this.#twoLines('Expires', this.#date(this.#card.get('expiryDate'))),
    ];
  }

  /** `but`: a member that is shown elsewhere. */
  others(but?: string): string[] {
    const lines: string[] = [];
    const cancelled = ['cancellationAction', 'cancellationAmount'].map((name) => this.#text(name)).filter(Boolean);
    if (this.#text('cancelledAt') !== '' || cancelled.length > 0) {
      lines.push(this.#dated('Cancelled', this.#card.get('cancelledAt')));
      if (cancelled.length > 0) lines.push(this.#line('', cancelled.map(outside).join(', ')));
    }
    for (const [name, value] of this.#card) {
      if (LAID_OUT.has(name) || name === but || value === null) continue;
      // The labels of frontdesk begin with a capital.
      const label = LABELS.get(name) ?? (/^[a-z]/.test(name) ? outside : quoted)(safeText(name));
      lines.push(name.endsWith('At') ? this.#dated(label, value) : this.#line(label, safeText(cellText(value))));
    }
    return lines;
  }

  metadata(): string[] {
    const metadata = this.#card.get('metadata');
    if (!isJsonObject(metadata) || metadata.size === 0) return [];
    const members = flatten(metadata).map(([name, value]) => [outsideName(safeText(name)), safeText(cellText(value))]);
    const room = widestOf(
      members.map(([name = '']) => name),
      LABEL_WIDTH,
    );
    const nameWidth = Math.min(room, Math.floor(this.#style.width / 2));
    const lines = members.map(([name = '', text = '']) => {
      const isAbove = this.#isWhole && displayWidth(name) > nameWidth;
      const [above, value] = isAbove
        ? [`  ${this.#fitted(name, this.#roomAfter(2), 2)}\n`, markedLine(text)]
        : ['', text];
      const label = padText(isAbove ? '' : this.#cut(name, nameWidth), nameWidth);
      return `${above}  ${label}  ${this.#fitted(value, this.#roomAfter(nameWidth + 4), nameWidth + 4)}`;
    });
    return [this.#paint.bold('Metadata'), ...lines];
  }

  /** The newest transactions. `most`: how many. */
  transactions(most = SHOWN_TRANSACTIONS): string[] {
    const all = this.#card.get('transactions');
    if (!isJsonArray(all) || all.length === 0) return [];
    const rows = latestFirst(all)
      .slice(0, most)
      .map((one) => [
        dateText(isJsonObject(one) ? one.get('createdAt') : undefined),
        ...['type', 'amount', 'transactionId'].map((name) => memberText(one, name)),
      ]);
    const table = [TRANSACTION_HEADERS, ...rows];
    const widths = TRANSACTION_HEADERS.map((_, column) => widestOf(table.map((row) => row[column] ?? '')));
    const lines = table.map((row, index) => {
      const cells = row.map((cell, column) => padText(cell, widths[column] ?? 0, column === 2 ? 'right' : 'left'));
      const shown = `  ${this.#fitted(markedLine(cells.join('  ').trimEnd()), this.#roomAfter(2), 2)}`;
      return index === 0 ? this.#paint.faint(shown.trimEnd()) : shown;
    });
    const title =
      all.length > rows.length ? `Last transactions (${rows.length} of ${all.length})` : 'Last transactions';
    return [this.#paint.bold(title), ...lines];
  }

  nextSteps(): string[] {
    const id = this.#card.get('cardId');
    // A command ready to paste must contain nothing but an ID.
    if (typeof id !== 'string' || !CARD_ID.test(id)) return [];
    const { suggestions } = this.#style;
    const done = suggestions?.done?.map((command) => `${commandWords(command)} {}`) ?? [];
    const steps = NEXT_STEPS.get(this.#text('status'))?.filter((step) => !done.includes(step)) ?? [];
    if (steps.length === 0 || suggestions === undefined) return [];
    const lines = steps.map((step) => `  ${pasteable(step, { about: id, ...suggestions })}`);
    return [this.#paint.bold('Next'), ...lines];
  }

  #balance(): string {
    const [current, initial] = ['currentBalance', 'initialBalance'].map((name) => this.#card.get(name));
    const of = amountText(initial);
    const text = (current ?? null) === null ? `initially ${of}` : `${amountText(current)} of ${of}`;
    const areDrawn = current instanceof JsonNumber && initial instanceof JsonNumber && !this.#style.isAccessible;
    const bar = areDrawn ? drawBar(current.text, initial.text, this.#style.unicode) : '';
    const fits = displayWidth(text) + bar.length + 2 <= this.#roomAfter(LABEL_WIDTH + 2);
    return this.#line('Balance', text) + (fits && bar !== '' ? `  ${this.#paint.faint(bar)}` : '');
  }

  #dated(label: string, value: JsonValue | undefined): string {
    return this.#line(label, this.#date(value).join(' '));
  }

  #date(value: JsonValue | undefined): string[] {
    const away = typeof value === 'string' ? awayFrom(value, this.#style.now) : undefined;
    return [dateText(value), ...(away === undefined ? [] : [`(${away})`])];
  }

  #line(label: string, text: string, dress = (shown: string) => shown): string {
    const shown = this.#fitted(text, this.#roomAfter(LABEL_WIDTH + 2), LABEL_WIDTH + 2);
    return `${this.#paint.faint(padText(this.#cut(label, LABEL_WIDTH), LABEL_WIDTH))}  ${dress(shown)}`;
  }

  #text(name: string): string {
    return safeText(cellText(this.#card.get(name)));
  }

  #roomAfter(used: number): number {
    return Math.max(MIN_TEXT_WIDTH, this.#style.width - used);
  }

  /** A text cut to its room, or on further lines behind so many blanks. */
  #fitted(text: string, width: number, indent: number): string {
    return this.#isWhole ? wrapOutside(text, width).join(`\n${' '.repeat(indent)}`) : this.#cut(text, width);
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

/** Newest first if the times can be read, else as the service sent them. */
function latestFirst(transactions: readonly JsonValue[]): readonly JsonValue[] {
  const timeOf = (one: JsonValue) => momentOf(memberText(one, 'createdAt')) ?? Number.NaN;
  const timed = transactions.map((transaction) => ({ transaction, time: timeOf(transaction) }));
  if (timed.some(({ time }) => Number.isNaN(time))) return transactions;
  return timed.sort((a, b) => b.time - a.time).map(({ transaction }) => transaction);
}

/** A date for people, or what was sent if it is none. */
function dateText(value: JsonValue | undefined): string {
  return (typeof value === 'string' ? peopleDate(value) : undefined) ?? amountText(value);
}

/** What stands beside a bar or a time of frontdesk: a text could look like one. */
const amountText = (value?: JsonValue) => safeText(cellText(value)).replace(/^(?!-?[\d.eE+-]+$).+$/s, outside);

function memberText(value: JsonValue, name: string): string {
  return isJsonObject(value) ? safeText(cellText(value.get(name))) : '';
}
