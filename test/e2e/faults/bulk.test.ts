import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RecordedRequest } from '../../support/fault-server.ts';
import { cardId, idLines } from '../../support/plain-service.ts';
import { measuring, type RunResult } from '../../support/run-frontdesk.ts';
import { CAN_MOUNT, IS_LONG, onSmallDisk, onStage, type Stage } from './stage.ts';

const BULK = IS_LONG ? 1_000_000 : 2000;

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => cardId(index + 1));
}

const rowsFile = (stage: Stage, count: number) => stage.file('rows.txt', idLines(count));

const journalOf = (stage: Stage) => join(stage.home.stateDir, 'runs/r/journal.jsonl');

interface Row {
  readonly row: number;
  readonly id: string;
  readonly outcome: string;
}

function rowsOf(result: Pick<RunResult, 'stdout'>): readonly Row[] {
  return JSON.parse(result.stdout);
}

function idIn({ target }: RecordedRequest): string {
  return target.split('/')[3] ?? '';
}

test.runIf(CAN_MOUNT).concurrent('K5 a run sends no row whose intent the disk has no room for', () =>
  onStage(async (stage) => {
    rowsFile(stage, 400);
    const { stdout, stderr } = await stage.shell(
      onSmallDisk(
        stage.home.stateDir,
        64,
        `$FD card activate --yes -j 2 --run r --from ${stage.path('rows.txt')} -o ndjson; echo $?; cp ${journalOf(stage)} ${stage.path('kept')}`,
      ),
    );
    const lines = stdout.trimEnd().split('\n');
    expect(lines.at(-1)).toBe('16');
    expect(stderr).toContain('no space left');
    const applied = lines.filter((line) => line.includes('"outcome":"applied"')).length;
    const journal = readFileSync(stage.path('kept'), 'utf8');
    expect(stage.lines.length).toBeGreaterThan(50);
    expect(stage.lines.length).toBeLessThan(400);
    // Of what was in flight the answer may be missing in the journal, the intent never.
    expect(stage.lines.length - applied).toBeLessThanOrEqual(2);
    for (const request of stage.server.requests) expect(journal).toContain(idIn(request));
  }),
);

describe.concurrent('a run that is resumed', { timeout: 1_800_000 }, () => {
  test('K11 a run has every result in the journal when the reader of stdout goes away', () =>
    onStage(async (stage) => {
      rowsFile(stage, 40);
      const call = '$FD card activate --yes -o ndjson --run r --from rows.txt';
      const piped = await stage.shell(`{ ${call}; echo "code $?" >&2; } | true`);
      expect(piped.stderr).toMatch(/code 0\n$/);
      expect(stage.lines).toHaveLength(40);
      const { code, stdout } = await stage.run(['runs', 'results', 'r', '--json']);
      expect(code).toBe(0);
      expect(rowsOf({ stdout }).map(({ id, outcome }) => [id, outcome])).toEqual(ids(40).map((id) => [id, 'applied']));
    }));

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
