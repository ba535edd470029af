import { addDecimals } from '../json/decimal-arithmetic.ts';
import { printJson } from '../json/print.ts';
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import { cutText, displayWidth, padText } from '../output/cut-text.ts';
import { awayFrom } from '../output/duration.ts';
import { fillLines } from '../output/line-break.ts';
import type { ViewStyle } from '../output/options.ts';
import { makePaint, type Paint } from '../output/paint.ts';
import { arrow, commandWords, peopleTime } from '../output/people-text.ts';
import { groupThousands, plural, safeText } from '../output/safe-text.ts';
import type { ApprovalCheck } from './approvals.ts';
import type { Approval, PlanHeader, PlanRow, PlanState } from './plan-file.ts';

const SHOWN_ROWS = 10;
/** More kinds of change than this are counted together: their names come from outside. */
const MAX_KINDS = 12;
const LABEL_WIDTH = 21;

/** Adds amounts digit for digit, with as many places as the longest has: `10.10` and `5` are `15.10`. */
export class DecimalSum {
  count = 0;
  #text = '0';
  #places = 0;

  add(text: string): void {
    const sum = addDecimals(this.#text, text);
    // Too far apart to be written as one number.
    if (sum === undefined) return;
    this.#text = sum;
    this.#places = Math.max(this.#places, /\.(\d+)$/.exec(text)?.[1]?.length ?? 0);
    this.count += 1;
  }

  text(): string {
    const [whole = '', fraction = ''] = this.#text.split('.');
    if (this.#places === 0 || this.#text.includes('e')) return this.#text;
    return `${whole}.${fraction.padEnd(this.#places, '0')}`;
  }
}

/** What a reviewer wants to know of all rows, gathered while they go by: counts, and the first of them. */
export class PlanSurvey {
  readonly first: PlanRow[] = [];
  readonly balances = new DecimalSum();
  /** How many rows there are of each status or changed field. */
  readonly kinds = new Map<string, number>();
  /** What each row sends: undefined before the first, null when they differ. */
  #body: string | null | undefined;

  add(row: PlanRow): void {
    if (this.first.length < SHOWN_ROWS) this.first.push(row);
    const kinds = row.drift === 'checked' ? [textOf(row.before?.get('status'))] : (row.body?.keys() ?? []);
    for (const kind of kinds) {
      const name = this.kinds.has(kind) || this.kinds.size < MAX_KINDS ? kind : 'others';
      this.kinds.set(name, (this.kinds.get(name) ?? 0) + 1);
    }
    const balance = row.about?.get('currentBalance');
    if (balance instanceof JsonNumber) this.balances.add(balance.text);
    const body = this.#body === null ? null : printJson(row.body ?? null);
    this.#body = this.#body === undefined || this.#body === body ? body : null;
  }

  /** The fields that are sent, where all rows are cards and send the same. */
  sharedBody(): JsonObject | undefined {
    const [first] = this.first;
    return typeof this.#body === 'string' && first?.drift === 'checked' ? first.body : undefined;
  }
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return '(not known)';
  if (value === '') return '(empty)';
  return safeText(typeof value === 'string' ? value : printJson(value));
}

/** What is shown of a plan. */
export interface PlanView {
  readonly header: PlanHeader;
  readonly state: PlanState;
  /** The run that applied it on this machine, or began to; its rows by outcome unless its journal cannot be read. */
  readonly run?: Readonly<Record<'run' | 'startedAt', string>> & {
    readonly outcomes?: Readonly<Record<string, number>> | undefined;
  };
  readonly survey: PlanSurvey;
  readonly approvals: readonly Approval[];
  /** Signatures beside the plan that do not count, and why. */
  readonly uncounted: ApprovalCheck['uncounted'];
  /** How many the profile in use demands; 0: none. */
  readonly demanded: number;
  /** The command that prints all rows. */
  readonly allRows: string;
}

/** A plan for a person at a terminal: what, where, by whom, until when, how many of what, and the first rows. */
export function planView(view: PlanView, style: ViewStyle): string {
  const { header, survey } = view;
  const paint = makePaint(style.colour);
  const facts = planFacts(view, style.now, peopleTime).flatMap(([label, text]) =>
    fillLines(text.split(' '), style.width - LABEL_WIDTH, displayWidth).map(
      (line, index) => `${paint.faint((index === 0 ? label : '').padEnd(LABEL_WIDTH))}${line}`,
    ),
  );
  const rest = header.rows - survey.first.length;
  const more = rest > 0 ? [`and ${groupThousands(rest)} more: ${safeText(view.allRows)}`] : [];
  const rows = rowLines(view, style, paint);
  return `${[paint.bold(planTitle(header)), ...facts, '', ...rows, ...more].join('\n').trimEnd()}\n`;
}

/** `Plan 0123456789ab: card block of 3 rows`. */
export function planTitle({ plan, operation, rows }: PlanHeader): string {
  return `Plan ${plan}: ${commandWords(operation)} of ${plural(rows, 'row')}`;
}

/** What there is to say of a plan as a whole, in the order in which a reviewer asks. `timeText`: how a moment is written. */
export function planFacts(
  view: Omit<PlanView, 'allRows'>,
  nowMs: number,
  timeText = (time: string) => time.replace(/\.\d+(?=Z$)/, ''),
): readonly (readonly [label: string, text: string])[] {
  const momentText = (time: string): string => {
    const away = awayFrom(time, nowMs);
    return `${safeText(timeText(time))}${away === undefined ? '' : ` (${away})`}`;
  };
  const { header, state, survey } = view;
  const isChecked = survey.first[0]?.drift === 'checked';
  const mostFirst = [...survey.kinds].sort(([, rows], [, others]) => others - rows);
  const kinds = mostFirst.map(([kind, rows]) => `${groupThousands(rows)} ${kind}`);
  const sum = survey.balances;
  const known = sum.count === header.rows ? '' : ` (of ${groupThousands(sum.count)} of ${plural(header.rows, 'row')})`;
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['State', [state]],
    ['Run', view.run === undefined ? [] : [runText(view.run, momentText)]],
    ['At', [`${safeText(header.url)} (profile ${safeText(header.profile)})`]],
    ['From', header.source === undefined ? [] : [safeText(header.source)]],
    ['Made', [`${momentText(header.createdAt)} by ${safeText(header.createdBy)}`]],
    ['Expires', [momentText(header.expiresAt)]],
    ['Approved', approvalLines(view)],
    [isChecked ? 'Status when planned' : 'Fields', kinds.length === 0 ? [] : [kinds.join(', ')]],
    ['Balances', sum.count === 0 ? [] : [`${sum.text()} in all${known}`]],
    ['Sends', fieldTexts(survey.sharedBody())],
    ['Expected', header.expect === undefined ? [] : [`${safeText(header.expect.join(', '))}: held when planned`]],
    ['Left out', leftOutTexts(header)],
    ['Compared', header.rows === 0 ? [] : [isChecked ? COMPARED : NOT_COMPARED]],
  ];
  return facts.flatMap(([label, texts]) => texts.map((text, index) => [index === 0 ? label : '', text] as const));
}

function runText(
  { run, startedAt, outcomes }: NonNullable<PlanView['run']>,
  momentText: (time: string) => string,
): string {
  const counts = Object.entries(outcomes ?? {}).map(
    ([name, rows]) => `${groupThousands(rows)} ${name.replaceAll('_', ' ')}`,
  );
  return `${safeText(run)}, begun ${momentText(startedAt)}: ${counts.length === 0 ? 'counts not known' : counts.join(', ')}`;
}

/** Of an input that was held against an older file: what of it is not in the plan. */
function leftOutTexts({ unchanged, missing = 0, emptied = 0 }: PlanHeader): readonly string[] {
  return [
    ...(unchanged === 0 ? [] : [`${plural(unchanged, 'row')} without a change`]),
    ...(missing === 0 ? [] : [`${plural(missing, 'row')} of the older file missing in the input`]),
    ...(emptied === 0 ? [] : [`${plural(emptied, 'cell')} emptied since the older file, left unchanged`]),
  ];
}

const COMPARED = 'each card is read again right before its write; one that changed is left alone';
const NOT_COMPARED = 'no: these cannot be read, so a change by others cannot be seen';

function approvalLines({ approvals, uncounted, demanded }: Omit<PlanView, 'allRows'>): readonly string[] {
  const signed = approvals.map(({ as, key }) => `by ${safeText(as)} (${safeText(key)})`);
  const missing = demanded - approvals.length;
  const demand =
    demanded === 0 ? [] : [missing > 0 ? `${missing} of ${demanded} missing` : `${demanded} of ${demanded} demanded`];
  const lines = [...signed, ...demand, ...uncounted.map(({ text }) => safeText(text))];
  return lines.length === 0 ? ['not yet'] : lines;
}

/** A part of a row's line, and how it is painted. */
interface Piece {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

/** `row 3 sub_1  email: a@x → b@x`; of a card `row 1 0b7a…  order-1  10.10  ACTIVE → block`, in columns. */
function rowLines({ header, survey }: PlanView, style: ViewStyle, paint: Paint): readonly string[] {
  const between = ` ${arrow(style)} `;
  const verb = header.operation.split('.').at(-1) ?? '';
  const isShared = survey.sharedBody() !== undefined;
  const cells = survey.first.map((row) => [
    `row ${row.row}${row.id === undefined ? '' : ` ${safeText(row.id)}`}`,
    aboutText(row, 'clientReference'),
    aboutText(row, 'currentBalance'),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...cells.map((row) => displayWidth(row[column] ?? ''))));
  return survey.first.flatMap((row, index) => {
    const number = `row ${row.row}`;
    const known = widths.flatMap((width, column) =>
      width === 0 ? [] : [padText(cells[index]?.[column] ?? '', width, column === 2 ? 'right' : 'left')],
    );
    const about = [{ text: number, paint: paint.faint }, { text: `${known.join('  ').slice(number.length)}  ` }];
    const change =
      row.drift === 'checked'
        ? cardPieces(row, `${between}${verb}`, isShared, paint)
        : fieldPieces(row, between, paint);
    const width = displayWidth([...about, ...change].map(({ text }) => text).join(''));
    // What is sent is what the reviewer looks for: it has a line of its own before it is cut.
    const lines = width <= style.width ? [[...about, ...change]] : [about, [{ text: '      ' }, ...change]];
    return lines.map((pieces) => fitted(pieces, style).trimEnd());
  });
}

function aboutText({ about }: PlanRow, name: string): string {
  const value = about?.get(name);
  return value === undefined ? '' : textOf(value);
}

function fieldTexts(body: JsonObject | undefined): readonly string[] {
  return [...(body ?? [])].map(([name, value]) => `${name}: ${textOf(value)}`);
}

function cardPieces({ before, body }: PlanRow, change: string, isShared: boolean, paint: Paint): readonly Piece[] {
  const status = textOf(before?.get('status'));
  const fields = isShared ? [] : fieldTexts(body);
  return [
    { text: status, paint: (text) => paint.toned('status', status, text) },
    { text: [change, ...fields].join('; ') },
  ];
}

/** Each field as `name: old → new`, what differs marked; as `name: new` where nothing older is known. */
function fieldPieces({ before, body }: PlanRow, between: string, paint: Paint): readonly Piece[] {
  return [...(body ?? [])].flatMap(([name, value], index): readonly Piece[] => {
    const label = { text: `${index === 0 ? '' : '; '}${name}: ` };
    if (before === undefined) return [label, { text: textOf(value) }];
    const [old, next] = [textOf(before.get(name)), textOf(value)];
    const { head, tail } = sharedEnds(old, next);
    const marked = (text: string): readonly Piece[] => [
      { text: text.slice(0, head) },
      { text: text.slice(head, text.length - tail), paint: paint.bold },
      { text: text.slice(text.length - tail) },
    ];
    return [label, ...marked(old), { text: between }, ...marked(next)];
  });
}

/** How many UTF-16 units two texts share at their beginning and at their end, never half a letter. */
function sharedEnds(old: string, next: string): { readonly head: number; readonly tail: number } {
  const [a, b] = [Array.from(old), Array.from(next)];
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { head: a.slice(0, head).join('').length, tail: a.slice(a.length - tail).join('').length };
}

/** The pieces on one line of the terminal, painted after they were cut to it. */
function fitted(pieces: readonly Piece[], { width, unicode }: ViewStyle): string {
  const shown = cutText(pieces.map(({ text }) => text).join(''), width, unicode);
  let at = 0;
  const painted = pieces.map(({ text, paint }) => {
    const part = shown.slice(at, at + text.length);
    at += text.length;
    return paint === undefined || part === '' ? part : paint(part);
  });
  return painted.join('') + shown.slice(at);
}
