import type { Socket } from 'node:net';
import { json, type RecordedRequest, startFaultServer } from '../support/fault-server.ts';
import { cardText } from '../support/sample-card.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import type { Write } from './writes.ts';

/** Where a write stands at the service: the moments at which a test may kill the program. */
export type Stage = 'arrived' | 'applied' | 'answered';

/** Starts the service that is the judge of a run: it counts what it applied, and is the only one that knows. Before and after that it thinks for so long at most. */
export async function startCountingServer({ write, thinkMs }: { readonly write: Write; readonly thinkMs: number }) {
  const random = new SeededRandom(1);
  const order: string[] = [];
  const counts = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let [underWay, arrived] = [0, 0];
  let listener: ((stage: Stage, count: number) => void) | undefined;
  const think = () => new Promise((resolve) => setTimeout(resolve, random.next() * thinkMs));

  async function onRequest(socket: Socket, asked: RecordedRequest): Promise<void> {
    const key = asked.target.split('/')[3] ?? '';
    const say = (text: string) => json(200, text).onRequest?.(socket, asked);
    if (asked.method === 'GET') return say(cardText(counts.has(key) ? write.statusAfter : 'EXPIRED', key));
    underWay += 1;
    arrived += 1;
    const count = arrived;
    listener?.('arrived', count);
    await think();
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    order.push(key);
    listener?.('applied', count);
    await think();
    say(write.answer(key, nth));
    listener?.('answered', count);
    underWay -= 1;
    if (underWay === 0) for (const wake of waiting.splice(0)) wake();
  }

  const server = await startFaultServer({
    route: () => ({ onRequest: (socket, asked) => void onRequest(socket, asked) }),
  });
  return {
    /** URL and token for the environment of the program. */
    env: { FRONTDESK_CARDS_URL: server.url, FRONTDESK_CARDS_TOKEN: 'cards-token-of-the-crash-test' },
    /** Keys in the order in which their writes were applied; a key that is in it twice was applied twice. */
    order: order as readonly string[],
    /** How often a row was applied. */
    applications: (key: string) => counts.get(key) ?? 0,
    /** Hears of each write; `count` is 1 for the first that arrived since the listener was set. */
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
