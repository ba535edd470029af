import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CrashingRun, isNoRun, type KillMoment } from './crashing-run.ts';
import { BUILT_PROGRAM } from './program.ts';
import { chosenSeed, IS_LONG, SeededRandom } from './seeded-random.ts';
import { WRITES, type WriteName } from './writes.ts';

// E23: the program of the commit that wrote test/fixtures/state-0.1.0 and the one of today work on one state folder.

const OLD_COMMIT = '8c12402';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IS_KNOWN = spawnSync('git', ['-C', ROOT, 'cat-file', '-e', `${OLD_COMMIT}^{commit}`]).status === 0;
const TRIALS = IS_LONG ? 40 : 4;
const NAMES: readonly WriteName[] = ['activate', 'reissue', 'subscriberChanges'];
/** In use, or of a newer version; cannot be read. */
const REFUSED = [2, 4, 16];
const seed = chosenSeed();

const folder = IS_KNOWN ? mkdtempSync(join(tmpdir(), 'frontdesk-old-')) : '';
const OLD_PROGRAM = join(folder, 'bin', 'frontdesk.js');

beforeAll(() => {
  if (!IS_KNOWN) return;
  const parts = ['src', 'build', 'bin', 'completions', 'man', 'package.json', 'tsconfig.json', 'LICENSE'];
  const archive = spawnSync('git', ['-C', ROOT, 'archive', OLD_COMMIT, ...parts], { maxBuffer: 1 << 28 });
  expect(archive.status, String(archive.stderr)).toBe(0);
  expect(spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout }).status).toBe(0);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const built = spawnSync(process.execPath, ['build/build.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(built.status, built.stderr).toBe(0);
}, 120_000);

afterAll(() => {
  if (IS_KNOWN) rmSync(folder, { recursive: true, force: true });
});

function moment(random: SeededRandom): KillMoment {
  return { at: random.pick(['arrived', 'applied', 'answered']), count: 1 + random.below(12), laterMs: random.below(3) };
}

async function start(name: WriteName, trial: number): Promise<{ run: CrashingRun; random: SeededRandom }> {
  const random = new SeededRandom(seed + trial * 7919);
  const settings = { program: BUILT_PROGRAM, write: WRITES[name], rows: 20, concurrency: 2, random };
  return { run: await CrashingRun.start(settings), random };
}

const CASES = NAMES.flatMap((name) => Array.from({ length: TRIALS }, (_, trial) => ({ name, trial })));

describe.runIf(IS_KNOWN)(`two versions work on one run (FRONTDESK_CRASH_SEED=${seed})`, () => {
  it.each(CASES)(
    'E23 a run of $name that the old version was killed in is refused by the new one ($trial)',
    async (one) => {
      const { run, random } = await start(one.name, one.trial);
      const end = await run.go('begin', moment(random), OLD_PROGRAM);
      if (isNoRun(end)) throw new Error('it had begun when it sent');
      await run.server.quiet();
      const before = run.server.order.length;
      const resumed = await run.go('resume');
      expect(resumed.code, resumed.stderr).toBe(2);
      expect(resumed.stderr).toContain('was begun by an earlier build: it tells what it did, and cannot go on');
      expect(run.server.order.length).toBe(before);
      await run.end();
    },
  );

  it.each(CASES)(
    'E23 a run of $name that the new version was killed in is refused by the old one ($trial)',
    async (one) => {
      const { run, random } = await start(one.name, one.trial);
      await run.go('begin', moment(random));
      // As it is once a process of today has taken the lock over, and given it back.
      if (one.trial % 2 === 0) run.removeLock();
      await run.server.quiet();
      const before = run.server.order.length;
      const end = await run.go('resume', undefined, OLD_PROGRAM);
      expect(REFUSED, end.stderr).toContain(end.code);
      expect(run.server.order.length, end.stderr).toBe(before);
      expect(await run.judge(), run.log.join('\n')).toEqual([]);
      await run.end();
    },
  );
});

it.skipIf(IS_KNOWN)(
  `two versions: this clone does not have the commit ${OLD_COMMIT} of the old program`,
  () => undefined,
);
