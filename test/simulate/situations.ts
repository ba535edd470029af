import type { SeededRandom } from '../support/seeded-random.ts';
import { KINDS, type Kind, keyOf, ONCE_ONLY } from './answers.ts';
import { chanceOf, someOf, spread } from './chance.ts';
import { CALM, type Weather } from './fates.ts';
import type { Blow, BlowKind, Deed, Input, Plan, Struck, Unknown } from './plan.ts';
import type { StepKind } from './process.ts';

/** Who does what, where and with which rows. */
export interface Scene extends Pick<Plan, 'inputs' | 'people'> {
  readonly machines: number;
  /** Undefined: any. */
  readonly weather: Weather | undefined;
}

const HOUR_MS = 3_600_000;

type What = Deed['what'];
type Span = readonly [fromMs: number, toMs: number];

/** Which few things happen in a history, and how close together: what many are needed for is rare where all are. */
interface Habits {
  readonly machines: number;
  readonly people: number;
  /** Each at a machine of their own, as far as there are enough. */
  readonly isSpread: boolean;
  /** Each person does so many things. */
  readonly deeds: readonly [least: number, most: number];
  readonly kinds: readonly Kind[];
  /** How many runs there are at most, their second names not counted. */
  readonly runs: 1 | 2;
  /** What a person does first and later; of several people each may have their own. */
  readonly begins: readonly (readonly What[])[];
  readonly goesOn: readonly (readonly What[])[];
  /** How long somebody waits before the first thing, and between two. */
  readonly firstWait: readonly Span[];
  readonly wait: readonly Span[];
  /** When all but the first person go on after half of what they do, at the earliest. */
  readonly secondHalf?: Span;
  /** Undefined: any. */
  readonly weather?: Weather;
  /** The share of things that are struck, by what, and at which steps. */
  readonly struck: readonly number[];
  readonly blows: readonly BlowKind[];
  readonly steps: readonly StepKind[];
  /** How long something stands still. */
  readonly still: readonly Span[];
  /** How many times slower than others a process comes to the disk. */
  readonly slow: readonly (readonly number[])[];
  /** The share of processes whose messages nobody reads. */
  readonly stalled: number;
  /** Of inputs that have a second name, and of writes that are made once more on purpose. */
  readonly copied: number;
  readonly again: number;
  readonly olderThan: '1s' | '1m';
}

/** A disk that several machines share is not at any of them: no power is lost there. */
const BLOWS: readonly BlowKind[] = [
  'kill',
  'kill in a write',
  'pause',
  'SIGINT',
  'SIGTERM',
  'SIGINT twice',
  'full disk',
  'failing disk',
  'clock',
  'stands still',
  'power',
];
const BEGINNINGS: readonly What[] = ['run', 'run', 'run', 'write', 'write'];
const GOINGS_ON: readonly What[] = [
  'run',
  'resume',
  'resume',
  'results',
  'history',
  'reconcile',
  'prune',
  'resolve',
  'revert',
];

/** Anything that people do and that befalls them. */
function anything(random: SeededRandom): Habits {
  const isPlenty = random.chance(0.5);
  return {
    machines: random.pick([1, 1, 2, 3]),
    people: 1 + random.below(3),
    isSpread: false,
    deeds: [1, 5],
    kinds: someOf(random, KINDS, random.pick([1, 2, 4])),
    runs: 2,
    begins: [BEGINNINGS],
    goesOn: [isPlenty ? GOINGS_ON : someOf(random, GOINGS_ON, 3)],
    firstWait: [[1, 2_000]],
    wait: [
      [1, 2_000],
      [1, 2_000],
      [1_000, 100_000],
    ],
    struck: [random.pick([0.1, 0.4, 0.7])],
    blows: isPlenty ? BLOWS : someOf(random, BLOWS, 2),
    steps: ['all', 'disk', 'network'],
    still: [
      [100, 60_000],
      [61_000, 300_000],
    ],
    slow: [[1, 1, 1, 1, 5, 30]],
    stalled: 0.1,
    copied: 0.3,
    again: 0.1,
    olderThan: random.pick(['1s', '1m'] as const),
  };
}

/** Several people resume one run, some of them while its first process stands still. */
function oneRun(random: SeededRandom): Habits {
  const isStill = random.chance(0.7);
  return {
    ...anything(random),
    machines: 2 + random.below(2),
    people: 2 + random.below(2),
    isSpread: true,
    deeds: [1, 2],
    kinds: [random.pick(['reissue', 'event', 'reissue', 'block', 'subscriber'] as const)],
    runs: 1,
    begins: [['run'], ['run', 'resume']],
    goesOn: [['resume', 'run']],
    firstWait: [
      [1, 50],
      [50, 40_000],
    ],
    wait: [[1, 60_000]],
    struck: [isStill ? 0.9 : 0.2, 0.1],
    blows: isStill ? ['pause', 'stands still'] : ['clock', 'SIGINT'],
    steps: ['network', 'disk'],
    still: [[70_000, 250_000]],
    copied: 0,
  };
}

/** Somebody prunes the history while others write to it, of whose earlier writes one after the other grows old. */
function pruneBesideWriters(random: SeededRandom): Habits {
  const isStruck = random.chance(0.6);
  const usual = anything(random);
  const machines = random.pick([1, 1, 2]);
  const isCalm = random.chance(0.6);
  return {
    ...usual,
    machines,
    people: 3,
    deeds: [6, 8],
    begins: [['prune'], ['write']],
    goesOn: [['prune'], ['write', 'write', 'write', 'write', 'write', 'reconcile']],
    firstWait: [
      [60_000, 61_000],
      [1, 1_500],
    ],
    wait: [[5, 400]],
    secondHalf: [60_100, 60_800],
    ...(isCalm && { weather: CALM }),
    ...(!isCalm && !isStruck && { weather: { ...CALM, share: 0.6, fates: ['no answer', 'slow'] } }),
    struck: [isStruck ? 0.7 : 0, 0.05],
    blows: ['kill'],
    steps: ['disk'],
    slow: [[1, 10, 30], [1]],
    // So soon a write grows old that waits for its answer.
    olderThan: isStruck || isCalm ? '1m' : '1s',
  };
}

/** The same rows under another name, when the first run is over. */
function sameRowsAgain(random: SeededRandom): Habits {
  return {
    ...anything(random),
    people: 1 + random.below(2),
    deeds: [2, 4],
    runs: 1,
    begins: [['run']],
    goesOn: [['run', 'run', 'resume']],
    wait: [[1, 10_000]],
    struck: [0.2],
    blows: someOf(random, BLOWS, 1),
    copied: 1,
    again: 0.2,
  };
}

/** One command after the other, each of which is struck where it hurts: as its requests leave and are recorded. */
function oneAfterTheOther(random: SeededRandom): Habits {
  const isOfRuns = random.chance(0.6);
  return {
    ...anything(random),
    machines: random.pick([1, 1, 2]),
    people: 1,
    deeds: [2, 5],
    kinds: someOf(random, KINDS, isOfRuns ? 1 : 2),
    begins: isOfRuns ? [['run']] : [['write']],
    goesOn: isOfRuns ? [['resume', 'resume', 'run']] : [['write', 'write', 'write', 'reconcile', 'resolve']],
    struck: [0.8],
    blows: someOf(random, [...BLOWS, 'kill', 'kill', 'power'], random.pick([1, 2])),
    steps: [random.pick(['network', 'disk'] as const)],
    copied: 0,
  };
}

/** Single writes whose end cannot be recorded, and whose outcome often is unknown. */
function fullDisk(random: SeededRandom): Habits {
  return {
    ...anything(random),
    people: 1 + random.below(2),
    deeds: [3, 5],
    begins: [['write']],
    goesOn: [['write', 'write', 'write', 'reconcile']],
    struck: [0.8],
    blows: ['full disk', 'failing disk'],
    steps: ['network'],
    copied: 0,
  };
}

/** Rows of which each may be made once, and a service that says more than one thing of each, or says it late. */
function oddAnswers(random: SeededRandom): Habits {
  const odd = ['answer twice', 'answer twice', 'slow', '503 with a time', 'late work, reset', '200 with an error'];
  const habits = {
    ...anything(random),
    people: 1,
    deeds: [1, 3],
    kinds: [random.pick(['reissue', 'event'] as const)],
    runs: 1,
    begins: [['run']],
    goesOn: [['resume', 'run']],
    weather: {
      share: random.pick([0.3, 0.6]),
      fates: someOf(random, odd, 2),
      connectionShare: 0,
      connections: [],
      slow: random.pick([1, 30]),
    },
    struck: [0.2],
    copied: 0,
  } as const;
  const variants = [() => habits, killedAsItRepeats, struckAsItBegins, signalledAsItBegins] as const;
  return random.pick(variants)(habits);
}

/** The same with rows that are refused for now, and processes that are killed as they send those again. */
function killedAsItRepeats(habits: Habits & { readonly weather: Weather }): Habits {
  return {
    ...habits,
    deeds: [3, 4],
    goesOn: [['resume']],
    weather: { ...habits.weather, share: 0.7, fates: ['429', '429 with a time'] },
    struck: [0.9],
    blows: ['kill'],
    steps: ['network'],
  };
}

/** The power goes as a run is begun. */
function struckAsItBegins(habits: Habits): Habits {
  return {
    ...habits,
    machines: 1,
    deeds: [2, 3],
    goesOn: [['run', 'resume']],
    weather: CALM,
    struck: [0.9],
    blows: ['power'],
    steps: ['disk'],
  };
}

/** Signals come while a run is taken up whose rows are unknown, and nobody reads what is said of them. */
function signalledAsItBegins(habits: Habits & { readonly weather: Weather }): Habits {
  return {
    ...habits,
    deeds: [3, 4],
    goesOn: [['resume']],
    weather: { ...habits.weather, share: 0.7, fates: ['reset after the work', '500'] },
    struck: [0.9],
    blows: ['SIGINT', 'SIGTERM'],
    steps: ['all'],
    stalled: 0.7,
  };
}

const SITUATIONS = [
  anything,
  anything,
  oddAnswers,
  oneRun,
  oneRun,
  pruneBesideWriters,
  pruneBesideWriters,
  sameRowsAgain,
  oneAfterTheOther,
  oneAfterTheOther,
  fullDisk,
  oddAnswers,
];

/** What each person has of a habit that not all have in common: the last one counts for those that come after it. */
function ofPerson<Value>(values: readonly Value[], at: number): Value {
  const found = values[Math.min(at, values.length - 1)];
  if (found === undefined) throw new Error('a habit has a value');
  return found;
}

const spanOf = (random: SeededRandom, [from, to]: Span) => spread(random, from, to);

const FARTHEST: Readonly<Record<StepKind, readonly [from: number, to: number]>> = {
  all: [15, 300],
  disk: [1, 60],
  network: [1, 40],
};

function planBlows(random: SeededRandom, share: number, habits: Habits): Blow[] {
  const blows = habits.blows.filter((each) => each !== 'power' || habits.machines === 1);
  if (blows.length === 0 || !random.chance(share)) return [];
  return Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => {
    const what = random.pick(blows);
    const stillMs = spanOf(random, random.pick(habits.still));
    const lasts = { pause: stillMs, 'stands still': stillMs, clock: (random.next() - 0.5) * 4 * HOUR_MS };
    const steps = Math.round(spread(random, 1, 200));
    const clocks = random.pick(['none', 'monotonic', 'both'] as const);
    const of = random.pick(habits.steps);
    return {
      of,
      atStep: Math.round(spread(random, ...FARTHEST[of])),
      what,
      lasts: what in lasts ? lasts[what as keyof typeof lasts] : steps,
      clocks,
    };
  });
}

const planUnknown = (random: SeededRandom): Unknown => random.pick(['leave', 'leave', 'reconcile', 'resend']);

type Doing = Deed extends infer Each ? Omit<Each, keyof Struck> : never;

function planDoing(
  random: SeededRandom,
  what: What,
  runs: readonly string[],
  { kinds, again, olderThan }: Habits,
): Doing {
  const run = random.pick(runs);
  const isAgain = random.chance(again);
  switch (what) {
    case 'write': {
      const kind = random.pick(kinds);
      const isMadeAgain = isAgain && ONCE_ONLY.includes(kind);
      return { what, kind, key: keyOf[kind](1 + random.below(3)), isAgain: isMadeAgain } as Doing;
    }
    case 'run':
      return { what, run, unknown: planUnknown(random), isAgain } as Doing;
    case 'resume':
      return { what, run, unknown: planUnknown(random) } as Doing;
    case 'prune':
      return { what, olderThan } as Doing;
    default:
      return { what, run } as Doing;
  }
}

function planInputs(random: SeededRandom, { kinds, runs, copied }: Habits): Record<string, Input> {
  const inputs: Record<string, Input> = {};
  const known = kinds.filter((kind) => kind !== 'provision');
  for (const [name, copy] of [['night', 'eve'] as const, ['day', 'noon'] as const].slice(0, 1 + random.below(runs))) {
    const kind = known.length === 0 ? 'reissue' : random.pick(known);
    const keys = Array.from({ length: 2 + random.below(6) }, (_, index) => keyOf[kind](index + 1));
    inputs[name] = { kind, keys, concurrency: 1 + random.below(4) };
    // The same rows under another name.
    if (random.chance(copied)) inputs[copy] = inputs[name];
  }
  return inputs;
}

/** The first thing that a person does mostly writes; what comes then mostly continues what is there. */
export function planPeople(seed: number, random: SeededRandom): Scene {
  const habits = random.pick(SITUATIONS)(random);
  const inputs = planInputs(random, habits);
  let number = 0;
  const people = Array.from({ length: habits.people }, (_, at) => ({
    machine: habits.isSpread ? at % habits.machines : random.below(at === 0 ? 1 : habits.machines),
    deeds: Array.from(
      { length: habits.deeds[0] + random.below(1 + habits.deeds[1] - habits.deeds[0]) },
      (_each, nth) => {
        number += 1;
        const own = chanceOf(seed, `deed ${number}`);
        const begins = nth === 0 || own.chance(0.2);
        const what = own.pick(ofPerson(begins ? habits.begins : habits.goesOn, at));
        const doing = planDoing(own, what, Object.keys(inputs), habits);
        const blows = planBlows(own, ofPerson(habits.struck, at), habits);
        const span = nth === 0 ? ofPerson(habits.firstWait, at) : own.pick(habits.wait);
        const isHalf = at > 0 && nth === habits.deeds[0] / 2 && habits.secondHalf !== undefined;
        const notBeforeMs = isHalf ? spanOf(own, habits.secondHalf ?? [1, 1]) : 0;
        const slow = own.pick(ofPerson(habits.slow, at));
        return {
          ...doing,
          number,
          waitMs: spanOf(own, span),
          blows,
          isStderrStalled: own.chance(habits.stalled),
          slow,
          notBeforeMs,
        } as Deed;
      },
    ),
  }));
  return { machines: habits.machines, inputs, people, weather: habits.weather };
}
