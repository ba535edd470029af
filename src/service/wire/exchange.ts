export type Header = readonly [name: string, value: string];

/** One request as on the wire, without Authorization, which is added when it is sent. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Request target: path prefix, encoded segments and query, built by hand. */
  readonly target: string;
  readonly headers: readonly Header[];
  /** JSON text, or undefined: the request has no body. */
  readonly body: string | undefined;
}

/** How far an exchange came. Only `connecting` proves that no byte of the request left. */
export type Phase = 'connecting' | 'awaiting_headers' | 'reading_body';

/** Why an exchange broke, by what was seen and never by an error code alone (docs/reference/outcomes.md). */
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
  | 'unsafe'
  | 'no_certificate'
  | 'tls'
  | 'proxy'
  | 'proxy_refused'
  | 'proxy_auth'
  | 'other'
  | 'aborted'
  /** The first byte may have left: the label says nothing more. */
  | 'broken';

export interface Breakage {
  readonly label: BreakLabel;
  /** The end of a sentence: `cannot connect to h:1 (refused)`. No secrets. */
  readonly text: string;
  /** The variable that names the proxy at fault. */
  readonly variable?: string | undefined;
}

export interface Reply {
  readonly kind: 'reply';
  readonly status: number;
  readonly headers: readonly Header[];
  /** The pieces of the body. Decoding takes them out: a long one is never in memory twice. */
  readonly body: Uint8Array[];
}

export interface Broken {
  readonly kind: 'broken';
  /** False only when it is proven that no byte of the request left. */
  readonly sent: boolean;
  readonly phase: Phase;
  readonly breakage: Breakage;
  /** Known once the final status line and headers arrived. */
  readonly status?: number;
  readonly headers?: readonly Header[];
  readonly body?: readonly Uint8Array[];
}

/** How an exchange ended: with a response, or broken. */
export type Exchange = Reply | Broken;

export interface ExchangeOptions {
  /** Milliseconds from connecting to the last byte of the response. */
  readonly timeoutMs: number;
  /**
   * Use a new connection and close it afterwards. On a used one, a closing connection looks like a lost request, and a
   * late response to another request could be taken for this one's.
   */
  readonly own?: boolean;
  /** What it is about: a change uses no connection that carried an earlier request about the same. */
  readonly about?: string | undefined;
  /** Asked once the request is sent: does another exchange on its own connection follow soon? */
  readonly isFollowed?: (() => boolean) | undefined;
  /** Aborted: end now. */
  readonly abort?: AbortSignal | undefined;
  /** Aborted: end now if nothing was sent yet, else let it finish. */
  readonly stopping?: AbortSignal | undefined;
  /** Called right before the first byte may leave. Aborting `stopping` in it still keeps the request back. */
  readonly onSend?: () => void;
  /** Do held results wait for this response? Then it is read on, whatever memory they take. */
  readonly isAwaited?: (() => boolean) | undefined;
}

/** Carries requests to one origin. Never throws for what the network or the service does. */
export interface Transport {
  readonly via: string | undefined;
  exchange(wire: WireRequest, options: ExchangeOptions): Promise<Exchange>;
  /** Ends idle connections. Exchanges in flight keep theirs. */
  close(): Promise<void>;
}

export function headerValues(headers: readonly Header[], name: string): string[] {
  const values: string[] = [];
  for (const header of headers) {
    // Lengths first: each response of a run is searched for five names.
    if (header[0].length === name.length && header[0].toLowerCase() === name) values.push(header[1]);
  }
  return values;
}

export function byteLength(body: readonly Uint8Array[]): number {
  return body.reduce((sum, piece) => sum + piece.length, 0);
}

/** A loop, because `Object.fromEntries` takes four times as long, and by itself: V8 compiles its caller once then. */
export function headerObject(headers: readonly Header[]): Record<string, string> {
  const object: Record<string, string> = {};
  for (const [name, value] of headers) object[name] = value;
  return object;
}

/** Raw headers, in order and with doubles. */
export function headerPairs(raw: unknown): Header[] {
  const text = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value));
  const pairs: Header[] = [];
  if (!Array.isArray(raw)) return pairs;
  for (let index = 0; index + 1 < raw.length; index += 2) pairs.push([text(raw[index]), text(raw[index + 1])]);
  return pairs;
}
