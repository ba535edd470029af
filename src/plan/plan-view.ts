import { printJson } from '../json/print.ts';
import type { JsonValue } from '../json/value.ts';
import { cutText } from '../output/cut-text.ts';
import type { ViewStyle } from '../output/options.ts';
import { makePaint, type Paint } from '../output/paint.ts';
import { awayFrom } from '../output/relative-time.ts';
import { groupThousands, safeText } from '../output/safe-text.ts';
import type { PlanHeader } from './plan-file.ts';
import type { PlannedRow } from './plan-lines.ts';

/** What became of a plan on this machine. */
export type PlanState = 'new' | 'expired' | 'running' | 'stopped' | 'finished';

/** A signature that counts: for whom, and by which key (its fingerprint). */
export interface Approval {
  readonly as: string;
  readonly key: string;
}

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
}

/** A plan for a person at a terminal: what, where, by whom, until when, how many of what, and the first rows. */
export function planView(view: PlanView, style: ViewStyle): string {
  const { header, state, survey } = view;
  const paint = makePaint(style.colour);
  const line = (label: string, text: string) => `${paint.faint(label.padEnd(LABEL_WIDTH))}${text}`;
  const away = (time: string) => {
    const words = awayFrom(time, style.now);
    return words === undefined ? safeText(time) : `${safeText(time)} (${words})`;
  };
  const unchanged = header.unchanged === 0 ? '' : `; ${groupThousands(header.unchanged)} without a change left out`;
  const head = [
    paint.bold(`Plan ${header.plan}: ${header.operation} of ${plural(header.rows, 'row')}${unchanged}`),
    line('State', state),
    line('At', `${safeText(header.url)} (profile ${safeText(header.profile)})`),
    line('Made', `${away(header.createdAt)} by ${safeText(header.createdBy)}`),
    line('Expires', away(header.expiresAt)),
    ...approvalLines(view).map((text, index) => line(index === 0 ? 'Approved' : '', text)),
  ];
  const kinds = survey.kinds().map(([kind, rows]) => `${groupThousands(rows)} ${kind}`);
  const counts = kinds.length === 0 ? [] : [line(countLabel(survey), kinds.join(', '))];
  const check = header.rows === 0 ? [] : [line('Compared', comparison(survey))];
  const rows = survey.first.map((row) =>
    cutText(rowText(row, paint, style), style.colour ? 10_000 : style.width, style.unicode),
  );
  const rest = header.rows - survey.first.length;
  const more = rest > 0 ? [`and ${groupThousands(rest)} more: frontdesk plan show <file> -o csv`] : [];
  return `${[...head, ...counts, ...check, '', ...rows, ...more].join('\n').trimEnd()}\n`;
}

function countLabel({ first }: PlanSurvey): string {
  return first[0]?.drift === 'checked' ? 'Status now' : 'Fields';
}

function comparison({ first }: PlanSurvey): string {
  return first[0]?.drift === 'checked'
    ? 'each card is read again right before its write; one that changed is left alone'
    : 'no: the interface shows no way to read these, so a change by others cannot be seen';
}

function approvalLines({ approvals, uncounted, demanded }: PlanView): readonly string[] {
  const signed = approvals.map(({ as, key }) => `by ${safeText(as)} (${safeText(key)})`);
  const missing = demanded - approvals.length;
  const demand =
    demanded === 0 ? [] : [missing > 0 ? `${missing} of ${demanded} missing` : `${demanded} of ${demanded} demanded`];
  const lines = [...signed, ...demand, ...uncounted.map((text) => `does not count: ${safeText(text)}`)];
  return lines.length === 0 ? ['by nobody'] : lines;
}

/** `row 3 (sub_1)  email: ann@[old].example → ann@[new].example`. */
function rowText(row: PlannedRow, paint: Paint, style: Pick<ViewStyle, 'unicode'>): string {
  const id = row.id === undefined ? '' : ` ${safeText(row.id)}`;
  return `${paint.faint(`row ${row.row}`)}${id}  ${changesOf(row, paint, style).join('; ')}`;
}

function changesOf(
  { drift, before, body }: PlannedRow,
  paint: Paint,
  style: Pick<ViewStyle, 'unicode'>,
): readonly string[] {
  const fields = [...(body ?? [])];
  if (drift === 'checked') {
    const given = fields.map(([name, value]) => `${name} ${textOf(value)}`);
    return [`is ${paint.toned('status', textOf(before?.get('status')), textOf(before?.get('status')))}`, ...given];
  }
  const arrow = style.unicode ? '→' : '->';
  return fields.map(([name, value]) => {
    if (before === undefined) return `${name}: ${textOf(value)}`;
    const [old, next] = marked(textOf(before.get(name)), textOf(value), paint);
    return `${name}: ${old} ${arrow} ${next}`;
  });
}

/** Both texts with the part in brackets, bold where there is colour, in which they differ. */
function marked(old: string, next: string, paint: Pick<Paint, 'bold'>): readonly [string, string] {
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
    return `${text.slice(0, head).join('')}${paint.bold(`[${middle}]`)}${text.slice(text.length - tail).join('')}`;
  };
  return [mark(a), mark(b)];
}

function plural(count: number, one: string): string {
  return `${groupThousands(count)} ${one}${count === 1 ? '' : 's'}`;
}
