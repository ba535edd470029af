import { randomBytes } from 'node:crypto';
import type { ClockPort } from '../context.ts';

/** How long a person may take to answer. */
export const QUESTION_MS = 5 * 60_000;

/** More than a person can have in front of them; the oldest gives way. */
const MAX_OPEN = 100;

/** What a question is about: an answer is good for exactly this. */
export interface Subject {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Returns a key of a call: equal for equal arguments, whatever their order. */
export function keyOf({ tool, args }: Subject): string {
  const sorted = Object.entries(args).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([tool, sorted]);
}

/** Questions that a client carries to a person (protocol 2026-07-28), each by a nonce that is good for one answer. */
export class PendingConfirmations {
  readonly #clock: ClockPort;
  /** By nonce. `requestId`: the call that asked. */
  readonly #open = new Map<string, { subject: string; deadlineMs: number; requestId: string | number }>();

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** Returns the nonce under which the answer has to come. */
  ask(subject: Subject, requestId: string | number): string {
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    const nonce = randomBytes(24).toString('base64url');
    const deadlineMs = this.#clock.monotonic() + QUESTION_MS;
    this.#open.set(nonce, { subject: keyOf(subject), deadlineMs, requestId });
    return nonce;
  }

  /** Closes the question; returns what is wrong with an answer under this nonce, or undefined. */
  take(nonce: string | undefined, subject: Subject): string | undefined {
    const key = nonce ?? '';
    const question = this.#open.get(key);
    if (question === undefined) return 'the answer belongs to no open question';
    this.#open.delete(key);
    if (question.subject !== keyOf(subject)) return 'the answer belongs to other arguments';
    return this.#clock.monotonic() > question.deadlineMs ? 'the answer came too late' : undefined;
  }

  /** The call that asked was cancelled: its question is void. */
  drop(requestId: string | number): void {
    for (const [nonce, question] of this.#open) if (question.requestId === requestId) this.#open.delete(nonce);
  }
}
