import { addDecimals } from '../../base/json/decimal-arithmetic.ts';
import { outside } from '../../base/json/outside-text.ts';
import { printJson } from '../../base/json/print.ts';
import { JsonNumber, type JsonObject } from '../../base/json/value.ts';
import { shapeLines } from '../../input/records/shape.ts';
import type { ViewStyle } from '../../screen/options.ts';
import { makePaint } from '../../screen/paint.ts';
import { commandWords, outcomeCounts, peopleTime } from '../../screen/people-text.ts';
import { awayFrom, fillQuoted, groupThousands, plural, safeText } from '../../screen/text.ts';
import { onlyOlder } from '../summary.ts';
import type { PlanHeader, PlanRow, PlanState } from './plan-file.ts';
import { changeLines, fieldTexts, textOf } from './plan-row-lines.ts';

const SHOWN_ROWS = 200;
/** Further kinds of change are counted together: their names come from outside. */
const MAX_KINDS = 12;
const LABEL_WIDTH = 21;

/** Adds amounts digit for digit, with as many places as the longest: `10.10` and `5` are `15.10`. */
export class DecimalSum {
  count = 0;
  #text = '0';
  #places = 0;

  add(text: string): void {
    const sum = addDecimals(this.#text, text);
    // Too far apart for one number.
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

/** Counts a row under a name. Beyond some, names that come from outside are counted together. */
function count(counts: Map<string, number>, name: string): void {
  const key = counts.has(name) || counts.size < MAX_KINDS ? name : 'others';
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** `2 email, 1 first_name`, most first. */
function countsText(counts: ReadonlyMap<string, number>): readonly string[] {
  const mostFirst = [...counts].sort(([, rows], [, others]) => others - rows);
  const texts = mostFirst.map(
    ([name, rows]) => `${groupThousands(rows)} ${name === '(not known)' ? name : outside(name)}`,
  );
  return texts.length === 0 ? [] : [texts.join(', ')];
}

/** A row without an ID makes something new, and empties nothing. */
function clearedBy({ drift, id, body }: PlanRow): readonly string[] {
  if (drift === 'checked' || id === undefined) return [];
  return [...(body ?? [])].flatMap(([name, value]) => (value === '' ? [name] : []));
}

/** What a reviewer needs to know of all rows: counts, and the first rows. */
export class PlanSurvey {
  readonly first: PlanRow[] = [];
  readonly balances = new DecimalSum();
  /** Rows by status or changed field. */
  readonly kinds = new Map<string, number>();
  /** Fields that `""` empties, by how many rows. */
  readonly clears = new Map<string, number>();
  hasOld = false;
  /** What each row sends: undefined before the first, null if they differ. */
  #body: string | null | undefined;
  /** The value of each `--expect` field, or null if rows differ. */
  readonly #expects = new Map<string, string | null>();

  add(row: PlanRow): void {
    if (this.first.length < SHOWN_ROWS) this.first.push(row);
    for (const kind of row.drift === 'checked' ? [textOf(row.before?.get('status'))] : (row.body?.keys() ?? []))
      count(this.kinds, kind);
    for (const field of clearedBy(row)) count(this.clears, field);
    const balance = row.about?.get('currentBalance');
    if (balance instanceof JsonNumber) this.balances.add(balance.text);
    this.hasOld ||= row.before !== undefined;
    for (const { field, value } of row.expects ?? []) {
      const isShared = !this.#expects.has(field) || this.#expects.get(field) === value;
      this.#expects.set(field, isShared ? value : null);
    }
    const sent = this.#body === null ? null : printJson(row.body ?? null);
    this.#body = this.#body === undefined || this.#body === sent ? sent : null;
  }

  /** `status=ACTIVE: true when planned, compared again before each change`, for the fields in line 1. */
  expected(fields: readonly string[] = []): readonly string[] {
    const texts = fields.map((field) => {
      const value = this.#expects.get(field);
      return safeText(
        typeof value === 'string' ? `${outside(field)}=${outside(value)}` : `each row's ${outside(field)}`,
      );
    });
    return texts.length === 0 ? [] : [`${texts.join(', ')}: true when planned, compared again before each change`];
  }

  /** The fields that are sent, if all rows are cards and send the same. */
  sharedBody(): JsonObject | undefined {
    const [first] = this.first;
    return typeof this.#body === 'string' && first?.drift === 'checked' ? first.body : undefined;
  }
}

export interface PlanView {
  readonly header: PlanHeader;
  readonly state: PlanState;
  /** The run on this machine that applied it. Its rows by outcome, unless its journal cannot be read. */
  readonly run?: Readonly<Record<'run' | 'startedAt', string>> & {
    readonly outcomes?: Readonly<Record<string, number>> | undefined;
  };
  readonly survey: PlanSurvey;
  readonly allRows: string;
}

/** A plan for a terminal: what, where, by whom, until when, how many, and unless it was just made the first rows. */
export function planView(view: PlanView, style: ViewStyle, hasRows = true): string {
  const { header, survey } = view;
  const paint = makePaint(style.colour);
  const facts = planFacts(view, style.now, peopleTime).flatMap(([label, text]) =>
    fillQuoted(text.split(' '), style.width - LABEL_WIDTH).map(
      (line, index) => `${paint.faint((index === 0 ? label : '').padEnd(LABEL_WIDTH))}${line}`,
    ),
  );
  const head = [paint.bold(planTitle(header)), ...facts];
  if (!hasRows || survey.first.length === 0) return `${head.join('\n')}\n`;
  const rest = header.rows - survey.first.length;
  const more = rest > 0 ? [`and ${groupThousands(rest)} more: ${safeText(view.allRows)}`] : [];
  const how = { statusHeader: 'WHEN PLANNED', isShared: survey.sharedBody() !== undefined, hasCodePoints: true };
  const rows = changeLines(survey.first, header.operation, how, style);
  return `${[...head, '', ...rows, ...more].join('\n')}\n`;
}

/** `Plan 0123456789ab: card block of 3 rows`. */
export function planTitle({ plan, operation, rows }: PlanHeader): string {
  return `Plan ${plan}: ${commandWords(operation)} of ${plural(rows, 'row')}`;
}

/** The facts about a plan as a whole, in a reviewer's order. `timeText`: how a moment is written. */
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
  const sum = survey.balances;
  const known = sum.count === header.rows ? '' : ` (of ${groupThousands(sum.count)} of ${plural(header.rows, 'row')})`;
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['State', [state]],
    [
      'Run',
      view.run === undefined
        ? []
        : [
            `${safeText(view.run.run)}, begun ${momentText(view.run.startedAt)}: ${outcomeCounts(view.run.outcomes ?? {}) || 'counts not known'}`,
          ],
    ],
    ['At', [`${outside(safeText(header.url))} (profile ${outside(safeText(header.profile))})`]],
    ['From', header.source === undefined ? [] : [`${outside(safeText(header.source))} (as the plan says)`]],
    ['Input', shapeLines(header.shape ?? {}, header.shape?.leftOut ?? 0).map((line) => outside(safeText(line)))],
    ['Made', [`${momentText(header.createdAt)} by ${outside(safeText(header.createdBy))}`]],
    ['Expires', [momentText(header.expiresAt)]],
    [isChecked ? 'Status when planned' : 'Fields', countsText(survey.kinds)],
    ['Empties', countsText(survey.clears)],
    ['Old values', survey.hasOld && !isChecked ? ['as the plan says: no command can read them again'] : []],
    ['Balances', sum.count === 0 ? [] : [`${sum.text()} in all${known}`]],
    ['Sends', fieldTexts(survey.sharedBody())],
    ['Expected', survey.expected(header.expect)],
    ['Left out', leftOutTexts(header)],
    ['Compared', header.rows === 0 ? [] : [isChecked ? COMPARED : NOT_COMPARED]],
  ];
  return facts.flatMap(([label, texts]) => texts.map((text, index) => [index === 0 ? label : '', text] as const));
}

/** What of the input is not in the plan, compared with the older file. */
function leftOutTexts({ unchanged, skipped, missing = 0, emptied = 0, shape }: PlanHeader): readonly string[] {
  return [
    ...(unchanged === 0 ? [] : [`${plural(unchanged, 'row')} without a change`]),
    ...(skipped === 0 ? [] : [`${plural(skipped, 'row')} as wanted already (--skip-if)`]),
    ...(missing === 0 ? [] : [onlyOlder(missing, shape?.leftOut ?? 0)]),
    ...(emptied === 0 ? [] : [`${plural(emptied, 'cell')} emptied since the older file, left unchanged`]),
  ];
}

const COMPARED =
  'each card is checked again just before it is changed; a card that changed since planning is held back';
const NOT_COMPARED = 'not possible: the service documents no way to read these, so changes by others go unnoticed';
