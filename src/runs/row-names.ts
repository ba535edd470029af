import { rmSync } from 'node:fs';
import { ifPossible, ioFailure } from '../base/files/io-failure.ts';
import type { Session } from '../command/session.ts';
import type { Row } from '../input/rows/row.ts';
import { claimOnce, SentElsewhere } from '../records/once.ts';
import type { RowResult } from '../records/row-outcome.ts';
import { SentSince, type Since } from '../records/sent-since.ts';
import { runMark } from '../records/stored/open-folder.ts';
import type { RunHeader } from '../records/stored/run-folder.ts';
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
  { run, startedAt, operation: command }: RunHeader,
  { stateDir, keyOf, isAgain, since }: RowNames,
) {
  const { clock } = context;
  // Also what was sent while the run stood still counts.
  const ms = Math.min(since?.ms ?? clock.now(), Date.parse(startedAt));
  const sent = new SentSince(stateDir, command, { ...since, ms }, run);
  const mark = runMark(stateDir, run);
  const ports = { stateDir, clock, ownRun: run };
  const names = new Map<number, string>();
  return {
    /** Undefined: the row may leave. Else the same change is under way, open, or was sent meanwhile. */
    async claim(row: Row, isResend: boolean): Promise<Held | undefined> {
      const once = { operation: operation.name, key: keyOf(row) };
      try {
        names.set(row.row, await claimOnce(ports, once, mark, { sent, isAgain: isAgain || isResend }));
        return undefined;
      } catch (error) {
        if (error instanceof SentElsewhere) return heldBy(error);
        const attempt = `could not read the records of earlier changes (${stateDir})`;
        return { why: 'records', failure: ioFailure(attempt, error, 'unsent') };
      }
    },
    /** The row has ended: others may send the same. */
    release({ row: { row }, callOutcome }: RowResult<Row>): void {
      const path = names.get(row);
      if (path === undefined || callOutcome.outcome === 'unknown') return;
      names.delete(row);
      ifPossible(() => rmSync(path, { force: true }));
    },
  };
}
