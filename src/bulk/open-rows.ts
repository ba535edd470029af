import { statSync } from 'node:fs';
import { isOnceOnly, type Operation } from '../api/operation.ts';
import {
  digesterOf,
  fieldsOf,
  needsRecords,
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
import { ifPossible } from '../files/io-failure.ts';
import { historyPath, sandboxResetTime } from '../history/history-file.ts';
import type { OpenWrite } from '../history/open-index-file.ts';
import type { InputOptions } from '../input/records/findings.ts';
import { textAt } from '../json/value.ts';
import { commandWords, localTime, shortEntry } from '../output/people-text.ts';
import { breakLine, groupThousands, plural, safeText } from '../output/text.ts';
import type { Row } from '../rows/row.ts';
import type { AboutRow, RowResult } from '../run/row-outcome.ts';
import { type RunHeader, readRunHeader, runFolder } from '../run/stored/run-folder.ts';
import { showRun } from '../run/stored/run-list.ts';
import type { Session } from '../session.ts';
import { portsOf } from './run.ts';
import { MAY_BE_APPLIED } from './run-input.ts';

/** If the records cannot be read, rows that need them are not sent. For others it is reported. */
async function recordsFor(session: Session, operation: Operation, run: RunHeader | undefined) {
  try {
    return await openRecords(session, run?.run);
  } catch (error) {
    if (!(error instanceof Failure) || needsRecords(operation, error)) throw error;
    await sayUnread(session, error);
    return undefined;
  }
}

/** Returns whether other processes wrote to the history since the last call. Checks once per turn of the event loop. */
function watchHistory({ places: { stateDir = '' } }: Session): () => boolean {
  // Reading it says why it cannot be checked.
  const stateOf = (): string => {
    const facts = ifPossible(() => statSync(historyPath(stateDir)));
    return `${facts?.ino} ${facts?.size}`;
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

/**
 * What rows of an operation need to know of the open writes of this machine. `run`: its own open rows are left to its
 * resume. LOCAL_IO or AUTH if the records cannot be read.
 */
export async function openRowsOf(session: Session, operation: Operation, run?: RunHeader) {
  const own = `${run?.run ?? ''}:`;
  const hasNews = watchHistory(session);
  const look = async () => {
    const { open = [] } = (await recordsFor(session, operation, run)) ?? {};
    return openAt(session, { open: open.filter(({ entry }) => !entry.startsWith(own)) }, operation);
  };
  let found = await look();
  let looking: Promise<void> | undefined;
  /** Reads the records again if there is something new; undefined if not. */
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
  const ended = async ({ row, callOutcome }: RowResult<Row>): Promise<void> => {
    const { body } = row;
    // After a card check the time of the request is missing: then only writes older than the run are superseded.
    const begunMs = callOutcome.sentAtMs ?? Date.parse(run?.startedAt ?? '');
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
    /** What the journal keeps of a row, to find it among open writes later. */
    aboutOf: ({ body }: Row): AboutRow => ({
      reason: textAt(body, 'reason'),
      fields: fieldsOf({ operation, body }),
      digest: digest?.(body),
    }),
    /** The open write that a row would repeat, also if another process left it open meanwhile; undefined: none. */
    async repeatedBy(row: Row): Promise<OpenWrite | undefined> {
      await lookAgain();
      return found.isEmpty ? undefined : found.repeatedBy(operation, subjectOf(row)).at(-1);
    },
    /** All open writes to the subject of a row, oldest first. */
    to: (row: Row): readonly OpenWrite[] => (found.isEmpty ? [] : found.to(subjectOf(row))),
    /** Called for each row that ended: one that was done supersedes open writes. */
    ended:
      isOnceOnly(operation) || run === undefined
        ? undefined
        : (result: RowResult<Row>): Promise<void> | undefined => {
            if (!isDone(result.callOutcome.outcome)) return undefined;
            return lookAgain() === undefined && found.isEmpty ? undefined : ended(result);
          },
  };
}

/** A check for the rows of a plan: those that would repeat an open write are faults. Undefined if none can. */
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

/** Most open writes that a question names. */
const MAX_NAMED = 10;

/** Says on stderr, before a question, which open writes the rows are about. */
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

/** What a run is about to send, to compare with earlier runs. */
interface Sending {
  readonly operation: Operation;
  /** Digest of IDs and bodies in their order. */
  readonly rowsSha256: string;
  /** `1/4`; null: all rows. */
  readonly shard: string | null;
  /** The run that it resumes, if any. */
  readonly name: string | undefined;
  readonly isAgain: boolean;
}

/** The newest earlier run that did something with the same rows at the same place, with its counts in words. */
async function earlierRun(session: Session, { operation, rowsSha256, shard, name }: Sending) {
  const { stateDir } = session.places;
  if (stateDir === undefined) return undefined;
  const host = session.placeOf(operation.family);
  const { profile } = session;
  const resetAt = profile.isSandbox ? sandboxResetTime(stateDir) : undefined;
  const found: RunHeader[] = [];
  const unlessNeeded = (error: unknown): undefined => {
    // Otherwise the look-up of open writes, or a list of runs, reports it.
    if (!(error instanceof Failure) || needsRecords(operation, error)) throw error;
  };
  const records = await openRecords(session).catch(unlessNeeded);
  for (const run of records?.runsOf(rowsSha256) ?? []) {
    if (run === name) continue;
    const header = await readRunHeader(runFolder(stateDir, run), true).catch(unlessNeeded);
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
 * Checks whether an earlier run sent the same rows to the same place. For reissues and events, which would be made
 * twice, the question says so first, and without a question the run is refused (17). For others it is a notice.
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
