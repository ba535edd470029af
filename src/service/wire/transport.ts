import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import { answerBytes, BodyPieces, LONG_BYTES, type LongAnswer } from './answer-bytes.ts';
import { BreakError, connectBreakage, secondsText, sentBreakage } from './breakage.ts';
import { Carried, Connector, type TransportOptions } from './connector.ts';
import {
  type Exchange,
  type ExchangeOptions,
  type Header,
  headerObject,
  headerPairs,
  headerValues,
  type Phase,
  type Transport,
  type WireRequest,
} from './exchange.ts';
import { removeFrom } from './remove-from.ts';

/** Enough for 100 subscribers with three fields of 5000 characters, all escaped (docs/faults.md B7). */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_HEADER_BYTES = 64 * 1024;
/** Below the 5 s after which common servers drop an idle connection: a reset there looks like a lost change. */
const KEEP_ALIVE_MS = 3500;

/** One connection and its connector. Never shared by two exchanges at a time. */
interface PooledConnection {
  readonly client: Dispatcher;
  readonly connector: Connector;
  readonly carried: Carried;
}

interface ConnectionPool {
  release(connection: PooledConnection, isReusable: boolean): void;
  openAhead(): void;
}

/** Carries requests over HTTP/1.1. An exchange has its connection to itself, and its deadline destroys it. */
export function createTransport(options: TransportOptions): Transport {
  const idle: PooledConnection[] = [];
  /** Connections opened ahead, at most as many as exchanges that need their own are in flight. */
  const ahead: PooledConnection[] = [];
  const newConnection = (): PooledConnection => openConnection(options.baseUrl.origin, new Connector(options));
  const pool: ConnectionPool = {
    release(connection, isReusable) {
      if (isReusable) idle.push(connection);
      else destroyConnection(connection);
    },
    openAhead() {
      const connection = newConnection();
      connection.connector.openEarly();
      ahead.push(connection);
    },
  };
  return {
    via: options.proxy?.hostPort,
    exchange: (wire, exchangeOptions) => {
      const { own, about } = exchangeOptions;
      const connection = (own === true ? ahead.shift() : takeIdle(idle, wire, about)) ?? newConnection();
      if (about !== undefined) connection.carried.add(about);
      return new OngoingExchange(connection, options, wire, exchangeOptions, pool).start();
    },
    close: async () => {
      for (const connection of [...idle.splice(0), ...ahead.splice(0)]) destroyConnection(connection);
    },
  };
}

/** An idle connection; for a change one that carried no request `about` the same. */
function takeIdle(idle: PooledConnection[], { method }: WireRequest, about?: string): PooledConnection | undefined {
  if (method !== 'POST' || about === undefined) return idle.pop();
  const at = idle.findLastIndex(({ carried }) => !carried.mayHave(about));
  if (at !== -1) return idle.splice(at, 1)[0];
  // A new one takes their place.
  for (const full of idle.filter(({ carried }) => carried.isFull)) {
    removeFrom(idle, full);
    destroyConnection(full);
  }
  return undefined;
}

function openConnection(origin: string, connector: Connector): PooledConnection {
  const client = new Client(origin, {
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Both miss some hangs (docs/faults.md N14, N15). Only frontdesk's deadline counts.
    headersTimeout: 0,
    bodyTimeout: 0,
    // The type is a union that a closure does not match. client.js calls it as (options, callback).
    connect: ((_: unknown, callback: Parameters<Connector['connect']>[0]) => connector.connect(callback)) as never,
  });
  return { client, connector, carried: new Carried() };
}

function destroyConnection(connection: PooledConnection): void {
  connection.connector.destroy();
  connection.client.destroy().catch(ignore);
}

/** Destroying reports only that it is done. */
function ignore(): void {}

const listeners = new WeakMap<AbortSignal, (() => void)[]>();

/** The listeners of a signal: one per signal, because a run has two signals for a million exchanges. */
function listenersOf(signal: AbortSignal): (() => void)[] {
  const known = listeners.get(signal);
  if (known !== undefined) return known;
  const all: (() => void)[] = [];
  signal.addEventListener('abort', () => {
    for (const listener of [...all]) listener();
  });
  listeners.set(signal, all);
  return all;
}

/** One exchange: undici's handler, the deadline and two signals, resolved exactly once. */
class OngoingExchange implements Dispatcher.DispatchHandler, LongAnswer {
  readonly #connection: PooledConnection;
  readonly #to: TransportOptions;
  readonly #wire: WireRequest;
  readonly #options: ExchangeOptions;
  readonly #pool: ConnectionPool;
  #resolve: (exchange: Exchange) => void = ignore;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;
  #sent = false;
  #phase: Phase = 'connecting';
  #status: number | undefined;
  #headers: readonly Header[] = [];
  readonly #body = new BodyPieces();
  #size = 0;
  /** The declared length of the body. */
  #declared = 0;
  #isLong = false;
  #startedMs = 0;
  /** Time before the response waited for a place. */
  #spentMs = 0;
  #paused: Dispatcher.DispatchController | undefined;

  constructor(
    connection: PooledConnection,
    to: TransportOptions,
    wire: WireRequest,
    options: ExchangeOptions,
    pool: ConnectionPool,
  ) {
    this.#connection = connection;
    this.#to = to;
    this.#wire = wire;
    this.#options = options;
    this.#pool = pool;
  }

  start(): Promise<Exchange> {
    const promise = new Promise<Exchange>((resolve) => {
      this.#resolve = resolve;
    });
    const { abort, stopping } = this.#options;
    this.#startTimer();
    if (abort !== undefined) listenersOf(abort).push(this.#onAbort);
    if (stopping !== undefined) listenersOf(stopping).push(this.#onStopping);
    if (abort?.aborted === true) this.#onAbort();
    else if (stopping?.aborted === true) this.#onStopping();
    // undici reads the rest of this turn before it writes. A whole turn reads all that came before: a second response
    // to an earlier request then ends the connection, and does not answer this one.
    else setImmediate(this.#dispatch);
    return promise;
  }

  readonly #dispatch = (): void => {
    if (this.#isEnded) return;
    const { target: path, method, body = null } = this.#wire;
    const [{ origin }, headers] = [this.#to.baseUrl, headerObject(this.#wire.headers)];
    this.#connection.client.dispatch({ origin, path, method, headers, body, reset: this.#options.own === true }, this);
  };

  /**
   * The stage proof. undici calls this right before its first write of the request, in the same turn (client-h1.js,
   * writeH1): until then no byte has left. Throwing or aborting here keeps every byte back, as for a request whose
   * deadline passed while it waited.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // After a signal no change leaves, whatever the program still waits for.
    if (this.#wire.method === 'POST' && this.#to.isStopped?.() === true) this.#onAbort();
    if (!this.#isEnded) {
      this.#options.onSend?.();
      if (this.#options.isFollowed?.() === true) this.#pool.openAhead();
    }
    if (this.#isEnded) {
      controller.abort(new BreakError('aborted', 'given up before it was sent'));
      return;
    }
    this.#sent = true;
    this.#connection.connector.isAwaiting = true;
    this.#phase = 'awaiting_headers';
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 100) {
      this.#break(
        new BreakError(
          'broken',
          `the response has status ${String(status).padStart(3, '0')}, which HTTP does not know`,
        ),
      );
      return;
    }
    // Provisional responses are read over. The deadline ends an endless row of them.
    if (status < 200) return;
    this.#connection.connector.isAwaiting = false;
    this.#status = status;
    this.#headers = headerPairs(controller.rawHeaders);
    this.#phase = 'reading_body';
    this.#declared = Number(headerValues(this.#headers, 'content-length')[0] ?? 0);
    if (this.#declared > MAX_BODY_BYTES) this.#tooLarge(`declares ${this.#declared} bytes`);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isEnded) return;
    this.#size += chunk.length;
    if (this.#size > MAX_BODY_BYTES) {
      this.#tooLarge('does not end');
      return;
    }
    this.#body.add(chunk);
    if (this.#isLong || this.#size <= LONG_BYTES) return;
    this.#isLong = true;
    if (answerBytes.take(this)) return;
    // Waiting for a place does not count towards the time of the call.
    controller.pause();
    clearTimeout(this.#timer);
    this.#spentMs += this.#to.clock.monotonic() - this.#startedMs;
    this.#paused = controller;
  }

  get bytes(): number {
    return this.#declared || MAX_BODY_BYTES;
  }

  get isAwaited(): boolean {
    return this.#options.isAwaited?.() === true;
  }

  goOn(): void {
    if (this.#isEnded || this.#paused === undefined) return;
    this.#startTimer();
    this.#paused.resume();
  }

  #startTimer(): void {
    this.#startedMs = this.#to.clock.monotonic();
    this.#timer = setTimeout(this.#onDeadline, Math.max(0, this.#options.timeoutMs - this.#spentMs));
  }

  onResponseEnd(): void {
    // An end comes only after a final status line. 0 would be read as an unknown status.
    const reply = { status: this.#status ?? 0, headers: this.#headers, body: this.#body.take() };
    this.#end({ kind: 'reply', ...reply }, true);
  }

  onRequestUpgrade(): void {
    this.#break(new BreakError('broken', 'the response is one that was not asked for (101)'));
  }

  onResponseError(_: unknown, error: Error): void {
    this.#break(error);
  }

  #tooLarge(what: string): void {
    this.#break(new BreakError('broken', `the response ${what} (the limit is ${MAX_BODY_BYTES} bytes)`));
  }

  /**
   * Deferred: a process that was paused (a container, a laptop's lid) wakes with passed deadlines and with responses
   * that came meanwhile. Those are read first, so that what is known is not called unknown.
   */
  readonly #onDeadline = (): void => {
    setImmediate(this.#giveUp);
  };

  readonly #giveUp = (): void => {
    const seconds = secondsText(this.#options.timeoutMs);
    const { hostPort } = this.#to.baseUrl;
    if (!this.#sent) {
      const through = this.#to.proxy === undefined ? `to ${hostPort}` : `through the proxy ${this.#to.proxy.hostPort}`;
      this.#break(new BreakError('connect_timeout', `no connection ${through} within ${seconds}`));
      return;
    }
    const what = this.#phase === 'reading_body' ? 'the response did not end' : 'no reply';
    this.#break(new BreakError('broken', `${what} within ${seconds}`));
  };

  readonly #onAbort = (): void => {
    this.#break(new BreakError('aborted', this.#sent ? 'stopped before a reply' : 'stopped before it was sent'));
  };

  readonly #onStopping = (): void => {
    if (!this.#sent) this.#onAbort();
  };

  #break(error: Error): void {
    const [status, headers] = [this.#status, this.#headers];
    const head = status === undefined ? {} : { status, headers, body: this.#body.take() };
    const broken = { kind: 'broken', sent: this.#sent, phase: this.#phase, breakage: this.#name(error) } as const;
    this.#end({ ...broken, ...head }, false);
  }

  #name(error: Error) {
    const { seen, wantsCertificate } = this.#connection.connector;
    if (this.#sent) return sentBreakage(error, this.#to.baseUrl, this.#phase, wantsCertificate);
    const timeIs = new Date(this.#to.clock.now()).toISOString();
    return connectBreakage(error, this.#to.baseUrl, seen, timeIs, wantsCertificate);
  }

  #end(exchange: Exchange, isReusable: boolean): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    const { abort, stopping } = this.#options;
    if (abort !== undefined) removeFrom(listenersOf(abort), this.#onAbort);
    if (stopping !== undefined) removeFrom(listenersOf(stopping), this.#onStopping);
    this.#pool.release(this.#connection, isReusable && this.#options.own !== true);
    this.#resolve(exchange);
    // The caller reads it in this turn.
    if (this.#isLong) setImmediate(() => answerBytes.release(this));
  }
}
