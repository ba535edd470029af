import { open, unlink } from 'node:fs/promises';
import type { Context } from '../base/context.ts';
import { Failure, usageFailure } from '../base/failure.ts';
import { writeFileAtomic } from '../base/files/atomic.ts';
import { errnoOf, ignoreErrors, ioFailure } from '../base/files/io-failure.ts';
import { freeNameBeside } from '../base/files/new-file.ts';
import { outside } from '../base/json/outside-text.ts';
import { markdownCode, plainText } from '../runs/report/plain-text.ts';
import { csvLine } from '../screen/csv.ts';
import { displayWidth, padText } from '../screen/cut-text.ts';
import { guardCell } from '../screen/formula-guard.ts';
import { localTime, outcomeWords, shortEntry } from '../screen/people-text.ts';
import { plural, safeText } from '../screen/text.ts';
import { nounOf } from '../service/api/operation.ts';
import { type DeskLog, type DeskWrite, isOpen } from './desk-log.ts';
import { clockTime, endedWords } from './screen.ts';

const HEADERS = ['time', 'reference', 'card', 'what', 'how it ended', 'new card', 'reason'];

/** Characters of an ID on the screen. Files have it whole, and the names of entries. */
const SHOWN_ID_LENGTH = 8;

/** Each change once: open and unsent ones first, then the others, oldest first. */
function inOrder(writes: readonly DeskWrite[]): readonly DeskWrite[] {
  const isUndone = (write: DeskWrite) => isOpen(write) || write.callOutcome?.outcome === 'not_sent';
  return [...writes.filter(isUndone), ...writes.filter((write) => !isUndone(write))];
}

/** A change in the list. `time`: how its time is written. */
function cellsOf(
  log: DeskLog,
  write: DeskWrite,
  time: (timeMs: number) => string,
  idLength?: number,
): readonly string[] {
  const { operation, cardId, callOutcome, resolved, reason = '', entry } = write;
  const reference = log.known(cardId)?.reference ?? '';
  const made = resolved?.resultId ?? callOutcome?.resultId ?? '';
  const name = isOpen(write) && entry !== '' ? ` (entry ${idLength === undefined ? entry : shortEntry(entry)})` : '';
  const ended = `${endedWords(write)}${name}`;
  return [time(write.timeMs), reference, cardId.slice(0, idLength), nounOf(operation), ended, made, reason];
}

/** Columns with text from outside. How a change ended quotes it already. */
const FROM_OUTSIDE = new Set(['reference', 'new card', 'reason']);

function toldCell(cell: string, at: number): string {
  return cell !== '' && FROM_OUTSIDE.has(HEADERS[at] ?? '') ? outside(safeText(cell)) : safeText(cell);
}

function checksText(log: DeskLog): string {
  return `${plural(log.checkedCards, 'card was', 'cards were')} looked at.`;
}

/** `1 rejected, 2 applied`, in the order of the list. */
function countsText({ writes }: DeskLog): string {
  const ends = inOrder(writes).map(({ resolved, callOutcome }) =>
    outcomeWords(resolved?.as ?? callOutcome?.outcome ?? 'unknown'),
  );
  const counts = [...new Set(ends)].map((words) => `${ends.filter((each) => each === words).length} ${words}`);
  return counts.join(', ') || 'no changes';
}

/** The session as a list for a colleague, with line ends. */
export function handOverText(log: DeskLog, where: string, now: number): string {
  const rows = inOrder(log.writes).map((write) =>
    cellsOf(log, write, (timeMs) => clockTime(timeMs, now), SHOWN_ID_LENGTH).map(toldCell),
  );
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => displayWidth(row[column] ?? ''))));
  const lines = rows.map(([time = '', reference = '', card = '', what = '', ended = '', made = '', reason = '']) => {
    const begin = [time, reference, card, what].map((cell, column) => padText(cell, widths[column] ?? 0)).join('  ');
    return `  ${begin}  ${ended}${made === '' ? '' : `, new card ${made}`}${reason === '' ? '' : `, reason: ${reason}`}\n`;
  });
  return `This session (${where}): ${countsText(log)}\n${lines.join('')}${checksText(log)}\n`;
}

function csvText(log: DeskLog): string {
  const iso = (timeMs: number) => {
    const [day = '', clock = ''] = localTime(new Date(timeMs).toISOString()).split(' ');
    return `${day}T${clock.replace('Z', '+00').replace(/([+-]\d\d)$/, '$1:00')}`;
  };
  const rows = inOrder(log.writes).map((write) => cellsOf(log, write, iso));
  return [HEADERS, ...rows].map((cells) => csvLine(cells.map(guardCell))).join('');
}

function markdownText(log: DeskLog, where: string, now: number): string {
  const cell = (text: string) => markdownCode(plainText(text), '|');
  const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |\n`;
  const rows = inOrder(log.writes).map((write) => row(cellsOf(log, write, (timeMs) => clockTime(timeMs, now))));
  return `# Desk session, ${cell(where)}\n\n| ${HEADERS.join(' | ')} |\n|${' --- |'.repeat(HEADERS.length)}\n${rows.join('')}\n${checksText(log)}\n`;
}

/** The file of `--report`: made at the start, and rewritten after each change. */
export type ReportFile = Awaited<ReturnType<typeof createReport>>;

/** USAGE if the file exists, or its name says no format. LOCAL_IO if it cannot be made. */
export async function createReport(path: string, log: DeskLog, where: string, context: Pick<Context, 'clock' | 'pid'>) {
  const { clock, pid } = context;
  const ending = /\.(csv|md|markdown)$/i.exec(path)?.[1]?.toLowerCase();
  if (ending === undefined)
    throw usageFailure([{ where: '--report', problem: `${path} ends neither in .csv nor in .md` }]);
  try {
    const file = await open(path, 'wx', 0o600);
    await file.chmod(0o600);
    await file.close();
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw ioFailure(`--report: cannot create ${path}`, error, 'unsent');
    const free = freeNameBeside(path);
    throw usageFailure(
      [{ where: '--report', problem: `${path} exists, and a report never overwrites a file` }],
      free === undefined ? [] : [`give a name that is free, such as ${free}`],
    );
  }
  const report = {
    /** Why the file is not current; undefined if it is. */
    failure: undefined as Failure | undefined,
    /** Writes the current list. Returns a failure the first time, to be reported at once. */
    async update(): Promise<Failure | undefined> {
      try {
        const text = ending === 'csv' ? csvText(log) : markdownText(log, where, clock.now());
        await writeFileAtomic(path, text, { pid, what: 'the report' });
        report.failure = undefined;
        return undefined;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const isNews = report.failure === undefined;
        // How the recorded change ended is another matter.
        const attempted = `save the report ${path}`;
        report.failure = new Failure('LOCAL_IO', error.attempted === attempted ? error.problem : error.statement, {
          attempted,
          hints: ['keep the list that is printed when you leave'],
          cause: error,
        });
        return isNews ? report.failure : undefined;
      }
    },
  };
  const failure = await report.update();
  if (failure === undefined) return report;
  await ignoreErrors(unlink(path));
  throw failure.but({ after: 'unsent', hints: [] });
}
