import { printJson } from '../json/print.ts';
import type { JsonValue } from '../json/value.ts';
import { cutText, displayWidth } from '../output/cut-text.ts';
import { fillLines } from '../output/line-break.ts';
import type { ViewStyle } from '../output/options.ts';
import { makePaint, type Paint } from '../output/paint.ts';
import { commandWords } from '../output/people-text.ts';
import { awayFrom } from '../output/relative-time.ts';
import { groupThousands, plural, safeText } from '../output/safe-text.ts';
import type { Approval, PlanHeader, PlanState } from './plan-file.ts';
import type { PlannedRow } from './plan-lines.ts';

const SHOWN_ROWS = 10;
/** More kinds of change than this are counted together: their names come from outside. */
const MAX_KINDS = 12;
const LABEL_WIDTH = 12;

/** What a reviewer wants to know of all rows, gathered while they go by: counts, and the first of them. */
export class PlanSurvey {
  readonly first: PlannedRow[] = [];
  readonly #kinds = new Map<string, number>();

  add(row: PlannedRow): void {
    if (this.first.length < SHOWN_ROWS) this.first.push(row);
    for (const kind of kindsOf(row)) {
      const name = this.#kinds.has(kind) || this.#kinds.size < MAX_KINDS ? kind : 'others';
      this.#kinds.set(name, (this.#kinds.get(name) ?? 0) + 1);
    }
  }

  /** How many rows there are of each status or changed field, most frequent first. */
  kinds(): readonly (readonly [string, number])[] {
    return [...this.#kinds].sort((a, b) => b[1] - a[1]);
  }
}

/** The status of a card, or the fields that an update or a new event has. */
function kindsOf({ drift, before, body }: PlannedRow): readonly string[] {
  if (drift === 'checked') return [textOf(before?.get('status'))];
  return [...(body?.keys() ?? [])];
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return '(not known)';
  if (value === '') return '(empty)';
  return safeText(typeof value === 'string' ? value : printJson(value));
}

export interface PlanView {
  readonly header: PlanHeader;
  readonly state: PlanState;
  readonly survey: PlanSurvey;
  readonly approvals: readonly Approval[];
  /** Signatures beside the plan that do not count, and why. */
  readonly uncounted: readonly string[];
  /** How many the profile in use demands; 0: none. */
  readonly demanded: number;
  /** The command that prints all rows. */
  readonly allRows: string;
}

/** A plan for a person at a terminal: what, where, by whom, until when, how many of what, and the first rows. */
export function planView(view: PlanView, style: ViewStyle): string {
  const { header, survey } = view;
  const paint = makePaint(style.colour);
  const unchanged = header.unchanged === 0 ? '' : `; ${groupThousands(header.unchanged)} without a change left out`;
  const title = `Plan ${header.plan}: ${commandWords(header.operation)} of ${plural(header.rows, 'row')}${unchanged}`;
  const facts = factsOf(view, style.now).flatMap(([label, text]) =>
    fillLines(text.split(' '), style.width - LABEL_WIDTH, displayWidth).map(
      (line, index) => `${paint.faint((index === 0 ? label : '').padEnd(LABEL_WIDTH))}${line}`,
    ),
  );
  const verb = header.operation.split('.').at(-1) ?? '';
  const rows = survey.first.map((row) =>
    painted(cutText(rowText(row, verb, style), style.width, style.unicode), row, paint),
  );
  const rest = header.rows - survey.first.length;
  const more = rest > 0 ? [`and ${groupThousands(rest)} more: ${safeText(view.allRows)}`] : [];
  return `${[paint.bold(title), ...facts, '', ...rows, ...more].join('\n').trimEnd()}\n`;
}

function factsOf(view: PlanView, nowMs: number): readonly (readonly [label: string, text: string])[] {
  const { header, state, survey } = view;
  const isChecked = survey.first[0]?.drift === 'checked';
  const kinds = survey.kinds().map(([kind, rows]) => `${groupThousands(rows)} ${kind}`);
  return [
    ['State', state],
    ['At', `${safeText(header.url)} (profile ${safeText(header.profile)})`],
    ['Made', `${momentText(header.createdAt, nowMs)} by ${safeText(header.createdBy)}`],
    ['Expires', momentText(header.expiresAt, nowMs)],
    ...approvalLines(view).map((text, index) => [index === 0 ? 'Approved' : '', text] as const),
    ...(kinds.length === 0 ? [] : [[isChecked ? 'Status now' : 'Fields', kinds.join(', ')] as const]),
    ...(header.rows === 0 ? [] : [['Compared', isChecked ? COMPARED : NOT_COMPARED] as const]),
  ];
}

/** To the second, and how far away. */
function momentText(time: string, nowMs: number): string {
  const away = awayFrom(time, nowMs);
  const second = safeText(time).replace(/\.\d+(?=Z$)/, '');
  return away === undefined ? second : `${second} (${away})`;
}

const COMPARED = 'each card is read again right before its write; one that changed is left alone';
const NOT_COMPARED = 'no: these cannot be read, so a change by others cannot be seen';

function approvalLines({ approvals, uncounted, demanded }: PlanView): readonly string[] {
  const signed = approvals.map(({ as, key }) => `by ${safeText(as)} (${safeText(key)})`);
  const missing = demanded - approvals.length;
  const demand =
    demanded === 0 ? [] : [missing > 0 ? `${missing} of ${demanded} missing` : `${demanded} of ${demanded} demanded`];
  const lines = [...signed, ...demand, ...uncounted.map((text) => `does not count: ${safeText(text)}`)];
  return lines.length === 0 ? ['by nobody'] : lines;
}

/** `row 3 sub_1  email: ann@[old].example → ann@[new].example`; of a card `row 1 0b7a…  ACTIVE → block; reason: …`. */
function rowText(row: PlannedRow, verb: string, style: Pick<ViewStyle, 'unicode'>): string {
  const id = row.id === undefined ? '' : ` ${safeText(row.id)}`;
  return `row ${row.row}${id}  ${changesOf(row, verb, style.unicode ? '→' : '->').join('; ')}`;
}

function changesOf({ drift, before, body }: PlannedRow, verb: string, arrow: string): readonly string[] {
  const fields = [...(body ?? [])];
  if (drift === 'checked') {
    return [
      `${textOf(before?.get('status'))} ${arrow} ${verb}`,
      ...fields.map(([name, value]) => `${name}: ${textOf(value)}`),
    ];
  }
  return fields.map(([name, value]) => {
    if (before === undefined) return `${name}: ${textOf(value)}`;
    const was = before.get(name);
    const isText = typeof was === 'string' && typeof value === 'string';
    const [old, next] = isText ? marked(textOf(was), textOf(value)) : [textOf(was), textOf(value)];
    return `${name}: ${old} ${arrow} ${next}`;
  });
}

/** The line of a row in colour: its number faint, its card's status in its colour, what differs bold. */
function painted(text: string, { row, drift, before }: PlannedRow, paint: Paint): string {
  const number = `row ${row}`;
  const rest = text.slice(number.length);
  const status = textOf(before?.get('status'));
  const shown =
    drift === 'checked'
      ? rest.replace(`  ${status} `, () => `  ${paint.toned('status', status, status)} `)
      : rest.replace(/\[[^\]]*\]/g, (part) => paint.bold(part));
  return `${paint.faint(number)}${shown}`;
}

/** Both texts with the part in brackets in which they differ. */
function marked(old: string, next: string): readonly [string, string] {
  const [a, b] = [Array.from(old), Array.from(next)];
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  // Where nothing is shared there is nothing to point at.
  if (head + tail === 0) return [old, next];
  const mark = (text: readonly string[]) => {
    const middle = text.slice(head, text.length - tail).join('');
    // Of a text that only grew, nothing was taken away.
    if (middle === '') return text.join('');
    return `${text.slice(0, head).join('')}[${middle}]${text.slice(text.length - tail).join('')}`;
  };
  return [mark(a), mark(b)];
}
