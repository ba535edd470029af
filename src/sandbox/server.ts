import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context } from '../base/context.ts';
import { Failure } from '../base/failure.ts';
import { errnoOf, messageOf } from '../base/files/io-failure.ts';
import { OPERATIONS } from '../service/api/operations.ts';
import { type FaultEffect, type FaultRule, pickFaults } from './faults.ts';
import { makeTokens, randomHex, type SandboxTokens, type Sources } from './ids.ts';
import { Refused, refusalReply } from './refusal.ts';
import { type Call, checkRequest } from './request.ts';
import { RULES } from './rules.ts';
import type { Decision, Reply, SandboxState, SandboxStore } from './state.ts';

/** The service: the response to a checked call in a state, and the changes. Pure but for `sources`. */
export function decide(state: SandboxState, call: Call, sources: Sources): Decision {
  return RULES[call.key].decide(state, call, sources);
}

export interface SandboxServerOptions {
  readonly store: SandboxStore;
  /** 0: any free port. */
  readonly port: number;
  /** Delay of every response. The change is made before it. */
  readonly latencyMs: number;
  readonly faults: readonly FaultRule[];
}

export type SandboxServer = Awaited<ReturnType<typeof startSandboxServer>>;

/** An ID of 5000 characters can take 60,000 bytes in a path. Node's limit is 16 KiB. */
const MAX_HEADER_BYTES = 128 * 1024;

/** Long enough that no client finds its idle connection closed while it sends. */
const KEEP_ALIVE_MS = 65_000;

const GARBAGE = '{"garbage": <!-- not JSON -->';

/** The service documents no request size. Far above the longest texts. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** A complete body; undefined: none. */
type Body = Buffer | 'too large' | undefined;

/** Calls back with a whole body: half a request changes nothing. A body over the limit is dropped. */
function readBody(request: IncomingMessage, onBody: (body: Body) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= BODY_LIMIT_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('end', () => {
    if (size > BODY_LIMIT_BYTES) onBody('too large');
    else onBody(size === 0 ? undefined : Buffer.concat(chunks));
  });
}

class Responder {
  readonly tokens: SandboxTokens;
  readonly #options: SandboxServerOptions;
  readonly #random: () => number;
  readonly #clock: Context['clock'];
  readonly #nextFault: ReturnType<typeof pickFaults>;
  readonly #requestIdPrefix: string;
  #requests = 0;

  constructor(options: SandboxServerOptions, ports: Pick<Context, 'clock' | 'random'>) {
    this.#options = options;
    this.#clock = ports.clock;
    this.#random = () => ports.random();
    this.tokens = makeTokens(this.#random);
    this.#nextFault = pickFaults(options.faults, this.#random);
    this.#requestIdPrefix = `req_${randomHex(this.#random, 8)}_`;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const effect = this.#nextFault(request.method ?? '', (request.url ?? '').split('?', 1)[0] ?? '');
    if (effect?.kind === 'reset-before') {
      request.socket.resetAndDestroy();
      return;
    }
    readBody(request, (body) => {
      if (effect?.kind === 'timeout') return;
      if (effect?.kind === 'status' && effect.status >= 300) this.#later(response, faultReply(effect));
      else void this.#reply(request, body).then((reply) => this.#later(response, spoil(reply, effect), effect));
    });
  }

  #requestId(): string {
    this.#requests += 1;
    return this.#requestIdPrefix + this.#requests;
  }

  async #reply(request: IncomingMessage, body: Body): Promise<Reply> {
    if (body === 'too large') {
      return refusalReply(413, 'BODY_TOO_LARGE', `the body was refused: it is over ${BODY_LIMIT_BYTES} bytes`);
    }
    const { authorization, 'content-type': contentType } = request.headers;
    const { method = '', url: target = '' } = request;
    const { store } = this.#options;
    try {
      const call = checkRequest({ method, target, authorization, contentType, body }, this.tokens);
      const sources: Sources = { now: new Date(this.#clock.now()).toISOString(), random: this.#random };
      if (OPERATIONS[call.key].effect.kind === 'read') return decide(store.read(), call, sources).reply;
      return (await store.commit((state) => decide(state, call, sources))).reply;
    } catch (error) {
      if (error instanceof Refused) return error.reply;
      // Nothing was changed, so this is no 5xx: a client must be able to tell.
      if (error instanceof Failure) return refusalReply(409, 'SANDBOX_STATE', error.statement);
      return refusalReply(500, 'SANDBOX_BUG', messageOf(error));
    }
  }

  #later(response: ServerResponse, reply: Reply, effect?: FaultEffect): void {
    const { latencyMs } = this.#options;
    if (latencyMs === 0) this.#send(response, reply, effect);
    // A closed server waits for no response.
    else setTimeout(() => this.#send(response, reply, effect), latencyMs).unref();
  }

  #send(response: ServerResponse, reply: Reply, effect: FaultEffect | undefined): void {
    if (effect?.kind === 'reset-after') {
      response.socket?.resetAndDestroy();
      return;
    }
    const bytes = reply.status === 204 || reply.status === 304 ? '' : reply.body;
    const headers = ['content-type', 'application/json', 'x-request-id', this.#requestId()];
    if (bytes !== '') headers.push('content-length', String(Buffer.byteLength(bytes)));
    for (const header of reply.headers ?? []) headers.push(...header);
    response.writeHead(reply.status, headers);
    if (effect?.kind !== 'truncate') {
      response.end(bytes);
      return;
    }
    response.write(bytes.slice(0, bytes.length / 2));
    response.socket?.destroySoon();
  }
}

/** What a fault makes of the response to a request that was carried out. */
function spoil(reply: Reply, effect: FaultEffect | undefined): Reply {
  if (effect?.kind === 'garbage') return { ...reply, body: GARBAGE };
  if (effect?.kind === 'status' && reply.status === 200) return { ...reply, status: effect.status };
  return reply;
}

function faultReply({ status, retryAfterSeconds }: FaultEffect): Reply {
  const reply = refusalReply(status, 'SANDBOX_FAULT', `the sandbox was told to answer ${status}`);
  if (retryAfterSeconds !== undefined) return { ...reply, headers: [['retry-after', String(retryAfterSeconds)]] };
  return status < 400 ? { ...reply, headers: [['location', '/']] } : reply;
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    const problem = errnoOf(error) === 'EADDRINUSE' ? 'the port is in use' : (errnoOf(error) ?? messageOf(error));
    const message = `the sandbox was not started on 127.0.0.1:${port}: ${problem}`;
    throw new Failure('USAGE', message, { hints: ['use --port 0 for any free port'], cause: error });
  }
  // A listening port has an address of this form.
  return (server.address() as AddressInfo).port;
}

/** Simulates the service on loopback. `store` keeps changes before the response. USAGE without the port. */
export async function startSandboxServer(options: SandboxServerOptions, ports: Pick<Context, 'clock' | 'random'>) {
  const responder = new Responder(options, ports);
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS });
  server.on('request', (request, response) => responder.handle(request, response));
  const port = await listen(server, options.port);
  return {
    /** The base URL of both families. */
    url: `http://127.0.0.1:${port}`,
    cardsToken: responder.tokens.cards,
    calendarToken: responder.tokens.calendar,
    /** Ends every connection. Resolves once nothing is left, writes included. */
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeAllConnections();
      await Promise.all([closed, options.store.settled()]);
    },
  };
}
