import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Failure } from '../failure.ts';
import { syncFolder } from '../files/atomic.ts';
import { errnoOf, ioFailure } from '../files/io-failure.ts';
import { type HistoryEvent, printHistoryEvent } from './history-event.ts';

const NEWLINE = 0x0a;

/** A second record of every write in a file of the operator's choice, beside the history and whatever becomes of it. */
export interface AuditLog {
  /**
   * Appends events, one JSON line each. Resolves when they are on the disk; rejects with LOCAL_IO. Events that
   * come while the disk is busy share one write.
   */
  append(events: readonly AuditEvent[]): Promise<void>;
}

/** An event of the history; one of a run's row names the run as well. */
export type AuditEvent = HistoryEvent & { readonly run?: string };

interface Batch {
  text: string;
  readonly written: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

function newBatch(): Batch {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const written = new Promise<void>((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  // Whoever waits for it hears of a failure; nobody may be waiting yet.
  written.catch(() => undefined);
  return { text: '', written, resolve, reject };
}

/** The audit log at `path` (FRONTDESK_AUDIT_LOG), made with mode 0600 at the first event. */
export function openAuditLog(path: string): AuditLog {
  let waiting: Batch | undefined;
  let isRunning = false;
  const run = async () => {
    // Everything that this turn of the event loop still brings joins the first batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (waiting !== undefined) {
      const batch = waiting;
      waiting = undefined;
      try {
        await appendText(path, batch.text);
        batch.resolve();
      } catch (error) {
        batch.reject(auditFailure(path, error));
      }
    }
    isRunning = false;
  };
  return {
    append(events) {
      waiting ??= newBatch();
      waiting.text += events.map(printHistoryEvent).join('');
      const { written } = waiting;
      if (!isRunning) {
        isRunning = true;
        void run();
      }
      return written;
    },
  };
}

function auditFailure(path: string, error: unknown): Failure {
  return ioFailure(`the audit log cannot be written (${path})`, error, 'a write is not sent without its record');
}

/** Opened anew each time: a log that was moved away to be kept is begun again. */
async function appendText(path: string, text: string): Promise<void> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NONBLOCK } = constants;
  // A pipe that nobody reads is refused: waiting for its reader could take for ever.
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK, 0o600);
  try {
    const facts = await file.stat();
    const lead = facts.isFile() && !(await endsInLine(path, facts.size)) ? '\n' : '';
    await file.writeFile(lead + text);
    await file.datasync().catch(ignoreUnsyncable);
    if (facts.isFile() && facts.size === 0) await syncFolder(dirname(path));
  } finally {
    await file.close();
  }
}

/** A process that died while it wrote left half a line: the next one must not become a part of it. */
async function endsInLine(path: string, size: number): Promise<boolean> {
  if (size === 0) return true;
  try {
    const reader = await open(path, 'r');
    try {
      const last = Buffer.alloc(1);
      await reader.read(last, 0, 1, size - 1);
      return last[0] === NEWLINE;
    } finally {
      await reader.close();
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
