import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import type { Context } from '../base/context.ts';
import { type After, Failure, type Outcome } from '../base/failure.ts';
import { syncFolder } from '../base/files/atomic.ts';
import { ignoreErrors, ioFailure } from '../base/files/io-failure.ts';
import { identify } from '../base/files/process-identity.ts';
import { type CallOutcome, NO_OUTCOME } from '../service/call-outcome.ts';
import { maskOutcome, maskPlain } from '../service/http/mask.ts';
import type { AuditEvent, AuditLog } from './audit-log.ts';
import { appendLines, ledgerFile, ledgerFolder, linesAbout, nameTime } from './ledger.ts';
import { claimOnce, type KnownBefore, SentElsewhere } from './once.ts';
import { closeOpen, findOpen, readWrite } from './open-files.ts';
import { SentSince } from './sent-since.ts';
import { addLine, openFile, openFolder, putOpen, writeOpen } from './stored/open-folder.ts';

import {
  type About,
  type Begin,
  type HistoryEntry,
  isClosed,
  keyOfWrite,
  lineThatCounts,
  parseRecord,
  printRecord,
  type Resolution,
} from './write-record.ts';

/** What is known of a change before it is sent. Never a body or a token. */
export type WriteIntent = Omit<Begin, 'entry' | 'time' | 'user' | 'maker'>;

/** When a card was checked, and by whom. */
type Checked = Pick<HistoryEntry, 'time' | 'user'>;

type Closed = AuditEvent & { readonly event: 'superseded' | 'resolved' };

export type WriteRecorder = ReturnType<typeof openRecorder>;

/** `--no-history`: keeps nothing. */
export const NO_RECORD: WriteRecorder = {
  begin: async () => '',
  end: async () => undefined,
  recordCheck: async (): Promise<Checked | undefined> => ({ time: '', user: '' }),
  supersede: async () => undefined,
  resolve: async () => undefined,
};

export type RecorderOptions = Pick<Context, 'clock' | 'pid' | 'user'> & {
  readonly stateDir: string | undefined;
  readonly audit?: AuditLog | undefined;
  /** Masks frontdesk's own tokens in what the user wrote. */
  readonly mask?: ((text: string) => string) | undefined;
};

const NO_HISTORY = { do: 'set an option', words: 'add --no-history to keep no record of this change' } as const;

/** A change in progress. */
interface BegunWrite {
  readonly record: Begin;
  /** Its file among the open ones. */
  path: string | undefined;
}

interface Ports extends RecorderOptions {
  /** The ledger; undefined: nothing is kept. */
  readonly path: string | undefined;
  /** The time, ISO 8601. */
  now(): string;
}

/** The recorder, which touched nothing before. Without a state folder it names entries of the audit log. */
export function openRecorder(options: RecorderOptions) {
  const { stateDir, clock } = options;
  const path = stateDir === undefined ? undefined : ledgerFolder(stateDir);
  const ports: Ports = { ...options, path, now: () => new Date(clock.now()).toISOString() };
  return { ...sentBy(ports), ...closedBy(ports) };
}

function sentBy(ports: Ports) {
  const { audit, clock, now, path, pid, user, mask } = ports;
  /** Changes in progress. */
  const begun = new Map<string, BegunWrite>();
  const factsOf = (entry: string) => {
    const { operation = '', id } = begun.get(entry)?.record ?? {};
    return { entry, time: now(), operation, id };
  };
  return {
    /**
     * Records that a change is about to be sent, and returns the name of its entry. The change may leave only then.
     * `ended`: it is not sent after all, and ends so. `once`: it must not happen twice. Rejects with LOCAL_IO, or
     * with SentElsewhere.
     */
    async begin(intent: WriteIntent, ended?: CallOutcome, once?: KnownBefore): Promise<string> {
      const callOutcome = ended && maskOutcome(ended, mask);
      const nowMs = clock.now();
      const entry = `${nameTime(nowMs)}-${pid.toString(16)}-${randomBytes(3).toString('hex')}`;
      const facts = {
        ...intent,
        ...maskPlain({ reason: intent.reason, clientReference: intent.clientReference }, mask),
      };
      const record: Begin = { entry, time: new Date(nowMs).toISOString(), user, ...facts, maker: makerOf(pid) };
      const begunWrite: BegunWrite = { record, path: undefined };
      begun.set(entry, begunWrite);
      const end = (how: CallOutcome): AuditEvent => ({ event: 'end', ...factsOf(entry), callOutcome: how });
      const events: AuditEvent[] = [{ event: 'begin', ...record }];
      await audit
        ?.append(callOutcome === undefined ? events : [...events, end(callOutcome)])
        .catch((error: unknown) => {
          throw error instanceof Failure ? error.with({ outcome: 'not_sent' }) : error;
        });
      try {
        if (callOutcome === undefined) begunWrite.path = await keepBegin(ports, record, once);
        else await keepEnd(ports, begunWrite, callOutcome);
      } catch (error) {
        // The audit log has a beginning already, so it also gets `not_sent`, as far as it can be written.
        await audit?.append([end({ ...NO_OUTCOME, outcome: 'not_sent' })]).catch(() => undefined);
        if (error instanceof SentElsewhere) throw error;
        const failure = ioFailure(`could not write the history (${path})`, error, 'unsent');
        throw failure.with({ outcome: 'not_sent' }, [...failure.hints.slice(0, 1), NO_HISTORY]);
      }
      return entry;
    },
    /** Records how it ended. LOCAL_IO, which says how the change ended. */
    async end(entry: string, ended: CallOutcome): Promise<void> {
      const callOutcome = maskOutcome(ended, mask);
      const begunWrite = begun.get(entry);
      const event: AuditEvent = { event: 'end', ...factsOf(entry), callOutcome };
      begun.delete(entry);
      const keeping = begunWrite === undefined ? undefined : keepEnd(ports, begunWrite, callOutcome);
      const [history, log] = await Promise.allSettled([keeping, audit?.append([event])]);
      if (history.status === 'rejected') throw endFailure(`the history (${path})`, entry, callOutcome, history.reason);
      if (log.status === 'rejected') throw endFailure('the audit log', entry, callOutcome, log.reason);
    },
  };
}

function closedBy({ audit, now, path, stateDir, user, mask }: Ports) {
  /** Records what closed a change, for both records. */
  const close = async (about: About, event: Closed, how: Partial<HistoryEntry>, attempt: string): Promise<void> => {
    try {
      await audit?.append([event]);
      if (stateDir === undefined) return;
      if (about.entry.includes(':')) await (await import('./open-rows.ts')).closeRow(stateDir, about.entry, how);
      else await closeOpen(stateDir, { ...(await unknownOf(stateDir, about)), ...how }, now());
    } catch (error) {
      throw ioFailure(attempt, error, 'unchanged');
    }
  };
  return {
    /**
     * Records what a card check showed of an unknown outcome, and by whom; undefined: another process closed the entry
     * while the card was read, and the check says nothing of it. After LOCAL_IO the entry is unchanged.
     */
    async recordCheck(about: About, shown: CallOutcome): Promise<Checked | undefined> {
      const callOutcome = maskOutcome(shown, mask);
      const { entry, operation, id } = about;
      const checked = { time: now(), user };
      try {
        const known = stateDir === undefined ? undefined : await unknownOf(stateDir, about);
        if (known !== undefined && (isClosed(known) || known.callOutcome.outcome !== 'unknown')) return undefined;
        await audit?.append([{ event: 'read', entry, ...checked, operation, id, callOutcome }]);
        if (stateDir === undefined || known === undefined) return checked;
        const read = { ...checked, before: known.read?.before ?? known.callOutcome };
        if (callOutcome.outcome !== 'unknown') await closeOpen(stateDir, { ...known, callOutcome, read }, now());
        else await addLine(findOpen(stateDir, about) ?? '', printRecord({ ...known, callOutcome, read }, now()));
      } catch (error) {
        throw ioFailure(`what was read could not be recorded in entry ${entry} (${path})`, error, 'unchanged');
      }
      return checked;
    },
    /** Records that a change which was done superseded these, whose outcome is unknown. Rejects with LOCAL_IO. */
    async supersede(entries: readonly About[], by: string): Promise<void> {
      const time = now();
      for (const about of entries) {
        const { entry, operation, id } = about;
        const attempt = `that entry ${by} takes the place of ${entry} could not be recorded (${path})`;
        await close(about, { event: 'superseded', entry, time, operation, id, by }, { supersededBy: by }, attempt);
      }
    },
    /** Records what the user found out about an unknown outcome. Rejects with LOCAL_IO. */
    async resolve(about: About, found: Pick<Resolution, 'as' | 'note' | 'resultId'>): Promise<void> {
      const { entry, operation, id } = about;
      const resolved = { time: now(), by: user, ...maskPlain(found, mask) };
      const event = { event: 'resolved', entry, operation, id, ...resolved } as const;
      await close(about, event, { resolved }, `entry ${entry} could not be resolved (${path})`);
    },
  };
}

/** Puts the beginning on the disk before anything may leave, and returns its path. Rejects with the system's error, or AUTH. */
async function keepBegin(ports: Ports, record: Begin, once: KnownBefore | undefined): Promise<string | undefined> {
  const { stateDir, pid, now } = ports;
  if (stateDir === undefined) return undefined;
  // A change whose end could not be kept there is not sent.
  await appendLines(ledgerFile(stateDir, record.entry), '');
  const [key, line] = [keyOfWrite(record), printRecord(record, now())];
  if (once !== undefined) return putOnce({ ...ports, stateDir }, record, line, once);
  const path = openFile(stateDir, record.entry, key);
  await putOpen(path, line, stateDir, pid);
  return path;
}

/** The same under the one name of a change that must not happen twice. */
async function putOnce(
  { stateDir, pid, clock }: Ports & { readonly stateDir: string },
  record: Begin,
  line: string,
  known: KnownBefore,
): Promise<string> {
  const temporary = await writeOpen(line, stateDir, pid);
  const sent = new SentSince(stateDir, record.operation, known.since);
  const name = { operation: record.call ?? record.operation, key: keyOfWrite(record) };
  let path: string | undefined;
  try {
    path = await claimOnce({ stateDir, clock }, name, temporary, { ...known, sent });
    await syncFolder(openFolder(stateDir));
    return path;
  } catch (error) {
    if (path !== undefined) await ignoreErrors(unlink(path));
    throw error;
  } finally {
    await ignoreErrors(unlink(temporary));
  }
}

async function keepEnd(
  { stateDir, now }: Ports,
  { record, path }: BegunWrite,
  callOutcome: CallOutcome,
): Promise<void> {
  if (stateDir === undefined) return;
  const line = printRecord({ ...record, callOutcome }, now());
  // What is not known stays open.
  if (callOutcome.outcome === 'unknown' && path !== undefined) {
    if (await addLine(path, line)) return;
    // Another machine closed it meanwhile, and its line says how: a prune could leave a second one that is open.
    if ((await linesAbout(stateDir, record.entry)).length > 0) return;
  }
  try {
    await appendLines(ledgerFile(stateDir, record.entry), line);
  } catch (error) {
    // On a full disk its own file has room for a line, and the next look takes it over.
    if (path !== undefined) await ignoreErrors(addLine(path, line));
    throw error;
  }
  // The ledger has it: the next look removes the file.
  if (path !== undefined) await ignoreErrors(unlink(path));
}

/** A change whose outcome is unknown, as it is known now: open, or closed by now. */
async function unknownOf(stateDir: string, about: About): Promise<HistoryEntry> {
  const { entry } = about;
  const path = findOpen(stateDir, about);
  const open = path === undefined ? undefined : readWrite(stateDir, path);
  if (open !== undefined) return open;
  const lines = await linesAbout(stateDir, entry);
  const known = parseRecord(lines.reduce(lineThatCounts, lines[0] ?? ''));
  if (known === undefined) throw new Error(`there is no record of ${entry}`);
  return known;
}

/** The process that sends a change: others see by it whether the end may still come. */
function makerOf(pid: number): string {
  const { host, start } = identify(pid);
  return `${host}-${pid}-${start}`;
}

const AFTER = {
  applied: 'applied',
  confirmed_by_read: 'confirmed',
  skipped: 'unsent',
  rejected: 'rejected',
  not_sent: 'unsent',
  unknown: 'unknown',
} as const satisfies Record<Outcome, After>;

function endFailure(where: string, entry: string, callOutcome: CallOutcome, error: unknown): Failure {
  const { resultId, httpStatus } = callOutcome;
  const outcome = callOutcome.outcome ?? 'unknown';
  const cause = error instanceof Failure ? (error.cause ?? error.problem) : error;
  const attempt = `could not write the end of entry ${entry} to ${where}`;
  const also = resultId === undefined ? [] : [{ kind: 'result', id: resultId } as const];
  const http = httpStatus === undefined ? undefined : { status: httpStatus };
  return ioFailure(attempt, cause, AFTER[outcome]).but({ also }).with({ outcome, resultId, http });
}
