import { defineConfig } from 'vitest/config';

/** The tests of the one module whose mutants are judged (build/mutants.mjs), so that each is judged in seconds. */
export default defineConfig({
  test: { include: process.env['MUTANT_TESTS']?.split(',') ?? [], pool: 'threads', testTimeout: 10_000 },
});
