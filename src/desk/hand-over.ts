import { open, unlink } from 'node:fs/promises';
import { nounOf } from '../api/operation.ts';
import type { Context } from '../context.ts';
import { Failure, usageFailure } from '../failure.ts';
import { writeFileAtomic } from '../files/atomic.ts';
import { errnoOf, ignoreErrors, ioFailure } from '../files/io-failure.ts';
import { csvLine } from '../output/csv.ts';
import { displayWidth, padText } from '../output/cut-text.ts';
import { guardCell } from '../output/formula-guard.ts';
import { localTime, shortEntry } from '../output/people-text.ts';
import { plural, safeText } from '../output/text.ts';
import { markdownCode, plainText } from '../report/plain-text.ts';
import { type DeskLog, type DeskWrite, isOpen } from './desk-log.ts';
import { clockTime, endedWords } from './screen.ts';

const HEADERS = ['time', 'reference', 'card', 'what', 'how it ended', 'new card', 'reason'];

/** Each change once: open and unsent ones first, then the others, oldest first. */
function inOrder(writes: readonly DeskWrite[]): readonly DeskWrite[] {
  const isUndone = (write: DeskWrite) => isOpen(write) || write.callOutcome?.outcome === 'not_sent';
  return [...writes.filter(isUndone), ...writes.filter((write) => !isUndone(write))];
}

/** A change in the list. `time`: how its time is written. */
function cellsOf(log: DeskLog, write: DeskWrite, time: (timeMs: number) => string): readonly string[] {
  const { operation, cardId, callOutcome, resolved, reason = '', entry } = write;
  const reference = log.known(cardId)?.reference ?? '';
  const made = resolved?.resultId ?? callOutcome?.resultId ?? '';
  const name = isOpen(write) && entry !== '' ? ` (entry ${shortEntry(entry)})` : '';
  const ended = `${endedWords(write)}${name}`;
  return [time(write.timeMs), reference, cardId.slice(0, 8), nounOf(operation), ended, made, reason];
}

function looksText(log: DeskLog): string {
  return `${plural(log.looks, 'card was', 'cards were')} looked at.`;
}

/** The session as a list for a colleague, with line ends. */
export function handOverText(log: DeskLog, where: string, now: number): string {
  const rows = inOrder(log.writes).map((write) =>
    cellsOf(log, write, (timeMs) => clockTime(timeMs, now)).map(safeText),
  );
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => displayWidth(row[column] ?? ''))));
  const lines = rows.map(([time = '', reference = '', card = '', what = '', ended = '', made = '', reason = '']) => {
    const begin = [time, reference, card, what].map((cell, column) => padText(cell, widths[column] ?? 0)).join('  ');
    return `  ${begin}  ${ended}${made === '' ? '' : `, new card ${made}`}${reason === '' ? '' : `, reason: ${reason}`}\n`;
  });
  return `This session (${where}): ${plural(rows.length, 'change', 'changes')}\n${lines.join('')}${looksText(log)}\n`;
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
  return `# Desk session, ${cell(where)}\n\n| ${HEADERS.join(' | ')} |\n|${' --- |'.repeat(HEADERS.length)}\n${rows.join('')}\n${looksText(log)}\n`;
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
    throw usageFailure([{ where: '--report', problem: `${path} exists, and a report never overwrites a file` }]);
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
        const { problem } = error;
        const isNamed = problem.includes(path);
        report.failure = new Failure('LOCAL_IO', isNamed ? problem : `could not save the report ${path}: ${problem}`, {
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
  throw Failure.unsent('LOCAL_IO', failure.problem, { cause: failure });
}
