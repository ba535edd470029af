import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { idLines } from '../../support/plain-service.ts';
import { measuring } from '../../support/run-frontdesk.ts';
import { IS_LONG, onStage } from './stage.ts';

const BULK = IS_LONG ? 1_000_000 : 2000;

test(
  `K15 a run sends ${BULK.toLocaleString('en')} rows in 260 MiB, with a journal that grows evenly`,
  { timeout: 1_800_000 },
  () =>
    onStage(async (stage) => {
      const { env, usage } = measuring(stage.home);
      const args = ['card', 'activate', '--yes', '-o', 'csv', '-q', '--run', 'r', '-j', '16', '--from'];
      const result = await stage.run([...args, stage.file('rows.txt', idLines(BULK))], { env, timeoutMs: 1_700_000 });
      expect(result.code).toBe(0);
      expect(stage.lines).toHaveLength(BULK);
      expect(usage().mib).toBeLessThan(260);
      expect(statSync(join(stage.home.stateDir, 'runs/r/journal.jsonl')).size / BULK).toBeLessThan(500);
    }),
);
