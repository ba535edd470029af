import { defineConfig } from 'vitest/config';

/** The unit tests alone, for the mutants: they decide in process, so a mutant is judged in seconds. */
export default defineConfig({ test: { include: ['test/unit/**/*.test.ts'], pool: 'threads', testTimeout: 30_000 } });
