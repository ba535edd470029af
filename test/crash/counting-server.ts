import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cardText } from '../support/sample-card.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Write } from './writes.ts';

/** Where a write stands at the service: the moments at which a test may kill the program. */
export type Stage = 'arrived' | 'applied' | 'answered';

export interface ServerOptions {
  readonly write: Write;
  readonly random: SeededRandom;
  /** Rows that are refused with 404, by key. */
  readonly refused: ReadonlySet<string>;
  /** Share of the writes that are applied and get no readable answer: cut, half an answer, or 500. */
  readonly dropShare: number;
  /** Share of the writes that get 429 and are not applied. */
  readonly busyShare: number;
  /** The longest that the service thinks, before and after it applies a write. */
  readonly thinkMs: number;
}

/** The service as the judge of a run: it counts what it applied, and is the only one that knows. */
export interface CountingServer {
  /** URLs and tokens for the environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Keys in the order in which their writes were applied; a key that is in it twice was applied twice. */
  readonly order: readonly string[];
  /** Writes that were applied and whose answer was spoilt. */
  readonly dropped: number;
  /** How often a row was applied. */
  applications(key: string): number;
  /** The ids that answers gave out for a row. */
  resultIds(key: string): readonly string[];
  /** Hears of each write; `count` is 1 for the first that arrived since the listener was set, `token` the sender's. */
  listen(listener: ((stage: Stage, count: number, token: string) => void) | undefined): void;
  /** Resolves when no write is under way: a request may still be applied after its sender was killed. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

class Service {
  readonly order: string[] = [];
  readonly counts = new Map<string, number>();
  readonly ids = new Map<string, string[]>();
  dropped = 0;
  underWay = 0;
  arrived = 0;
  listener: ((stage: Stage, count: number, token: string) => void) | undefined;
  #wake: (() => void) | undefined;
  readonly #options: ServerOptions;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  read(path: string, response: ServerResponse): void {
    const key = path.slice('/v1/cards/'.length);
    const isDone = (this.counts.get(key) ?? 0) > 0;
    answer(response, 200, cardText(isDone ? (this.#options.write.statusAfter ?? 'REISSUED') : 'EXPIRED', key));
  }

  async handle({ url = '', headers }: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    this.underWay += 1;
    this.arrived += 1;
    const count = this.arrived;
    const tell = (stage: Stage) => this.listener?.(stage, count, token);
    try {
      tell('arrived');
      await this.#think();
      await this.#write(this.#options.write.keyIn(url, body), response, tell);
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) this.#wake?.();
    }
  }

  async quiet(): Promise<void> {
    if (this.underWay > 0) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  async #write(key: string, response: ServerResponse, tell: (stage: Stage) => void): Promise<void> {
    const { write, refused, random, dropShare, busyShare } = this.#options;
    if (refused.has(key)) {
      return answer(response, 404, '{"errorCode":"CARD_NOT_FOUND","message":"There is none"}');
    }
    if (random.chance(busyShare)) return answer(response, 429, '{}', { 'retry-after': '0' });
    const nth = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, nth);
    this.order.push(key);
    tell('applied');
    const { text, resultId } = write.answer(key, nth);
    if (resultId !== undefined) this.ids.set(key, [...(this.ids.get(key) ?? []), resultId]);
    await this.#think();
    if (random.chance(dropShare)) return this.#drop(response, text);
    answer(response, 200, text);
    tell('answered');
  }

  #drop(response: ServerResponse, text: string): void {
    this.dropped += 1;
    const how = this.#options.random.pick(['reset', 'half', '500']);
    if (how === '500') answer(response, 500, '{"message":"It failed after all"}');
    else if (how === 'reset') response.socket?.resetAndDestroy();
    else {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
      response.write(text.slice(0, text.length / 2), () => response.destroy());
    }
  }

  #think(): Promise<void> {
    const { random, thinkMs } = this.#options;
    return new Promise((resolve) => setTimeout(resolve, random.next() * thinkMs));
  }
}

function answer(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

/** Starts the service on loopback. */
export async function startCountingServer(options: ServerOptions): Promise<CountingServer> {
  const service = new Service(options);
  const server = createServer((incoming, response) => {
    // The program is killed at any moment: what its end does to the connection concerns nobody here.
    response.on('error', () => undefined);
    const path = incoming.url ?? '';
    readBody(incoming).then(
      (body) => (incoming.method === 'GET' ? service.read(path, response) : service.handle(incoming, body, response)),
      // It was killed in the middle of its request: nothing was asked.
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // listen() on a host and port gives an AddressInfo, never a pipe name.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    env: {
      FRONTDESK_CARDS_URL: url,
      FRONTDESK_CARDS_TOKEN: 'cards-token-of-the-crash-test',
      FRONTDESK_CALENDAR_URL: url,
      FRONTDESK_CALENDAR_TOKEN: 'calendar-token-of-the-crash-test',
    },
    order: service.order,
    get dropped() {
      return service.dropped;
    },
    applications: (key) => service.counts.get(key) ?? 0,
    resultIds: (key) => service.ids.get(key) ?? [],
    listen(listener) {
      service.arrived = 0;
      service.listener = listener;
    },
    quiet: () => service.quiet(),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
