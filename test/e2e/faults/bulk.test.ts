import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chosenSeed, SeededRandom } from '../../crash/seeded-random.ts';
import type { RecordedRequest } from '../../support/fault-server.ts';
import { type RunResult, startFrontdesk } from '../../support/run-frontdesk.ts';
import { answerAsService, CAN_MOUNT, IS_LONG, onSmallDisk, onStage, type Stage, until } from './stage.ts';

const KILLS = IS_LONG ? 200 : 6;
const BULK = IS_LONG ? 1_000_000 : 4000;

function cardId(index: number): string {
  return `7c0e1111-2222-3333-4444-${String(index).padStart(12, '0')}`;
}

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => cardId(index + 1));
}

const rowsFile = (stage: Stage, count: number) => stage.file('rows.txt', `${ids(count).join('\n')}\n`);

const activate = (file: string, ...more: readonly string[]) => [
  'card',
  'activate',
  '--yes',
  '--json',
  '--run',
  'r',
  '--from',
  file,
  ...more,
];

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

/** Kills a call after so many more requests; three in ten of them at some moment before that. */
async function killSomewhere(
  stage: Stage,
  args: readonly string[],
  requests: number,
  random: SeededRandom,
): Promise<void> {
  const { child, result } = startFrontdesk(args, { home: stage.home, env: stage.env });
  const enough = stage.lines.length + requests;
  const soonMs = random.chance(0.3) ? 400 * random.next() : 15_000;
  const timer = setTimeout(() => child.kill('SIGKILL'), soonMs);
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  await until('progress', () => stage.lines.length > enough || isOver());
  clearTimeout(timer);
  child.kill('SIGKILL');
  await result;
}

describe.concurrent('a run that is killed', { timeout: 1_800_000 }, () => {
  test('K1 a run loses no row and sends none again, whenever it is killed', () =>
    onStage(
      async (stage) => {
        const rows = 60;
        const args = activate(rowsFile(stage, rows), '-j', '4');
        const seed = chosenSeed();
        const random = new SeededRandom(seed);
        let killed = 0;
        for (; killed < KILLS && stage.lines.length < rows; killed += 1)
          await killSomewhere(stage, args, killed % 5, random);
        const end = await stage.run(args);
        const byId = new Map<string, number>();
        for (const request of stage.server.requests) byId.set(idIn(request), (byId.get(idIn(request)) ?? 0) + 1);
        expect(
          [...byId].filter(([, count]) => count > 1),
          `FRONTDESK_CRASH_SEED=${seed}`,
        ).toEqual([]);
        const results = rowsOf(end);
        expect(results.map(({ id }) => id)).toEqual(ids(rows));
        for (const { id, outcome } of results) {
          expect(['applied', 'unknown']).toContain(outcome);
          if (outcome === 'applied') expect(byId.get(id)).toBe(1);
        }
        const unknown = results.filter(({ outcome }) => outcome === 'unknown').length;
        expect(unknown).toBeLessThanOrEqual(4 * killed);
        expect(end.code).toBe(unknown > 0 ? 8 : 0);
      },
      {
        route: (request, count) => {
          const answer = answerAsService(request);
          return {
            applies: true,
            onRequest: (socket, asked) => void setTimeout(() => answer.onRequest?.(socket, asked), (count * 13) % 40),
          };
        },
      },
    ));

  test('K2 a run has the intent of a row on the disk before its request is sent', async () => {
    let synced = '';
    let journal = '';
    const missing: string[] = [];
    const seen: string[] = [];
    await onStage(
      async (stage) => {
        synced = stage.path('synced');
        journal = journalOf(stage);
        // Notes after every fdatasync how long the file was that reached the disk before it began.
        const code = `import fs from "node:fs"; const real = fs.fdatasync; fs.fdatasync = (fd, done) => { const { size } = fs.fstatSync(fd); real(fd, (error) => { fs.appendFileSync(${JSON.stringify(synced)}, size + "\\n"); done(error); }); };`;
        const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
        const { code: exitCode } = await stage.run(activate(rowsFile(stage, 30), '-j', '3'), { env });
        expect(exitCode).toBe(0);
        expect(seen).toHaveLength(30);
        expect(missing).toEqual([]);
      },
      {
        route: (request) => {
          const lengths = readFileSync(synced, 'utf8').split('\n').map(Number);
          const durable = readFileSync(journal, 'utf8').slice(0, Math.max(...lengths));
          seen.push(idIn(request));
          if (!durable.includes(idIn(request))) missing.push(idIn(request));
          return undefined;
        },
      },
    );
  });
});

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
      const measure = `import fs from "node:fs"; process.on("exit", () => fs.writeFileSync(${JSON.stringify(stage.path('peak'))}, String(process.resourceUsage().maxRSS)));`;
      const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(measure)}` };
      const args = ['card', 'activate', '--yes', '-o', 'csv', '-q', '--run', 'r', '-j', '16', '--from'];
      const result = await stage.run([...args, rowsFile(stage, BULK)], { env, timeoutMs: 1_700_000 });
      expect(result.code).toBe(0);
      expect(stage.lines).toHaveLength(BULK);
      const peakMiB = Number(readFileSync(stage.path('peak'), 'utf8')) / 1024;
      expect(peakMiB).toBeLessThan(260);
      expect(statSync(journalOf(stage)).size / BULK).toBeLessThan(500);
    }));
});
