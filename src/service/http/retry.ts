import type { ClockPort } from '../../base/context.ts';
import type { Effect, Unavailable } from '../api/operation.ts';

/** What one attempt can come to without a good response: the rows of the retry table (docs/reference/outcomes.md). */
export type FailureEvent =
  /** Nothing was sent, proven by stage. A retry may succeed. */
  | 'not_sent'
  /** Nothing was sent. The resolver asks for one retry. */
  | 'not_sent_once'
  /** Nothing was sent, and a retry would meet the same: certificate, protocol, unknown host, proxy refusal. */
  | 'not_sent_final'
  /** 429, or 408 to a read: the service refused the request. */
  | 'busy'
  /** 503 with Retry-After. */
  | 'unavailable'
  /**
   * Any other 5xx, and any undefined status. For a change also 408, because a proxy may have passed it on, and a
   * redirect except 307 and 308: a 303 may mean that it is done.
   */
  | 'server_error'
  /** The request may have left, and no whole response came. */
  | 'broken'
  /** 2xx whose body cannot be read as the resource. */
  | 'unreadable'
  /** Any other 4xx, and a redirect of a read. For a change also 307 and 308, which ask for the same elsewhere. */
  | 'refused';

type Step = 'retry' | 'retry_once' | 'read_back_then_retry' | 'end';

type Steps = Readonly<Record<FailureEvent, Step>>;

/** THE retry table: what follows each event. What was not sent or was refused may be sent again. */
const HARMLESS = {
  not_sent: 'retry',
  not_sent_once: 'retry_once',
  not_sent_final: 'end',
  busy: 'retry',
  refused: 'end',
} as const;

const READ: Steps = { ...HARMLESS, unavailable: 'retry', server_error: 'retry', broken: 'retry', unreadable: 'retry' };

/** A change that may have been applied is never sent again by itself. Its card is checked if a read shows it. */
const WRITE: Readonly<Record<Unavailable, Steps>> = {
  retry: writeSteps('read_back_then_retry'),
  'retry-once': writeSteps('retry_once'),
  never: writeSteps('end'),
  once: { ...writeSteps('end'), busy: 'end' },
};

function writeSteps(unavailable: Step): Steps {
  return { ...HARMLESS, unavailable, server_error: 'end', broken: 'end', unreadable: 'end' };
}

/** May a change have been applied, although no readable response says so? */
export function isAmbiguous(effect: Effect, event: FailureEvent): boolean {
  if (effect.kind === 'read') return false;
  return event === 'unavailable' || event === 'server_error' || event === 'broken' || event === 'unreadable';
}

const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 8000;
const JITTER = 0.1;

/** Milliseconds before a retry, `random` in [0, 1). `Retry-After` is a minimum, so up to a tenth is added. */
export function waitBeforeRetry(retriesDone: number, retryAfterMs: number | undefined, random: number): number {
  if (retryAfterMs !== undefined && retryAfterMs > 0) return Math.ceil(retryAfterMs * (1 + JITTER * random));
  return Math.round(random * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** retriesDone));
}

/** The wait that messages name: what the service asked for, without jitter. */
export function askedWait(retryAfterMs: number | undefined, waitMs: number): number {
  return retryAfterMs === undefined || retryAfterMs === 0 ? waitMs : retryAfterMs;
}

export interface Situation {
  readonly effect: Effect;
  readonly event: FailureEvent;
  /** Retries made before this one. */
  readonly retriesDone: number;
  readonly retriesAllowed: number;
  /** Was the one retry of a `retry_once` row spent? */
  readonly onceSpent: boolean;
  readonly retryAfterMs: number | undefined;
  /** What is left of `--retry-max-time`. */
  readonly remainingMs: number;
  readonly random: number;
}

/**
 * Decides what follows a failed attempt. `waitTooLong`: the wait of a retry that was due, or what the service asks for
 * without a retry left, would pass `--retry-max-time`.
 */
export function decideNext(situation: Situation) {
  const { effect, event } = situation;
  const step = effect.kind === 'read' ? READ[event] : WRITE[effect.unavailable][event];
  const isSpent = situation.retriesDone >= situation.retriesAllowed || (step === 'retry_once' && situation.onceSpent);
  const waitMs = waitBeforeRetry(situation.retriesDone, situation.retryAfterMs, situation.random);
  const waitTooLong = step !== 'end' && waitMs >= situation.remainingMs;
  const isAsked = (situation.retryAfterMs ?? 0) > 0;
  if (step === 'end' || isSpent) return { kind: 'end', waitTooLong: waitTooLong && isAsked } as const;
  if (waitTooLong) return { kind: 'end', waitTooLong } as const;
  const [checkFirst, once] = [step === 'read_back_then_retry', step === 'retry_once'];
  return { kind: 'retry', waitMs, checkFirst, once } as const;
}

/** Sleeps until one of these signals is aborted, or the time is over. */
export async function sleepUnless(signals: readonly AbortSignal[], clock: ClockPort, waitMs: number): Promise<void> {
  const woken = new AbortController();
  const wake = (): void => woken.abort();
  for (const signal of signals) signal.addEventListener('abort', wake);
  await clock.sleep(waitMs, woken.signal);
  for (const signal of signals) signal.removeEventListener('abort', wake);
}
