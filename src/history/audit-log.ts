import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../files/atomic.ts';
import { errnoOf, ioFailure, tidy } from '../files/io-failure.ts';
import { SharedWrites } from '../files/shared-writes.ts';
import { type HistoryEvent, printHistoryEvent } from './history-event.ts';
import { endsInLine } from './history-file.ts';

/** A second record of every write in a file of the operator's choice, beside the history and whatever becomes of it. */
export interface AuditLog {
  /**
   * Appends events, one JSON line each. Resolves when they are on the disk; rejects with LOCAL_IO. Events that
   * come while the disk is busy share one write.
   */
  append(events: readonly AuditEvent[]): Promise<void>;
}

/**
 * An event of the history, which names when it happened and what it is about; one of a run's row names the run as
 * well, one of a plan's row the plan and who approved it.
 */
export type AuditEvent = HistoryEvent &
  Required<Pick<HistoryEvent, 'time' | 'operation'>> & {
    readonly run?: string | undefined;
    readonly plan?: string | undefined;
    readonly approvers?: readonly string[] | undefined;
  };

/** The audit log at `path` (FRONTDESK_AUDIT_LOG), made with mode 0600 at the first event. */
export function openAuditLog(path: string): AuditLog {
  const writes = new SharedWrites((text) =>
    appendText(path, text).catch((error: unknown) => {
      throw ioFailure(`the audit log cannot be written (${path})`, error, 'a write is not sent without its record');
    }),
  );
  return { append: (events) => writes.append(events.map(printHistoryEvent).join('')) };
}

/** Opened anew each time: a log that was moved away to be kept is begun again. */
async function appendText(path: string, text: string): Promise<void> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NONBLOCK } = constants;
  // A pipe without a reader is refused: waiting for its reader could take for ever.
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK, 0o600);
  try {
    const facts = await file.stat();
    const lead = facts.isFile() && !(await isWhole(path, facts.size)) ? '\n' : '';
    await file.writeFile(lead + text);
    await file.datasync().catch(ignoreUnsyncable);
    if (facts.isFile() && facts.size === 0) await syncFolder(dirname(path));
  } finally {
    await tidy(file.close());
  }
}

/** Not through the log itself, which is open for writing alone. */
async function isWhole(path: string, size: number): Promise<boolean> {
  try {
    const reader = await open(path, 'r');
    try {
      return await endsInLine(reader, size);
    } finally {
      await tidy(reader.close());
    }
  } catch {
    // A log that can be written and not be read is taken to be whole.
    return true;
  }
}

/** A pipe or a device has nothing to sync. */
function ignoreUnsyncable(error: unknown): void {
  const errno = errnoOf(error);
  if (errno !== 'EINVAL' && errno !== 'ENOTSUP' && errno !== 'EROFS') throw error;
}
