import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * unit: decisions, in process. command: the program in the process of the test, or the built one that FRONTDESK_TEST_PROGRAM names. e2e:
 * the built program as a child process. crash, fuzz, nodes, package and release: the slower suites, each with a script of its own. No
 * test is tried again: one that fails once in a hundred runs is wrong about what it waits for.
 */
export default defineConfig({
  test: {
    // One for each processor, and never one alone: a test waits for the programs it starts, and a file for its timers.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/behavior/**/*.test.ts'],
          pool: 'threads',
          // Modules of src keep no state of a call, so each worker loads them once: half the time of a run.
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'command',
          include: ['test/command/**/*.test.ts'],
          // One process for many files, which loads the program once.
          pool: 'forks',
          isolate: false,
          setupFiles: ['test/support/after-each-file.ts'],
          env: process.env['FRONTDESK_TEST_PROGRAM'] === undefined ? { FRONTDESK_TEST_IN_PROCESS: '1' } : {},
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: ['test/e2e/package.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          maxConcurrency: 8,
        },
      },
      {
        test: {
          name: 'package',
          include: ['test/e2e/package.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'release',
          include: ['test/release/**/*.test.ts'],
          globalSetup: ['test/support/make-releases.ts'],
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
      { test: { name: 'engines', include: ['test/engines/**/*.test.ts'], testTimeout: 600_000 } },
      { test: { name: 'crash', include: ['test/crash/**/*.test.ts'], testTimeout: 3_600_000 } },
      { test: { name: 'simulate', include: ['test/simulate/**/*.test.ts'], testTimeout: 3_600_000 } },
      { test: { name: 'fuzz', include: ['test/fuzz/**/*.test.ts'], testTimeout: 3_600_000 } },
    ],
  },
});
