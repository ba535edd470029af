import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { type Remains, sweepCrashPoints } from './crash-points.ts';
import { buildMutant, type Mutation } from './mutant.ts';
import { WRITES } from './writes.ts';

const folders: string[] = [];

// A busy machine takes long to remove four copies of the program.
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Each is wrong in one line, and must be caught by the judge that the real program satisfies. */
const MUTANTS: readonly { wrong: string; mutation: Mutation; remains: Remains; caught: RegExp }[] = [
  {
    wrong: 'sends before the intent is on the disk',
    mutation: {
      file: 'src/run/row-call.ts',
      line: 'await journal.intent({ row, id, ...task.aboutOf?.(this.row) });',
      instead: 'void journal.intent({ row, id, ...task.aboutOf?.(this.row) });',
    },
    remains: 'nothing',
    caught: /^twice: /,
  },
  {
    wrong: 'keeps a torn tail',
    mutation: {
      file: 'src/run/journal/journal.ts',
      line: 'if (file.length > scan.length) {',
      instead: 'if (file.length < scan.length) {',
    },
    remains: 'torn',
    caught: /^lost: .*damaged/s,
  },
  {
    wrong: 'sends unknown rows again',
    mutation: {
      file: 'src/run/row-runner.ts',
      line: "if (!isUnknown || unknownRows === 'leave') return this.#replay(row, position, journal);",
      instead: 'if (!isUnknown) return this.#replay(row, position, journal);',
    },
    remains: 'all',
    caught: /^twice: /,
  },
  {
    wrong: 'waits for no disk',
    mutation: {
      file: 'src/run/journal/append-file.ts',
      line: 'sync: () => syncData(file.fd),',
      instead: 'sync: async () => {},',
    },
    remains: 'nothing',
    caught: /^twice: /,
  },
];

describe('the judge of the crash tests', () => {
  it.each(MUTANTS)('catches a program that $wrong', { timeout: 5 * 60_000 }, async ({ mutation, remains, caught }) => {
    const { folder, program } = await buildMutant(mutation);
    folders.push(folder);
    const report = await sweepCrashPoints({
      settings: { program, write: WRITES.subscriberUpdate, rows: 4, concurrency: 2 },
      deed: 'begin',
      scope: 'journal',
      seed: 1,
      holdMs: 250,
      remainsAt: () => [remains],
      untilCaught: true,
    });
    expect(report.breaches.filter((breach) => caught.test(breach))).not.toEqual([]);
  });
});
