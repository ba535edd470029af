import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RecordedRequest } from '../../support/fault-server.ts';
import { cardId, idLines } from '../../support/plain-service.ts';
import { measuring, type RunResult } from '../../support/run-frontdesk.ts';
import { IS_LONG, onStage, type Stage } from './stage.ts';

const BULK = IS_LONG ? 1_000_000 : 2000;

function _ids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => cardId(index + 1));
}

const rowsFile = (stage: Stage, count: number) => stage.file('rows.txt', idLines(count));

const journalOf = (stage: Stage) => join(stage.home.stateDir, 'runs/r/journal.jsonl');

interface Row {
  readonly row: number;
  readonly id: string;
  readonly outcome: string;
}

function _rowsOf(result: Pick<RunResult, 'stdout'>): readonly Row[] {
  return JSON.parse(result.stdout);
}

function _idIn({ target }: RecordedRequest): string {
  return target.split('/')[3] ?? '';
}

describe.concurrent('a run that is resumed', { timeout: 1_800_000 }, () => {
  test(`K15 a run sends ${BULK.toLocaleString('en')} rows in 260 MiB, with a journal that grows evenly`, () =>
    onStage(async (stage) => {
      const { env, usage } = measuring(stage.home);
      const args = ['card', 'activate', '--yes', '-o', 'csv', '-q', '--run', 'r', '-j', '16', '--from'];
      const result = await stage.run([...args, rowsFile(stage, BULK)], { env, timeoutMs: 1_700_000 });
      expect(result.code).toBe(0);
      expect(stage.lines).toHaveLength(BULK);
      expect(usage().mib).toBeLessThan(260);
      expect(statSync(journalOf(stage)).size / BULK).toBeLessThan(500);
    }));
});
