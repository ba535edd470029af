import type { Operation } from '../api/operation.ts';
import { isOnceOnly } from '../api/operation.ts';
import {
  digesterOf,
  fieldsOf,
  openAt,
  openLine,
  openRecords,
  placeTakenBy,
  recordSuperseded,
  repeatText,
  sayUnread,
} from '../call/open-guard.ts';
import { isDone } from '../call-outcome.ts';
import { Failure } from '../failure.ts';
import type { OpenRecords } from '../history/open-index.ts';
import type { OpenWrite } from '../history/open-index-file.ts';
import type { InputOptions } from '../input/records/input-options.ts';
import { textAt } from '../json/value.ts';
import { breakLine } from '../output/line-break.ts';
import { shortEntry } from '../output/people-text.ts';
import { plural } from '../output/safe-text.ts';
import type { Row } from '../rows/row.ts';
import type { AboutRow, RowResult } from '../run/row-outcome.ts';
import type { RunHeader } from '../run/stored/run-folder.ts';
import type { Session } from '../session.ts';

/** What the open writes of this machine mean for the rows of one operation. */
export interface OpenRows {
  /** What the journal keeps of a row, so that it can be found among the open writes later. */
  aboutOf(row: Row): AboutRow;
  /** The open write that a row would repeat: undefined, there is none. */
  repeatedBy(row: Row): OpenWrite | undefined;
  /** All that are open of what a row is about, oldest first. */
  to(row: Row): readonly OpenWrite[];
  /** Hears of a row that ended: one that was done takes the place of open ones. */
  readonly ended: ((result: RowResult<Row>) => Promise<void> | undefined) | undefined;
}

/** Where the records cannot be read, rows that make another card or event are not sent; for others that is reported. */
async function recordsFor(session: Session, operation: Operation): Promise<OpenRecords | undefined> {
  try {
    return await openRecords(session);
  } catch (error) {
    if (!(error instanceof Failure) || isOnceOnly(operation)) throw error;
    await sayUnread(session, error);
    return undefined;
  }
}

/** `run`: the one whose rows they are; its own open rows are its resume's concern. LOCAL_IO or AUTH: not to be read. */
export async function openRowsOf(session: Session, operation: Operation, run?: RunHeader): Promise<OpenRows> {
  const records = await recordsFor(session, operation);
  const own = `${run?.run ?? ''}:`;
  const open = (records?.open ?? []).filter(({ entry }) => !entry.startsWith(own));
  const found = openAt(session, { open }, operation);
  const digest = await digesterOf(session, operation);
  const subjectOf = ({ id, body }: Row) => ({ id, digest: digest?.(body) });
  const ended = async ({ row, ending }: RowResult<Row>, earlier: readonly OpenWrite[]): Promise<void> => {
    const { body } = row;
    // Of one that a read settled the time is not at hand: then only what was open before the run is known to be older.
    const begunMs = ending.sentAtMs ?? Date.parse(run?.startedAt ?? '');
    const done = { operation, params: {}, body, entry: `${own}${row.row}`, begunMs };
    await recordSuperseded(session, placeTakenBy(earlier, done), done.entry).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return sayUnread(session, error);
    });
  };
  const takesPlaces = !found.isEmpty && !isOnceOnly(operation) && run !== undefined;
  return {
    aboutOf: ({ body }) => ({
      reason: textAt(body, 'reason'),
      fields: fieldsOf({ operation, body }),
      digest: digest?.(body),
    }),
    repeatedBy: (row) => (found.isEmpty ? undefined : found.repeatedBy(operation, subjectOf(row)).at(-1)),
    to: (row) => (found.isEmpty ? [] : found.to(subjectOf(row))),
    ended: takesPlaces
      ? (result) => {
          const earlier = isDone(result.ending.outcome) ? found.to(subjectOf(result.row)) : [];
          return earlier.length === 0 ? undefined : ended(result, earlier);
        }
      : undefined,
  };
}

/** The rows of a plan held against the open writes: those that would repeat one are faults. Undefined: none can. */
export async function openCheck(session: Session, operation: Operation): Promise<InputOptions['checkRows']> {
  if (!isOnceOnly(operation)) return undefined;
  const open = await openRowsOf(session, operation);
  return async (good) =>
    good.map(({ row }) => {
      const repeated = open.repeatedBy(row);
      if (repeated === undefined) return undefined;
      return { field: Object.keys(operation.params.shape)[0] ?? 'name', problem: `${repeatText(repeated)} (--again)` };
    });
}

/** So many open writes a question names. */
const MAX_NAMED = 10;

/** Says on stderr, before a question about rows, what is open of what they are about. */
export async function sayOpenRows(session: Session, operation: Operation, rows: AsyncIterable<readonly Row[]>) {
  const open = await openRowsOf(session, operation);
  const lines: string[] = [];
  let more = 0;
  for await (const piece of rows) {
    for (const row of piece) {
      for (const each of open.to(row)) {
        if (lines.length < MAX_NAMED) lines.push(`row ${row.row}: ${row.id ?? 'event'}: ${openLine(each, shortEntry)}`);
        else more += 1;
      }
    }
  }
  if (more > 0) lines.push(`and ${plural(more, 'open write')} more: frontdesk history --open`);
  const { stderr } = session.context;
  const shown = lines.flatMap((line) => breakLine(`  ${line}`, stderr.columns));
  if (shown.length > 0) await stderr.write(`${shown.join('\n')}\n`);
}
