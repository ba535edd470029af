import { statSync } from 'node:fs';
import { isOnceOnly, type Operation } from '../api/operation.ts';
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
import { Failure, note } from '../failure.ts';
import { historyPath } from '../history/history-file.ts';
import type { OpenRecords } from '../history/open-index.ts';
import type { OpenWrite } from '../history/open-index-file.ts';
import { sandboxResetTime } from '../history/sandbox-reset.ts';
import type { InputOptions } from '../input/records/findings.ts';
import { textAt } from '../json/value.ts';
import { commandWords, localTime, shortEntry } from '../output/people-text.ts';
import { breakLine, groupThousands, plural, safeText } from '../output/text.ts';
import type { Row } from '../rows/row.ts';
import type { AboutRow, RowResult } from '../run/row-outcome.ts';
import { type RunHeader, readRunHeader, runFolder } from '../run/stored/run-folder.ts';
import { showRun } from '../run/stored/run-list.ts';
import type { Session } from '../session.ts';
import { placeOf } from './row-requests.ts';
import { portsOf } from './run.ts';
import { MAY_BE_APPLIED } from './run-input.ts';

/** What the open writes of this machine mean for the rows of one operation. */
export interface OpenRows {
  /** What the journal keeps of a row, so that it can be found among the open writes later. */
  aboutOf(row: Row): AboutRow;
  /** The open write that a row would repeat, also one that another process left open meanwhile; undefined: there is none. */
  repeatedBy(row: Row): Promise<OpenWrite | undefined>;
  /** All that are open of what a row is about, oldest first. */
  to(row: Row): readonly OpenWrite[];
  /** Hears of a row that ended: one that was done takes the place of open ones. */
  readonly ended: ((result: RowResult<Row>) => Promise<void> | undefined) | undefined;
}

/** Where the records cannot be read, rows that make another card or event are not sent; for others that is reported. */
async function recordsFor(
  session: Session,
  operation: Operation,
  run: RunHeader | undefined,
): Promise<OpenRecords | undefined> {
  try {
    return await openRecords(session, run?.run);
  } catch (error) {
    if (!(error instanceof Failure) || isOnceOnly(operation)) throw error;
    await sayUnread(session, error);
    return undefined;
  }
}

/** Tells whether other processes wrote to the history since it was asked last; it looks once in a turn of the event loop. */
function watchHistory({ places: { stateDir = '' } }: Session): () => boolean {
  const stateOf = (): string => {
    try {
      const facts = statSync(historyPath(stateDir), { throwIfNoEntry: false });
      return `${facts?.ino} ${facts?.size}`;
    } catch {
      // Whoever reads it says why it cannot be.
      return '';
    }
  };
  let known = stateOf();
  let isAsked = false;
  return () => {
    if (isAsked) return false;
    isAsked = true;
    setImmediate(() => {
      isAsked = false;
    });
    const before = known;
    known = stateOf();
    return known !== before;
  };
}

/** `run`: the one whose rows they are; its own open rows are its resume's concern. LOCAL_IO or AUTH: not to be read. */
export async function openRowsOf(session: Session, operation: Operation, run?: RunHeader): Promise<OpenRows> {
  const own = `${run?.run ?? ''}:`;
  const hasNews = watchHistory(session);
  const look = async () => {
    const { open = [] } = (await recordsFor(session, operation, run)) ?? {};
    return openAt(session, { open: open.filter(({ entry }) => !entry.startsWith(own)) }, operation);
  };
  let found = await look();
  let looking: Promise<void> | undefined;
  /** Looks again where there is something new; undefined: what was found holds. */
  const lookAgain = (): Promise<void> | undefined => {
    if (!hasNews()) return looking;
    const now = look()
      .then((again) => {
        found = again;
      })
      .finally(() => {
        if (looking === now) looking = undefined;
      });
    looking = now;
    return now;
  };
  const digest = await digesterOf(session, operation);
  const subjectOf = ({ id, body }: Row) => ({ id, digest: digest?.(body) });
  const ended = async ({ row, ending }: RowResult<Row>): Promise<void> => {
    const { body } = row;
    // Of one that a read settled the time is not at hand: then only what was open before the run is known to be older.
    const begunMs = ending.sentAtMs ?? Date.parse(run?.startedAt ?? '');
    const done = { operation, params: {}, body, entry: `${own}${row.row}`, begunMs };
    try {
      await lookAgain();
      await recordSuperseded(session, placeTakenBy(found.to(subjectOf(row)), done), done.entry);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      await sayUnread(session, error);
    }
  };
  return {
    aboutOf: ({ body }) => ({
      reason: textAt(body, 'reason'),
      fields: fieldsOf({ operation, body }),
      digest: digest?.(body),
    }),
    async repeatedBy(row) {
      await lookAgain();
      return found.isEmpty ? undefined : found.repeatedBy(operation, subjectOf(row)).at(-1);
    },
    to: (row) => (found.isEmpty ? [] : found.to(subjectOf(row))),
    ended:
      isOnceOnly(operation) || run === undefined
        ? undefined
        : (result) => {
            if (!isDone(result.ending.outcome)) return undefined;
            return lookAgain() === undefined && found.isEmpty ? undefined : ended(result);
          },
  };
}

/** The rows of a plan held against the open writes: those that would repeat one are faults. Undefined: none can. */
export async function openCheck(session: Session, operation: Operation): Promise<InputOptions['checkRows']> {
  if (!isOnceOnly(operation)) return undefined;
  const open = await openRowsOf(session, operation);
  const field = Object.keys(operation.params.shape)[0] ?? 'name';
  return (good) =>
    Promise.all(
      good.map(async ({ row }) => {
        const repeated = await open.repeatedBy(row);
        return repeated === undefined ? undefined : { field, problem: `${repeatText(repeated)} (--again)` };
      }),
    );
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

/** What a run is about to send, as far as an earlier one may have sent the same. */
interface Sending {
  readonly operation: Operation;
  /** Of the ids and bodies in their order. */
  readonly rowsSha256: string;
  /** `1/4`; null: all rows. */
  readonly shard: string | null;
  /** The run that it resumes, if there is one. */
  readonly name: string | undefined;
  readonly isAgain: boolean;
}

/** The newest earlier run that did something with the same rows at the same place; its counts as words. */
async function earlierRun(session: Session, { operation, rowsSha256, shard, name }: Sending) {
  const { stateDir } = session.places;
  if (stateDir === undefined) return undefined;
  const host = placeOf(session, operation);
  const { profile } = session;
  const resetAt = profile.isSandbox ? sandboxResetTime(stateDir) : undefined;
  const found: RunHeader[] = [];
  const records = await openRecords(session).catch((error: unknown) => {
    // What makes nothing anew is reported where its open writes are looked for.
    if (!(error instanceof Failure) || isOnceOnly(operation)) throw error;
    return undefined;
  });
  for (const run of records?.runsOf(rowsSha256) ?? []) {
    if (run === name) continue;
    // A run that cannot be read is reported where it is listed.
    const header = await readRunHeader(runFolder(stateDir, run), true).catch(() => undefined);
    const isSame =
      header?.rowsSha256 === rowsSha256 &&
      header.operation === operation.command &&
      header.host === host &&
      header.profile === profile.name &&
      (header.options['shard'] ?? null) === shard;
    if (isSame && (resetAt === undefined || header.startedAt > resetAt)) found.push(header);
  }
  found.sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
  for (const { run, startedAt } of found) {
    const { state, outcomes = {} } = await showRun(portsOf(session), run);
    const counts = [...MAY_BE_APPLIED].flatMap((outcome) => {
      const rows = outcomes[outcome] ?? 0;
      return rows === 0 ? [] : [`${groupThousands(rows)} ${outcome.replaceAll('_', ' ')}`];
    });
    if (counts.length > 0) return { run, startedAt, state, counts: counts.join(', ') };
  }
  return undefined;
}

/**
 * Looks whether an earlier run sent the same rows (ids and bodies in their order) to the same place. Of reissues and
 * events that would make everything twice: a question says it first, and where none is asked the run is refused (17).
 * For other operations it is a notice.
 */
export async function sayOrRefuseSameInput(session: Session, sending: Sending): Promise<void> {
  const { operation, isAgain } = sending;
  const earlier = await earlierRun(session, sending);
  if (earlier === undefined) return;
  const { run, startedAt, state, counts } = earlier;
  const what = `run ${run} sent the same rows on ${localTime(startedAt)} (${counts})`;
  if (!isOnceOnly(operation)) return session.notify(note('SAME_INPUT', what));
  if (isAgain) return;
  if (session.common.yes !== true && session.prompt.available) {
    const text = `SENT BEFORE: ${safeText(commandWords(operation.command))}: ${what}`;
    const lines = breakLine(`  ${text}`, session.context.stderr.columns);
    return session.context.stderr.write(`${lines.join('\n')}\n`);
  }
  const goesOn = state === 'stopped' || state === 'interrupted';
  throw Failure.unsent('PRECONDITION', `${what}, and this would make all of them again`, {
    hints: [
      goesOn ? `resume it: frontdesk runs resume ${run}` : `see its rows: frontdesk runs results ${run}`,
      'add --again to send them anyway',
    ],
    details: { outcome: 'not_sent' },
  });
}
