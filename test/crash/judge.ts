import type { Write } from './writes.ts';

/** A row as the program printed it. */
export interface PrintedRow {
  readonly row: number;
  readonly id: string | null;
  readonly outcome: string;
  readonly resultId?: string | null;
}

/** Everything that happened to a run: what the service knows, and what the program said. */
export interface Story {
  readonly write: Write;
  /** Rows of the input. */
  readonly rows: number;
  readonly concurrency: number;
  readonly kills: number;
  /** What the service applied and gave no readable answer to. */
  readonly dropped: number;
  /** How often the service applied a row, by key. */
  applications(key: string): number;
  /** The ids that the service gave out for a row. */
  resultIds(key: string): readonly string[];
  /** What the killed processes had printed. */
  readonly earlier: readonly PrintedRow[];
  /** What the last process printed, and how it ended. */
  readonly printed: readonly PrintedRow[];
  readonly exitCode: number | null;
  /** Counts of the last process's summary. */
  readonly summary: Readonly<Record<string, number>>;
  /** What `runs results` and `history` say after that. */
  readonly stored: readonly PrintedRow[];
}

const DONE = ['applied', 'confirmed_by_read'];

/** Every breach of what a run promises (docs/faults.md K), seen from the service; none: the run kept it all. */
export function breaches(story: Story): string[] {
  return [
    ...sequenceBreaches('printed', story.printed, story),
    ...sequenceBreaches('stored', story.stored, story),
    ...story.printed.flatMap((row) => rowBreaches(row, story)),
    ...memoryBreaches(story),
    ...totalBreaches(story),
  ];
}

/** Every row exactly once, in the order of the input, with its own id. */
function sequenceBreaches(what: string, printed: readonly PrintedRow[], { rows, write }: Story): string[] {
  const numbers = printed.map((row) => row.row);
  const isWhole = numbers.length === rows && numbers.every((row, index) => row === index + 1);
  if (!isWhole) return [`lost: the rows ${what} are not 1 to ${rows} in order: ${numbers.join(' ')}`];
  return printed
    .filter(({ row, id }) => id !== write.keyOf(row))
    .map(({ row, id }) => `row ${row} is ${what} with the id ${id}`);
}

/** What the program says of one row against what the service did. */
function rowBreaches({ row, outcome, resultId }: PrintedRow, story: Story): string[] {
  const key = story.write.keyOf(row);
  const applied = story.applications(key);
  const found: string[] = [];
  if (applied > 1) found.push(`twice: row ${row} was applied ${applied} times`);
  if (DONE.includes(outcome)) {
    if (applied === 0) found.push(`lost: row ${row} is ${outcome}, and was never applied`);
  } else if (outcome === 'rejected') {
    if (applied > 0) found.push(`untold: row ${row} is rejected, and was applied`);
  } else if (outcome !== 'unknown') {
    found.push(`${applied > 0 ? 'untold' : 'lost'}: row ${row} is ${outcome} when the run has ended`);
  }
  const given = story.resultIds(key);
  if (outcome === 'applied' && given.length > 0 && !given.includes(resultId ?? '')) {
    found.push(`lost: the id in the answer of row ${row} is ${given.join(' or ')}, not ${resultId}`);
  }
  return found;
}

/** What was once said of a row stays so, whatever was killed since; every place says the same. */
function memoryBreaches({ earlier, printed, stored }: Story): string[] {
  const last = new Map(printed.map((row) => [row.row, row]));
  const found: string[] = [];
  const compare = (what: string, before: PrintedRow) => {
    const now = last.get(before.row);
    const isSame = now?.outcome === before.outcome && (now.resultId ?? null) === (before.resultId ?? null);
    if (!isSame) found.push(`row ${before.row} was ${what} ${before.outcome}, and is printed ${now?.outcome}`);
  };
  for (const row of stored) compare('stored', row);
  for (const row of earlier) {
    if (row.outcome !== 'not_sent') compare('once printed', row);
  }
  return found;
}

function totalBreaches({ printed, kills, concurrency, dropped, exitCode, summary }: Story): string[] {
  const counts: Record<string, number> = {};
  for (const { outcome } of printed) counts[outcome] = (counts[outcome] ?? 0) + 1;
  const found: string[] = [];
  const unknown = counts['unknown'] ?? 0;
  const limit = kills * concurrency + dropped;
  if (unknown > limit) found.push(`${unknown} rows are unknown, and ${limit} could be`);
  const code = unknown > 0 ? 8 : (counts['rejected'] ?? 0) > 0 ? 15 : 0;
  if (exitCode !== code) found.push(`the exit code is ${exitCode}, not ${code}`);
  for (const outcome of new Set([...Object.keys(counts), ...Object.keys(summary)])) {
    if (counts[outcome] === summary[outcome]) continue;
    found.push(`the summary counts ${summary[outcome]} ${outcome}, and ${counts[outcome]} rows are`);
  }
  return found;
}
