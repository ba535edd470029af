import * as net from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ClockPort } from '../../base/context.ts';
import type { BaseUrl, ProxyServer } from './base-url.ts';
import { BreakError, type SeenCertificate, secondsText } from './breakage.ts';
import type { BreakLabel } from './exchange.ts';

type Connected = (error: Error | null, socket: net.Socket | null) => void;

/** Where connections go and how they are made. */
export interface TransportOptions {
  readonly baseUrl: BaseUrl;
  readonly clock: Pick<ClockPort, 'now' | 'monotonic'>;
  readonly proxy?: ProxyServer | undefined;
  /** Certificates (PEM) to trust besides the platform's certificates (`--ca-file`). */
  readonly trustPems?: readonly string[];
  /** Name lookup, TCP, proxy and TLS together. */
  readonly connectTimeoutMs?: number;
  /** True after a signal: no change may leave any more. */
  readonly isStopped?: (() => boolean) | undefined;
}

/** The last TLS session of a transport, which its next connection resumes. */
const sessions = new WeakMap<TransportOptions, Buffer>();

/** Transports that had a connection. Without one, an address that is not available stays so. */
const reached = new WeakSet<TransportOptions>();

const NO_PEMS: readonly string[] = [];
/** The service may be about to close a connection that was unused for longer. */
const EARLY_MS = 2000;
const PORT_PAUSE_MS = 250;
const DIGIT_ONE = 0x31;
const CONNECT_TIMEOUT_MS = 10_000;
/** A connection remembers no whole run. */
const MAX_CARRIED = 1000;
/** Most bytes of a proxy's response to CONNECT. */
const MAX_PROXY_ANSWER_BYTES = 16_384;

/**
 * Opens connections to one origin, and can destroy those that are not open yet. Hand-written: undici's connector and
 * proxy agent keep such a connection alive after `destroy`, so that the process hangs until the connect timeout, and
 * their CONNECT ignores timeouts and signals (docs/faults.md N25).
 */
export class Connector {
  readonly #options: TransportOptions;
  readonly #sockets = new Set<net.Socket>();
  /** The wait for a free local port. */
  #waiting: NodeJS.Timeout | undefined;
  /** Receives what `openEarly` opened. */
  #early: ((callback: Connected) => void) | undefined;
  /** The certificate of the last handshake that showed one. */
  seen: SeenCertificate | undefined;
  /** The service asked for a client certificate. */
  wantsCertificate = false;
  /** A request left, and no final response has begun. */
  isAwaiting = false;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Destroys what is still connecting. Sockets that were handed over belong to the client. */
  destroy(): void {
    clearTimeout(this.#waiting);
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** Calls back once, with a socket ready for the first byte of a request, or with an error. */
  connect(callback: Connected): void {
    const early = this.#early;
    this.#early = undefined;
    const connected: Connected = (error, socket) => {
      if (socket !== null) this.#hideContinue(socket);
      callback(error, socket);
    };
    if (early === undefined) this.#open(connected);
    else early(connected);
  }

  /** undici ends a connection at a `100 Continue` that it did not ask for. It reads over a 102. */
  #hideContinue(socket: net.Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      const chunk: unknown = read(size);
      // `HTTP/1.1 1`: the text of every other response is not made.
      if (!this.isAwaiting || !Buffer.isBuffer(chunk) || chunk[9] !== DIGIT_ONE) return chunk;
      for (let at = 0; /^HTTP\/1\.[01] 1\d\d/.test(chunk.toString('latin1', at, at + 12)); ) {
        if (chunk.toString('latin1', at + 9, at + 12) === '100') chunk.write('102', at + 9, 'latin1');
        const end = chunk.indexOf('\r\n\r\n', at);
        if (end === -1) break;
        at = end + 4;
      }
      return chunk;
    };
  }

  /** Opens the connection that `connect` will ask for, which opens a new one if this failed or grew old. */
  openEarly(): void {
    let ended: { readonly socket: net.Socket | null; readonly atMs: number } | undefined;
    let waiting: Connected | undefined;
    const handOver = (): void => {
      if (waiting === undefined || ended === undefined) return;
      const { socket, atMs } = ended;
      this.#sockets.clear();
      const isFresh = socket?.writable === true && this.#options.clock.monotonic() - atMs < EARLY_MS;
      if (isFresh) waiting(null, socket);
      else {
        socket?.destroy();
        this.#open(waiting);
      }
    };
    this.#early = (callback) => {
      waiting = callback;
      // The client does not expect to be called back at once.
      queueMicrotask(handOver);
    };
    this.#open((_, socket) => {
      ended = { socket, atMs: this.#options.clock.monotonic() };
      if (socket !== null) this.#sockets.add(socket);
      handOver();
    });
  }

  #open(callback: Connected): void {
    let isDone = false;
    const done = (error: Error | null, socket: net.Socket | null): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      if (error !== null) this.destroy();
      this.#sockets.clear();
      if (error === null) reached.add(this.#options);
      // Every local port is in use. The next is free soon, and the exchange has its own deadline.
      const lacksPort =
        error !== null && 'code' in error && error.code === 'EADDRNOTAVAIL' && reached.has(this.#options);
      if (lacksPort) this.#waiting = setTimeout(() => this.#open(callback), PORT_PAUSE_MS);
      else callback(error, socket);
    };
    const { baseUrl, proxy, connectTimeoutMs = CONNECT_TIMEOUT_MS } = this.#options;
    const timer = setTimeout(() => done(this.#tooSlow(), null), connectTimeoutMs);
    if (proxy === undefined) this.#secure(this.#tcp(baseUrl, done), done);
    else this.#tunnel(proxy, done);
  }

  #tooSlow(): BreakError {
    const { baseUrl, proxy, connectTimeoutMs = CONNECT_TIMEOUT_MS } = this.#options;
    const within = `within ${secondsText(connectTimeoutMs)}`;
    if (proxy !== undefined)
      return new BreakError('proxy', `no connection through the proxy ${proxy.hostPort} ${within}`, proxy.variable);
    return new BreakError('connect_timeout', `no connection to ${baseUrl.hostPort} ${within}`);
  }

  #watch<T extends net.Socket>(socket: T, done: Connected): T {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', (error) => done(error, null));
    socket.on('close', () => done(Object.assign(new Error('closed while connecting'), { code: 'ECONNRESET' }), null));
    return socket;
  }

  #tcp(to: { readonly host: string; readonly port: number }, done: Connected): net.Socket {
    const { host, port } = to;
    // http is for this machine only, so no resolver is asked.
    const isHere = host === 'localhost';
    const lookup = isHere ? loopback : undefined;
    // Node's 250 ms per address gives up on hosts that are merely far away. On this machine a shorter limit would leave
    // a busy address for one where nothing listens.
    const autoSelectFamilyAttemptTimeout = isHere ? CONNECT_TIMEOUT_MS : 1000;
    return this.#watch(net.connect({ host, port, lookup, autoSelectFamilyAttemptTimeout }), done);
  }

  /** Adds TLS to an https connection, and hands the connection over once it is ready. */
  #secure(raw: net.Socket, done: Connected): void {
    const { baseUrl } = this.#options;
    if (baseUrl.scheme === 'http') {
      raw.once('connect', () => done(null, raw));
      return;
    }
    this.#encrypt(raw, { host: baseUrl.host, alpn: ['http/1.1'] }, done, (secured) => {
      // `secure` comes before the verdict on the certificate, which cannot be read after it.
      secured.prependListener('secure', () => {
        this.seen = readCertificate(secured);
      });
      // Only a request for a certificate names signatures. Early listeners: afterwards nothing is left to ask.
      const ask = () => {
        // The types do not say that a socket without a handle has none.
        const signatures: readonly string[] | null = secured.getSharedSigalgs();
        this.wantsCertificate ||= (signatures?.length ?? 0) > 0;
      };
      secured.prependListener('error', ask);
      secured.once('secureConnect', () => {
        ask();
        done(null, secured);
      });
    });
  }

  /** Begins TLS. Loaded only here: it costs a quarter of a start, and loopback needs none. */
  #encrypt(
    raw: net.Socket,
    to: { readonly host: string; readonly alpn?: string[] },
    done: Connected,
    begun: (secured: TLSSocket) => void,
  ): void {
    const { trustPems = NO_PEMS } = this.#options;
    import('./secure-socket.ts').then(
      ({ secureSocket }) => {
        // Abandoned or broken in the meantime, which `done` knows.
        if (raw.destroyed) return;
        const key = to.alpn === undefined ? undefined : this.#options;
        const secured = secureSocket(raw, { ...to, trustPems, session: key && sessions.get(key) });
        // Otherwise each once-only change, which has its own connection, would need a whole handshake.
        if (key !== undefined) secured.on('session', (session: Buffer) => void sessions.set(key, session));
        begun(this.#watch(secured, done));
      },
      (error: Error) => done(error, null),
    );
  }

  #tunnel(proxy: ProxyServer, done: Connected): void {
    const failed: Connected = (error) => done(error === null ? null : proxyFault(proxy, error), null);
    const raw = this.#tcp(proxy, failed);
    if (proxy.scheme === 'http') {
      raw.once('connect', () => this.#askForTunnel(proxy, raw, failed, done));
      return;
    }
    this.#encrypt(raw, { host: proxy.host }, failed, (secured) => {
      secured.once('secureConnect', () => this.#askForTunnel(proxy, secured, failed, done));
    });
  }

  #askForTunnel(proxy: ProxyServer, socket: net.Socket, failed: Connected, done: Connected): void {
    const { baseUrl } = this.#options;
    const authorization = proxy.authorization === undefined ? '' : `Proxy-Authorization: ${proxy.authorization}\r\n`;
    socket.write(`CONNECT ${baseUrl.hostPort} HTTP/1.1\r\nHost: ${baseUrl.hostPort}\r\n${authorization}\r\n`, 'latin1');
    let answer = '';
    const onReadable = (): void => {
      for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
        answer += chunk.toString('latin1');
        const end = answer.indexOf('\r\n\r\n');
        if (end === -1 && answer.length <= MAX_PROXY_ANSWER_BYTES) continue;
        socket.removeListener('readable', onReadable);
        const fault = tunnelFault(proxy, answer, end);
        if (fault !== undefined) done(fault, null);
        else this.#secure(socket, done);
        return;
      }
    };
    socket.on('readable', onReadable);
    socket.once('end', () => failed(Object.assign(new Error('closed'), { code: 'ECONNRESET' }), null));
  }
}

/** What the requests of a connection were about: a late or repeated response to one could be taken for that of a change. */
export class Carried {
  /** Only reads use it then. When the first connection of a run ends, V8 throws most of its compiled code away. */
  isFull = false;
  readonly #all: string[] = [];
  /** Those of them that a change compared itself with. A run of reads sorts none. */
  readonly #sorted = new Set<string>();
  #sortedTo = 0;

  add(about: string): void {
    if (this.isFull || this.#all.push(about) < MAX_CARRIED) return;
    this.isFull = true;
    this.#all.length = 0;
    this.#sorted.clear();
  }

  mayHave(about: string): boolean {
    if (this.isFull) return true;
    for (; this.#sortedTo < this.#all.length; this.#sortedTo += 1) this.#sorted.add(this.#all[this.#sortedTo] ?? '');
    return this.#sorted.has(about);
  }
}

/** Both addresses of this machine, instead of a resolver's response for `localhost`. */
const loopback: net.LookupFunction = (_, { all }, callback) => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  if (all === true) callback(null, addresses);
  else callback(null, '127.0.0.1', 4);
};

/** What a proxy that answers 407 wants. */
function demandOf(answer: string, isSent: boolean): string {
  const schemes = [...answer.matchAll(/^proxy-authenticate:\s*([a-z]+)/gim)].map(([, scheme = '']) => scheme);
  const isKnown = schemes.length === 0 || schemes.some((scheme) => scheme.toLowerCase() === 'basic');
  if (!isKnown) return `wants a login that frontdesk does not know (407, ${[...new Set(schemes)].join(', ')})`;
  return isSent ? 'did not accept the user name and password (407)' : 'wants a user name and password (407)';
}

function tunnelFault(proxy: ProxyServer, answer: string, end: number): BreakError | undefined {
  const { hostPort, variable } = proxy;
  const fault = (label: BreakLabel, what: string) => new BreakError(label, `the proxy ${hostPort} ${what}`, variable);
  const status = /^HTTP\/1\.[01] (\d{3})(?: |\r)/.exec(answer)?.[1];
  if (status === undefined || end === -1) return fault('proxy_refused', 'did not answer with HTTP');
  if (status === '407') return fault('proxy_auth', demandOf(answer, proxy.authorization !== undefined));
  if (!status.startsWith('2')) return fault('proxy', `did not open a connection (${status})`);
  // The service says nothing before TLS begins: bytes after the headers do not belong to a tunnel.
  return answer.length > end + 4 ? fault('proxy_refused', 'sent something other than a tunnel') : undefined;
}

function proxyFault(proxy: ProxyServer, error: Error): BreakError {
  if (error instanceof BreakError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const words: Record<string, string> = { ECONNREFUSED: 'refused', ECONNRESET: 'closed', ENOTFOUND: 'no such host' };
  const message = `cannot connect through the proxy ${proxy.hostPort} (${words[code] ?? code})`;
  return new BreakError('proxy', message, proxy.variable);
}

function readCertificate(socket: TLSSocket): SeenCertificate | undefined {
  const certificate = socket.getPeerCertificate();
  // The types do not say that it is empty if the far end showed none.
  if (Object.keys(certificate).length === 0) return undefined;
  const names = certificate.subjectaltname ?? String(certificate.subject?.CN ?? '');
  const iso = (text: string): string => {
    const time = Date.parse(text);
    return Number.isNaN(time) ? text : new Date(time).toISOString();
  };
  return {
    names: names.replaceAll(/(?:DNS|IP Address):/g, '').slice(0, 200),
    validFrom: iso(certificate.valid_from),
    validTo: iso(certificate.valid_to),
  };
}
