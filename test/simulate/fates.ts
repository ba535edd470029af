import type { SeededRandom } from '../support/seeded-random.ts';
import { type Answer, refusal } from './answers.ts';
import { chanceOf, spread } from './chance.ts';
import type { ConnectionFate } from './network.ts';

export interface Fate {
  readonly name: string;
  /** Whether the service does what was asked for, and how long after it was heard. */
  readonly workMs: number | undefined;
  /** What it says: what it did, something else, half of it, nothing; or the connection breaks. */
  readonly says: 'answer' | 'half' | 'nothing' | 'reset' | Answer;
  /** How long after the request was heard. */
  readonly saysMs: number;
  /** Its answer comes once more, so long after the first. */
  readonly againMs?: number;
}

type Maker = (random: SeededRandom) => Omit<Fate, 'name' | 'saysMs'> & { readonly saysMs?: number };

const done =
  (says: Fate['says']): Maker =>
  () => ({ workMs: 0, says });
const notDone =
  (says: Fate['says']): Maker =>
  () => ({ workMs: undefined, says });
/** Done or not, and nobody can tell by what is said. */
const perhaps =
  (says: Fate['says']): Maker =>
  (random) => ({ workMs: random.chance(0.5) ? 0 : undefined, says });

const plain = (status: number, headers: Answer['headers'] = {}): Answer => ({ status, text: 'simulated', headers });
const SOON = { 'retry-after': '1' };

/** Every stage at which a request can break, and what services and those before them answer. */
const FATES: Readonly<Record<string, Maker>> = {
  'reset before the work': notDone('reset'),
  'reset after the work': done('reset'),
  'no answer': perhaps('nothing'),
  'late work, no answer': (random) => ({ workMs: spread(random, 1_000, 60_000), says: 'nothing' }),
  'late work, reset': (random) => ({ workMs: spread(random, 10, 60_000), says: 'reset' }),
  'half an answer': done('half'),
  '303': perhaps(plain(303, { location: '/done' })),
  '302': perhaps(plain(302, { location: '/done' })),
  '307': notDone(plain(307, { location: '/other' })),
  '400': notDone(refusal(400, 'BAD')),
  '401': notDone(refusal(401, 'UNAUTHORIZED')),
  '403': notDone(refusal(403, 'FORBIDDEN')),
  '404': notDone(refusal(404, 'CARD_NOT_FOUND')),
  '408': perhaps(plain(408)),
  '409': notDone(refusal(409, 'CONFLICT')),
  '422': notDone(refusal(422, 'INVALID')),
  '429': notDone(refusal(429, 'BUSY')),
  '429 with a time': notDone(refusal(429, 'BUSY', SOON)),
  '500': perhaps(plain(500)),
  '502': perhaps(plain(502)),
  '503': perhaps(plain(503)),
  '503 with a time': perhaps(refusal(503, 'DOWN', SOON)),
  '504 after the work': (random) => ({ workMs: 0, says: plain(504), saysMs: spread(random, 10, 20_000) }),
  '200 with an error': perhaps(refusal(200, 'FAILED')),
  '200 that is garbage': done(plain(200)),
  slow: (random) => ({ workMs: 0, says: 'answer', saysMs: spread(random, 100, 60_000) }),
  'answer twice': (random) => ({ workMs: 0, says: 'answer', againMs: spread(random, 1, 3_000) }),
};

export const FATE_NAMES = Object.keys(FATES);

/** What is followed by a second request, a second answer or a look at the card: there most can go wrong. */
export const DELICATE: readonly string[] = [
  'reset after the work',
  'no answer',
  'late work, no answer',
  'late work, reset',
  '303',
  '401',
  '408',
  '409',
  '429',
  '429 with a time',
  '503 with a time',
  '503 with a time',
  '200 with an error',
  'slow',
  'answer twice',
];

const WELL: Maker = () => ({ workMs: 0, says: 'answer' });

/** How a history treats requests: which faults it knows, and the share of requests that meet one. */
export interface Weather {
  readonly share: number;
  readonly fates: readonly string[];
  /** Of connections that meet one of `connections`. */
  readonly connectionShare: number;
  /** What is read of a card always comes. */
  readonly sparesReads?: true;
  readonly connections: readonly ConnectionFate[];
  /** How many times slower than usual it answers. */
  readonly slow: number;
}

export const CALM: Weather = { share: 0, fates: [], connectionShare: 0, connections: [], slow: 1 };

/** The fate of the `nth` request of its kind about a thing; the same whatever happened before it. */
export function fateOf(seed: number, what: string, nth: number, { share, fates, slow }: Weather): Fate {
  const random = chanceOf(seed, `request ${nth}: ${what}`);
  const name = fates.length > 0 && random.chance(share) ? random.pick(fates) : 'well';
  return { saysMs: slow * spread(random, 0.2, 40), ...(FATES[name] ?? WELL)(random), name };
}
