import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

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

/**
 * A port on which nothing listens: it is below those that a system gives to servers, where a port that was just closed may
 * be given to the server of another test.
 */
export const CLOSED_PORT = 1;

async function readRequest(incoming: IncomingMessage, connection: number): Promise<RecordedRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(Buffer.from(part));
  const { method = '', url: target = '', rawHeaders } = incoming;
  const values = rawHeaders.filter((_, at) => at % 2 === 1);
  const names = rawHeaders.filter((_, at) => at % 2 === 0);
  const headers = Object.fromEntries(names.map((name, at) => [name.toLowerCase(), values[at] ?? '']));
  return { method, target, headers, body: Buffer.concat(parts).toString('utf8'), connection };
}

/** A server on loopback that misbehaves by script, one behavior for each request (or connection). */
export async function startFaultServer({ script = [], route, tls, host = '127.0.0.1' }: FaultServerOptions) {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  /** The number of each connection; those that were served when they came have none. */
  const numbers = new Map<Socket, number>();
  let [connections, next] = [0, 0];
  const scripted = () => script[Math.min(next, script.length - 1)];
  const server = tls === undefined ? createServer() : createTlsServer({ ...tls, ALPNProtocols: ['http/1.1'] });
  // Those that fail in the TLS handshake are never accepted.
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    const first = scripted();
    if (first?.onAccept === undefined) return void numbers.set(socket, connections);
    next += 1;
    first.onAccept(socket);
  });
  // What is no HTTP is answered by a script alone.
  server.on('clientError', () => undefined);
  server.on('request', async (incoming: IncomingMessage) => {
    const { socket } = incoming;
    const connection = numbers.get(socket);
    if (connection === undefined) return;
    const early = scripted()?.onHeaders;
    if (early !== undefined) {
      next += 1;
      return early(socket);
    }
    // The program under test may go away in the middle of its request: nothing was asked.
    const request = await readRequest(incoming, connection).catch(() => undefined);
    if (request === undefined) return;
    requests.push(request);
    const routed = route?.(request, requests.length);
    const behavior = routed ?? scripted();
    if (routed === undefined) next += 1;
    if (behavior === undefined) throw new Error(`no behavior for ${request.method} ${request.target}`);
    behavior.onRequest?.(socket, request);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  // listen() on a host and port gives an AddressInfo, never a pipe name.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    requests: requests as readonly RecordedRequest[],
    get connections() {
      return connections;
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

type Headers = Readonly<Record<string, string>>;

function head(status: number, headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`;
}

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

/** RST after the whole request was read and done. */
export const resetAfterRequest = (): Behavior => ({ onRequest: (socket) => socket.resetAndDestroy() });

/** Reads the whole request, does it, and never answers. */
export const silence = (): Behavior => ({ onRequest: () => undefined });

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
