import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { cardId, cardNumber, idLines, lastLine, playService, refusal, rowLines } from '../support/plain-service.ts';
import {
  type RecordedRequest,
  type RecordingServer,
  type Reply,
  startRecordingServer,
} from '../support/recording-server.ts';
import {
  createHome,
  type Home,
  type RunResult,
  runFrontdesk,
  SHORT_GRACE,
  startFrontdesk,
} from '../support/run-frontdesk.ts';
import { cardText } from '../support/sample-card.ts';

const BLOCK = ['card', 'block', '--from', '-', '--reason', 'X-1'];
interface Planned {
  readonly home: Home;
  readonly server: RecordingServer;
  readonly path: string;
}

function linesOf(home: Home, name = 'p.plan'): unknown[] {
  return readFileSync(join(home.path, 'work', name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** A plan that blocks the first cards; the requests that made it are forgotten. */
async function planOf(rows: number, special: Parameters<typeof playService>[0] = () => undefined): Promise<Planned> {
  const home = createHome();
  const server = await startRecordingServer(playService(special));
  const made = await runFrontdesk([...BLOCK, '--plan', 'p.plan'], { home, env: server.env, stdin: idLines(rows) });
  expect(made.code, made.stderr).toBe(0);
  return { home, server, path: join(home.path, 'work', 'p.plan') };
}

function apply({ home, server }: Pick<Planned, 'home' | 'server'>, more: readonly string[] = []): Promise<RunResult> {
  return runFrontdesk(['plan', 'apply', 'p.plan', '--yes', '-o', 'ndjson', ...more], { home, env: server.env });
}

function writes({ requests }: RecordingServer): readonly string[] {
  return requests.filter(({ method }) => method === 'POST').map(({ url, body }) => `${url} ${body}`);
}

it('--plan reads each card once and writes what would be sent, with what was known, to a file of mode 0600', async () => {
  const { home, server, path } = await planOf(2);
  // Both are read at once, over a connection each.
  expect(server.lines.toSorted()).toEqual([`GET /v1/cards/${cardId(1)}`, `GET /v1/cards/${cardId(2)}`]);
  const [header, ...rows] = linesOf(home);
  expect(header).toEqual({
    frontdeskPlan: 1,
    plan: expect.stringMatching(/^[0-9a-f]{12}$/),
    operation: 'card.block',
    url: server.url,
    profile: 'default',
    createdBy: expect.any(String),
    createdAt: expect.stringMatching(/T[\d:]{8}\.\d{3}Z$/),
    expiresAt: expect.any(String),
    rows: 2,
    unchanged: 0,
    skipped: 0,
    nonce: expect.stringMatching(/^[0-9a-f]{12}$/),
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const before = { status: 'ACTIVE', updatedAt: '2025-01-02T00:00:00Z' };
  const about = { clientReference: 'order-1', currentBalance: 10.1 };
  expect(rows).toEqual([
    { row: 1, id: cardId(1), body: { reason: 'X-1' }, before, about, drift: 'checked' },
    { row: 2, id: cardId(2), body: { reason: 'X-1' }, before, about, drift: 'checked' },
  ]);
  expect(readFileSync(path, 'utf8')).toContain('"about":{"clientReference":"order-1","currentBalance":10.10}');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).not.toContain('token-of-the-test');
  expect(existsSync(join(home.stateDir, 'runs'))).toBe(false);
});

it('--plan prints the header as a resource and says what to do next', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const args = ['card', 'activate', cardId(1), '--plan', 'my plan', '--plan-expires', '7d', '--json'];
  const { code, stdout, stderr } = await runFrontdesk(args, { home, env: server.env });
  expect(code, stderr).toBe(0);
  const header = JSON.parse(stdout);
  expect(header).toEqual(linesOf(home, 'my plan')[0]);
  expect(Date.parse(header.expiresAt) - Date.parse(header.createdAt)).toBe(7 * 86_400_000);
  expect(stderr).toBe(
    `{"notice":{"code":"PLANNED","message":"nothing was sent. Review the plan: frontdesk plan show 'my plan'"}}\n{"notice":{"code":"PLANNED","message":"apply it: frontdesk plan apply 'my plan'"}}\n`,
  );
  expect(linesOf(home, 'my plan')[1]).toMatchObject({ row: 1, id: cardId(1), drift: 'checked' });
  expect(linesOf(home, 'my plan')[1]).not.toHaveProperty('body');
});

it('--plan makes two plans of equal rows', async () => {
  const { home, server } = await planOf(1);
  await runFrontdesk([...BLOCK, '--plan', 'q.plan'], { home, env: server.env, stdin: idLines(1) });
  const [one, two] = [linesOf(home)[0], linesOf(home, 'q.plan')[0]] as { plan: string }[];
  expect(one?.plan).not.toBe(two?.plan);
});

it('--plan leaves no file behind when a signal ends it', async () => {
  const home = createHome();
  const server = await startRecordingServer(() => 'hang');
  const args = ['card', 'block', cardId(1), cardId(2), '--plan', 'p.plan'];
  const running = startFrontdesk(args, { home, env: { ...server.env, ...SHORT_GRACE } });
  await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(2);
  running.child.kill('SIGINT');
  expect((await running.result).signal).toBe('SIGINT');
  expect(readdirSync(join(home.path, 'work'))).toEqual([]);
});

it.each([
  [['--plan', 'there'], '--plan: there exists'],
  [['--plan', 'p', '--shard', '1/2'], '--plan and --shard'],
  [['--plan', 'p', '--run', 'x'], '--plan and --run'],
  [['--plan', 'p', '--dry-run'], '--plan and --dry-run'],
  [['--plan', '-'], '--plan: must be a new file'],
  [['--plan', 'nowhere/p'], '--plan: could not write nowhere/p'],
  [
    ['--plan', 'p', '--plan-expires', '91d'],
    '--plan-expires: must be a duration such as 500ms, 30s, 2m, 1h or 7d, more than 0 and at most 90d, not "91d"',
  ],
  [['--plan', 'p', '--plan-expires', 'soon'], '--plan-expires: must be a duration'],
  [['--plan-expires', '1h', '--yes'], '--plan-expires: belongs to --plan'],
])('--plan refuses %j and sends nothing', async (args, message) => {
  const home = createHome();
  writeFileSync(join(home.path, 'work', 'there'), 'mine');
  const server = await startRecordingServer([]);
  const all = ['card', 'block', '--from', '-', ...args];
  const { code, stdout, stderr } = await runFrontdesk(all, { home, env: server.env, stdin: idLines(2) });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(readFileSync(join(home.path, 'work', 'there'), 'utf8')).toBe('mine');
});

it('plan apply reads each card again right before its change and sends exactly the rows of the plan', async () => {
  const planned = await planOf(2);
  const { code, stdout, stderr } = await apply(planned, ['-j', '1']);
  expect(code, stderr).toBe(0);
  expect(planned.server.lines.slice(2)).toEqual([
    `GET /v1/cards/${cardId(1)}`,
    `POST /v1/cards/${cardId(1)}/block`,
    `GET /v1/cards/${cardId(2)}`,
    `POST /v1/cards/${cardId(2)}/block`,
  ]);
  expect(writes(planned.server)).toEqual([
    `/v1/cards/${cardId(1)}/block {"reason":"X-1"}`,
    `/v1/cards/${cardId(2)}/block {"reason":"X-1"}`,
  ]);
  expect(rowLines(stdout)).toEqual(['1 applied 200 1', '2 applied 200 1']);
  const [header] = linesOf(planned.home) as { plan: string }[];
  expect(lastLine(stderr)).toEqual({
    summary: {
      run: `plan-${header?.plan}`,
      rows: 2,
      outcomes: { applied: 2 },
      requests: 2,
      earlier: 0,
      exitCode: 0,
      resume: null,
    },
  });
});

it('L5 plan apply sends each row once when it runs twice at the same time', async () => {
  // Slow enough that the second process comes while the first one is at work.
  const slowly = async (request: RecordedRequest): Promise<Reply> => {
    await new Promise((resolve) => setTimeout(resolve, 150));
    return { body: cardText('BLOCKED', cardId(cardNumber(request))) };
  };
  const planned = await planOf(6, (request) => (request.method === 'POST' ? slowly(request) : undefined));
  const ends = await Promise.all([apply(planned, ['-j', '1']), apply(planned, ['-j', '1'])]);
  const codes = ends.map(({ code }) => code).sort();
  // The other one was refused, or came late and printed the results of the first.
  expect([
    [0, 0],
    [0, 2],
  ]).toContainEqual(codes);
  expect(writes(planned.server)).toHaveLength(6);
  expect(new Set(writes(planned.server)).size).toBe(6);
});

it.each(['apply', 'show'])(
  'plan %s leaves no copy of the plan behind when a signal ends it while it reads',
  async (verb) => {
    const { home, server, path } = await planOf(1);
    const work = join(home.path, 'work');
    expect(spawnSync('mkfifo', [join(work, 'slow.plan')]).status).toBe(0);
    const runs = join(home.stateDir, 'runs');
    for (const folder of [runs, join(work, 'tmp')]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const args = ['plan', verb, 'slow.plan', ...(verb === 'apply' ? ['--yes'] : [])];
    const { child, result } = startFrontdesk(args, { home, env: { ...server.env, TMPDIR: join(work, 'tmp') } });
    const pipe = await open(join(work, 'slow.plan'), 'w');
    await pipe.write(readFileSync(path, 'utf8').split('\n', 1)[0] ?? '');
    const copies = () => [...readdirSync(runs), ...readdirSync(join(work, 'tmp'))];
    await vi.waitFor(() => expect(copies()).toHaveLength(1), 30_000);
    child.kill('SIGTERM');
    expect(await result).toMatchObject({ code: null, signal: 'SIGTERM', stdout: '' });
    await pipe.close();
    expect([copies(), writes(server)]).toEqual([[], []]);
  },
);

it('plan apply --failed writes the rows that did not succeed as an input, IDs and fields', async () => {
  const planned = await planOf(2, (request) =>
    request.method === 'POST' && cardNumber(request) === 2 ? refusal(409, 'CARD_EXPIRED') : undefined,
  );
  const { code } = await apply(planned, ['--failed', 'rest.csv']);
  expect(code).toBe(15);
  const text = readFileSync(join(planned.home.path, 'work', 'rest.csv'), 'utf8');
  expect(text.split('\r\n').slice(0, 2)).toEqual([
    'cardId,reason,_row,_outcome,_error',
    expect.stringMatching(new RegExp(`^${cardId(2)},X-1,2,rejected,`)),
  ]);
});

it('--plan refuses the same card twice, whatever --allow-duplicates says', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const args = [...BLOCK, '--plan', 'p.plan', '--allow-duplicates'];
  const input = { home, env: server.env, stdin: `${cardId(1)}\n${cardId(1).toUpperCase()}\n` };
  const { code, stderr } = await runFrontdesk(args, input);
  expect(code).toBe(2);
  expect(stderr).toContain(`the same id as in line 1 (${cardId(1).toUpperCase()}). A plan can have a card only once`);
  expect(server.requests).toEqual([]);
  expect(readdirSync(join(home.path, 'work'))).toEqual([]);
});

it('plan show --as markdown prints the plan for a pull request, and as a member of one object with --json', async () => {
  const { home } = await planOf(2);
  const { plan } = linesOf(home)[0] as { plan: string };
  const { code, stdout, stderr } = await runFrontdesk(['plan', 'show', 'p.plan', '--as', 'markdown'], { home });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n').slice(0, 3)).toEqual([`## Plan ${plan}: card block of 2 rows`, '', '- State: `new`']);
  expect(stdout).toContain(
    `| Row | Id | Reference | Status |\n| --- | --- | --- | --- |\n| 1 | \`${cardId(1)}\` | \`order-1\` | \`ACTIVE\` |\n`,
  );
  const json = await runFrontdesk(['plan', 'show', 'p.plan', '--as', 'markdown', '--json'], { home });
  expect(JSON.parse(json.stdout)).toMatchObject({ plan, as: 'markdown' });
  const query = await runFrontdesk(['plan', 'show', 'p.plan', '--as', 'markdown', '--query', 'x'], { home });
  expect([query.code, query.stdout]).toEqual([2, '']);
});

it('plan show prints the rows as a table outside a terminal, and the whole plan as JSON', async () => {
  const { home, server } = await planOf(2);
  const table = await runFrontdesk(['plan', 'show', 'p.plan', '--columns', 'row,before.status'], { home });
  expect(table.stdout).toBe('ROW\tbefore.status\n1\tACTIVE\n2\tACTIVE\n');
  const [header, ...rows] = linesOf(home);
  const json = await runFrontdesk(['plan', 'show', 'p.plan', '--json'], { home });
  expect(JSON.parse(json.stdout)).toEqual({ plan: { ...(header as object), state: 'new' }, rows });
  await apply({ home, server });
  const later = await runFrontdesk(['plan', 'show', 'p.plan', '--json', '--query', 'plan.state'], { home });
  expect(later.stdout).toBe('"finished"\n');
});

it('plan show needs no profile and no home folder', async () => {
  const { path } = await planOf(1);
  const { code, stderr } = await runFrontdesk(['plan', 'show', path], {
    env: {
      FRONTDESK_CONFIG_DIR: undefined,
      XDG_CONFIG_HOME: undefined,
      FRONTDESK_STATE_DIR: undefined,
      HOME: undefined,
    },
  });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('note: State: new\n') });
});

it('plan show prints the header on stderr, for the log of a job, and after an apply its counts', async () => {
  const { home, server, path } = await planOf(2, (request) =>
    request.method === 'POST' && cardNumber(request) === 2 ? refusal(404, 'CARD_NOT_FOUND') : undefined,
  );
  const { plan, createdAt } = linesOf(home)[0] as { plan: string; createdAt: string };
  const shown = await runFrontdesk(['plan', 'show', path], { home });
  expect(shown.stdout.split('\n')[0]).toBe('ROW\tID\tREFERENCE\tSTATUS');
  expect(shown.stdout.split('\n')[1]).toBe(`1\t${cardId(1)}\torder-1\tACTIVE`);
  const facts = shown.stderr.trimEnd().split('\n');
  expect(facts[0]).toBe(`frontdesk: note: Plan ${plan}: card block of 2 rows`);
  expect(facts.slice(1).map((line) => line.split(': ')[2])).toEqual([
    'State',
    'At',
    'Made',
    'Expires',
    'Status when planned',
    'Balances',
    'Sends',
    'Compared',
  ]);
  expect(shown.stderr).toContain(`Made: ${createdAt.slice(0, 19)}Z (now) by `);
  expect(shown.stderr).toContain('Balances: 20.20 in all\n');
  expect((await runFrontdesk(['plan', 'show', path, '--quiet'], { home })).stderr).toBe('');
  await apply({ home, server });
  const after = await runFrontdesk(['plan', 'show', path], { home });
  expect(after.stderr).toMatch(
    new RegExp(`State: finished\\nfrontdesk: note: Run: plan-${plan}, begun \\S+ \\(now\\): 1 applied, 1 rejected\\n`),
  );
});
