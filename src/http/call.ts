import type { Operation } from '../api/operation.ts';
import type { CallOutcome } from '../call-outcome.ts';
import type { Context, SignalName } from '../context.ts';
import type { Failure, Hint } from '../failure.ts';
import type { JsonValue } from '../json/value.ts';
import type { BaseUrl } from '../wire/base-url.ts';
import type { Transport } from '../wire/exchange.ts';

/** One call of one operation, checked by its schemas: the http layer trusts it. */
export interface CallInput {
  readonly operation: Operation;
  /** Path parameters, raw (not encoded). */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** undefined: the request has no body. Numbers are sent digit for digit. */
  readonly body: JsonValue | undefined;
  /** A raw call: path and query as they go on the wire. Its answer may be any JSON. */
  readonly target?: string;
  /** The card as it was read before the write was sent, for comparing when the outcome is unknown. */
  readonly before?: CardBefore | undefined;
}

/** What was seen of a card before a write. */
export interface CardBefore {
  readonly status: string;
  /** Ends a sentence: `before you confirmed`, `before it was sent`. */
  readonly when: string;
}

/** Limits of one call. All are milliseconds or counts. */
export interface CallPolicy {
  /** One attempt, from connecting to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly retries: number;
  /** All attempts, waits and card checks together. */
  readonly retryMaxTimeMs: number;
  /** What messages call that; `--retry-max-time`. */
  readonly limitName?: string;
}

/** Where a token comes from, as messages have it. */
export interface TokenPlace {
  /** `environment (FRONTDESK_CARDS_TOKEN)`, `profile demo`, `token file /run/token`. */
  readonly name: string;
  /** What the service did not accept: `the token in FRONTDESK_CARDS_TOKEN`. */
  readonly words: string;
  /** What to do for another token: begins with a verb. */
  readonly remedy: Hint;
}

/** What gives bearer tokens. The http layer asks for one per call and never stores it. */
export interface CredentialPort {
  /** Returns the token; rejects with an AUTH or USAGE failure. `abort` aborts when it is no longer wanted. */
  token(abort?: AbortSignal): Promise<string>;
  /** After a 401: another token if one can be had, else undefined, whatever the reason. */
  renew(refused: string, abort?: AbortSignal): Promise<string | undefined>;
  /** Where the last token came from; undefined: it is not known. */
  readonly source?: TokenPlace | undefined;
}

/** What a caller may want to hear while a call goes on. */
export interface CallListener {
  /** A person waits for this call: that it goes on may be shown. */
  readonly isWaitedFor?: boolean | undefined;
  /**
   * Before a wait: `429, waiting 12 s`. Of what the service asked for, `waitMs` is just that, without our jitter;
   * `brief` is the reason without the words of the service.
   */
  onRetry?(retry: { readonly reason: string; readonly brief: string; readonly waitMs: number }): void;
  /** The first byte of an attempt may leave from now on. Called right before it does. */
  onSend?(attempt: number): void;
  /** The body of each 2xx answer as it came, before it is read: also of one that was cut. */
  onSuccess?(body: readonly Uint8Array[]): void;
  /** One line of the HTTP exchange, secrets masked, for `--verbose`. */
  onTrace?(line: string): void;
}

/** How a run with many rows shares what the service says. A single call has none and waits by itself. */
export interface Pacer {
  /** Resolves when a request may be sent; false: the run is stopping. `send`, of a write, is the moment to journal the intent. */
  admit(purpose: 'send' | 'read'): Promise<boolean>;
  /** The request that was admitted leaves now: right before its first byte. Not called when it never does. */
  leaves?(): void;
  /** The service refused with 429. True: all workers pause, the row is tried again. False: the row is `not_sent`. */
  refused(waitMs: number, askedMs: number): boolean;
  /** May a retry be spent (token bucket, so that an outage is not multiplied by rows)? */
  mayRetry(): boolean;
  succeeded(): void;
  /** Do so many rows come after this one that each place of the run is taken again? */
  readonly isFollowed?: () => boolean;
  /** Do results of other rows wait for this one, to be printed after it? */
  readonly isAwaited?: () => boolean;
}

export interface CallOptions {
  readonly policy: CallPolicy;
  readonly listener?: CallListener;
  readonly pacer?: Pacer;
  /** The body of an error is kept whole: for a call that no other goes beside, and whose failure is soon printed. */
  readonly keepsLongError?: boolean | undefined;
  /** Aborted: stop now; a write in flight is `unknown`. Its reason may be the signal, which gives the exit code. */
  readonly abort?: AbortSignal;
  /** Aborted: begin nothing new, but let a request that may have left finish; one still connecting is given up. */
  readonly stopping?: AbortSignal;
  /** How a call ends that is stopped between attempts: CANCELLED, or for a program what the last one came to. */
  readonly stoppedBetween?: 'last_attempt';
}

/** The service answered, and the call succeeded. */
export interface Answer {
  readonly kind: 'answered';
  readonly ending: CallOutcome;
  /** The resource as sent (for `confirmed_by_read`: the card as read). */
  readonly resource: JsonValue;
  readonly headers: readonly (readonly [string, string])[];
}

interface Refusal {
  readonly kind: 'failed';
  readonly ending: CallOutcome;
  readonly failure: Failure;
}

/** How a call ended. */
export type CallResult = Answer | Refusal;

/** Where the calls of a client go, with what and on whose behalf. Messages name it; they never name a token. */
export interface Endpoint extends Pick<Context, 'clock' | 'random' | 'version'> {
  readonly baseUrl: BaseUrl;
  readonly credential: CredentialPort;
  readonly transport: Transport;
  /** Name of the profile, as messages show it; the library has none. */
  readonly profile?: string;
  /** What the command of a hint needs to reach the same profile: `-p demo`; empty when nothing is needed. */
  readonly profileFlag?: string;
  /** The signal since which no write may leave; undefined: none was received. */
  stoppedBy?(): SignalName | undefined;
  /** The variable of the environment that set the base URL, if one did. */
  readonly urlVariable?: string | undefined;
}

/** One origin, one credential, one connection pool. */
export interface HttpClient {
  call(input: CallInput, options: CallOptions): Promise<CallResult>;
}
