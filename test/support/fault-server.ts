import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** One whole request as it came off the wire. */
export interface RecordedRequest {
  readonly method: string;
  /** Request target exactly as sent. */
  readonly target: string;
  /** Names in lower case; the last of several wins. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** 1-based number of the connection it came on. */
  readonly connection: number;
}

/** What the server does with a connection or with one request on it. */
export interface Behavior {
  /** Acts as soon as the connection is there, before a byte is read. */
  readonly onAccept?: (socket: Socket) => void;
  /** Acts after the request's headers, without waiting for its body. */
  readonly onHeaders?: (socket: Socket) => void;
  /** Acts after the whole request was read. */
  readonly onRequest?: (socket: Socket, request: RecordedRequest) => void;
}

export interface FaultServerOptions {
  /** What the requests meet, in order; the last one stays. */
  readonly script?: readonly Behavior[];
  /** Asked first for every whole request; undefined: the script goes on. */
  readonly route?: (request: RecordedRequest, count: number) => Behavior | undefined;
  /** Speaks TLS with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Address to listen on; 127.0.0.1. */
  readonly host?: string;
}

export type FaultServer = Awaited<ReturnType<typeof startFaultServer>>;

/** A server on loopback that misbehaves by script, one behavior for each request (or connection). */
export async function startFaultServer(options: FaultServerOptions) {
  const state = new State(options);
  const onConnection = (socket: Socket): void => state.accept(socket);
  const server: Server =
    options.tls === undefined
      ? createServer({ allowHalfOpen: true }, onConnection)
      : createTlsServer({ ...options.tls, ALPNProtocols: ['http/1.1'] }, onConnection);
  server.on('tlsClientError', () => undefined);
  // Connections are closed by hand: those that fail in the TLS handshake never reach `accept`.
  server.on('connection', (socket: Socket) => state.keep(socket));
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  // listen() on a host and port gives an AddressInfo, never a pipe name.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${options.tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    get requests(): readonly RecordedRequest[] {
      return state.requests;
    },
    /** Connections accepted so far. */
    get connections() {
      return state.connections;
    },
    close: () =>
      new Promise<void>((resolve) => {
        state.destroyAll();
        server.close(() => resolve());
      }),
  };
}

/**
 * A port on which nothing listens: it is below those that a system gives to servers, where a port that was just closed may
 * be given to the server of another test.
 */
export const CLOSED_PORT = 1;

class State {
  readonly requests: RecordedRequest[] = [];
  connections = 0;
  readonly #options: FaultServerOptions;
  readonly #sockets = new Set<Socket>();
  #next = 0;

  constructor(options: FaultServerOptions) {
    this.#options = options;
  }

  keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  accept(socket: Socket): void {
    this.connections += 1;
    const connection = this.connections;
    this.keep(socket);
    const first = this.#scripted();
    if (first?.onAccept !== undefined) {
      this.#next += 1;
      first.onAccept(socket);
      return;
    }
    let pending = Buffer.alloc(0);
    let isHeld = false;
    socket.on('data', (chunk: Buffer) => {
      if (isHeld) return;
      pending = Buffer.concat([pending, chunk]);
      const early = pending.includes('\r\n\r\n') ? this.#scripted()?.onHeaders : undefined;
      if (early !== undefined) {
        isHeld = true;
        this.#next += 1;
        early(socket);
        return;
      }
      for (let parsed = takeRequest(pending, connection); parsed !== undefined; ) {
        pending = Buffer.from(parsed.rest);
        this.#serve(socket, parsed.request);
        parsed = takeRequest(pending, connection);
      }
    });
    // A client that closes its half is answered by closing the other half; half-open only serves scripted replies.
    socket.on('end', () => {
      if (!isHeld) socket.end();
    });
  }

  #scripted(): Behavior | undefined {
    const script = this.#options.script ?? [];
    return script[Math.min(this.#next, script.length - 1)];
  }

  #serve(socket: Socket, request: RecordedRequest): void {
    this.requests.push(request);
    const routed = this.#options.route?.(request, this.requests.length);
    const behavior = routed ?? this.#scripted();
    if (routed === undefined) this.#next += 1;
    if (behavior === undefined) throw new Error(`no behavior for ${request.method} ${request.target}`);
    behavior.onRequest?.(socket, request);
  }
}

function takeRequest(bytes: Buffer, connection: number): { request: RecordedRequest; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [requestLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const [method = '', target = ''] = requestLine.split(' ');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const length = Number(headers['content-length'] ?? 0);
  const bodyStart = end + 4;
  if (bytes.length < bodyStart + length) return undefined;
  const body = bytes.subarray(bodyStart, bodyStart + length).toString('utf8');
  return { request: { method, target, headers, body, connection }, rest: bytes.subarray(bodyStart + length) };
}

type Headers = Readonly<Record<string, string>>;

function head(status: number, headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`;
}

/** A whole answer with a correct length. */
export function reply(status: number, headers: Headers, body: string | Uint8Array): Behavior {
  const bytes = Buffer.from(typeof body === 'string' ? Buffer.from(body, 'utf8') : body);
  const answer = Buffer.concat([Buffer.from(head(status, { ...headers, 'Content-Length': `${bytes.length}` })), bytes]);
  return { onRequest: (socket) => socket.write(answer) };
}

/** A whole JSON answer. A string is taken for JSON text, anything else is printed. */
export function json(status: number, value: unknown, headers: Headers = {}): Behavior {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return reply(status, { 'Content-Type': 'application/json', ...headers }, text);
}

/** These bytes as they are; then the connection is closed unless `keepOpen`. */
export function raw(bytes: string | Uint8Array, options: { readonly keepOpen?: boolean } = {}): Behavior {
  return {
    onRequest: (socket) => {
      if (options.keepOpen === true) socket.write(bytes);
      else socket.end(bytes);
    },
  };
}

/** RST as soon as the connection is there. */
export function resetOnAccept(): Behavior {
  return { onAccept: (socket) => socket.resetAndDestroy() };
}

/** FIN as soon as the connection is there, nothing read. */
export function closeOnAccept(): Behavior {
  return { onAccept: (socket) => socket.end() };
}

/** RST after the headers of the request, its body unread. */
export function resetAfterHeaders(): Behavior {
  return { onHeaders: (socket) => socket.resetAndDestroy() };
}

/** Answers after the headers of the request and resets, its body unread. */
export function earlyReply(status: number, body: string): Behavior {
  const answer = `${head(status, { 'Content-Length': `${Buffer.byteLength(body)}`, Connection: 'close' })}${body}`;
  return { onHeaders: (socket) => socket.end(answer) };
}

/** RST after the whole request was read and done. */
export function resetAfterRequest(): Behavior {
  return { onRequest: (socket) => socket.resetAndDestroy() };
}

/** FIN after the whole request was read and done. */
export function closeAfterRequest(): Behavior {
  return { onRequest: (socket) => socket.end() };
}

/** Reads the whole request, does it, and never answers. */
export function silence(): Behavior {
  return { onRequest: () => undefined };
}

/** Sends `piece` again and again until the connection goes. */
export function drip(first: string, piece: string, everyMs: number): Behavior {
  return {
    onRequest: (socket) => {
      if (first !== '') socket.write(first);
      const timer = setInterval(() => socket.write(piece), everyMs);
      socket.on('close', () => clearInterval(timer));
    },
  };
}

/** Writes `first` and then `piece` without end, as fast as the client takes it. */
export function flood(first: string, piece: string): Behavior {
  return {
    onRequest: (socket) => {
      socket.write(first);
      const pump = (): void => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', pump);
      pump();
    },
  };
}

/** Declares `declared` bytes, sends `body` and closes. */
export function wrongLength(status: number, declared: number, body: string): Behavior {
  return raw(`${head(status, { 'Content-Type': 'application/json', 'Content-Length': `${declared}` })}${body}`);
}
