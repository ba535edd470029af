import type { SeededRandom } from '../crash/seeded-random.ts';
import { type Kind, ONCE_ONLY } from './answers.ts';
import { chanceOf, pickOne, spread } from './chance.ts';
import { FATE_NAMES, type Weather } from './fates.ts';
import type { Clocks } from './machine.ts';

/** What befalls a process, or the machine under it, at one of its steps. */
export interface Blow {
  /** Of any kind, or of those that change the disk: what is promised hangs on these. */
  readonly of: 'all' | 'disk';
  readonly atStep: number;
  readonly what: (typeof BLOWS)[number] | 'power';
  /** How long it stands still, by how much the clock jumps, or for how many steps the disk fails. */
  readonly lasts: number;
  /** Which clocks stand still with a machine. */
  readonly clocks: Clocks;
}

const BLOWS = [
  'kill',
  'kill',
  'pause',
  'SIGINT',
  'SIGTERM',
  'SIGINT twice',
  'full disk',
  'failing disk',
  'clock',
  'stands still',
] as const;

/** What one person does, which starts one command or a few. */
export type Deed = {
  readonly number: number;
  /** Before it begins. */
  readonly waitMs: number;
  readonly blows: readonly Blow[];
  readonly isStderrStalled: boolean;
} & (
  | { readonly what: 'write'; readonly kind: Kind; readonly key: string; readonly isAgain: boolean }
  | { readonly what: 'run'; readonly run: string; readonly unknown: Unknown; readonly isAgain: boolean }
  | { readonly what: 'resume'; readonly run: string; readonly unknown: Unknown }
  | { readonly what: 'results' | 'revert'; readonly run: string }
  | { readonly what: 'history' | 'reconcile' | 'prune' | 'resolve' }
);

/** What is done with the rows of a run whose outcome is unknown. */
export type Unknown = 'leave' | 'reconcile' | 'resend';

/** The rows of a run, under one or more names. */
export interface Input {
  readonly kind: Kind;
  readonly keys: readonly string[];
  readonly concurrency: number;
}

/** One history before it happens. It is made of a seed, and may be made shorter. */
export interface Plan {
  readonly seed: number;
  /** How far the wall clock of each machine is ahead. */
  readonly machines: readonly number[];
  readonly repeats: 'again' | 409 | 404;
  readonly weather: Weather;
  readonly timeoutS: number;
  /** How long the disk takes to sync at most. */
  readonly syncMs: number;
  readonly inputs: Readonly<Record<string, Input>>;
  readonly people: readonly { readonly machine: number; readonly deeds: readonly Deed[] }[];
  /** When the faults stop. */
  readonly calmMs: number;
}

const HOUR_MS = 3_600_000;
const KINDS: readonly Kind[] = ['block', 'activate', 'reissue', 'provision', 'event', 'subscriber'];

const keyOf: Readonly<Record<Kind, (number: number) => string>> = {
  block: cardId,
  activate: cardId,
  reissue: cardId,
  provision: (number) => `${cardId(number)} wallet_a`,
  event: (number) => `event ${number}`,
  subscriber: (number) => `sub/${number}`,
};

export function cardId(number: number): string {
  return `7c0e1111-2222-3333-4444-${String(number).padStart(12, '0')}`;
}

function planWeather(random: SeededRandom): Weather {
  const share = pickOne(random, [0, 0.05, 0.2, 0.5]);
  // A few faults at a time: where all are there none comes to its end.
  const kept = pickOne(random, [0.1, 0.3, 1]);
  return {
    share,
    fates: FATE_NAMES.filter(() => random.chance(kept)),
    connectionShare: pickOne(random, [0, 0, 0.05, 0.3]),
  };
}

function planBlows(random: SeededRandom, share: number, machines: number): Blow[] {
  if (!random.chance(share)) return [];
  return Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => {
    // A disk that many machines share is not at any of them.
    const what = machines === 1 && random.chance(0.4) ? 'power' : pickOne(random, BLOWS);
    // Half of them longer than others wait for a sign of life.
    const stillMs = random.chance(0.5) ? spread(random, 100, 60_000) : spread(random, 61_000, 300_000);
    const lasts = {
      pause: stillMs,
      'stands still': stillMs,
      clock: (random.next() - 0.5) * 4 * HOUR_MS,
    };
    const steps = Math.round(spread(random, 1, 60));
    const clocks = pickOne(random, ['none', 'monotonic', 'both'] as const);
    const isOfDisk = random.chance(0.5);
    return {
      of: isOfDisk ? 'disk' : 'all',
      atStep: Math.round(isOfDisk ? spread(random, 1, 60) : spread(random, 15, 300)),
      what,
      lasts: what in lasts ? lasts[what as keyof typeof lasts] : steps,
      clocks,
    };
  });
}

function planUnknown(random: SeededRandom): Unknown {
  return pickOne(random, ['leave', 'leave', 'reconcile', 'resend']);
}

type Doing = Deed extends infer Each ? Omit<Each, 'number' | 'waitMs' | 'blows' | 'isStderrStalled'> : never;

const BEGINNINGS = ['run', 'run', 'run', 'write', 'write'] as const;
const GOINGS_ON = ['run', 'resume', 'resume', 'results', 'history', 'reconcile', 'prune', 'resolve', 'revert'] as const;

/** The first thing that a person does writes; what comes then mostly goes on with what is there. */
function planDoing(random: SeededRandom, kinds: readonly Kind[], runs: readonly string[], isFirst: boolean): Doing {
  const run = pickOne(random, runs);
  const what = pickOne(random, isFirst || random.chance(0.3) ? BEGINNINGS : GOINGS_ON);
  const isAgain = random.chance(0.1);
  switch (what) {
    case 'write': {
      const kind = pickOne(random, kinds);
      return {
        what,
        kind,
        key: keyOf[kind](1 + random.below(3)),
        isAgain: isAgain && ONCE_ONLY.includes(kind),
      } as Doing;
    }
    case 'run':
      return { what, run, unknown: planUnknown(random), isAgain } as Doing;
    case 'resume':
      return { what, run, unknown: planUnknown(random) } as Doing;
    default:
      return { what, run } as Doing;
  }
}

/** What happens in the history of a seed. */
export function planOf(seed: number): Plan {
  const random = chanceOf(seed, 'plan');
  const machines = pickOne(random, [1, 1, 2, 3]);
  const kinds = KINDS.filter(() => random.chance(0.4));
  if (kinds.length === 0) kinds.push(pickOne(random, KINDS));
  const inputs: Record<string, Input> = {};
  for (const [name, copy] of [['night', 'eve'] as const, ['day', 'noon'] as const].slice(0, 1 + random.below(2))) {
    const kind = pickOne(
      random,
      kinds.includes('provision') && kinds.length === 1
        ? (['reissue'] as const)
        : kinds.filter((each) => each !== 'provision'),
    );
    const keys = Array.from({ length: 2 + random.below(6) }, (_, index) => keyOf[kind](index + 1));
    inputs[name] = { kind, keys, concurrency: 1 + random.below(4) };
    // The same rows under another name.
    if (random.chance(0.3)) inputs[copy] = inputs[name];
  }
  const blowShare = pickOne(random, [0.1, 0.4, 0.7]);
  let number = 0;
  const people = Array.from({ length: 1 + random.below(3) }, (_, at) => ({
    machine: at === 0 ? 0 : random.below(machines),
    deeds: Array.from({ length: 1 + random.below(5) }, (_each, nth) => {
      number += 1;
      const own = chanceOf(seed, `deed ${number}`);
      const doing = planDoing(own, kinds, Object.keys(inputs), nth === 0);
      const blows = planBlows(own, blowShare, machines);
      const waitMs = own.chance(0.7) ? spread(own, 1, 2_000) : spread(own, 1_000, 100_000);
      return { ...doing, number, waitMs, blows, isStderrStalled: own.chance(0.1) } as Deed;
    }),
  }));
  return {
    seed,
    machines: Array.from({ length: machines }, () => (random.chance(0.5) ? 0 : (random.next() - 0.5) * 2 * HOUR_MS)),
    repeats: pickOne(random, ['again', 409, 404] as const),
    weather: planWeather(random),
    timeoutS: pickOne(random, [2, 5, 30]),
    syncMs: pickOne(random, [1, 10, 200]),
    inputs,
    people,
    calmMs: spread(random, 60_000, 600_000),
  };
}
