import type { Context, SignalName } from '../../base/context.ts';
import type { Failure, Hint } from '../../base/failure.ts';
import type { JsonValue } from '../../base/json/value.ts';
import type { Operation } from '../api/operation.ts';
import type { CallOutcome } from '../call-outcome.ts';
import type { BaseUrl } from '../wire/base-url.ts';
import type { Transport } from '../wire/exchange.ts';

/** One call of one operation, checked by its schemas before it comes here. */
export interface CallInput {
  readonly operation: Operation;
  /** Path parameters, raw (not encoded). */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** undefined: no body. Numbers are sent digit for digit. */
  readonly body: JsonValue | undefined;
  /** A raw call: path and query as on the wire. Its response may be any JSON. */
  readonly target?: string | undefined;
  /** The card as read before the change, for comparison if the outcome is unknown. */
  readonly before?: StatusBefore | undefined;
}

/** What was read of a card before a change. */
export interface StatusBefore {
  readonly status: string;
  /** Ends a sentence: `before you confirmed`, `before it was sent`. */
  readonly when: string;
}

/** Limits of one call. All are milliseconds or counts. */
export interface CallPolicy {
  /** One attempt, from connecting to the last byte of the response. */
  readonly timeoutMs: number;
  readonly retries: number;
  /** All attempts, waits and card checks together. */
  readonly retryMaxTimeMs: number;
  /** The name of this limit in messages: `--retry-max-time`. */
  readonly limitName?: string;
}

/** Where a token comes from, for messages. */
export interface TokenPlace {
  /** `environment (FRONTDESK_CARDS_TOKEN)`, `profile demo`, `token file /run/token`. */
  readonly name: string;
  /** What the service refused: `the token in FRONTDESK_CARDS_TOKEN`. */
  readonly words: string;
  /** How to give another token. Begins with a verb. */
  readonly remedy: Hint;
}

/** The source of bearer tokens. The http layer asks for one per call and never stores it. */
export interface CredentialPort {
  /** Returns the token, or rejects with AUTH or USAGE. `abort` ends the asking. */
  token(abort?: AbortSignal): Promise<string>;
  /** After a 401: another token; undefined if there is none. */
  renew(refused: string, abort?: AbortSignal): Promise<string | undefined>;
  /** Where the last token came from; undefined: not known. */
  readonly source?: TokenPlace | undefined;
}

export interface CallListener {
  /** The user waits for this call, so its progress may be shown. */
  readonly isWaitedFor?: boolean | undefined;
  /** Before a wait. `waitMs`: what the service asked for. `brief`: the reason without the words of the service. */
  onRetry?(retry: { readonly reason: string; readonly brief: string; readonly waitMs: number }): void;
  /** Called right before the first byte of an attempt may leave. */
  onSend?(attempt: number): void;
  /** The body of each 2xx as it came, before it is read, even if it was cut. */
  onSuccess?(body: readonly Uint8Array[]): void;
  /** One line of the HTTP exchange, secrets masked, for `--verbose`. */
  onTrace?(line: string): void;
}

/** How the rows of a run share what the service says. A single call waits by itself and has no pacer. */
export interface Pacer {
  /** Resolves when a request may be sent, after journaling the intent of a `send`. False: the run is stopping. */
  admit(purpose: 'send' | 'read'): Promise<boolean>;
  /** Called right before the first byte of an admitted request leaves, if it leaves. */
  leaves?(): void;
  /** The service refused with 429. True: all rows pause, and this one is tried again. False: the row is `not_sent`. */
  refused(waitMs: number, askedMs: number): boolean;
  /** May a retry be spent? A token bucket, so that an outage is not multiplied by the rows. */
  mayRetry(): boolean;
  succeeded(): void;
  /** Are there enough rows behind this one to take every place of the run again? */
  readonly isFollowed?: () => boolean;
  /** Do results of other rows wait to be printed after this one? */
  readonly isAwaited?: () => boolean;
}

export interface CallOptions {
  readonly policy: CallPolicy;
  readonly listener?: CallListener;
  readonly pacer?: Pacer;
  /** Asked before a change is sent again, after what may have been a long wait. False: it is not. */
  readonly mayRepeat?: (() => Promise<boolean>) | undefined;
  /** Keeps the whole body of an error: for a single call, whose failure is printed soon. */
  readonly keepsLongError?: boolean | undefined;
  /** Aborted: stop now. A change in flight is `unknown`. The reason may be a signal, which gives the exit code. */
  readonly abort?: AbortSignal;
  /** Aborted: begin nothing new, let a request that may have left finish, abandon a connection that is not open yet. */
  readonly stopping?: AbortSignal;
}

export interface Answer {
  readonly kind: 'answered';
  readonly callOutcome: CallOutcome;
  /** The resource as sent; after `confirmed_by_read` the card as read. */
  readonly resource: JsonValue;
  readonly headers: readonly (readonly [string, string])[];
}

export type CallResult =
  | Answer
  | { readonly kind: 'failed'; readonly callOutcome: CallOutcome; readonly failure: Failure };

/** Where the calls of a client go. Messages name it, and never a token. */
export interface Endpoint extends Pick<Context, 'clock' | 'random' | 'version'> {
  readonly baseUrl: BaseUrl;
  readonly credential: CredentialPort;
  readonly transport: Transport;
  readonly profile: string;
  /** The profile that a command in a hint names; undefined if the call named none. */
  readonly namedProfile: string | undefined;
  /** The signal after which no change may leave; undefined: none yet. */
  stoppedBy(): SignalName | undefined;
  /** The environment variable that set the base URL, if one did. */
  readonly urlVariable?: string | undefined;
}

/** One origin, one credential, one connection pool. */
export interface HttpClient {
  call(input: CallInput, options: CallOptions): Promise<CallResult>;
}
