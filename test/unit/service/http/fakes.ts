import type { ClockPort } from '../../../../src/base/context.ts';
import type { Failure } from '../../../../src/base/failure.ts';
import { fromPlain } from '../../../../src/base/json/value.ts';
import type { Operation } from '../../../../src/service/api/operation.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import type {
  CallInput,
  CallOptions,
  CallPolicy,
  CallResult,
  CredentialPort,
  HttpClient,
} from '../../../../src/service/http/call.ts';
import { createHttpClient } from '../../../../src/service/http/ongoing-call.ts';
import { type BaseUrl, parseBaseUrl } from '../../../../src/service/wire/base-url.ts';
import type { BreakLabel, Exchange, Header, Phase, WireRequest } from '../../../../src/service/wire/exchange.ts';

export const CARD_ID = '7c0e1111-2222-3333-4444-555566667777';
const START_MS = Date.UTC(2026, 0, 2, 12, 4, 31);

/** A clock that stands still but for sleeps; it records them. */
class FakeClock implements ClockPort {
  readonly sleeps: number[] = [];
  elapsedMs = 0;
  /** Called at every sleep, for signals that come while waiting. */
  onSleep: (ms: number) => void = () => undefined;

  now(): number {
    return START_MS + this.elapsedMs;
  }

  monotonic(): number {
    return this.elapsedMs;
  }

  async sleep(ms: number, _woken?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    this.elapsedMs += ms;
    this.onSleep(ms);
  }
}

export type Scripted = Exchange | ((wire: WireRequest) => Exchange);

export function answer(status: number, body: unknown = '', headers: readonly Header[] = []): Exchange {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'reply', status, headers, body: [Buffer.from(text, 'utf8')] };
}

export function unsent(label: BreakLabel, text: string = label): Exchange {
  return { kind: 'broken', sent: false, phase: 'connecting', breakage: { label, text } };
}

export function broken(what: string, phase: Phase = 'awaiting_headers', status?: number): Exchange {
  const label = what === 'aborted' ? what : 'broken';
  const base = { kind: 'broken', sent: true, phase, breakage: { label, text: `it broke (${what})` } } as const;
  return status === undefined ? base : { ...base, status, headers: [] };
}

export function card(status: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const amounts = { initialBalance: 10, expiryDate: '2027-01-01T00:00:00Z', design: 'd', metadata: {} };
  const times = { createdAt: '2025-01-01T00:00:00Z', updatedAt: '2025-01-02T00:00:00Z' };
  return { cardId: CARD_ID, clientReference: 'r-1', status, ...amounts, ...times, ...more };
}

export function baseUrl(text = 'https://api.example.com'): BaseUrl {
  const parsed = parseBaseUrl(text);
  if (parsed.kind === 'bad') throw new Error(parsed.problem);
  return parsed.baseUrl;
}

export const TOKEN = 'tok-secret-1234567890';

export interface BenchOptions {
  readonly random?: number;
  readonly renew?: () => Promise<string | undefined>;
  readonly token?: () => Promise<string>;
  readonly onExchange?: (count: number, clock: FakeClock) => void;
  readonly namedProfile?: string;
  readonly urlVariable?: string;
}

/** A client whose network is a script. Every exchange takes 100 ms of fake time; one too many is an error. */
export function bench(script: readonly Scripted[], options: BenchOptions = {}) {
  const clock = new FakeClock();
  /** Requests as `METHOD target`, in order. */
  const sent: string[] = [];
  const wires: WireRequest[] = [];
  const timeouts: number[] = [];
  /** Whether each request wanted a connection of its own. */
  const fresh: boolean[] = [];
  const credential: CredentialPort = {
    token: options.token ?? (() => Promise.resolve(TOKEN)),
    renew: () => {
      result.renewals += 1;
      return options.renew?.() ?? Promise.resolve(undefined);
    },
    source: {
      name: 'environment (FRONTDESK_CARDS_TOKEN)',
      words: 'the token in FRONTDESK_CARDS_TOKEN',
      remedy: 'put a valid token into FRONTDESK_CARDS_TOKEN',
    },
  };
  const client: HttpClient = createHttpClient({
    baseUrl: baseUrl(),
    credential,
    clock,
    random: () => options.random ?? 0.5,
    version: '1.2.3',
    profile: 'demo',
    namedProfile: options.namedProfile,
    urlVariable: options.urlVariable,
    stoppedBy: () => undefined,
    transport: {
      via: undefined,
      exchange: async (wire, exchangeOptions) => {
        const next = script[wires.length];
        wires.push(wire);
        sent.push(`${wire.method} ${wire.target}`);
        timeouts.push(exchangeOptions.timeoutMs);
        fresh.push(exchangeOptions.own === true);
        if (next === undefined) throw new Error(`unexpected request: ${wire.method} ${wire.target}`);
        const scripted = typeof next === 'function' ? next(wire) : next;
        // Its bytes are taken out when it is read; the same answer may be given twice.
        const exchange = scripted.kind === 'reply' ? { ...scripted, body: [...scripted.body] } : scripted;
        if (exchange.kind === 'reply' || exchange.sent) exchangeOptions.onSend?.();
        clock.elapsedMs += 100;
        options.onExchange?.(wires.length, clock);
        return exchange;
      },
      close: async () => {
        result.closed += 1;
      },
    },
  });
  const result = { client, clock, sent, wires, timeouts, fresh, renewals: 0, closed: 0 };
  return result;
}

const POLICY: CallPolicy = { timeoutMs: 30_000, retries: 2, retryMaxTimeMs: 60_000 };

export function inputFor(operation: Operation): CallInput {
  const params: Readonly<Record<string, string>> = operation.path.includes('{cardId}')
    ? { cardId: CARD_ID }
    : operation.path.includes('{id}')
      ? { id: 'id-1' }
      : {};
  const body = operation.body === null ? undefined : fromPlain(operation === OPERATIONS.eventCreate ? EVENT : {});
  return { operation, params, query: {}, body };
}

const EVENT = { calendar: 'cal-1', name: 'Party', start: '2026-05-01T10:00:00' };

export function withPolicy(policy: Partial<CallPolicy> = {}, more: Partial<CallOptions> = {}): CallOptions {
  return { policy: { ...POLICY, ...policy }, ...more };
}

export function failureOf(result: CallResult): Failure {
  if (result.kind !== 'failed') throw new Error('expected a failure');
  return result.failure;
}
