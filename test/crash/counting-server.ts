import type { Socket } from 'node:net';
import { json, type RecordedRequest, startFaultServer } from '../support/fault-server.ts';
import { cardText } from '../support/sample-card.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Write } from './writes.ts';

/** Where a write stands at the service: the moments at which a test may kill the program. */
export type Stage = 'arrived' | 'applied' | 'answered';

interface ServerOptions {
  readonly write: Write;
  readonly random: SeededRandom;
  /** Rows that are refused with 404, by key. */
  readonly refused?: ReadonlySet<string>;
  /** Share of the writes that are applied and get no readable answer: cut, half an answer, or 500. */
  readonly dropShare?: number;
  /** The longest that the service thinks, before and after it applies a write. */
  readonly thinkMs: number;
}

export type CountingServer = Awaited<ReturnType<typeof startCountingServer>>;

/** Starts the service that is the judge of a run: it counts what it applied, and is the only one that knows. */
export async function startCountingServer({ write, random, refused, dropShare = 0, thinkMs }: ServerOptions) {
  const order: string[] = [];
  const counts = new Map<string, number>();
  const ids = new Map<string, string[]>();
  const waiting: (() => void)[] = [];
  let [dropped, underWay, arrived] = [0, 0, 0];
  let listener: ((stage: Stage, count: number, token: string) => void) | undefined;
  const think = () => new Promise((resolve) => setTimeout(resolve, random.next() * thinkMs));
  const say = (socket: Socket, asked: RecordedRequest, status: number, text: string) =>
    json(status, text).onRequest?.(socket, asked);

  function drop(socket: Socket, asked: RecordedRequest, text: string): void {
    dropped += 1;
    const how = random.pick(['reset', 'half', '500']);
    if (how === '500') say(socket, asked, 500, '{"message":"It failed after all"}');
    else if (how === 'reset') socket.resetAndDestroy();
    else {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text.slice(0, text.length / 2)}`);
      socket.destroySoon();
    }
  }

  async function act(socket: Socket, asked: RecordedRequest, tell: (stage: Stage) => void): Promise<void> {
    tell('arrived');
    await think();
    const key = write.keyIn(asked.target);
    if (refused?.has(key)) return say(socket, asked, 404, '{"errorCode":"CARD_NOT_FOUND","message":"There is none"}');
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    order.push(key);
    tell('applied');
    const { text, resultId } = write.answer(key, nth);
    if (resultId !== undefined) ids.set(key, [...(ids.get(key) ?? []), resultId]);
    await think();
    if (random.chance(dropShare)) return drop(socket, asked, text);
    say(socket, asked, 200, text);
    tell('answered');
  }

  async function onRequest(socket: Socket, asked: RecordedRequest): Promise<void> {
    const key = asked.target.slice('/v1/cards/'.length);
    if (asked.method === 'GET') {
      return say(socket, asked, 200, cardText(counts.has(key) ? write.statusAfter : 'EXPIRED', key));
    }
    underWay += 1;
    arrived += 1;
    const [count, token] = [arrived, asked.headers['authorization']?.replace('Bearer ', '') ?? ''];
    await act(socket, asked, (stage) => listener?.(stage, count, token));
    underWay -= 1;
    if (underWay === 0) for (const wake of waiting.splice(0)) wake();
  }

  const server = await startFaultServer({
    route: () => ({ applies: true, onRequest: (socket, asked) => void onRequest(socket, asked) }),
  });
  return {
    /** URL and token for the environment of the program. */
    env: { FRONTDESK_CARDS_URL: server.url, FRONTDESK_CARDS_TOKEN: 'cards-token-of-the-crash-test' },
    /** Keys in the order in which their writes were applied; a key that is in it twice was applied twice. */
    order: order as readonly string[],
    /** Writes that were applied and whose answer was spoilt. */
    dropped: () => dropped,
    /** How often a row was applied. */
    applications: (key: string) => counts.get(key) ?? 0,
    /** The ids that answers gave out for a row. */
    resultIds: (key: string): readonly string[] => ids.get(key) ?? [],
    /** Hears of each write; `count` is 1 for the first that arrived since the listener was set, `token` the sender's. */
    listen(heard: typeof listener): void {
      arrived = 0;
      listener = heard;
    },
    /** Resolves when no write is under way: a request may still be applied after its sender was killed. */
    async quiet(): Promise<void> {
      if (underWay > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    stop: () => server.close(),
  };
}
