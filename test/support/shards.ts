import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { keyOf, startCountingServer } from '../crash/counting-server.ts';
import { shardRows } from '../crash/program.ts';
import { folderWithProgram } from './shell.ts';

export const SHARDS = [1, 2, 3, 4];

export type ShardPlace = Awaited<ReturnType<typeof makeShardPlace>>;

/** A home with cards.csv, a token and `frontdesk` on the path, and the service that counts what it is asked. */
export async function makeShardPlace(rows: number, thinkMs: number) {
  const folder = folderWithProgram();
  const server = await startCountingServer('block', thinkMs);
  const numbers = Array.from({ length: rows }, (_, index) => index + 1);
  writeFileSync(join(folder, 'cards.csv'), `cardId,reason\n${numbers.map((row) => `${keyOf(row)},lost\n`).join('')}`);
  writeFileSync(join(folder, '.cards-token'), 'cards-token-of-the-test\n', { mode: 0o600 });
  const applied = server.applications;
  return {
    folder,
    server,
    env: { ...server.env, FRONTDESK_CONFIG_DIR: join(folder, 'config'), FRONTDESK_STATE_DIR: join(folder, 'state') },
    /** Resolves as soon as the service has applied a row. */
    async whenApplied(row: number): Promise<void> {
      await new Promise<void>((resolve) => server.listen(() => applied(row) > 0 && resolve()));
      server.listen(undefined);
    },
    /**
     * No card was blocked twice, and the results of all shards together give an outcome for each. Unknown is only a row
     * whose request had not reached the service when its sender was killed. Answers how many there are.
     */
    expectAllSaid(): number {
      // A task that was queued again appends to nothing: each attempt writes its file anew.
      const said = shardRows(folder, SHARDS);
      const words = said.map(({ row, outcome }) => `${row} ${outcome.replace('confirmed_by_read', 'applied')}`);
      expect(words).toEqual(numbers.map((row) => `${row} ${applied(row) === 1 ? 'applied' : 'unknown'}`));
      return said.filter(({ outcome }) => outcome === 'unknown').length;
    },
  };
}
