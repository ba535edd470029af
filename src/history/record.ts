import { randomBytes } from 'node:crypto';
import { type CallOutcome, NO_OUTCOME } from '../call-outcome.ts';
import type { Context } from '../context.ts';
import { type After, Failure, type Outcome } from '../failure.ts';
import { ioFailure } from '../files/io-failure.ts';
import { identify } from '../files/process-identity.ts';
import type { AuditEvent, AuditLog } from './audit-log.ts';
import {
  type BeginEvent,
  type HistoryEntry,
  type HistoryEvent,
  printHistoryEvent,
  type ReadEvent,
  type ResolvedEvent,
} from './history-event.ts';
import { appendLines, historyPath } from './history-file.ts';

/** What is known of a change before it is sent. Never a body or a token. */
export type WriteIntent = Omit<BeginEvent, 'event' | 'entry' | 'time' | 'user' | 'maker'>;

/** A recorded change, and what it is about. */
type About = Pick<HistoryEntry, 'entry' | 'operation' | 'id'>;

/** The record of changes. */
export type WriteRecorder = ReturnType<typeof openRecorder>;

/** `--no-history`: keeps nothing. */
export const NO_RECORD: WriteRecorder = {
  begin: async () => '',
  end: async () => undefined,
  settle: async () => ({ time: '', user: '' }),
  supersede: async () => undefined,
  resolve: async () => undefined,
};

/** Where changes are recorded, and who makes them. */
export type RecorderOptions = Pick<Context, 'clock' | 'pid' | 'user'> & {
  readonly stateDir: string | undefined;
  readonly audit?: AuditLog | undefined;
};

const NO_HISTORY = {
  text: 'add --no-history to keep no record of this change',
  desk: 'to keep no record, open the desk again with FRONTDESK_NO_HISTORY=1',
};

/** The recorder of `history.jsonl`, not touched before. Without a state folder it names entries of the audit log. */
export function openRecorder({ audit, stateDir, clock, pid, user }: RecorderOptions) {
  const path = stateDir === undefined ? undefined : historyPath(stateDir);
  /** What each change in progress is about, for the line of its end. */
  const begun = new Map<string, WriteIntent>();
  const now = () => new Date(clock.now()).toISOString();
  const keep = async (...events: readonly HistoryEvent[]): Promise<void> => {
    if (path !== undefined) await appendLines(path, events.map(printHistoryEvent).join(''));
  };
  const keepAll = async (events: readonly AuditEvent[], attempt: string) => {
    try {
      await audit?.append(events);
      await keep(...events);
    } catch (error) {
      throw ioFailure(attempt, error, 'unchanged');
    }
  };
  const endOf = (entry: string, callOutcome: CallOutcome) => {
    const { operation = '', id } = begun.get(entry) ?? {};
    return { event: 'end', entry, time: now(), operation, id, callOutcome } as const;
  };
  return {
    /**
     * Records that a change is about to be sent, and returns the name of its entry. The change may leave only then.
     * `callOutcome`: it is not sent after all, and ends so. Rejects with LOCAL_IO.
     */
    async begin(intent: WriteIntent, callOutcome?: CallOutcome): Promise<string> {
      const nowMs = clock.now();
      const entry = entryName(nowMs, pid);
      const time = new Date(nowMs).toISOString();
      const event = { event: 'begin', entry, time, user, ...intent, maker: makerOf(pid) } as const;
      begun.set(entry, intent);
      const events = callOutcome === undefined ? [event] : [event, endOf(entry, callOutcome)];
      await audit?.append(events).catch((error: unknown) => {
        throw error instanceof Failure ? error.with({ outcome: 'not_sent' }) : error;
      });
      try {
        await keep(...events);
      } catch (error) {
        // The audit log has a beginning already, so it also gets `not_sent`, as far as it can be written.
        await audit?.append([endOf(entry, { ...NO_OUTCOME, outcome: 'not_sent' })]).catch(() => undefined);
        const failure = ioFailure(`could not write the history (${path})`, error, 'unsent');
        throw failure.with({ outcome: 'not_sent' }, [...failure.hints.slice(0, 1), NO_HISTORY]);
      }
      return entry;
    },
    /** Records how it ended. LOCAL_IO, which says how the change ended. */
    async end(entry: string, callOutcome: CallOutcome): Promise<void> {
      const event = endOf(entry, callOutcome);
      begun.delete(entry);
      const [history, log] = await Promise.allSettled([keep(event), audit?.append([event])]);
      if (history.status === 'rejected') throw endFailure(`the history (${path})`, entry, callOutcome, history.reason);
      if (log.status === 'rejected') throw endFailure('the audit log', entry, callOutcome, log.reason);
    },
    /** Records what a card check showed of an unknown outcome, and by whom. After LOCAL_IO the entry is unchanged. */
    async settle({ entry, operation, id }: About, callOutcome: CallOutcome): Promise<Pick<ReadEvent, 'time' | 'user'>> {
      const looked = { time: now(), user };
      const event = { event: 'read', entry, ...looked, operation, id, callOutcome } as const;
      await keepAll([event], `what was read could not be recorded in entry ${entry} (${path})`);
      return looked;
    },
    /** Records that a change which was done superseded these, whose outcome is unknown. Rejects with LOCAL_IO. */
    async supersede(entries: readonly About[], by: string): Promise<void> {
      const time = now();
      const events = entries.map(
        ({ entry, operation, id }) => ({ event: 'superseded', entry, time, operation, id, by }) as const,
      );
      const names = entries.map(({ entry }) => entry).join(', ');
      await keepAll(events, `that entry ${by} takes the place of ${names} could not be recorded (${path})`);
    },
    /** Records what the user found out about an unknown outcome. Rejects with LOCAL_IO. */
    async resolve(
      { entry, operation, id }: About,
      found: Pick<ResolvedEvent, 'as' | 'note' | 'resultId'>,
    ): Promise<void> {
      const event = { event: 'resolved', entry, time: now(), operation, id, by: user, ...found } as const;
      await keepAll([event], `entry ${entry} could not be resolved (${path})`);
    },
  };
}

/** The process that sends a change: others see by it whether the end may still come. */
function makerOf(pid: number): string {
  const { host, start } = identify(pid);
  return `${host}-${pid}-${start}`;
}

/** Sorts by time, differs between processes, and can be typed: `20260501T120431250-4d2-9f3a1c`. */
function entryName(nowMs: number, pid: number): string {
  return `${nameTime(nowMs)}-${pid.toString(16)}-${randomBytes(3).toString('hex')}`;
}

/** The time at the beginning of an entry's name, to the millisecond. It sorts like the times. */
export function nameTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/[-:.Z]/g, '');
}

const OUTCOME_TEXTS = {
  applied: 'the change WAS applied',
  confirmed_by_read: 'the change counts as applied: checking the card showed it',
  rejected: 'the change was rejected, nothing was changed',
  not_sent: 'nothing was sent',
  unknown: 'the outcome is unknown: check before you run it again',
} as const satisfies Record<Outcome, After>;

function endFailure(where: string, entry: string, callOutcome: CallOutcome, error: unknown): Failure {
  const { resultId, httpStatus } = callOutcome;
  const outcome = callOutcome.outcome ?? 'unknown';
  const id = resultId === undefined ? '' : `. The ID in the response is ${resultId}`;
  const cause = error instanceof Failure ? (error.cause ?? error.problem) : error;
  const attempt = `could not write the end of entry ${entry} to ${where}`;
  const failure = ioFailure(attempt, cause, `${OUTCOME_TEXTS[outcome]}${id}`);
  return failure.with({ outcome, resultId, http: httpStatus === undefined ? undefined : { status: httpStatus } });
}
