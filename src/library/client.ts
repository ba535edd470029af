import { mergeLists } from '../api/list.ts';
import { type Family, isWrite, type Operation } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import type { Context } from '../context.ts';
import type { CallInput, HttpClient } from '../http/call.ts';
import { TokenMask } from '../http/mask.ts';
import { createHttpClient } from '../http/ongoing-call.ts';
import { checkValues } from '../input/check-values.ts';
import { parseJson } from '../json/parse.ts';
import { printJson } from '../json/print.ts';
import { takeUtf8 } from '../json/utf8.ts';
import type { Transport } from '../wire/exchange.ts';
import { lazyTransport } from '../wire/lazy-transport.ts';
import { libraryCredential } from './credential.ts';
import { type CheckedOptions, membersOf, signalOf } from './options.ts';
import { readResult, textOf, writeResult } from './results.ts';
import type { Client, ReadResult, Signal } from './types.ts';

/** What of the process a client needs. */
export type LibraryPorts = Pick<Context, 'clock' | 'random' | 'version'>;

/** One API: its calls and its connections. */
interface Connection {
  readonly http: HttpClient;
  readonly transport: Transport;
}

interface Given {
  readonly id?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

class LibraryClient {
  readonly #ports: LibraryPorts;
  readonly #options: CheckedOptions;
  readonly #mask = new TokenMask();
  readonly #lines = new Map<Family, Connection>();
  /** Calls that have not ended: `close` waits for them. */
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(options: CheckedOptions, ports: LibraryPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** One call of one operation, from the arguments of a method to its result. */
  async run(method: string, operation: Operation, given: Given, callOptions: unknown): Promise<unknown> {
    const { id, query = {}, body = {} } = given;
    const line = this.#line(method, operation.family);
    const signal = signalOf(callOptions, method);
    const [idName] = Object.keys(operation.params.shape);
    const params = idName === undefined ? {} : { [idName]: id };
    // `id` of the path as the method's own argument is called.
    const argument = operation === OPERATIONS.subscriberUpdate ? 'subscriberId' : 'calendarId';
    const checked = checkValues(
      operation,
      {
        params,
        query: membersOf(query, `${method}: query`),
        body: membersOf(body, `${method}: fields`),
      },
      (name) => (name === 'id' ? argument : name),
    );
    if (checked.faults.length > 0) {
      throw new TypeError(checked.faults.map(({ where, problem }) => `${method}: ${where}: ${problem}`).join('; '));
    }
    const call = this.#send(line, { operation, ...checked }, signal);
    this.#underWay.add(call);
    const { result, text } = await call.finally(() => this.#underWay.delete(call));
    return (isWrite(operation) ? writeResult : readResult)(result, text, this.#mask);
  }

  /** Subscribers; with `active: 'all'` the lists of both, merged as the command merges them. */
  async list(id: unknown, query: unknown = {}, last: unknown): Promise<unknown> {
    const method = 'calendar.subscribers.list';
    const read = (part: unknown) => this.run(method, OPERATIONS.subscribersList, { id, query: part }, last);
    const { active, ...others } = membersOf(query, `${method}: query`);
    if (active !== 'all') return read(query);
    const halves: Extract<ReadResult<unknown>, { ok: true }>[] = [];
    for (const half of [true, false]) {
      // What `run` gives for a read.
      const result = (await read({ ...others, active: half })) as ReadResult<unknown>;
      if (!result.ok) return result;
      halves.push(result);
    }
    const text = printJson(mergeLists(halves.map((half) => parseJson(half.text))));
    const notices = halves.flatMap((half) => half.notices);
    return { ...halves.at(-1), resource: JSON.parse(text), text, notices };
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    for (const { transport } of this.#lines.values()) await transport.close();
  }

  async #send({ http }: Connection, input: CallInput, signal: Signal | undefined) {
    let body: Uint8Array[] = [];
    const result = await http.call(input, {
      policy: { ...this.#options.policy, limitName: 'retryMaxTimeMs' },
      stoppedBetween: 'last_attempt',
      // The code that reads a body takes its pieces out. A read-back of the card comes last.
      listener: {
        onSuccess: (pieces) => {
          body = [...pieces];
        },
      },
      // Only `aborted` and the event are looked at, and those are what a Signal has.
      ...(signal === undefined ? {} : { abort: signal as AbortSignal }),
    });
    if (result.kind !== 'answered') return { result, text: '' };
    // Emptied while it is read: the text and its bytes are not in memory together.
    const text = textOf(result.resource, takeUtf8(body), this.#mask);
    // The caller's resource is made of the text: the two are never in memory together.
    return { result: { ...result, resource: null }, text };
  }

  #line(method: string, family: Family): Connection {
    const known = this.#lines.get(family);
    if (known !== undefined) return known;
    const options = this.#options.families[family];
    if (options === undefined) throw new TypeError(`${method}: the client was created without ${family}`);
    const { token, ...to } = options;
    const { clock } = this.#ports;
    const transport = lazyTransport({ ...to, clock, trustPems: this.#options.trustPems });
    const credential = libraryCredential({
      family,
      token,
      clock,
      timeoutMs: this.#options.policy.retryMaxTimeMs,
      heard: (text) => this.#mask.add(text),
    });
    const endpoint = { ...this.#ports, baseUrl: to.baseUrl, credential, transport };
    const line = { http: createHttpClient(endpoint), transport };
    this.#lines.set(family, line);
    return line;
  }
}

/** The methods of a client over the operations table. */
export function openClient(options: CheckedOptions, ports: LibraryPorts): Client {
  const inner = new LibraryClient(options, ports);
  const run = inner.run.bind(inner);
  const client = {
    card: Object.freeze({
      get: (id: unknown, last?: unknown) => run('card.get', OPERATIONS.cardGet, { id }, last),
      activate: (id: unknown, last?: unknown) => run('card.activate', OPERATIONS.cardActivate, { id }, last),
      block: (id: unknown, body?: unknown, last?: unknown) =>
        run('card.block', OPERATIONS.cardBlock, { id, body }, last),
      reissue: (id: unknown, body?: unknown, last?: unknown) =>
        run('card.reissue', OPERATIONS.cardReissue, { id, body }, last),
      provision: async (id: unknown, fields: unknown = {}, last?: unknown) => {
        const { wallet, ...body } = membersOf(fields, 'card.provision: fields');
        const rows = { wallet_a: OPERATIONS.cardProvisionWalletA, wallet_b: OPERATIONS.cardProvisionWalletB };
        if (wallet !== 'wallet_a' && wallet !== 'wallet_b') {
          throw new TypeError('card.provision: wallet: must be wallet_a or wallet_b');
        }
        return run('card.provision', rows[wallet], { id, body }, last);
      },
    }),
    calendar: Object.freeze({
      update: (id: unknown, body: unknown, last?: unknown) =>
        run('calendar.update', OPERATIONS.calendarUpdate, { id, body }, last),
      createEvent: (body: unknown, last?: unknown) =>
        run('calendar.createEvent', OPERATIONS.eventCreate, { body }, last),
      subscribers: Object.freeze({
        list: (id: unknown, query?: unknown, last?: unknown) => inner.list(id, query, last),
        update: (id: unknown, body: unknown, last?: unknown) =>
          run('calendar.subscribers.update', OPERATIONS.subscriberUpdate, { id, body }, last),
      }),
    }),
    close: () => inner.close(),
  };
  // The methods check what they are given, and the resources are passed on as the service describes them: the types
  // of `Client` are what callers are held to.
  return Object.freeze(client) as unknown as Client;
}
