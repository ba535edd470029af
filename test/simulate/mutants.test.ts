import { expect, it } from 'vitest';
import { MUTANTS } from './mutants.ts';
import { loadProgram } from './program.ts';
import { seedsFrom, simulate } from './simulate.ts';

/** A change of the program may lead a seed elsewhere: then those after it are tried. */
const TRIES = 150;

const SHOWN = MUTANTS.flatMap(({ wrong, mutations, seed }) => (seed === undefined ? [] : [{ wrong, mutations, seed }]));

it.each(SHOWN)('a random history shows a program in which $wrong', async ({ mutations, seed }) => {
  const { broken } = await simulate(seedsFrom(seed, TRIES), await loadProgram(mutations));
  expect(broken?.found).toBeDefined();
  process.stdout.write(`seed ${broken?.plan.seed}: ${broken?.found[0]}\n`);
});
