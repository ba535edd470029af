import { request } from 'node:http';
import { Refused } from '../../../src/sandbox/refusal.ts';
import { checkRequest } from '../../../src/sandbox/request.ts';
import { builtInSeed } from '../../../src/sandbox/seed.ts';
import { decide } from '../../../src/sandbox/server.ts';
import { applyChanges, type Reply, type SandboxState } from '../../../src/sandbox/state.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

/** Ids of the built-in seed, one for each status that a test needs. */
export const ACTIVE = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
export const WAITING = '4fbeb052-7396-41ce-8085-9263bed4f505';
export const BLOCKED = '72e1e385-a6c9-44f1-b3b8-c596e1072808';
export const REISSUED = '83f2f496-b7da-4502-84c9-d6a7f2183909';
export const EXPIRED = 'a51416b8-d9fc-4724-a6eb-f8c9143a5b0b';
export const CANCELLED = 'b62527c9-ea0d-4835-b7fc-09da254b6c0c';
export const UNKNOWN = '00000000-0000-0000-0000-000000000000';

export const TOKENS = { cards: 'cards-token', calendar: 'calendar-token' };
export const NOON = '2025-06-01T12:00:00.000Z';

export const CLOCK = {
  now: () => 1_748_779_200_000,
  monotonic: () => performance.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

export function repeatableRandom(seed = 1): () => number {
  const random = new SeededRandom(seed);
  return () => random.next();
}

export interface Sent {
  readonly method?: string;
  readonly target: string;
  readonly authorization?: string | null;
  readonly contentType?: string | null;
  readonly body?: string | null;
}

const tokenFor = (target: string) => `Bearer ${target.startsWith('/v1/cards') ? TOKENS.cards : TOKENS.calendar}`;

/** Simulates requests on a state of its own, with no server in between. */
export function play(state: SandboxState = builtInSeed()) {
  const random = repeatableRandom();
  function answer(sent: Sent): Reply {
    const request = {
      method: sent.method ?? 'GET',
      target: sent.target,
      authorization: sent.authorization === null ? undefined : (sent.authorization ?? tokenFor(sent.target)),
      contentType:
        sent.contentType === null ? undefined : (sent.contentType ?? (sent.body ? 'application/json' : undefined)),
      body: sent.body == null ? undefined : Buffer.from(sent.body),
    };
    try {
      const { reply, changes } = decide(state, checkRequest(request, TOKENS), { now: NOON, random });
      applyChanges(state, changes);
      return reply;
    } catch (error) {
      if (error instanceof Refused) return error.reply;
      throw error;
    }
  }
  function send(sent: Sent) {
    const reply = answer(sent);
    return { ...reply, json: JSON.parse(reply.body) };
  }
  return {
    state,
    get: (target: string) => send({ target }),
    post: (target: string, body?: string) => send({ method: 'POST', target, body: body ?? null }),
    send,
  };
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One real HTTP request on a connection of its own; rejects as node:http does when it breaks. */
export function http(
  url: string,
  sent: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string },
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: sent.method ?? 'GET', headers: sent.headers ?? {}, agent: false },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8');
        reply.on('data', (part: string) => {
          text += part;
        });
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
        reply.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(sent.body);
  });
}
