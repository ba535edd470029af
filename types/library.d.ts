/**
 * What a program that uses frontdesk as a library sees. Made of src/library/types.ts and of the table of operations by
 * `npm run generate`. It imports nothing: these types need no other package, not even Node's.
 */

/**
 * The resources, as the service describes them. What it sends is passed on unchanged: members may be added, texts
 * may have new values, and the notice of a missing member is `MISSING_FIELD`.
 */
export interface Card {
  /** unique identifier of the card */
  cardId: string;
  /** identifier provided by the client to prevent duplication */
  clientReference: string;
  /** WAITING_ACTIVATION, ACTIVE, CANCELLED, BLOCKED, REISSUED, EXPIRED */
  status: string;
  /** starting balance; the currency is not documented */
  initialBalance: number;
  /** current available balance */
  currentBalance?: number | undefined;
  /** when the card expires */
  expiryDate: string;
  /** design or template selected */
  design: string;
  /** custom data */
  metadata: Record<string, unknown>;
  /** creation time */
  createdAt: string;
  /** last update time */
  updatedAt: string;
  /** activation time, if applicable */
  activatedAt?: string | null | undefined;
  /** cancellation time; null if not cancelled */
  cancelledAt?: string | null | undefined;
  /** amount unloaded at cancellation; null if not cancelled */
  cancellationAmount?: number | null | undefined;
  /** action that led to cancellation: EXPIRY, CANCELLATION or REISSUE */
  cancellationAction?: string | null | undefined;
  /** transactions associated with the card */
  transactions?: Transaction[] | undefined;
  [member: string]: unknown;
}

export interface Transaction {
  /** unique identifier */
  transactionId: string;
  /** amount of the transaction; the currency is not documented */
  amount: number;
  /** LOAD, UNLOAD or PURCHASE */
  type: string;
  /** time the transaction was recorded */
  createdAt: string;
  [member: string]: unknown;
}

export interface WalletAResult {
  /** encrypted payment instrument data returned by the wallet provider */
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
  /** unique identifier */
  id?: string | undefined;
  /** always calendar */
  object?: string | undefined;
  /** whether the calendar is available for use */
  active?: boolean | undefined;
  /** creation time, ISO 8601 */
  created?: string | undefined;
  /** last update time, ISO 8601 */
  updated?: string | undefined;
  /** displayable name */
  name?: string | undefined;
  /** displayable long-form text */
  description?: string | null | undefined;
  /** URL of a displayable image */
  image?: string | undefined;
  /** URL of a publicly accessible page */
  url?: string | null | undefined;
  [member: string]: unknown;
}

export interface CalendarEvent {
  /** unique identifier */
  id?: string | undefined;
  /** always event */
  object?: string | undefined;
  /** whether the event is available for use */
  active?: boolean | undefined;
  /** creation time, ISO 8601 */
  created?: string | undefined;
  /** last update time, ISO 8601 */
  updated?: string | undefined;
  /** displayable name */
  name?: string | undefined;
  /** displayable long-form text */
  description?: string | null | undefined;
  /** start, ISO 8601; time zones are not documented */
  start?: string | undefined;
  /** end, ISO 8601; time zones are not documented */
  end?: string | undefined;
  /** physical or virtual place */
  location?: string | undefined;
  /** identifier of the calendar the event belongs to */
  calendar?: unknown;
  /** URL of a publicly accessible page */
  url?: string | null | undefined;
  [member: string]: unknown;
}

export interface Subscriber {
  /** unique identifier */
  id?: string | undefined;
  /** always subscriber */
  object?: string | undefined;
  /** whether the subscriber is available */
  active?: boolean | undefined;
  /** creation time, ISO 8601 */
  created?: string | undefined;
  /** last update time, ISO 8601 */
  updated?: string | undefined;
  /** email address */
  email?: string | undefined;
  first_name?: string | undefined;
  last_name?: string | undefined;
  [member: string]: unknown;
}

export interface SubscriberList {
  /** always list */
  object: string;
  /** one entry per returned object */
  data: Subscriber[];
  /** path of the listed resource */
  url?: string | undefined;
  [member: string]: unknown;
}

/** The response of each wallet. */
export interface ProvisionResults {
  wallet_a: WalletAResult;
  wallet_b: WalletBResult;
}

export interface ReasonFields {
  /** why, as the service stores it */
  readonly reason?: string | undefined;
}

export interface ProvisionFields {
  /** identifier of the customer's device */
  readonly clientDeviceID?: string | undefined;
  /** wallet provider as the client names it */
  readonly clientWalletProvider?: string | undefined;
  /** identifier of the customer's wallet account */
  readonly clientWalletAccountID?: string | undefined;
}

export interface EventFields {
  /** calendar the event belongs to */
  readonly calendar: string;
  /** displayable name */
  readonly name: string;
  /** start, ISO 8601, sent as typed */
  readonly start: string;
  /** end, ISO 8601, sent as typed */
  readonly end?: string | undefined;
  /** physical or virtual place */
  readonly location?: string | undefined;
  /** displayable long-form text */
  readonly description?: string | undefined;
  readonly url?: string | null | undefined;
  /** whether the event is available for use; the service defaults to true */
  readonly active?: boolean | undefined;
}

/** At least one field. A field that is left out or undefined is not sent; an empty text is. */
export interface CalendarFields {
  /** displayable name */
  readonly name?: string | undefined;
  /** displayable long-form text */
  readonly description?: string | undefined;
  /** URL of a displayable image */
  readonly image?: string | undefined;
  /** URL of a publicly accessible page */
  readonly url?: string | undefined;
  /** whether the calendar is available for use */
  readonly active?: boolean | undefined;
}

/** At least one field. A field that is left out or undefined is not sent; an empty text is. */
export interface SubscriberFields {
  /** email address */
  readonly email?: string | undefined;
  /** first name */
  readonly first_name?: string | undefined;
  /** last name */
  readonly last_name?: string | undefined;
  /** whether the subscriber is available */
  readonly active?: boolean | undefined;
}

export interface SubscriberQuery {
  /** true: active ones; false: inactive ones; default true */
  readonly active?: boolean | undefined;
  /** number of objects returned */
  readonly limit?: number | undefined;
}

/** A token, or a function that gives one: asked once, and once more after a 401. */
export type Token = string | (() => string | Promise<string>);

/** One of the two APIs: its address and its token. */
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
  /** Milliseconds for all attempts together, waits and card checks included; 60,000, or `timeoutMs` if that is longer. */
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
  /** Aborted: the call ends at once. A change that may have left is then `unknown`, another one `not_sent`. */
  readonly signal?: Signal | undefined;
}

/** The name of a failure. The exit codes of the commands have the same names. */
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

/** An error of the gift-card API, as sent. */
export interface ServiceError {
  readonly errorCode: string;
  readonly message: string;
  readonly details?: unknown;
  readonly [member: string]: unknown;
}

export interface CallError {
  readonly code: ErrorCode;
  /** The exit code of the command after the same failure. */
  readonly exitCode: number;
  /** What was attempted, on what, and what came back. frontdesk's own token is masked. */
  readonly message: string;
  /** Present if there was a response. */
  readonly http?: { readonly status: number; readonly requestId?: string };
  /** The response's body, if it has the error shape of the gift-card API. */
  readonly service?: ServiceError;
  /** When the last attempt may have begun to leave, ISO 8601. Absent: it never did. */
  readonly sentAt?: string;
}

/** A note on an accepted response: `CONFIRMED_BY_READ`, `ACCEPTED` (202), `MISSING_FIELD`, … */
export interface Notice {
  readonly code: string;
  readonly message: string;
}

/** A response with what was asked for. */
export interface Answer<Resource> {
  /** The body as JavaScript values. Its numbers may lose digits, `text` has all. */
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
 * How a change ended. `applied`: the service says so. `confirmed_by_read`: no readable response came, and the card has
 * the status that the change aims at. `rejected`: the service refused it. `not_sent`: no byte of it left. `unknown`: it
 * may have been applied; check before you repeat it.
 */
export type WriteResult<Resource> =
  | (Answer<Resource> & { readonly outcome: 'applied' })
  | (Answer<Resource> & { readonly outcome: 'confirmed_by_read' })
  | { readonly outcome: 'rejected'; readonly error: CallError }
  | { readonly outcome: 'not_sent'; readonly error: CallError }
  | { readonly outcome: 'unknown'; readonly error: CallError };

export interface CardClient {
  get(cardId: string, options?: CallOptions): Promise<ReadResult<Card>>;
  activate(cardId: string, options?: CallOptions): Promise<WriteResult<Card>>;
  block(cardId: string, fields?: ReasonFields, options?: CallOptions): Promise<WriteResult<Card>>;
  /** The service does not document whether the response is the original card or its replacement: keep its `cardId`. */
  reissue(cardId: string, fields?: ReasonFields, options?: CallOptions): Promise<WriteResult<Card>>;
  /** The response is secret and comes once. */
  provision<Wallet extends keyof ProvisionResults>(
    cardId: string,
    fields: ProvisionFields & { readonly wallet: Wallet },
    options?: CallOptions,
  ): Promise<WriteResult<ProvisionResults[Wallet]>>;
}

/** Active and inactive ones, by two requests whose lists are merged. `limit` is for each. */
export interface AllSubscribersQuery {
  readonly active: 'all';
  readonly limit?: number | undefined;
}

export interface SubscribersClient {
  list(
    calendarId: string,
    query?: SubscriberQuery | AllSubscribersQuery,
    options?: CallOptions,
  ): Promise<ReadResult<SubscriberList>>;
  update(subscriberId: string, fields: SubscriberFields, options?: CallOptions): Promise<WriteResult<Subscriber>>;
}

export interface CalendarClient {
  update(calendarId: string, fields: CalendarFields, options?: CallOptions): Promise<WriteResult<Calendar>>;
  createEvent(fields: EventFields, options?: CallOptions): Promise<WriteResult<CalendarEvent>>;
  readonly subscribers: SubscribersClient;
}

/**
 * The service. A method resolves with how the call ended. It rejects with a `TypeError` only for a mistake of the
 * program (an invalid ID, field or limit), and then nothing is sent.
 */
export interface Client {
  readonly card: CardClient;
  readonly calendar: CalendarClient;
  /** Waits for the calls in progress and ends idle connections. Later calls open new ones. */
  close(): Promise<void>;
}

/**
 * A client of the service. Nothing is sent, read or asked for before the first call. Throws a TypeError that names
 * what of the options cannot be used.
 */
export declare function createClient(options: ClientOptions): Client;
