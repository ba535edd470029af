import { mergeLists } from '../api/calendar.ts';
import { type Family, idNameOf, idParamOf, isWrite, type Operation } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import type { CallOutcome } from '../call-outcome.ts';
import type { Context } from '../context.ts';
import type { Failure } from '../failure.ts';
import type { CallInput, CallResult, HttpClient } from '../http/call.ts';
import { TokenMask } from '../http/mask.ts';
import { createHttpClient } from '../http/ongoing-call.ts';
import { checkValues } from '../input/check-values.ts';
import { parseJson } from '../json/parse.ts';
import { printJson } from '../json/print.ts';
import { takeUtf8 } from '../json/utf8.ts';
import type { JsonValue } from '../json/value.ts';
import type { Transport } from '../wire/exchange.ts';
import { lazyTransport } from '../wire/lazy-transport.ts';
import { libraryCredential } from './credential.ts';
import { type CheckedOptions, membersOf, signalOf } from './options.ts';
import type { Answer, CallError, Client, ReadResult, Signal, WriteResult } from './types.ts';

/** What of the process a client needs. */
export type LibraryPorts = Pick<Context, 'clock' | 'random' | 'version'>;

interface Connection {
  readonly http: HttpClient;
  readonly transport: Transport;
}

interface Given {
  readonly id?: unknown;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

class LibraryClient {
  readonly #ports: LibraryPorts;
  readonly #options: CheckedOptions;
  readonly #mask = new TokenMask();
  readonly #connections = new Map<Family, Connection>();
  /** Calls in progress: `close` waits for them. */
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(options: CheckedOptions, ports: LibraryPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  async run(method: string, operation: Operation, given: Given, callOptions: unknown): Promise<unknown> {
    const { id, query = {}, body = {} } = given;
    const connection = this.#connectionOf(method, operation.family);
    const signal = signalOf(callOptions, method);
    const idName = idParamOf(operation);
    const params = idName === undefined ? {} : { [idName]: id };
    const checked = checkValues(operation, { params, query, body }, (name) =>
      name === idName ? idNameOf(operation) : name,
    );
    if (checked.faults.length > 0) {
      throw new TypeError(checked.faults.map(({ where, problem }) => `${method}: ${where}: ${problem}`).join('; '));
    }
    const call = this.#send(connection, { operation, ...checked }, signal);
    this.#underWay.add(call);
    const { result, text } = await call.finally(() => this.#underWay.delete(call));
    return (isWrite(operation) ? writeResult : readResult)(result, text, this.#mask);
  }

  /** The method of a list. `active: 'all'` merges both lists, like the command. */
  async list(method: string, operation: Operation, { id, query = {} }: Given, last: unknown): Promise<unknown> {
    const read = (part: Given['query']) => this.run(method, operation, { id, query: part ?? {} }, last);
    const { active, ...others } = query;
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
    for (const { transport } of this.#connections.values()) await transport.close();
  }

  async #send({ http }: Connection, input: CallInput, signal: Signal | undefined) {
    let body: Uint8Array[] = [];
    const result = await http.call(input, {
      policy: { ...this.#options.policy, limitName: 'retryMaxTimeMs' },
      stoppedBetween: 'last_attempt',
      // Reading a body takes its pieces out. A card check comes last.
      listener: {
        onSuccess: (pieces) => {
          body = [...pieces];
        },
      },
      // Only `aborted` and the event are used, which a Signal has.
      ...(signal === undefined ? {} : { abort: signal as AbortSignal }),
    });
    if (result.kind !== 'answered') return { result, text: '' };
    // Emptied while it is read: the text and its bytes are not in memory together.
    const text = textOf(result.resource, takeUtf8(body), this.#mask);
    // The caller's resource is made from the text, so that only one is in memory.
    return { result: { ...result, resource: null }, text };
  }

  #connectionOf(method: string, family: Family): Connection {
    const known = this.#connections.get(family);
    if (known !== undefined) return known;
    const options = this.#options.families[family];
    if (options === undefined) throw new TypeError(`${method}: the client was created without ${family}`);
    const { token, ...to } = options;
    const { clock } = this.#ports;
    const transport = lazyTransport({ ...to, clock, trustPems: this.#options.trustPems });
    const { retryMaxTimeMs: timeoutMs } = this.#options.policy;
    const heard = (text: string) => this.#mask.add(text);
    const credential = libraryCredential({ family, token, clock, timeoutMs, heard });
    const endpoint = { ...this.#ports, baseUrl: to.baseUrl, credential, transport };
    const connection = { http: createHttpClient(endpoint), transport };
    this.#connections.set(family, connection);
    return connection;
  }
}

type Run = (method: string, operation: Operation, given: Given, callOptions: unknown) => Promise<unknown>;

/** The operation of one method: the only one, or the one that a field of the arguments chooses. */
function chosen(method: string, rows: readonly Operation[], fields: Readonly<Record<string, unknown>>): Operation {
  const row = rows.find(({ choice }) => choice === undefined || fields[choice.field] === choice.value);
  if (row !== undefined) return row;
  const choices = rows.flatMap(({ choice }) => choice ?? []);
  const values = choices.map(({ value }) => value).join(' or ');
  throw new TypeError(`${method}: ${choices[0]?.field}: must be ${values}`);
}

/** A method over the operations of one command: ID, fields or filters, and the options of the call. */
function methodOver(run: Run, method: string, rows: readonly Operation[]) {
  const hasId = rows.every((row) => idParamOf(row) !== undefined);
  const member = rows.some(({ body }) => body !== null) ? 'body' : 'query';
  const hasFields = rows.some(({ body, query }) => (body ?? query) !== null);
  return async (...given: readonly unknown[]): Promise<unknown> => {
    const rest = [...given];
    const id = hasId ? rest.shift() : undefined;
    const fields = hasFields
      ? membersOf(rest.shift() ?? {}, `${method}: ${member === 'body' ? 'fields' : member}`)
      : {};
    const row = chosen(method, rows, fields);
    const sent = Object.entries(fields).filter(([name]) => name !== row.choice?.field);
    return run(method, row, { id, [member]: Object.fromEntries(sent) }, rest.shift());
  };
}

/** The methods of a client: one for each command of the table of operations. */
export function openClient(options: CheckedOptions, ports: LibraryPorts): Client {
  const inner = new LibraryClient(options, ports);
  const run: Run = (method, operation, given, last) =>
    operation.lists === undefined
      ? inner.run(method, operation, given, last)
      : inner.list(method, operation, given, last);
  const methods = new Map<string, readonly Operation[]>();
  for (const row of ALL_OPERATIONS) {
    const method = row.libraryMethod ?? row.command;
    methods.set(method, [...(methods.get(method) ?? []), row]);
  }
  /** The methods whose names continue these words, as nested objects. */
  const below = (words: string): object => {
    const rest = [...methods.keys()].filter((name) => name.startsWith(words)).map((name) => name.slice(words.length));
    const members = [...new Set(rest.map((name) => name.split('.')[0] ?? ''))].map((name) => {
      const rows = methods.get(words + name);
      return [name, rows === undefined ? below(`${words}${name}.`) : methodOver(run, words + name, rows)];
    });
    return Object.freeze(Object.fromEntries(members));
  };
  // The methods check their arguments and pass resources on. Callers see the types of `Client`.
  return Object.freeze({ ...below(''), close: () => inner.close() }) as Client;
}

/** The body as sent, with the token masked. If that hides behind escapes, the masked resource is printed anew. */
function textOf(resource: JsonValue, sent: string, mask: TokenMask): string {
  // A byte order mark is no part of the JSON.
  const body = sent.startsWith('\uFEFF') ? sent.slice(1) : sent;
  if (!mask.mayBeIn(body)) return body;
  const printed = printJson(resource);
  const masked = mask.text(body);
  return printJson(parseJson(masked)) === printed ? masked : printed;
}

function answerOf({ requestId, notices }: CallOutcome, text: string, mask: TokenMask): Answer<unknown> {
  const masked = notices.map(({ code, message }) => ({ code, message: mask.text(message) }));
  return { resource: JSON.parse(text), text, requestId, notices: masked };
}

function errorOf({ code, exitCode, message, details }: Failure, mask: TokenMask): CallError {
  const { http, service, sentAt } = details;
  const { status = 0, requestId } = http ?? {};
  return {
    // The calls of a client end with these codes alone, as test/e2e/library proves for each event.
    code: code as CallError['code'],
    exitCode,
    message: mask.text(message),
    ...(http === undefined ? {} : { http: requestId === undefined ? { status } : { status, requestId } }),
    ...(service === undefined ? {} : { service: JSON.parse(printJson(mask.json(service))) }),
    ...(sentAt === undefined ? {} : { sentAt }),
  };
}

function readResult(result: CallResult, text: string, mask: TokenMask): ReadResult<unknown> {
  if (result.kind === 'failed') return { ok: false, error: errorOf(result.failure.asSilent(), mask) };
  return { ok: true, ...answerOf(result.callOutcome, text, mask) };
}

function writeResult(result: CallResult, text: string, mask: TokenMask): WriteResult<unknown> {
  const { outcome } = result.callOutcome;
  if (result.kind === 'answered') {
    const done = outcome === 'confirmed_by_read' ? outcome : 'applied';
    return { outcome: done, ...answerOf(result.callOutcome, text, mask) };
  }
  const error = errorOf(result.failure, mask);
  // No response, and not proven unsent.
  return { outcome: outcome === 'rejected' || outcome === 'not_sent' ? outcome : 'unknown', error };
}
