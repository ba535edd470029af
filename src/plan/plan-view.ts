import { addDecimals } from '../json/decimal-arithmetic.ts';
import { printJson } from '../json/print.ts';
import { JsonNumber, type JsonObject } from '../json/value.ts';
import { displayWidth } from '../output/cut-text.ts';
import type { ViewStyle } from '../output/options.ts';
import { makePaint } from '../output/paint.ts';
import { commandWords, peopleTime } from '../output/people-text.ts';
import { awayFrom, fillLines, groupThousands, plural, safeText } from '../output/text.ts';
import type { ApprovalCheck } from './approvals.ts';
import type { Approval, PlanHeader, PlanRow, PlanState } from './plan-file.ts';
import { fieldTexts, planRowLines, textOf } from './plan-row-lines.ts';

const SHOWN_ROWS = 10;
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

/** What a reviewer needs to know of all rows: counts, and the first rows. */
export class PlanSurvey {
  readonly first: PlanRow[] = [];
  readonly balances = new DecimalSum();
  /** Rows by status or changed field. */
  readonly kinds = new Map<string, number>();
  /** Does a row have an old value? */
  hasOld = false;
  /** What each row sends: undefined before the first, null if they differ. */
  #body: string | null | undefined;
  /** The value of each `--expect` field, or null if rows differ. */
  readonly #expects = new Map<string, string | null>();

  add(row: PlanRow): void {
    if (this.first.length < SHOWN_ROWS) this.first.push(row);
    const kinds = row.drift === 'checked' ? [textOf(row.before?.get('status'))] : (row.body?.keys() ?? []);
    for (const kind of kinds) {
      const name = this.kinds.has(kind) || this.kinds.size < MAX_KINDS ? kind : 'others';
      this.kinds.set(name, (this.kinds.get(name) ?? 0) + 1);
    }
    const balance = row.about?.get('currentBalance');
    if (balance instanceof JsonNumber) this.balances.add(balance.text);
    this.hasOld ||= row.before !== undefined;
    for (const { field, value } of row.expects ?? []) {
      this.#expects.set(field, (this.#expects.get(field) ?? value) === value ? value : null);
    }
    const body = this.#body === null ? null : printJson(row.body ?? null);
    this.#body = this.#body === undefined || this.#body === body ? body : null;
  }

  /** `status=ACTIVE: true when planned, compared again before each change`, for the fields in line 1. */
  expected(fields: readonly string[] = []): readonly string[] {
    const texts = fields.map((field) => {
      const value = this.#expects.get(field);
      return safeText(typeof value === 'string' ? `${field}=${value}` : `${field} (a value for each row)`);
    });
    return texts.length === 0 ? [] : [`${texts.join(', ')}: true when planned, compared again before each change`];
  }

  /** The fields that are sent, if all rows are cards and send the same. */
  sharedBody(): JsonObject | undefined {
    const [first] = this.first;
    return typeof this.#body === 'string' && first?.drift === 'checked' ? first.body : undefined;
  }
}

/** What is shown of a plan. */
export interface PlanView {
  readonly header: PlanHeader;
  readonly state: PlanState;
  /** The run on this machine that applied it. Its rows by outcome, unless its journal cannot be read. */
  readonly run?: Readonly<Record<'run' | 'startedAt', string>> & {
    readonly outcomes?: Readonly<Record<string, number>> | undefined;
  };
  readonly survey: PlanSurvey;
  readonly approvals: readonly Approval[];
  /** Signatures that do not count, and why. */
  readonly uncounted: ApprovalCheck['uncounted'];
  /** How many approvals the current profile requires; 0: none. */
  readonly demanded: number;
  readonly allRows: string;
}

/** A plan for a terminal: what, where, by whom, until when, how many, and the first rows. */
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
  const rows = planRowLines(survey.first, survey.sharedBody() !== undefined, header.operation, style);
  return `${[paint.bold(planTitle(header)), ...facts, '', ...rows, ...more].join('\n').trimEnd()}\n`;
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
  const mostFirst = [...survey.kinds].sort(([, rows], [, others]) => others - rows);
  const kinds = mostFirst.map(([kind, rows]) => `${groupThousands(rows)} ${kind}`);
  const sum = survey.balances;
  const known = sum.count === header.rows ? '' : ` (of ${groupThousands(sum.count)} of ${plural(header.rows, 'row')})`;
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['State', [state]],
    ['Run', view.run === undefined ? [] : [runText(view.run, momentText)]],
    ['At', [`${safeText(header.url)} (profile ${safeText(header.profile)})`]],
    ['From', header.source === undefined ? [] : [`${safeText(header.source)} (as the plan says)`]],
    ['Made', [`${momentText(header.createdAt)} by ${safeText(header.createdBy)}`]],
    ['Expires', [momentText(header.expiresAt)]],
    ['Approved', approvalLines(view)],
    [isChecked ? 'Status when planned' : 'Fields', kinds.length === 0 ? [] : [kinds.join(', ')]],
    ['Old values', survey.hasOld && !isChecked ? ['as the plan says: no command can read them again'] : []],
    ['Balances', sum.count === 0 ? [] : [`${sum.text()} in all${known}`]],
    ['Sends', fieldTexts(survey.sharedBody())],
    ['Expected', survey.expected(header.expect)],
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

/** What of the input is not in the plan, compared with the older file. */
function leftOutTexts({ unchanged, missing = 0, emptied = 0 }: PlanHeader): readonly string[] {
  return [
    ...(unchanged === 0 ? [] : [`${plural(unchanged, 'row')} without a change`]),
    ...(missing === 0 ? [] : [`${plural(missing, 'row')} in the older file but not in the input`]),
    ...(emptied === 0 ? [] : [`${plural(emptied, 'cell')} emptied since the older file, left unchanged`]),
  ];
}

const COMPARED = 'each card is checked again just before it is changed; a card that changed since planning is skipped';
const NOT_COMPARED = 'not possible: the service documents no way to read these, so changes by others go unnoticed';

function approvalLines({ approvals, uncounted, demanded }: Omit<PlanView, 'allRows'>): readonly string[] {
  const signed = approvals.map(({ as, key }) => `by ${safeText(as)} (${safeText(key)})`);
  const demand = demanded === 0 ? [] : [`${Math.min(approvals.length, demanded)} of ${demanded} required`];
  const lines = [...signed, ...demand, ...uncounted.map(({ text }) => safeText(text))];
  return lines.length === 0 ? ['none'] : lines;
}
