import { Failure } from '../../base/failure.ts';
import { textAt } from '../../base/json/value.ts';
import { isOnceOnly, isResolvedAt, isWrite, targetStatus } from '../api/operation.ts';
import { type CallOutcome, NO_OUTCOME, outcomeOfFailure } from '../call-outcome.ts';
import type { Answer, CallInput, CallOptions, CallResult, Endpoint, HttpClient, Pacer } from './call.ts';
import { type CallFacts, idOf, seenOf, subjectOf } from './facts.ts';
import { detailsOf, reasonOf, whatHappened } from './failure-details.ts';
import { busyFailure, cancelledFailure, certainFailure, lateFailure, type NoFurtherAttempt } from './failures.ts';
import type { Accepted, FailedAttempt, Verdict } from './response.ts';
import { resultIdOf } from './response-shape.ts';
import { askedWait, decideNext, isAmbiguous, sleepUnless, waitBeforeRetry } from './retry.ts';
import { openSender, type Send } from './sender.ts';
import { confirmedNotice, type Observation, observe, unknownFailure } from './unknown-outcome.ts';

/** An attempt that may have been applied. */
interface Doubt {
  readonly verdict: FailedAttempt;
  readonly sentAtMs: number | undefined;
}

interface CardCheckResult {
  /** The card as read, if its status resolves the outcome. */
  readonly resolved: Accepted | undefined;
  readonly observation: Observation;
}

/** Between the two reads of a card check: a delayed request may arrive in between. */
const CHECK_PAUSE_MS = 2000;
/** Less would cut off an ordinary response, and make an outcome unknown. */
const LEAST_MS = 1000;

/**
 * One call from its first attempt to its end. Once an attempt may have been applied, no later refusal takes that back:
 * only a good response or a card check resolves it (docs/faults.md G4).
 */
class OngoingCall {
  readonly #endpoint: Endpoint;
  readonly #sendOnce: Send;
  readonly #input: CallInput;
  readonly #options: CallOptions;
  readonly #signals: readonly AbortSignal[];
  readonly #startedMs: number;
  #token = '';
  #isRenewed = false;
  #attempts = 0;
  #firstAttemptMs: number | undefined;
  #retriesDone = 0;
  #onceSpent = false;
  /** Time spent waiting for the pacer, which is outside the row's own budget. */
  #pacedMs = 0;
  #sentAtMs: number | undefined;
  #last: FailedAttempt | undefined;
  #doubt: Doubt | undefined;
  #wasAnswered = false;

  constructor(endpoint: Endpoint, send: Send, input: CallInput, options: CallOptions) {
    this.#endpoint = endpoint;
    this.#sendOnce = send;
    this.#input = input;
    this.#options = options;
    this.#signals = [options.stopping, options.abort].filter((signal) => signal !== undefined);
    this.#startedMs = endpoint.clock.monotonic();
  }

  async run(): Promise<CallResult> {
    try {
      this.#token = await this.#endpoint.credential.token(this.#signals[0]);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // The same Ctrl-C may have ended the token command.
      if (this.#isStopping()) return this.#cancelled();
      return this.#failed(error.with(detailsOf(this.#facts(), undefined, 'not_sent')), undefined);
    }
    for (;;) {
      const withheld = await this.#withheld(this.#last);
      if (withheld !== undefined) return withheld;
      const verdict = await this.#attempt();
      if (verdict.kind === 'accepted') return this.#answer(verdict);
      this.#note(verdict);
      if (verdict.breakage?.label === 'aborted') return this.#aborted(verdict);
      const end = await this.#afterFailure(verdict);
      if (end !== undefined) return end;
    }
  }

  /** A change that no time is left for, or that something has come to stand against while it waited, leaves no more. */
  async #withheld(last: FailedAttempt | undefined): Promise<CallResult | undefined> {
    const { policy, mayRepeat } = this.#options;
    const isSend = isWrite(this.#input.operation);
    if (this.#isStopping() || !(await this.#admit(isSend ? 'send' : 'read'))) return this.#cancelled();
    if (!isSend) return undefined;
    const leastMs = last === undefined ? 1 : Math.min(policy.timeoutMs, LEAST_MS);
    const isLate = this.#remainingMs() < leastMs;
    if (last === undefined) return isLate ? this.#failed(lateFailure(this.#facts()), undefined) : undefined;
    if (isLate) return this.#finish(last, 'no_time');
    return (await mayRepeat?.()) === false ? this.#finish(last, 'held') : undefined;
  }

  async #afterFailure(verdict: FailedAttempt): Promise<CallResult | undefined> {
    const { pacer } = this.#options;
    const { effect } = this.#input.operation;
    const isOnce = effect.kind === 'write' && effect.unavailable === 'once';
    if (verdict.reply?.status === 401 && !this.#isRenewed && !isOnce) {
      this.#isRenewed = true;
      const fresh = await this.#endpoint.credential.renew(this.#token, this.#signals[0]);
      this.#token = fresh ?? this.#token;
      // A 401 was refused unread, so even a change may be sent again with a fresh token.
      if (fresh !== undefined) return undefined;
    }
    return verdict.reply?.status === 429 && pacer !== undefined ? this.#paced(verdict, pacer) : this.#next(verdict);
  }

  /** In a run, a 429 pauses all rows. The pacer waits, and the time does not count for the row. */
  async #paced(verdict: FailedAttempt, pacer: Pacer): Promise<CallResult | undefined> {
    const isLast = this.#retriesDone >= this.#options.policy.retries;
    if (isLast && verdict.retryAfterMs === undefined) return this.#finish(verdict, 'final');
    const waitMs = waitBeforeRetry(this.#retriesDone, verdict.retryAfterMs, this.#endpoint.random());
    // A pause that is too long ends the run, also for a row without retries: a resume sends that row again.
    const mayGoOn = pacer.refused(waitMs, askedWait(verdict.retryAfterMs, waitMs));
    if (mayGoOn && !isLast) {
      this.#retriesDone += 1;
      return undefined;
    }
    if (mayGoOn || this.#doubt !== undefined) return this.#finish(verdict, 'final');
    return this.#failed(busyFailure(this.#facts(), verdict, 'wait_too_long', 'not_sent'), verdict);
  }

  async #next(verdict: FailedAttempt): Promise<CallResult | undefined> {
    const { policy, pacer, listener } = this.#options;
    const next = decideNext({
      effect: this.#input.operation.effect,
      event: verdict.event,
      retriesDone: this.#retriesDone,
      retriesAllowed: policy.retries,
      onceSpent: this.#onceSpent,
      retryAfterMs: verdict.retryAfterMs,
      remainingMs: this.#remainingMs(),
      random: this.#endpoint.random(),
    });
    if (next.kind === 'end') return this.#finish(verdict, next.waitTooLong ? 'wait_too_long' : 'final');
    if (pacer?.mayRetry() === false) return this.#finish(verdict, 'final');
    if (next.checkFirst) {
      const result = await this.#checkCard(1);
      if (result?.resolved !== undefined) return this.#confirmed(result.resolved, verdict);
    }
    this.#retriesDone += 1;
    this.#onceSpent ||= next.once;
    const waitMs = askedWait(verdict.retryAfterMs, next.waitMs);
    const brief = whatHappened({ ...verdict, error: { ...verdict.error, summary: '' } });
    listener?.onRetry?.({ reason: whatHappened(verdict), brief, waitMs });
    await this.#sleep(next.waitMs);
    return undefined;
  }

  async #finish(verdict: FailedAttempt, why: NoFurtherAttempt): Promise<CallResult> {
    if (this.#doubt === undefined) return this.#failed(certainFailure(this.#facts(), verdict, why), verdict);
    const canRead = targetStatus(this.#input.operation) !== undefined && !this.#isStopping();
    const result = canRead ? await this.#checkCard(2) : undefined;
    if (result?.resolved !== undefined) return this.#confirmed(result.resolved, this.#doubt.verdict);
    return this.#unknown(this.#doubt, result, verdict);
  }

  #unknown(doubt: Doubt, result: CardCheckResult | undefined, last: FailedAttempt | undefined): CallResult {
    const facts = { ...this.#facts(), sentAtMs: doubt.sentAtMs };
    const later = last === doubt.verdict ? undefined : last;
    const failure = unknownFailure(facts, doubt.verdict, result?.observation, later);
    return this.#failed(failure, doubt.verdict, result?.observation.clientReference);
  }

  #failed(failure: Failure, verdict: FailedAttempt | undefined, clientReference?: string): CallResult {
    const message = verdict === undefined ? undefined : reasonOf(verdict);
    const callOutcome = outcomeOfFailure(failure, { durationMs: this.#durationMs(), message, clientReference });
    return { kind: 'failed', callOutcome, failure };
  }

  #note(verdict: FailedAttempt): void {
    this.#last = verdict;
    this.#wasAnswered ||= verdict.reply !== undefined;
    if (isAmbiguous(this.#input.operation.effect, verdict.event)) this.#doubt = { verdict, sentAtMs: this.#sentAtMs };
  }

  #aborted(verdict: FailedAttempt): CallResult | Promise<CallResult> {
    if (this.#doubt !== undefined) return this.#unknown(this.#doubt, undefined, verdict);
    const wasAnswered = verdict.reply !== undefined && isWrite(this.#input.operation);
    return wasAnswered ? this.#finish(verdict, 'final') : this.#cancelled();
  }

  #cancelled(): CallResult {
    if (this.#doubt !== undefined) return this.#unknown(this.#doubt, undefined, this.#last);
    // `abort` is last and says more.
    const by: unknown = this.#signals.findLast(({ aborted }) => aborted)?.reason ?? this.#endpoint.stoppedBy();
    return this.#failed(cancelledFailure(this.#facts(), by), undefined);
  }

  /** The card check after `doubtful` showed that it was applied. */
  #confirmed(accepted: Accepted, doubtful: FailedAttempt): Answer {
    const notices = [confirmedNotice(this.#input, accepted, doubtful), ...accepted.notices];
    return this.#answer({ ...accepted, notices }, true);
  }

  #answer({ reply, resource, notices }: Accepted, isConfirmed = false): Answer {
    const outcome = isConfirmed ? 'confirmed_by_read' : isWrite(this.#input.operation) ? 'applied' : null;
    if (!isConfirmed) this.#options.pacer?.succeeded();
    const callOutcome: CallOutcome = {
      ...NO_OUTCOME,
      outcome,
      httpStatus: reply.status,
      requestId: reply.requestId,
      attempts: this.#attempts,
      sentAtMs: isConfirmed ? this.#doubt?.sentAtMs : this.#sentAtMs,
      durationMs: this.#durationMs(),
      resultId: outcome === 'applied' ? resultIdOf(this.#input.operation, idOf(this.#input), resource) : undefined,
      ...(outcome === null ? {} : seenOf(this.#input, resource)),
      notices,
    };
    return { kind: 'answered', callOutcome, resource, headers: reply.headers };
  }

  async #admit(purpose: 'send' | 'read'): Promise<boolean> {
    const { clock } = this.#endpoint;
    const askedMs = clock.monotonic();
    const isAdmitted = (await this.#options.pacer?.admit(purpose)) ?? true;
    this.#pacedMs += clock.monotonic() - askedMs;
    return isAdmitted && !this.#isStopping();
  }

  #attempt(): Promise<Verdict> {
    this.#attempts += 1;
    this.#sentAtMs = undefined;
    this.#firstAttemptMs ??= this.#endpoint.clock.monotonic();
    const { listener, pacer } = this.#options;
    // Nothing that these answers must have says which request they answer.
    const isAlone = isOnceOnly(this.#input.operation) || this.#input.operation.lists !== undefined;
    const onSend = () => {
      pacer?.leaves?.();
      this.#sentAtMs = this.#endpoint.clock.now();
      listener?.onSend?.(this.#attempts);
    };
    const about = (idOf(this.#input) ?? this.#input.target)?.toLowerCase();
    const isFollowed = isAlone ? pacer?.isFollowed : undefined;
    return this.#send(this.#input, this.#attempts > 1 || isAlone, onSend, about, isFollowed);
  }

  #send(
    input: CallInput,
    own: boolean,
    onSend: () => void,
    about?: string,
    isFollowed?: () => boolean,
  ): Promise<Verdict> {
    const { policy, abort, stopping, listener, pacer, keepsLongError } = this.#options;
    // Whole milliseconds, because messages name the limit.
    const timeoutMs = Math.max(1, Math.ceil(Math.min(policy.timeoutMs, this.#remainingMs())));
    const { isAwaited } = pacer ?? {};
    // Each member that is added to a spread object takes V8 a microsecond.
    const how = { timeoutMs, own, about, abort, stopping, onSend, isFollowed, isAwaited, keepsLongError };
    return this.#sendOnce(input, this.#token, listener, how);
  }

  /**
   * Checks the card, and once more after a pause; undefined: no operation shows it. Only `resolvedBy` resolves a change,
   * because a delayed request can still arrive.
   */
  async #checkCard(maxReads: number): Promise<CardCheckResult | undefined> {
    const { operation, params } = this.#input;
    const { shownBy } = operation;
    if (shownBy === undefined) return undefined;
    const input: CallInput = { operation: shownBy, params, query: {}, body: undefined };
    const seen: Verdict[] = [];
    while (seen.length < maxReads) {
      if (seen.length > 0 && !(await this.#pause())) break;
      if (this.#remainingMs() <= 0 || !(await this.#admit('read'))) break;
      const verdict = await this.#send(input, true, () => this.#options.pacer?.leaves?.());
      seen.push(verdict);
      if (verdict.kind === 'accepted' && isResolvedAt(operation, textAt(verdict.resource, 'status')))
        return { resolved: verdict, observation: observe(seen) };
    }
    return { resolved: undefined, observation: observe(seen) };
  }

  /** The pause between two reads; false if there is no time for it or the call is being ended. */
  async #pause(): Promise<boolean> {
    if (this.#remainingMs() <= CHECK_PAUSE_MS) return false;
    await this.#sleep(CHECK_PAUSE_MS);
    return !this.#isStopping();
  }

  #isStopping(): boolean {
    const isStopped = isWrite(this.#input.operation) && this.#endpoint.stoppedBy() !== undefined;
    return isStopped || this.#signals.some(({ aborted }) => aborted);
  }

  async #sleep(waitMs: number): Promise<void> {
    if (!this.#isStopping()) await sleepUnless(this.#signals, this.#endpoint.clock, waitMs);
  }

  #remainingMs(): number {
    const elapsedMs = this.#endpoint.clock.monotonic() - this.#startedMs - this.#pacedMs;
    return this.#options.policy.retryMaxTimeMs - elapsedMs;
  }

  #durationMs(): number | undefined {
    if (this.#firstAttemptMs === undefined) return undefined;
    return Math.round(this.#endpoint.clock.monotonic() - this.#firstAttemptMs);
  }

  #facts(): CallFacts {
    return {
      endpoint: this.#endpoint,
      policy: this.#options.policy,
      operation: this.#input.operation,
      id: idOf(this.#input),
      subject: subjectOf(this.#input),
      before: this.#input.before,
      attempts: this.#attempts,
      wasAnswered: this.#wasAnswered,
      // A resume sends a row of a run again.
      unsentOutcome: this.#wasAnswered && this.#options.pacer === undefined ? 'rejected' : 'not_sent',
      sentAtMs: this.#sentAtMs,
      nowMs: this.#endpoint.clock.now(),
      oddInToken: [...new Set(this.#token.match(/["'`$(){}<>]/g))],
    };
  }
}

/** A client for one family at one address with one credential. `call` throws only for bugs. */
export function createHttpClient(endpoint: Endpoint): HttpClient {
  const send = openSender(endpoint);
  return { call: (input, options) => new OngoingCall(endpoint, send, input, options).run() };
}
