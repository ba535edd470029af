import type { SeededRandom } from '../support/seeded-random.ts';
import { chanceOf, someOf, spread } from './chance.ts';
import { DELICATE, FATE_NAMES, type Weather } from './fates.ts';
import type { ConnectionFate } from './network.ts';
import type { Plan } from './plan.ts';
import { planPeople } from './situations.ts';

const HOUR_MS = 3_600_000;
const CONNECTIONS: readonly ConnectionFate[] = ['slow', 'refused', 'reset', 'silent'];

/** A few faults at a time, and those often: two that are rare meet in no history, and where all are there none ends. */
function planWeather(random: SeededRandom): Weather {
  const few = random.pick([1, 2, 3, 8, FATE_NAMES.length]);
  return {
    share: few <= 3 ? random.pick([0.2, 0.5, 0.8]) : random.pick([0, 0.05, 0.2, 0.5]),
    fates: few <= 3 && random.chance(0.7) ? someOf(random, DELICATE, few) : someOf(random, FATE_NAMES, few),
    connectionShare: random.pick([0, 0, 0.05, 0.3]),
    connections: someOf(random, CONNECTIONS, random.pick([1, 4])),
    slow: random.pick([1, 1, 1, 30]),
  };
}

export function planOf(seed: number): Plan {
  const random = chanceOf(seed, 'plan');
  const scene = planPeople(seed, random);
  return {
    seed,
    machines: Array.from({ length: scene.machines }, () =>
      random.chance(0.5) ? 0 : (random.next() - 0.5) * 2 * HOUR_MS,
    ),
    repeats: random.pick(['again', 409, 404] as const),
    weather: scene.weather ?? planWeather(random),
    timeoutS: random.pick([2, 5, 30]),
    syncMs: random.pick([1, 10, 200]),
    inputs: scene.inputs,
    people: scene.people,
    calmMs: spread(random, 60_000, 600_000),
  };
}
