import { OUTCOMES } from '../failure.ts';
import { formatDuration, groupThousands, plural } from '../output/text.ts';
import type { OutcomeCounts } from '../run/journal/record.ts';
import { OUTCOME_NAMES } from '../run/run-tally.ts';
import { escapeMarkup } from './plain-text.ts';
import { DURATION_BOUNDS_MS, type Durations, type PaceStep } from './run-timeline.ts';

// Widths are percentages and heights pixels, and there is no viewBox: so a picture fills a phone or a sheet of paper
// without its text becoming small or large.

/** `title`: what the picture says, for those who do not see it. */
function svg(id: string, title: string, height: number, shapes: readonly string[]): string {
  return `<svg role="img" aria-labelledby="${id}" width="100%" height="${height}"><title id="${id}">${escapeMarkup(title)}</title>${shapes.join('')}</svg>`;
}

const percent = (part: number): string => `${(100 * part).toFixed(2)}%`;

function rect(className: string, place: { x: number; y: number; width: number; height: number }): string {
  const { x, y, width, height } = place;
  return `<rect class="${className}" x="${percent(x)}" y="${y.toFixed(1)}" width="${percent(width)}" height="${height.toFixed(1)}"/>`;
}

function label(text: string, y: number, align: 'start' | 'end'): string {
  return `<text x="${align === 'start' ? '0' : '100%'}" y="${y}" text-anchor="${align}">${escapeMarkup(text)}</text>`;
}

/** The least share of the bar that can still be seen. */
const LEAST_SHARE = 0.012;

/** Outcomes as one bar, divided by their shares. */
export function outcomeBar(outcomes: OutcomeCounts): string {
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
  const words = present.map((o) => `${groupThousands(outcomes[o] ?? 0)} ${OUTCOME_NAMES[o]}`);
  return svg('outcome-picture', `Outcomes: ${words.join(', ')}`, 28, shapes);
}

const PACE_HEIGHT = 120;
const PACE_TOP = 22;
const LEAST_HEIGHT = 2;

/** How many rows a second ended over the working time. */
export function pacePicture(steps: readonly PaceStep[], workMs: number): string {
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
    `<rect class="line" x="0" y="${bottom}" width="100%" height="1"/>`,
    label('0', bottom + 18, 'start'),
    label(formatDuration(workMs), bottom + 18, 'end'),
  ]);
}

const CLASS_HEIGHT = 34;

/** How long the answered rows took, in classes. */
export function durationPicture({ counts, rows, medianMs, p95Ms }: Durations): string {
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
