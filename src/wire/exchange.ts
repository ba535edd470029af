export type Header = readonly [name: string, value: string];

/** One request as it will stand on the wire, but for Authorization, which is added at the moment of sending. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Request target: path prefix, encoded segments and query, built by hand. */
  readonly target: string;
  readonly headers: readonly Header[];
  /** JSON text, or undefined: the request has no body. */
  readonly body: string | undefined;
}

/** How far an exchange had come. Only `connecting` proves that no byte of the request left. */
export type Phase = 'connecting' | 'awaiting_headers' | 'reading_body';

/** Why an exchange broke off, by what was seen and never by an error code alone (docs/reference/outcomes.md). */
export type BreakLabel =
  | 'refused'
  | 'not_found'
  | 'lookup_failed'
  | 'unroutable'
  | 'connect_timeout'
  | 'connect_reset'
  | 'not_tls'
  | 'untrusted'
  | 'wrong_name'
  | 'certificate_dates'
  | 'tls'
  | 'proxy'
  | 'proxy_refused'
  | 'proxy_auth'
  | 'other'
  | 'aborted'
  /** After the first byte may have left: nothing follows from what it was. */
  | 'broken';

export interface Breakage {
  readonly label: BreakLabel;
  /** What happened, as the end of a sentence: `cannot connect to h:1 (refused)`. No secrets. */
  readonly text: string;
  /** Of a proxy: the variable that names it. */
  readonly variable?: string | undefined;
}

export interface Reply {
  readonly kind: 'reply';
  readonly status: number;
  readonly headers: readonly Header[];
  /** In the pieces in which it came. Decoding takes them out: a long one is never in memory twice. */
  readonly body: Uint8Array[];
}

export interface Broken {
  readonly kind: 'broken';
  /** False only when it is proven that no byte of the request left. */
  readonly sent: boolean;
  readonly phase: Phase;
  readonly breakage: Breakage;
  /** Known when the final status line and headers had arrived. */
  readonly status?: number;
  readonly headers?: readonly Header[];
  readonly body?: readonly Uint8Array[];
}

/** How an exchange ended: with an answer, or broken on the way. */
export type Exchange = Reply | Broken;

export interface ExchangeOptions {
  /** From connecting to the last byte of the answer, milliseconds. */
  readonly timeoutMs: number;
  /**
   * On a connection of its own, closed afterwards: one that is just being closed looks like a lost request, and on one that
   * was used before a late answer to another request would be taken for this one's.
   */
  readonly own?: boolean;
  /** Asked once it is sent: does another exchange on a connection of its own follow soon? That one is opened ahead. */
  readonly isFollowed?: (() => boolean) | undefined;
  /** Aborted: end now, sent or not. */
  readonly abort?: AbortSignal | undefined;
  /** Aborted: end now if nothing was sent yet, else let it finish. */
  readonly stopping?: AbortSignal | undefined;
  /** Called right before the first byte may leave: aborting `stopping` now still keeps it back. */
  readonly onSend?: () => void;
  /** Do results that are there already wait for this answer? Then it is read on whatever memory they take. */
  readonly isAwaited?: (() => boolean) | undefined;
}

/** Carries requests to one origin. It never throws for what the network or the service does. */
export interface Transport {
  readonly via: string | undefined;
  exchange(wire: WireRequest, options: ExchangeOptions): Promise<Exchange>;
  /** Ends idle connections. Those of exchanges under way end with these, or are kept for the next. */
  close(): Promise<void>;
}

/** All values of a header, in the order of arrival. */
export function headerValues(headers: readonly Header[], name: string): string[] {
  const values: string[] = [];
  for (const header of headers) {
    // Lengths first: five names are looked for in each of the answers of a run.
    if (header[0].length === name.length && header[0].toLowerCase() === name) values.push(header[1]);
  }
  return values;
}

/** Length of a body, in bytes. */
export function byteLength(body: readonly Uint8Array[]): number {
  return body.reduce((sum, piece) => sum + piece.length, 0);
}
