import { expect, it } from 'vitest';
import { planOf } from './make-plan.ts';
import type { Blow, Deed, Plan } from './plan.ts';
import { loadProgram } from './program.ts';
import { shrink, tellStory } from './shrink.ts';
import { numberGiven, seedsFrom, simulate } from './simulate.ts';

const SEED = numberGiven('FRONTDESK_SIMULATE_SEED') ?? Math.floor(Math.random() * 0x1_0000_0000);
/** Half of them for each kind. */
const COUNT = numberGiven('FRONTDESK_SIMULATE_COUNT') ?? 300;
const MINUTES = numberGiven('FRONTDESK_SIMULATE_MINUTES');

/** The same with an error that nothing catches in the place of what ends or stops a process. */
function crashing(seed: number): Plan {
  const plan = planOf(seed);
  const struck = (deed: Deed): Deed => {
    const crash = (blow: Blow): Blow => ({ ...blow, what: /SIG|kill|pause/.test(blow.what) ? 'crash' : blow.what });
    return { ...deed, blows: deed.blows.map(crash) };
  };
  return { ...plan, people: plan.people.map((person) => ({ ...person, deeds: person.deeds.map(struck) })) };
}

it.each([
  ['people, processes, machines and a service that fail', planOf],
  ['programs that meet errors which nothing catches', crashing],
])('keeps every promise of a write in random histories of %s', async (_what, plan) => {
  const program = await loadProgram();
  const endMs = performance.now() + (MINUTES ?? 0) * 30_000;
  const count = MINUTES === undefined ? Math.ceil(COUNT / 2) : Number.POSITIVE_INFINITY;
  const isOver = () => MINUTES !== undefined && performance.now() > endMs;
  const { histories, processes, requests, broken } = await simulate(seedsFrom(SEED, count), program, isOver, plan);
  process.stdout.write(
    `${histories} histories from seed ${SEED}: ${processes} processes, ${requests} requests (FRONTDESK_SIMULATE_SEED=${SEED})\n`,
  );
  expect(broken && tellStory(await shrink(broken, program))).toBeUndefined();
});
