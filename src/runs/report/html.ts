import { createHash } from 'node:crypto';
import { OUTCOMES } from '../../base/failure.ts';
import type { OutcomeCounts } from '../../records/journal/record.ts';
import { commandWords, outcomeWords } from '../../screen/people-text.ts';
import { formatDuration, groupThousands, plural } from '../../screen/text.ts';
import { causeOf } from '../run-tally.ts';
import { escapeMarkup, plainCause, plainText } from './plain-text.ts';
import { countRows, factList, headline, isGood, type ReportedRow, type RunFacts, remarks, utc } from './run-facts.ts';
import { DURATION_BOUNDS_MS, type Durations, type PaceStep } from './run-timeline.ts';
import { FILLS, STYLE } from './style.ts';

const text = (value: string): string => escapeMarkup(plainText(value));
const causeText = (value: string): string => escapeMarkup(plainCause(value));

/**
 * Rows that did not succeed, up to 1,000 and the limit of the document: unknown outcomes first, because the user must
 * act on them, then the others, each in input order.
 */
export class ListedRows {
  readonly #unknown: string[] = [];
  readonly #others: string[] = [];
  #all = 0;
  hasRuns = false;

  add(row: ReportedRow): void {
    if (causeOf(row.callOutcome) === undefined) return;
    this.#all += 1;
    this.hasRuns ||= row.run !== undefined;
    const lines = row.callOutcome.outcome === 'unknown' ? this.#unknown : this.#others;
    if (lines.length < MAX_ROWS) lines.push(rowLine(row));
  }

  list(): { readonly lines: readonly string[]; readonly more: number } {
    let bytes = 0;
    const lines = [...this.#unknown, ...this.#others].slice(0, MAX_ROWS).filter((line) => {
      bytes += Buffer.byteLength(line);
      return bytes <= MAX_ROWS_BYTES;
    });
    return { lines, more: this.#all - lines.length };
  }
}

const MAX_ROWS = 1000;
/** With all else, the document stays under 1 MiB. */
const MAX_ROWS_BYTES = 700_000;

function rowLine({ row, id, callOutcome, timeMs, run }: ReportedRow): string {
  const { outcome, httpStatus } = callOutcome;
  const cells = [
    `<td class="number">${row}</td>`,
    `<td class="id"><code>${text(id ?? '')}</code></td>`,
    `<td>${outcomeWords(outcome)}</td>`,
    `<td class="number">${httpStatus ?? ''}</td>`,
    `<td class="cause">${causeText(causeWords(callOutcome))}</td>`,
    `<td class="time">${timeMs === undefined ? '' : utc(timeMs).slice(0, -4)}</td>`,
    ...(run === undefined ? [] : [`<td><code>${text(run)}</code></td>`]),
  ];
  return `<tr>${cells.join('')}</tr>\n`;
}

/** What frontdesk knows of a cause in words, and the code behind it. The service's own words may name a customer. */
function causeWords(callOutcome: ReportedRow['callOutcome']): string {
  const { code, httpStatus, outcome } = callOutcome;
  const cause = causeOf(callOutcome) ?? '';
  const words = outcome === 'unknown' && httpStatus === undefined ? 'no response' : CODE_WORDS[code ?? ''];
  return words === undefined ? cause : `${words} (${cause})`;
}

const CODE_WORDS: Readonly<Record<string, string>> = {
  NOT_FOUND: 'not found',
  PRECONDITION: 'not as expected',
  UNREACHABLE: 'could not connect',
};

interface Table {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, kind?: 'number' | 'cause'])[];
  readonly rows: readonly string[];
  readonly isSmall?: boolean;
}

/** A table that scrolls in a narrow window, also by keyboard. */
function table({ name, columns, rows, isSmall = false }: Table): string {
  const head = columns.map(([column, kind]) => {
    return `<th scope="col"${kind === undefined ? '' : ` class="${kind}"`}>${column}</th>`;
  });
  const kind = isSmall ? 'wide small' : 'wide';
  return `<div class="${kind}" role="region" tabindex="0" aria-label="${name}"><table><thead><tr>${head.join('')}</tr></thead><tbody>\n${rows.join('')}</tbody></table></div>\n`;
}

function outcomeSection(facts: RunFacts): string {
  const all = countRows(facts);
  if (all === 0) return '';
  const rows = OUTCOMES.flatMap((outcome) => {
    const words = outcomeWords(outcome);
    const count = facts.outcomes[outcome] ?? 0;
    const key = `<svg class="key" width="12" height="12" aria-hidden="true"><title>${words}</title><rect ${filled(outcome)} width="100%" height="100%"/></svg>`;
    const share = `${((100 * count) / all).toFixed(1)} %`;
    const cells = `<td class="number">${groupThousands(count)}</td><td class="number">${share}</td>`;
    return count === 0 ? [] : [`<tr><th scope="row">${key}${words}</th>${cells}</tr>\n`];
  });
  const columns = [['Outcome'], ['Rows', 'number'], ['Share', 'number']] as const;
  return `<section><h2>Outcomes</h2>\n${outcomeBar(facts.outcomes)}\n${table({ name: 'Outcomes', columns, rows, isSmall: true })}</section>\n`;
}

function causeSection({ causes }: RunFacts): string {
  if (causes.length === 0) return '';
  const rows = causes.map(({ outcome, name, rows: count }) => {
    return `<tr><th scope="row">${outcomeWords(outcome)}</th><td class="number">${groupThousands(count)}</td><td class="cause">${causeText(name)}</td></tr>\n`;
  });
  return `<section><h2>Causes</h2>\n${table({ name: 'Causes', columns: [['Outcome'], ['Rows', 'number'], ['Cause', 'cause']], rows, isSmall: true })}</section>\n`;
}

function timeSection({ timeline }: RunFacts): string {
  const [pace, durations] = [timeline.pace(), timeline.durations()];
  if (pace.length === 0) return '';
  const times =
    durations === undefined
      ? ''
      : `<h3>Response times</h3>\n<p>Of ${plural(durations.rows, 'row')} that ${durations.rows === 1 ? 'was' : 'were'} answered, half took at most about ${formatDuration(durations.medianMs)} and 95 of 100 at most about ${formatDuration(durations.p95Ms)}; the slowest took ${formatDuration(durations.maxMs)}. Retries and waits are included.</p>\n${durationPicture(durations)}\n`;
  return `<section><h2>Pace</h2>\n<h3>Rows a second</h3>\n${pacePicture(pace, timeline.workMs)}\n${times}</section>\n`;
}

function rowSection(rows: ListedRows): string {
  const { lines, more } = rows.list();
  if (lines.length === 0) return '';
  const columns = [['Row', 'number'], ['Id'], ['Outcome'], ['HTTP', 'number'], ['Cause'], ['Time (UTC)']] as const;
  const all = rows.hasRuns ? [...columns, ['Run'] as const] : columns;
  const rest = more === 0 ? '' : `<p class="note">And ${plural(more, 'row')} more.</p>\n`;
  return `<section><h2>Rows that did not succeed</h2>\n${table({ name: 'Rows that did not succeed', columns: all, rows: lines })}${rest}</section>\n`;
}

function commandSection({ commands }: RunFacts): string {
  if (commands.length === 0) return '';
  const lines = commands.map(
    ({ purpose, line }) => `<p>${purpose}:</p>\n<pre tabindex="0"><code>${text(line)}</code></pre>\n`,
  );
  return `<section><h2>Next</h2>\n${lines.join('')}</section>\n`;
}

function head(facts: RunFacts): string {
  const style = createHash('sha256').update(STYLE).digest('base64');
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8"/>',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${style}'"/>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    '<meta name="referrer" content="no-referrer"/>',
    `<title>${text(commandWords(facts.header.operation))}: ${headline(facts)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
  ].join('\n');
}

/** A run as one well-formed HTML file without scripts or references, under 1 MiB. `rows` got every row. */
export function htmlReport(facts: RunFacts, rows: ListedRows): string {
  const notes = remarks(facts).map((note) => `<p>${escapeMarkup(note)}</p>\n`);
  const known = factList(facts).map(([question, answer]) => `<dt>${question}</dt><dd>${text(answer)}</dd>\n`);
  return `${head(facts)}
<body${isGood(facts) ? ' class="good"' : ''}>
<header>
<p class="kind">${text(commandWords(facts.header.operation))} · run ${text(facts.header.run)}</p>
<h1>${headline(facts)}</h1>
${notes.join('')}</header>
<main>
${rowSection(rows)}${commandSection(facts)}${outcomeSection(facts)}${causeSection(facts)}<section><h2>The run</h2>
<dl>
${known.join('')}</dl>
</section>
${timeSection(facts)}</main>
<footer>Read from the run’s record on ${utc(facts.madeMs)}. Rows are named by number and ID only.</footer>
</body>
</html>
`;
}

// Widths are percentages, heights pixels, and there is no viewBox, so that a picture fills a phone or a sheet of paper
// without scaling its text.

/** `title`: the content in words, for those who do not see the picture. */
function svg(id: string, title: string, height: number, shapes: readonly string[]): string {
  return `<svg role="img" aria-labelledby="${id}" width="100%" height="${height}"><title id="${id}">${escapeMarkup(title)}</title>${shapes.join('')}</svg>`;
}

/** A shape's color: right without any style, which some servers drop, and overruled by it. */
function filled(className: string): string {
  return `class="${className}" fill="${FILLS[className]}"`;
}

const percent = (part: number): string => `${(100 * part).toFixed(2)}%`;

function rect(className: string, place: { x: number; y: number; width: number; height: number }): string {
  const { x, y, width, height } = place;
  return `<rect ${filled(className)} x="${percent(x)}" y="${y.toFixed(1)}" width="${percent(width)}" height="${height.toFixed(1)}"/>`;
}

function label(text: string, y: number, align: 'start' | 'end'): string {
  return `<text x="${align === 'start' ? '0' : '100%'}" y="${y}" text-anchor="${align}" fill="${FILLS['text']}" font-size="13">${escapeMarkup(text)}</text>`;
}

/** The smallest visible share of the bar. */
const LEAST_SHARE = 0.012;

function outcomeBar(outcomes: OutcomeCounts): string {
  const present = OUTCOMES.filter((outcome) => (outcomes[outcome] ?? 0) > 0);
  const all = present.reduce((sum, outcome) => sum + (outcomes[outcome] ?? 0), 0);
  const shares = present.map((outcome) => Math.max(LEAST_SHARE, (outcomes[outcome] ?? 0) / all));
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let x = 0;
  const shapes = present.map((outcome, index) => {
    const width = (shares[index] ?? 0) / whole;
    const shape = rect(outcome, { x, y: 0, width, height: 28 });
    x += width;
    return shape;
  });
  const words = present.map((o) => `${groupThousands(outcomes[o] ?? 0)} ${outcomeWords(o)}`);
  return svg('outcome-picture', `Outcomes: ${words.join(', ')}`, 28, shapes);
}

const PACE_HEIGHT = 120;
const PACE_TOP = 22;
const LEAST_HEIGHT = 2;

function pacePicture(steps: readonly PaceStep[], workMs: number): string {
  const rates = steps.map(({ rows, ms }) => (1000 * rows) / ms);
  const most = Math.max(...rates);
  const shapes = rates.flatMap((rate, index) => {
    const height = Math.max(LEAST_HEIGHT, (PACE_HEIGHT * rate) / most);
    const place = { x: index / rates.length, y: PACE_TOP + PACE_HEIGHT - height, width: 0.86 / rates.length, height };
    return rate === 0 ? [] : [rect('bar', place)];
  });
  const bottom = PACE_TOP + PACE_HEIGHT;
  const most100 = groupThousands(Math.round(most * 10) / 10);
  const title = `Rows a second over ${formatDuration(workMs)} of working time, ${most100} at most`;
  return svg('pace-picture', title, bottom + 24, [
    label(`${most100} rows a second at most`, 14, 'start'),
    ...shapes,
    `<rect ${filled('line')} x="0" y="${bottom}" width="100%" height="1"/>`,
    label('0', bottom + 18, 'start'),
    label(formatDuration(workMs), bottom + 18, 'end'),
  ]);
}

const CLASS_HEIGHT = 34;

function durationPicture({ counts, rows, medianMs, p95Ms }: Durations): string {
  const first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  const most = Math.max(...counts);
  const shapes = counts.slice(first, last + 1).flatMap((count, index) => {
    const bound = DURATION_BOUNDS_MS[first + index];
    const words = bound === undefined ? `more than ${formatDuration(30_000)}` : `up to ${formatDuration(bound)}`;
    const y = index * CLASS_HEIGHT;
    const bar = rect('bar', { x: 0, y: y + 19, width: Math.max(LEAST_SHARE, count / most), height: 8 });
    return [label(words, y + 13, 'start'), label(groupThousands(count), y + 13, 'end'), ...(count === 0 ? [] : [bar])];
  });
  const title = `Time of ${plural(rows, 'answered row')}: half within about ${formatDuration(medianMs)}, 95 of 100 within about ${formatDuration(p95Ms)}`;
  return svg('duration-picture', title, (last - first + 1) * CLASS_HEIGHT, shapes);
}
