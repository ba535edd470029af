import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chosenSeed, SeededRandom } from '../../crash/seeded-random.ts';
import {
  json,
  type RecordedRequest,
  resetAfterRequest,
  silence,
  startFaultServer,
} from '../../support/fault-server.ts';
import { openTerminal } from '../../support/pty.ts';
import { ENDLESS_GRACE, type RunResult, startFrontdesk } from '../../support/run-frontdesk.ts';
import { cardText } from '../../support/sample-card.ts';
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

function outcomesOf(result: Pick<RunResult, 'stdout'>): readonly string[] {
  return rowsOf(result).map(({ outcome }) => outcome);
}

function summaryOf({ stderr }: Pick<RunResult, 'stderr'>): Record<string, unknown> {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').summary;
}

function idIn({ target }: RecordedRequest): string {
  return target.split('/')[3] ?? '';
}

/** Requests up to `hanging` are answered, those from it on never are. */
const answeringUntil = (hanging: number) => (_: RecordedRequest, count: number) =>
  count < hanging ? undefined : silence();

/** A run of so many rows, killed while one of them is waited for. */
async function killedRun(stage: Stage, rows: number, hanging: number): Promise<void> {
  const running = startFrontdesk(activate(rowsFile(stage, rows), '-j', '1'), { home: stage.home, env: stage.env });
  await until(`request ${hanging}`, () => stage.lines.length === hanging);
  running.child.kill('SIGKILL');
  await running.result;
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

const RESUME = ['runs', 'resume', 'r', '--json'];

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

  test('K3 a resume cuts a torn last line of the journal: its row is done, or was never sent', () =>
    onStage(
      async (stage) => {
        await killedRun(stage, 4, 3);
        const whole = readFileSync(journalOf(stage), 'utf8');
        const lastLine = whole.trimEnd().lastIndexOf('\n') + 1;
        for (const cut of [1, 2, Math.floor((whole.length - lastLine) / 2), whole.length - lastLine - 1]) {
          writeFileSync(journalOf(stage), whole.slice(0, whole.length - cut));
          const { code, stdout } = await stage.run(['runs', 'results', 'r', '--json']);
          expect({ cut, code }).toEqual({ cut, code: 0 });
          expect(
            JSON.parse(stdout)
              .map(({ outcome }: Row) => outcome)
              .slice(0, 2),
          ).toEqual(['applied', 'applied']);
        }
        writeFileSync(journalOf(stage), whole);
        const resumed = await stage.run([...RESUME, '--timeout', '500ms', '--retries', '0', '--rate', '1000']);
        expect(outcomesOf(resumed).slice(0, 3)).toEqual(['applied', 'applied', 'unknown']);
        expect(stage.server.requests.filter((request) => idIn(request) === cardId(3))).toHaveLength(1);
      },
      { route: (request, count) => (count === 3 ? silence() : answerAsService(request)) },
    ));

  test('K4 a resume stops at a damaged line of the journal, names it, and guesses nothing', () =>
    onStage(
      async (stage) => {
        await killedRun(stage, 5, 4);
        const whole = readFileSync(journalOf(stage));
        const before = stage.lines.length;
        for (const at of [Math.floor(whole.length / 3), Math.floor(whole.length / 2)]) {
          const bytes = Buffer.from(whole);
          bytes[at] = (bytes[at] ?? 0) ^ 1;
          writeFileSync(journalOf(stage), bytes);
          const line = whole.subarray(0, at).toString('latin1').split('\n').length;
          const { code, stdout, stderr } = await stage.run(RESUME);
          expect({ at, code, stdout }).toEqual({ at, code: 16, stdout: '' });
          expect(stderr).toMatch(new RegExp(`damaged.* line ${line}\\b`));
          expect(readFileSync(journalOf(stage)).equals(bytes)).toBe(true);
        }
        expect(stage.lines).toHaveLength(before);
      },
      { route: answeringUntil(4) },
    ));

  test('K12 a resume leaves unknown rows alone without --reconcile or --resend-unknown', async () => {
    const states = new Map<string, string>();
    await onStage(
      async (stage) => {
        const first = await stage.run([...activate(rowsFile(stage, 4), '-j', '1'), '--retries', '0']);
        expect(first.code).toBe(8);
        expect(outcomesOf(first)).toEqual(['applied', 'unknown', 'unknown', 'applied']);
        const sent = stage.lines.filter((line) => line.startsWith('POST')).length;
        const plain = await stage.run(RESUME);
        expect({ code: plain.code, outcomes: outcomesOf(plain) }).toEqual({ code: 8, outcomes: outcomesOf(first) });
        const unknown = await stage.run(['runs', 'results', 'r', '--outcome', 'unknown', '--as-input', '-o', 'csv']);
        expect(unknown.stdout.trim().split(/\r?\n/).slice(1)).toEqual([
          expect.stringContaining(cardId(2)),
          expect.stringContaining(cardId(3)),
        ]);
        states.set(cardId(2), 'ACTIVE');
        const read = await stage.run([...RESUME, '--reconcile']);
        expect(outcomesOf(read)).toEqual(['applied', 'confirmed_by_read', 'unknown', 'applied']);
        const refused = await stage.run([...RESUME, '--resend-unknown']);
        expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' });
        expect(refused.stderr).toContain('--yes');
        const { home, env } = stage;
        const asked = openTerminal([...RESUME, '--resend-unknown'], { home, env });
        await asked.waitFor(/Activate 1 card again/);
        asked.type('\r');
        expect((await asked.end).code).toBe(130);
        expect(stage.lines.filter((line) => line.startsWith('POST'))).toHaveLength(sent);
        const again = await stage.run([...RESUME, '--resend-unknown', '--yes']);
        expect(outcomesOf(again)).toEqual(['applied', 'confirmed_by_read', 'applied', 'applied']);
        expect(stage.lines.filter((line) => line.startsWith('POST'))).toHaveLength(sent + 1);
      },
      {
        route: (request, count) => {
          const id = idIn(request);
          if (request.method === 'GET') return json(200, cardText(states.get(id) ?? 'WAITING_ACTIVATION', id));
          return count < 6 && (id === cardId(2) || id === cardId(3)) ? resetAfterRequest() : undefined;
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

test.concurrent('K6 a run stops at the first 401, and at a 403 before anything succeeded', async () => {
  for (const [status, code] of [
    [401, 4],
    [403, 5],
  ] as const) {
    await onStage(
      async (stage) => {
        const result = await stage.run(activate(rowsFile(stage, 50), '-j', '2'));
        expect(result.code).toBe(code);
        expect(stage.lines.length).toBeLessThanOrEqual(2);
        expect(rowsOf(result)).toHaveLength(50);
        expect(outcomesOf(result).filter((outcome) => outcome === 'not_sent').length).toBeGreaterThanOrEqual(48);
      },
      { route: () => json(status, { errorCode: 'NO', message: 'no' }) },
    );
  }
});

test.concurrent('K7 a run stops after five consecutive rows that could not be sent, and names the command that resumes', async () => {
  await onStage(async (stage) => {
    await stage.server.close();
    const result = await stage.run(activate(rowsFile(stage, 30), '-j', '1', '--retries', '0'));
    expect(result.code).toBe(7);
    expect(outcomesOf(result)).toEqual(Array(30).fill('not_sent'));
    expect(summaryOf(result)).toMatchObject({ resume: expect.stringContaining('runs resume r') });
  });
  const server = await startFaultServer({ route: answerAsService });
  await onStage(async (stage) => {
    const env = { FRONTDESK_CARDS_URL: server.url };
    const args = activate(rowsFile(stage, 30), '-j', '1', '--retries', '0', '--rate', '50');
    const running = startFrontdesk(args, { home: stage.home, env: { ...stage.env, ...env } });
    await until('three rows', () => server.requests.length >= 3);
    await server.close();
    const result = await running.result;
    const outcomes = outcomesOf(result);
    expect(outcomes.filter((outcome) => outcome === 'applied').length).toBeGreaterThanOrEqual(2);
    expect([15, 8]).toContain(result.code);
    expect(result.code === 8).toBe(outcomes.includes('unknown'));
    expect(summaryOf(result)).toMatchObject({ resume: expect.stringContaining('runs resume r') });
  });
});

test.concurrent('K8 a run exits with the worst outcome of any row', async () => {
  const replies: Readonly<Record<string, () => ReturnType<typeof json> | undefined>> = {
    ok: () => undefined,
    missing: () => json(404, { errorCode: 'CARD_NOT_FOUND', message: 'no' }),
    reset: () => resetAfterRequest(),
  };
  for (const [kinds, code] of [
    [['ok', 'ok', 'ok'], 0],
    [['missing', 'ok', 'ok'], 15],
    [['ok', 'missing', 'missing'], 15],
    [['ok', 'reset', 'missing'], 8],
  ] as const) {
    await onStage(
      async (stage) => {
        const args = ['card', 'reissue', '--yes', '--json', '--from', rowsFile(stage, 3), '--retries', '0'];
        expect({ kinds, code: (await stage.run(args)).code }).toEqual({ kinds, code });
      },
      {
        route: (request) =>
          request.method === 'POST'
            ? replies[kinds[Number(idIn(request).slice(-1)) - 1] ?? 'ok']?.()
            : json(200, cardText('ACTIVE', idIn(request))),
      },
    );
  }
});

test.concurrent('K13 a run ends at once at the second Ctrl-C, and rows in progress are unknown', () =>
  onStage(
    async (stage) => {
      const env = { ...stage.env, ...ENDLESS_GRACE };
      const running = startFrontdesk(activate(rowsFile(stage, 20), '-j', '3'), { home: stage.home, env });
      await until('three requests', () => stage.lines.length === 3);
      running.child.kill('SIGINT');
      await running.waitForOutput('no new rows');
      await running.signalAgain('SIGINT');
      const result = await running.result;
      expect(result.code).toBe(8);
      expect(outcomesOf(result)).toEqual([...Array(3).fill('unknown'), ...Array(17).fill('not_sent')]);
      expect(stage.lines.filter((line) => line.startsWith('POST'))).toHaveLength(3);
    },
    { route: () => silence() },
  ));

describe.concurrent('a run that is resumed', { timeout: 1_800_000 }, () => {
  test('K9 a resume refuses another operation, input, profile or address under the name of a run', () =>
    onStage(async (stage) => {
      const file = rowsFile(stage, 2);
      expect((await stage.run(activate(file))).code).toBe(0);
      const other = stage.file('other.txt', `${cardId(9)}\n`);
      const before = stage.lines.length;
      const refusals = [
        stage.run(['card', 'reissue', '--yes', '--run', 'r', '--from', file]),
        stage.run(activate(other)),
        stage.run(activate(file), { env: { FRONTDESK_CARDS_URL: 'http://127.0.0.1:9' } }),
        stage.run(RESUME, { env: { FRONTDESK_CARDS_URL: `${stage.server.url}/prefix` } }),
        stage.run([...RESUME, '-p', 'sandbox']),
      ];
      for (const { code, stdout } of await Promise.all(refusals)) {
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      }
      expect(stage.lines).toHaveLength(before);
    }));

  test('K10 a finished run has nothing left to do, and gives its results and exit code again', () =>
    onStage(
      async (stage) => {
        const args = activate(rowsFile(stage, 3), '-j', '1');
        const first = await stage.run(args);
        expect({ code: first.code, outcomes: outcomesOf(first) }).toEqual({
          code: 15,
          outcomes: ['applied', 'rejected', 'applied'],
        });
        for (const again of [await stage.run(args), await stage.run(RESUME)]) {
          expect({ code: again.code, outcomes: outcomesOf(again) }).toEqual({ code: 15, outcomes: outcomesOf(first) });
        }
        expect(stage.lines).toHaveLength(3);
      },
      { route: (request) => (idIn(request) === cardId(2) ? json(409, { errorCode: 'X', message: 'x' }) : undefined) },
    ));

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

  test('K14 a resume warns if the run is more than a week old', () =>
    onStage(
      async (stage) => {
        await killedRun(stage, 3, 2);
        const header = join(stage.home.stateDir, 'runs/r/header.json');
        const old = new Date(Date.now() - 8 * 24 * 3_600_000).toISOString();
        writeFileSync(header, readFileSync(header, 'utf8').replace(/("startedAt": ")[^"]+/, `$1${old}`));
        const { code, stderr } = await stage.run(RESUME);
        expect(code).toBe(8);
        expect(stderr).toContain('was started 8 days ago');
      },
      { route: (request, count) => (count === 2 ? silence() : answerAsService(request)) },
    ));

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
