import { Failure, note } from '../base/failure.ts';
import { outside } from '../base/json/outside-text.ts';
import { textAt } from '../base/json/value.ts';
import { commandOf } from '../base/next-step.ts';
import type { Session } from '../command/session.ts';
import type { CallOptions } from '../input/options/call-options.ts';
import type { Row } from '../input/rows/row.ts';
import { isForgotten, type OpenWrite, watchOpen } from '../records/open-files.ts';
import type { AboutRow, RowResult } from '../records/row-outcome.ts';
import type { RunHeader } from '../records/stored/run-folder.ts';
import { showRun } from '../records/stored/run-list.ts';
import type { ActiveRun } from '../records/stored/run-store.ts';
import { runsWithRows } from '../records/stored/sent-rows.ts';
import { keyOfWrite } from '../records/write-record.ts';
import { commandWords, outcomeCounts, peopleTime, shortEntry } from '../screen/people-text.ts';
import { breakLine, plural, safeText } from '../screen/text.ts';
import { isOnceOnly, type Operation } from '../service/api/operation.ts';
import { isDone } from '../service/call-outcome.ts';
import {
  digesterOf,
  fieldsOf,
  NOTHING,
  needsRecords,
  type OpenBefore,
  openAt,
  openLine,
  openWrites,
  placeTakenBy,
  recordSuperseded,
  repeatText,
  sayUnread,
} from '../writes/open-guard.ts';
import { rowNames } from './row-names.ts';
import { portsOf, type Run } from './run.ts';
import { MAY_BE_APPLIED } from './run-input.ts';

/** If the records cannot be read, rows that need them are not sent. For others it is reported. */
async function recordsFor(session: Session, operation: Operation, run: RunHeader | undefined) {
  try {
    return await openWrites(session, { ownRun: run?.run });
  } catch (error) {
    if (!(error instanceof Failure) || needsRecords(operation, error)) throw error;
    await sayUnread(session, error);
    return undefined;
  }
}

/** The open writes of others than the run `own`, and a way to read them again if there is something new. */
async function watched(session: Session, operation: Operation, run: RunHeader | undefined, own: string) {
  const { stateDir = '' } = session.places;
  const hasNews = watchOpen({ stateDir, clock: session.context.clock, ownRun: run?.run }, isOnceOnly(operation));
  const read = async () => {
    const open = (await recordsFor(session, operation, run)) ?? [];
    return openAt(
      session,
      open.filter(({ entry }) => !entry.startsWith(own)),
      operation,
    );
  };
  let refreshing: Promise<void> | undefined;
  const known = {
    found: await read(),
    /** Undefined: there is nothing new. */
    refresh: (): Promise<void> | undefined => {
      if (!hasNews()) return refreshing;
      const now = read()
        .then((again) => {
          known.found = again;
        })
        .finally(() => {
          if (refreshing === now) refreshing = undefined;
        });
      refreshing = now;
      return now;
    },
  };
  return known;
}

/**
 * What rows of an operation need to know of the open writes of this machine. `run`: its own open rows are left to its
 * resume. LOCAL_IO or AUTH if the records cannot be read.
 */
export async function openRowsOf(
  session: Session,
  operation: Operation,
  active?: ActiveRun,
  { again: isAgain = false, since }: Pick<Run, 'again' | 'since'> = {},
) {
  const run = active?.header;
  const own = `${run?.run ?? ''}:`;
  const known = await watched(session, operation, run, own);
  const digest = await digesterOf(session, operation);
  const subjectOf = ({ id, body }: Pick<Row, 'id' | 'body'>) => ({ id, digest: digest?.(body) });
  const url = session.placeOf(operation.family);
  const keyOf = (row: Row) =>
    keyOfWrite({ operation: operation.command, call: operation.name, url, ...subjectOf(row) });
  const { stateDir } = session.places;
  const names =
    active === undefined || stateDir === undefined || !isOnceOnly(operation)
      ? undefined
      : rowNames(session, operation, active, { stateDir, keyOf, isAgain, since });
  const ended = async ({ row, callOutcome }: RowResult<Row>): Promise<void> => {
    const { body } = row;
    // After a card check the time of the request is missing: then only writes older than the run are superseded.
    const begunMs = callOutcome.sentAtMs ?? Date.parse(run?.startedAt ?? '');
    const done = { operation, params: {}, body, entry: `${own}${row.row}`, begunMs };
    try {
      await known.refresh();
      await recordSuperseded(session, placeTakenBy(known.found.to(subjectOf(row)), done), done.entry);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      await sayUnread(session, error);
    }
  };
  /** The open write that a row would repeat, also if another process left it open meanwhile; undefined: none. */
  const repeatedBy = async (row: Pick<Row, 'id' | 'body'>): Promise<OpenWrite | undefined> => {
    await known.refresh();
    return known.found.isEmpty ? undefined : known.found.repeatedBy(operation, subjectOf(row)).at(-1);
  };
  const openOf = (row: Row, repeated: OpenWrite | undefined): OpenBefore =>
    known.found.isEmpty
      ? NOTHING
      : { ...NOTHING, open: known.found.to(subjectOf(row)), repeated: repeated === undefined ? [] : [repeated] };
  const againRead = async (row: Row): Promise<OpenBefore> => {
    try {
      return openOf(row, await repeatedBy(row));
    } catch (error) {
      if (error instanceof Failure) return { ...NOTHING, unread: error };
      throw error;
    }
  };
  return {
    /** What the journal keeps of a row, to find it among open writes later. */
    aboutOf: ({ body }: Row): AboutRow => ({
      reason: textAt(body, 'reason'),
      fields: fieldsOf({ operation, body }),
      digest: digest?.(body),
    }),
    repeatedBy,
    /** What stands against a row. If the records cannot be read any more, it is not sent. */
    before(row: Row): OpenBefore | Promise<OpenBefore> {
      // The others only say what is open, for which a look at the end of each row is enough.
      return isOnceOnly(operation) && !isAgain ? againRead(row) : openOf(row, undefined);
    },
    to: (row: Row): readonly OpenWrite[] => (known.found.isEmpty ? [] : known.found.to(subjectOf(row))),
    /** Takes the name of a row that must not be sent twice; undefined for other operations. */
    claim: names?.claim,
    /** Called for each row that ended: it gives its name back, or, if it was done, supersedes open writes. */
    ended: (result: RowResult<Row>): Promise<void> | undefined => {
      names?.release(result);
      if (run === undefined || isOnceOnly(operation) || !isDone(result.callOutcome.outcome)) return undefined;
      return known.refresh() === undefined && known.found.isEmpty ? undefined : ended(result);
    },
  };
}

/** A check for the rows of a plan: those that would repeat an open write are faults. Undefined if none can. */
export async function openCheck(session: Session, operation: Operation, { plan, again }: CallOptions) {
  if (plan === undefined || again === true || !isOnceOnly(operation)) return undefined;
  const open = await openRowsOf(session, operation);
  const field = Object.keys(operation.params.shape)[0] ?? 'name';
  return (good: readonly { readonly row: Pick<Row, 'id' | 'body'> }[]) =>
    Promise.all(
      good.map(async ({ row }) => {
        const repeated = await open.repeatedBy(row);
        return repeated === undefined ? undefined : { field, problem: `${repeatText(repeated)} (--again)` };
      }),
    );
}

/** Most open writes that a question names. */
const MAX_NAMED = 10;

/** Rows that will not be sent, and why the first of them is not. */
export interface Foreseen {
  rows: number;
  first?: { readonly row: number; readonly text: string };
}

/** Says on stderr, before a question, which open writes the rows are about. Returns those that would repeat one. */
export async function sayOpenRows(session: Session, operation: Operation, rows: AsyncIterable<readonly Row[]>) {
  const open = await openRowsOf(session, operation);
  const lines: string[] = [];
  const repeats: Foreseen = { rows: 0 };
  let more = 0;
  for await (const piece of rows) {
    for (const row of piece) {
      const repeated = isOnceOnly(operation) ? open.to(row).findLast(({ call }) => call === operation.name) : undefined;
      if (repeated !== undefined) addForeseen(repeats, row, repeatText(repeated));
      for (const each of open.to(row)) {
        if (lines.length < MAX_NAMED)
          lines.push(`row ${row.row}: ${outside(row.id ?? 'event')}: ${openLine(each, shortEntry)}`);
        else more += 1;
      }
    }
  }
  if (more > 0) lines.push(`and ${plural(more, 'open write')} more: ${commandOf({ do: 'list what is open' })}`);
  const { stderr } = session.context;
  const shown = lines.flatMap((line) => breakLine(`  ${safeText(line)}`, stderr.columns));
  if (shown.length > 0) await stderr.write(`${shown.join('\n')}\n`);
  return repeats;
}

/** Counts a row that will not be sent. */
export function addForeseen(foreseen: Foreseen, { row }: Row, text: string): void {
  foreseen.rows += 1;
  foreseen.first ??= { row, text };
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
  const profile = session.selectedProfile();
  const unlessNeeded = (error: unknown): readonly RunHeader[] => {
    // Otherwise the look-up of open writes, or a list of runs, reports it.
    if (!(error instanceof Failure) || needsRecords(operation, error)) throw error;
    return [];
  };
  const headers = session.keepsHistory ? await runsWithRows(stateDir, rowsSha256).catch(unlessNeeded) : [];
  const found = headers.filter(
    (header) =>
      header.run !== name &&
      header.operation === operation.command &&
      header.host === host &&
      header.profile === profile.name &&
      (header.options['shard'] ?? null) === shard &&
      !isForgotten(stateDir, { profile: header.profile, time: header.startedAt }),
  );
  found.sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
  for (const { run, startedAt } of found) {
    const { state, outcomes } = await showRun(portsOf(session), run);
    if (outcomes === undefined) {
      if (!isOnceOnly(operation)) continue;
      throw Failure.unsent(
        'LOCAL_IO',
        `run ${run} sent the same rows on ${peopleTime(startedAt)}, and its record is damaged`,
      );
    }
    const counts = outcomeCounts(
      Object.fromEntries([...MAY_BE_APPLIED].map((outcome) => [outcome, outcomes[outcome]])),
    );
    if (counts !== '') return { run, startedAt, state, counts };
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
  const what = `run ${run} sent the same rows on ${peopleTime(startedAt)} (${counts})`;
  if (!isOnceOnly(operation)) return session.notify(note('SAME_INPUT', what));
  if (isAgain) return;
  if (session.common.yes !== true && session.prompt.available) {
    const text = `SENT BEFORE: ${safeText(commandWords(operation.command))}: ${what}`;
    const lines = breakLine(`  ${text}`, session.context.stderr.columns);
    return session.context.stderr.write(`${lines.join('\n')}\n`);
  }
  const goesOn = state === 'stopped' || state === 'interrupted';
  throw Failure.unsent('PRECONDITION', `${what}, and this would make all of them again`, {
    hints: [{ do: goesOn ? 'resume it' : 'see its rows', about: run }, 'add --again to send them anyway'],
    details: { outcome: 'not_sent' },
  });
}
