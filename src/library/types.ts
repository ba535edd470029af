/**
 * What a program that uses frontdesk as a library sees. The build publishes this file as it is, so it imports
 * nothing: its types need no other package, not even Node's.
 */

/** A token, or what gives one: asked once, and once more after the service refused the token with 401. */
export type Token = string | (() => string | Promise<string>);

/** One of the two APIs: where it is, and whose calls these are. */
export interface ServiceOptions {
  /** Base URL: https, or http to loopback. It may have a path prefix. */
  readonly url: string;
  readonly token: Token;
}

export interface ClientOptions {
  /** The gift-card API. Without it, `client.card` throws. */
  readonly cards?: ServiceOptions | undefined;
  /** The calendar API. Without it, `client.calendar` throws. */
  readonly calendar?: ServiceOptions | undefined;
  /** Milliseconds that one attempt may take; 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Further attempts after the first, 0 to 100; 2. */
  readonly retries?: number | undefined;
  /** Milliseconds for all attempts together, waits and read-backs included; 60,000, or `timeoutMs` if that is longer. */
  readonly retryMaxTimeMs?: number | undefined;
  /** Certificates to trust besides those of Node, as PEM text. */
  readonly ca?: string | undefined;
}

/** What is needed of an `AbortSignal`. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The last argument of every method. */
export interface CallOptions {
  /** Aborted: the call ends at once. A write that may have left is `unknown` then, one that has not is `not_sent`. */
  readonly signal?: Signal | undefined;
}

/** How frontdesk names what went wrong; the exit codes of the commands have the same names. */
export type ErrorCode =
  | 'NOT_FOUND'
  | 'AUTH'
  | 'FORBIDDEN'
  | 'REJECTED'
  | 'UNREACHABLE'
  | 'OUTCOME_UNKNOWN'
  | 'BAD_REPLY'
  | 'BUSY'
  | 'CANCELLED';

/** An error as the gift-card API describes it, as the service sent it. */
export interface ServiceError {
  readonly errorCode: string;
  readonly message: string;
  readonly details?: unknown;
  readonly [member: string]: unknown;
}

export interface CallError {
  readonly code: ErrorCode;
  /** The exit code that the command would have ended with. */
  readonly exitCode: number;
  /** What was attempted, on what, and what came back. Our own token is masked. */
  readonly message: string;
  /** Present when there was an answer. */
  readonly http?: { readonly status: number; readonly requestId?: string };
  /** The answer's body, when it has the error shape of the gift-card API. */
  readonly service?: ServiceError;
  /** When the last attempt may have begun to leave, ISO 8601. Absent: it never did. */
  readonly sentAt?: string;
}

/** Something to know about an answer that was accepted: `CONFIRMED_BY_READ`, `ACCEPTED` (202), `MISSING_FIELD`, … */
export interface Notice {
  readonly code: string;
  readonly message: string;
}

/** An answer with what was asked for. */
export interface Answer<Resource> {
  /** The body as JavaScript values. Numbers are JavaScript numbers, which may lose digits: `text` has all. */
  readonly resource: Resource;
  /** The body as the service sent it, digit for digit. */
  readonly text: string;
  readonly requestId: string | undefined;
  readonly notices: readonly Notice[];
}

/** How a read ended. */
export type ReadResult<Resource> =
  | (Answer<Resource> & { readonly ok: true })
  | { readonly ok: false; readonly error: CallError };

/**
 * How a write ended:
 * `applied`: the service answered so. `confirmed_by_read`: no readable answer came, and reading the card back
 * shows the status that the write aims at. `rejected`: the service refused it. `not_sent`: no byte of it left.
 * `unknown`: it may or may not have been applied; look before you repeat it.
 */
export type WriteResult<Resource> =
  | (Answer<Resource> & { readonly outcome: 'applied' })
  | (Answer<Resource> & { readonly outcome: 'confirmed_by_read' })
  | { readonly outcome: 'rejected'; readonly error: CallError }
  | { readonly outcome: 'not_sent'; readonly error: CallError }
  | { readonly outcome: 'unknown'; readonly error: CallError };

/**
 * The resources, as the service describes them. What it sends is passed on unchanged: members may be added, texts
 * may have new values, and a member that is missing all the same is named by the notice `MISSING_FIELD`.
 */
export interface Card {
  cardId: string;
  clientReference: string;
  /** WAITING_ACTIVATION, ACTIVE, CANCELLED, BLOCKED, REISSUED, EXPIRED, or one that is not known yet. */
  status: string;
  /** The currency is not shown. */
  initialBalance: number;
  currentBalance?: number | undefined;
  expiryDate: string;
  design: string;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
  activatedAt?: string | null | undefined;
  cancelledAt?: string | null | undefined;
  cancellationAmount?: number | null | undefined;
  cancellationAction?: string | null | undefined;
  transactions?: Transaction[] | undefined;
  [member: string]: unknown;
}

export interface Transaction {
  transactionId: string;
  amount: number;
  type: string;
  createdAt: string;
  [member: string]: unknown;
}

export interface WalletAResult {
  encryptedPaymentInstrument: string;
  [member: string]: unknown;
}

export interface WalletBResult {
  primaryAccountNumberPrefix: string;
  activationData: string;
  authenticationData: string;
  [member: string]: unknown;
}

export interface Calendar {
  id?: string | undefined;
  object?: string | undefined;
  active?: boolean | undefined;
  created?: string | undefined;
  updated?: string | undefined;
  name?: string | undefined;
  description?: string | null | undefined;
  image?: string | undefined;
  url?: string | null | undefined;
  [member: string]: unknown;
}

export interface CalendarEvent {
  id?: string | undefined;
  object?: string | undefined;
  active?: boolean | undefined;
  created?: string | undefined;
  updated?: string | undefined;
  name?: string | undefined;
  description?: string | null | undefined;
  start?: string | undefined;
  end?: string | undefined;
  location?: string | undefined;
  calendar?: unknown;
  url?: string | null | undefined;
  [member: string]: unknown;
}

export interface Subscriber {
  id?: string | undefined;
  object?: string | undefined;
  active?: boolean | undefined;
  created?: string | undefined;
  updated?: string | undefined;
  email?: string | undefined;
  first_name?: string | undefined;
  last_name?: string | undefined;
  [member: string]: unknown;
}

export interface SubscriberList {
  object: string;
  data: Subscriber[];
  url?: string | undefined;
  [member: string]: unknown;
}

export interface ReasonFields {
  readonly reason?: string | undefined;
}

export interface ProvisionFields {
  readonly clientDeviceID?: string | undefined;
  readonly clientWalletProvider?: string | undefined;
  readonly clientWalletAccountID?: string | undefined;
}

/** What each wallet answers with. */
export interface ProvisionResults {
  wallet_a: WalletAResult;
  wallet_b: WalletBResult;
}

/** At least one field. A field that is left out or undefined is not sent; an empty text is. */
export interface CalendarFields {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly image?: string | undefined;
  readonly url?: string | undefined;
  readonly active?: boolean | undefined;
}

export interface EventFields {
  readonly calendar: string;
  readonly name: string;
  /** Any ISO 8601 date or date-time, sent as it is. */
  readonly start: string;
  readonly end?: string | undefined;
  readonly location?: string | undefined;
  readonly description?: string | undefined;
  /** The only field that may be null. */
  readonly url?: string | null | undefined;
  readonly active?: boolean | undefined;
}

/** At least one field. A field that is left out or undefined is not sent; an empty text is. */
export interface SubscriberFields {
  readonly email?: string | undefined;
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly active?: boolean | undefined;
}

export interface SubscriberQuery {
  /** true: active ones, which is the service's default; false: inactive ones. */
  readonly active?: boolean | undefined;
  /** 1 to 100; 10 when none is given. The service shows no way to further pages. */
  readonly limit?: number | undefined;
}

export interface CardClient {
  get(cardId: string, options?: CallOptions): Promise<ReadResult<Card>>;
  activate(cardId: string, options?: CallOptions): Promise<WriteResult<Card>>;
  block(cardId: string, fields?: ReasonFields, options?: CallOptions): Promise<WriteResult<Card>>;
  /** Whether the answer is the original card or its replacement is not shown: keep the `cardId` in it. */
  reissue(cardId: string, fields?: ReasonFields, options?: CallOptions): Promise<WriteResult<Card>>;
  /** The answer is secret and comes once. */
  provision<Wallet extends keyof ProvisionResults>(
    cardId: string,
    fields: ProvisionFields & { readonly wallet: Wallet },
    options?: CallOptions,
  ): Promise<WriteResult<ProvisionResults[Wallet]>>;
}

export interface SubscribersClient {
  list(calendarId: string, query?: SubscriberQuery, options?: CallOptions): Promise<ReadResult<SubscriberList>>;
  update(subscriberId: string, fields: SubscriberFields, options?: CallOptions): Promise<WriteResult<Subscriber>>;
}

export interface CalendarClient {
  update(calendarId: string, fields: CalendarFields, options?: CallOptions): Promise<WriteResult<Calendar>>;
  createEvent(fields: EventFields, options?: CallOptions): Promise<WriteResult<CalendarEvent>>;
  readonly subscribers: SubscribersClient;
}

/**
 * The service. Its methods end with how the call ended, whatever that was; they reject with a `TypeError` only for
 * a mistake of the program (an id, field or limit that cannot be sent), and nothing is sent then.
 */
export interface Client {
  readonly card: CardClient;
  readonly calendar: CalendarClient;
  /** Waits for the calls under way and ends idle connections. Later calls open new ones. */
  close(): Promise<void>;
}
