import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { mutate } from '../simulate/mutant.ts';
import { MUTANTS } from '../simulate/mutants.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it.each(MUTANTS)('the program in which $wrong can still be made of the sources', ({ mutations }) => {
  for (const mutation of mutations) {
    const source = readFileSync(`${ROOT}${mutation.file}`, 'utf8');
    expect(mutate(source, mutation)).not.toBe(source);
  }
});
