import type { Socket } from 'node:net';
import { fromPlain } from '../../src/base/json/value.ts';
import { REGISTRY } from '../../src/registry.ts';
import type { Column } from '../../src/screen/column.ts';
import type { Operation } from '../../src/service/api/operation.ts';
import { OPERATIONS } from '../../src/service/api/operations.ts';
import type { CallInput } from '../../src/service/http/call.ts';
import { createHttpClient } from '../../src/service/http/ongoing-call.ts';
import { parseBaseUrl } from '../../src/service/wire/base-url.ts';
import { createTransport } from '../../src/service/wire/transport.ts';
import type { Behavior } from '../support/fault-server.ts';
import { CARDS_TOKEN } from '../support/recording-server.ts';
import { NAMES, SAMPLE_CALLS, sampleInput, typedCall } from '../support/sample-calls.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { mutateBytes, mutateHttp, mutateJson, type WireAnswer } from './mutate.ts';

/** One call of one operation, the answer that is right for it, and how frontdesk is asked for it. */
export interface Play {
  readonly name: keyof typeof OPERATIONS;
  readonly operation: Operation;
  readonly input: CallInput;
  readonly words: readonly string[];
  readonly columns: readonly Column[];
  readonly good: unknown;
}

/** Which run a request belongs to, by the id in its path or in its body. */
export function indexOf(targetAndBody: string): number {
  const digits = /00000000-0000-4000-8000-([0-9a-f]{12})/.exec(targetAndBody)?.[1];
  if (digits === undefined) throw new Error(`no id in ${targetAndBody}`);
  return Number.parseInt(digits, 16);
}

export function card(cardId: string, status: string): Record<string, unknown> {
  return {
    cardId,
    clientReference: 'order-1',
    status,
    initialBalance: 50.5,
    currentBalance: 10.25,
    expiryDate: '2031-01-01T00:00:00Z',
    design: 'classic',
    metadata: { store: 'Bergen', nested: { a: [1, 2, { b: null }] } },
    createdAt: '2025-01-01T00:00:00Z',
    updatedAt: '2025-01-02T00:00:00Z',
    transactions: [
      { transactionId: 't1', amount: 40.25, type: 'PURCHASE', createdAt: '2025-02-01T00:00:00Z' },
      { transactionId: 't2', amount: 50.5, type: 'LOAD', createdAt: '2025-01-01T00:00:00Z' },
    ],
  };
}

export const PLAY_NAMES = NAMES;

/** What a table of each command shows. */
const COLUMNS = new Map<string, readonly Column[]>();
for (const { path, load } of REGISTRY.entries) {
  const command = await load();
  if (command.kind === 'call') COLUMNS.set(path.join(' '), command.columns);
}

/** A call of an operation that belongs to run `index`. */
export function playOf(name: keyof typeof OPERATIONS, index: number): Play {
  const operation = OPERATIONS[name];
  // It says which run a request belongs to.
  const id = `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
  const { argument, command, choice, asks, fields, response } = SAMPLE_CALLS[name];
  // What has no ID in its path carries the run in its body.
  const event = { ...fields, calendar: id };
  const isEvent = argument === undefined;
  const words = [
    ...(isEvent ? [...typedCall(name, undefined, ['calendar']), '--calendar', id] : typedCall(name, id, ['reason'])),
    ...(choice === undefined ? [] : ['--show-sensitive']),
    ...(asks?.when === 'always' ? ['--yes'] : []),
  ];
  const input = sampleInput(name, operation, id);
  return {
    name,
    operation,
    input: isEvent ? { ...input, body: fromPlain(event) } : input,
    words,
    columns: COLUMNS.get(command) ?? [],
    good: response(id),
  };
}

/** The client of the program at a service, whose pauses take no time; `monotonic`: what its deadlines go by. */
export function clientOf(url: string, monotonic: () => number) {
  const parsed = parseBaseUrl(url);
  if (parsed.kind === 'bad') throw new Error(parsed.problem);
  const { baseUrl } = parsed;
  const clock = { now: () => Date.now(), monotonic, sleep: () => Promise.resolve() };
  const transport = createTransport({ baseUrl, clock });
  const client = createHttpClient({
    baseUrl,
    credential: { token: async () => CARDS_TOKEN, renew: async () => undefined },
    clock,
    random: () => 0,
    version: '1.2.3',
    profile: 'demo',
    namedProfile: undefined,
    stoppedBy: () => undefined,
    transport,
  });
  return { client, close: () => transport.close() };
}

/** Does so many runs, some at a time. */
export async function inTurn(count: number, atATime: number, play: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await play(index);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}

/** A damaged answer: at the level of JSON, of bytes, of HTTP, or of all of them. */
export function damaged(play: Play, seeded: SeededRandom): WireAnswer {
  const level = seeded.pick(['json', 'json', 'bytes', 'http', 'http', 'all'] as const);
  const text = level === 'json' || level === 'all' ? mutateJson(play.good, seeded) : JSON.stringify(play.good);
  let body: Buffer = Buffer.from(text, 'utf8');
  if (level === 'bytes' || (level === 'all' && seeded.chance(0.5))) body = mutateBytes(body, seeded);
  if (level === 'http' || level === 'all') return mutateHttp(body, seeded);
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  return { bytes: Buffer.concat([Buffer.from(head), body]), after: 'end', pieces: 1 + seeded.below(3) };
}

/** Writes an answer in its pieces, each in a turn of its own. */
export function answerWith(answer: WireAnswer): Behavior {
  const write = (socket: Socket): void => {
    const size = Math.max(1, Math.ceil(answer.bytes.length / answer.pieces));
    let at = 0;
    const step = (): void => {
      if (socket.destroyed) return;
      const piece = answer.bytes.subarray(at, at + size);
      at += size;
      if (piece.length > 0) {
        socket.write(piece, () => setImmediate(step));
        return;
      }
      if (answer.after === 'end') socket.end();
      if (answer.after === 'reset') socket.resetAndDestroy();
    };
    step();
  };
  return { onRequest: write };
}
