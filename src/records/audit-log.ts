import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../base/failure.ts';
import { syncFolder } from '../base/files/atomic.ts';
import { errnoOf, ignoreErrors, ioFailure } from '../base/files/io-failure.ts';
import { endsInLine } from '../base/files/lines.ts';
import { currentUid } from '../base/files/safety.ts';
import { SharedWrites } from '../base/files/shared-writes.ts';
import { shellQuote } from '../base/files/shell-quote.ts';
import { outside } from '../base/json/outside-text.ts';
import type { RunAudit } from './journal/journal.ts';
import type { AboutRow, RunRow } from './row-outcome.ts';
import type { RunHeader } from './stored/run-folder.ts';
import { type Begin, hostOf, printEvent, type Resolution, type WriteEvent } from './write-record.ts';

/** The audit log: a second record of every change in a file of the operator's choice. */
export type AuditLog = ReturnType<typeof openAuditLog>;

/** An event of the history with time and subject. A row names its run; a planned one the plan. */
export type AuditEvent = WriteEvent &
  Required<Pick<Begin, 'time' | 'operation'>> &
  Partial<Resolution> & {
    readonly run?: string | undefined;
    readonly plan?: string | undefined;
  };

/** The audit log at `path` (FRONTDESK_AUDIT_LOG), made with mode 0600 at the first write. */
export function openAuditLog(path: string) {
  const writes = new SharedWrites((text) =>
    appendText(path, text).catch((error: unknown) => {
      if (error instanceof Failure) throw error;
      throw ioFailure(`could not write the audit log (${outside(path)})`, error, 'silent');
    }),
  );
  return {
    /** Resolves when they are on the disk. Rejects with LOCAL_IO, or with AUTH if others could have written the log. */
    append: (events: readonly AuditEvent[]): Promise<void> => writes.append(events.map(printEvent).join('')),
  };
}

/** Opened each time: if the log was moved away, a new one begins. */
async function appendText(path: string, text: string): Promise<void> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NONBLOCK } = constants;
  // A pipe without a reader is refused: waiting for one could take for ever.
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK, 0o600);
  try {
    const facts = await file.stat();
    if (facts.isFile()) refuseOfOthers(path, facts);
    // Before its first byte: a process that finds one assumes that the name is on the disk.
    if (facts.isFile() && facts.size === 0) await syncFolder(dirname(path));
    const lead = facts.isFile() && !(await isWhole(path, facts.size)) ? '\n' : '';
    await file.writeFile(lead + text);
    await file.datasync().catch(ignoreUnsyncable);
  } finally {
    await ignoreErrors(file.close());
  }
}

/** AUTH if another user owns the log, or everybody can write to it: such a record proves nothing. */
function refuseOfOthers(path: string, { uid, mode }: Stats): void {
  const own = currentUid();
  if (own === undefined) return;
  const isOfOthers = uid !== own && uid !== 0;
  if (!isOfOthers && (mode & 0o002) === 0) return;
  const problem = isOfOthers ? 'belongs to another user' : 'can be written by every user';
  const fix = isOfOthers ? 'name another file in FRONTDESK_AUDIT_LOG' : `fix it with: chmod o-w ${shellQuote(path)}`;
  throw Failure.unsent('AUTH', `the audit log ${outside(path)} ${problem}`, { hints: [fix] });
}

/** Does the log end in a whole line? It is opened again, because the log itself is open for writing only. */
async function isWhole(path: string, size: number): Promise<boolean> {
  try {
    const reader = await open(path, 'r');
    try {
      return await endsInLine(reader, size);
    } finally {
      await ignoreErrors(reader.close());
    }
  } catch {
    // A log that cannot be read counts as whole.
    return true;
  }
}

/** A pipe or a device has nothing to sync. */
function ignoreUnsyncable(error: unknown): void {
  const errno = errnoOf(error);
  if (errno !== 'EINVAL' && errno !== 'ENOTSUP' && errno !== 'EROFS') throw error;
}

/** The audit log for the journal of a run. Rows have the names of the history. */
export function auditOfRun(log: AuditLog, header: RunHeader): RunAudit {
  let failure: Failure | undefined;
  const begun = new Set<number>();
  const append = async (events: readonly AuditEvent[]) => {
    try {
      await log.append(events);
    } catch (error) {
      if (error instanceof Failure) failure ??= error;
      throw error;
    }
  };
  const { run, operation } = header;
  const factsOf = <Kind extends string>(event: Kind, { row, id }: RunRow, timeMs: number) => ({
    event,
    entry: `${run}:${row}`,
    time: new Date(timeMs).toISOString(),
    operation,
    id,
    run,
    ...(header.inputFormat === 'plan' ? { plan: header.run.replace(/^plan-/, '') } : {}),
  });
  const beginOf = (row: RunRow & AboutRow, timeMs: number): AuditEvent => ({
    ...factsOf('begin', row, timeMs),
    user: header.user,
    profile: header.profile,
    host: hostOf(header.host),
    reason: row.reason,
  });
  return {
    get failure() {
      return failure;
    },
    async begin(row, timeMs) {
      if (begun.has(row.row)) return;
      begun.add(row.row);
      await append([beginOf(row, timeMs)]);
    },
    async end(row, callOutcome, timeMs, wasBegun) {
      const end: AuditEvent = { ...factsOf('end', row, timeMs), callOutcome };
      // A row that was never sent gets its whole record at once.
      const isKnown = begun.delete(row.row) || wasBegun === true;
      await append(isKnown ? [end] : [beginOf(row, timeMs), end]);
    },
  };
}
