import { rmSync } from 'node:fs';
import { ifPossible, ioFailure } from '../base/files/io-failure.ts';
import type { Session } from '../command/session.ts';
import type { Row } from '../input/rows/row.ts';
import { claimOnce, SentElsewhere } from '../records/once.ts';
import type { OpenEntry } from '../records/open-rows.ts';
import type { RowResult } from '../records/row-outcome.ts';
import { SentSince, type Since } from '../records/sent-since.ts';
import { runMark } from '../records/stored/open-folder.ts';
import type { ActiveRun } from '../records/stored/run-store.ts';
import { entryOfRow, keyOfWrite } from '../records/write-record.ts';
import type { Operation } from '../service/api/operation.ts';
import { type Held, heldBy } from '../writes/judge.ts';

interface RowNames {
  readonly stateDir: string;
  keyOf(row: Row): string;
  /** `--again`. */
  readonly isAgain: boolean;
  /** Where the records ended before the question. */
  readonly since: Since | undefined;
}

/**
 * The names of a run's rows that must not happen twice. A row takes its name right before it is sent, and keeps it while
 * it is under way or unknown. Names need no sync: after a power cut, mark and journal say what is open.
 */
export function rowNames(
  { context }: Session,
  operation: Operation,
  { header, journal }: Pick<ActiveRun, 'header' | 'journal'>,
  { stateDir, keyOf, isAgain, since }: RowNames,
) {
  const { run, startedAt, operation: command, host: url } = header;
  const { clock } = context;
  // Also what was sent while the run stood still counts.
  const ms = Math.min(since?.ms ?? clock.now(), Date.parse(startedAt));
  const sent = new SentSince(stateDir, command, { ...since, ms }, run);
  const mark = runMark(stateDir, run);
  const ports = { stateDir, clock, ownRun: run };
  const names = new Map<number, { readonly path: string; readonly key: string }>();
  /** By key, the last row that an earlier process left unknown, or that this one has sent. */
  let rows: Map<string, number> | undefined;
  const rowsSent = (): Map<string, number> => {
    if (rows !== undefined) return rows;
    rows = new Map();
    for (const row of journal.states.in('unknown')) {
      const { id, digest } = journal.entry(row);
      rows.set(keyOfWrite({ operation: command, url, id, digest }), row);
    }
    return rows;
  };
  /** Of an ID that the input has twice: the row that may have been applied. */
  const unknownOf = (key: string, own: number): OpenEntry | undefined => {
    const row = rowsSent().get(key) ?? own;
    if (row === own || journal.states.state(row) !== 'unknown') return undefined;
    return { ...entryOfRow(header, journal.entry(row)), isInProgress: false };
  };
  return {
    /** Undefined: the row may leave. Else the same change is under way, open, or was sent meanwhile. */
    async claim(row: Row, isResend: boolean): Promise<Held | undefined> {
      const once = { operation: operation.name, key: keyOf(row) };
      try {
        const unknown = isAgain || isResend ? undefined : unknownOf(once.key, row.row);
        if (unknown !== undefined) throw new SentElsewhere(unknown, true);
        const path = await claimOnce(ports, once, mark, { sent, isAgain: isAgain || isResend });
        names.set(row.row, { path, key: once.key });
        rowsSent().set(once.key, row.row);
        return undefined;
      } catch (error) {
        if (error instanceof SentElsewhere) return heldBy(error);
        const attempt = `could not read the records of earlier changes (${stateDir})`;
        return { why: 'records', failure: ioFailure(attempt, error, 'unsent') };
      }
    },
    /** The row has ended: others may send the same. */
    release({ row: { row }, callOutcome }: RowResult<Row>): void {
      const name = names.get(row);
      if (name === undefined || callOutcome.outcome === 'unknown') return;
      names.delete(row);
      if (rows?.get(name.key) === row) rows.delete(name.key);
      ifPossible(() => rmSync(name.path, { force: true }));
    },
  };
}
