import { expect, it } from 'vitest';
import { loadProgram } from './program.ts';
import { shrink, tellStory } from './shrink.ts';
import { numberGiven, seedsFrom, simulate } from './simulate.ts';

const SEED = numberGiven('FRONTDESK_SIMULATE_SEED') ?? Math.floor(Math.random() * 0x1_0000_0000);
const COUNT = numberGiven('FRONTDESK_SIMULATE_COUNT') ?? 300;
const MINUTES = numberGiven('FRONTDESK_SIMULATE_MINUTES');

it('keeps every promise of a write in random histories of people, processes, machines and a service that fail', async () => {
  const program = await loadProgram();
  const endMs = performance.now() + (MINUTES ?? 0) * 60_000;
  const count = MINUTES === undefined ? COUNT : Number.POSITIVE_INFINITY;
  const isOver = () => MINUTES !== undefined && performance.now() > endMs;
  const { histories, processes, requests, broken } = await simulate(seedsFrom(SEED, count), program, isOver);
  process.stdout.write(
    `${histories} histories from seed ${SEED}: ${processes} processes, ${requests} requests (FRONTDESK_SIMULATE_SEED=${SEED})\n`,
  );
  expect(broken && tellStory(await shrink(broken, program))).toBeUndefined();
});
