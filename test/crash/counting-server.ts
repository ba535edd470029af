import { startRecordingServer } from '../support/recording-server.ts';
import { cardText } from '../support/sample-card.ts';
import { SeededRandom } from '../support/seeded-random.ts';

/** Where a write stands at the service: the moments at which a test may kill the program. */
export type Stage = 'arrived' | 'applied' | 'answered';

/** The card of row `row` (1-based). */
export const keyOf = (row: number) => `7c0e1111-2222-3333-4444-${String(row).padStart(12, '0')}`;

/** A write that a card check resolves, and one with IDs that are in the response alone: what the nth of a card answers. */
const WRITES = {
  block: { statusAfter: 'BLOCKED', answer: (key: string) => cardText('BLOCKED', key) },
  reissue: {
    statusAfter: 'REISSUED',
    answer: (key: string, nth: number) =>
      cardText('WAITING_ACTIVATION', `${String(nth).padStart(8, '0')}-aaaa-bbbb-cccc-${key.slice(-12)}`),
  },
} as const;

/** Starts the service that is the judge of a run: it counts what it applied, and is the only one that knows. Before and after that it thinks for so long at most. */
export async function startCountingServer(verb: keyof typeof WRITES, thinkMs: number) {
  const { answer, statusAfter } = WRITES[verb];
  const random = new SeededRandom(1);
  const order: string[] = [];
  const counts = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let [underWay, arrived] = [0, 0];
  let listener: ((stage: Stage, count: number) => void) | undefined;
  const think = () => new Promise((resolve) => setTimeout(resolve, random.next() * thinkMs));

  const server = await startRecordingServer(async ({ method, url }) => {
    const key = url.split('/')[3] ?? '';
    if (method === 'GET') return { body: cardText(counts.has(key) ? statusAfter : 'EXPIRED', key) };
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
    // By then the answer is on its way.
    setImmediate(() => {
      listener?.('answered', count);
      underWay -= 1;
      if (underWay === 0) for (const wake of waiting.splice(0)) wake();
    });
    return { body: answer(key, nth) };
  });
  return {
    /** URL and token for the environment of the program. */
    env: { FRONTDESK_CARDS_URL: server.url, FRONTDESK_CARDS_TOKEN: 'cards-token-of-the-crash-test' },
    /** Keys in the order in which their writes were applied; a key that is in it twice was applied twice. */
    order: order as readonly string[],
    applications: (row: number) => counts.get(keyOf(row)) ?? 0,
    /** Hears of each write; `count` is 1 for the first that arrived since the listener was set. */
    listen(heard: typeof listener): void {
      arrived = 0;
      listener = heard;
    },
    /** Resolves when no write is under way: a request may still be applied after its sender was killed. */
    async quiet(): Promise<void> {
      if (underWay > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
