import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createHome } from '../support/run-frontdesk.ts';
import { chosenSeed, IS_LONG, SeededRandom } from '../support/seeded-random.ts';
import { keyOf, type Stage, startCountingServer } from './counting-server.ts';
import { startProgram } from './program.ts';

function recordsIn(stateDir: string): readonly string[] {
  const folders = ['writes', 'open'].map((name) => join(stateDir, name)).filter((folder) => existsSync(folder));
  const paths = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return paths.filter((path) => /\.(?:ndjson|write)$/.test(path));
}

const KILLS = IS_LONG ? 200 : 20;
const seed = chosenSeed();

it(`a single write that is killed at any moment is in the history whenever it was applied, as applied or unknown (FRONTDESK_CRASH_SEED=${seed})`, {
  timeout: 30 * 60_000,
}, async () => {
  const random = new SeededRandom(seed);
  const home = createHome();
  const server = await startCountingServer('reissue', 5);
  const start = (...args: string[]) => startProgram(args, home, server.env);
  for (let number = 1; number <= KILLS; number += 1) {
    const stage = random.pick<Stage | 'time'>(['time', 'arrived', 'applied', 'answered']);
    const { child, ended } = start('card', 'reissue', keyOf(number), '--yes', '--json');
    server.listen((at) => at === stage && child.kill('SIGKILL'));
    const timer = stage === 'time' ? setTimeout(() => child.kill('SIGKILL'), random.below(400)) : undefined;
    const { signal } = await ended;
    clearTimeout(timer);
    // What a crash in the middle of a record leaves.
    if (server.order.length > 0 && signal !== null && random.chance(0.3)) {
      for (const path of recordsIn(home.stateDir)) appendFileSync(path, '{"at":"20');
    }
  }
  server.listen(undefined);
  await server.quiet();
  const { stdout, stderr } = await start('history', 'list', '--json', '--limit', '1000').ended;
  expect(stderr).toBe('');
  const entries = JSON.parse(stdout) as { id: string; outcome: string }[];
  const outcomesOf = (key: string) => entries.filter(({ id }) => id === key).map(({ outcome }) => outcome);
  expect(server.order.filter((key) => !/^(applied|unknown)$/.test(outcomesOf(key).join()))).toEqual([]);
  expect(server.order.length).toBeGreaterThan(KILLS / 4);
});
