import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { cardId, cardNumber, idLines, lastLine, playService, refusal, rowLines } from '../support/plain-service.ts';
import {
  CARDS_TOKEN,
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
/** Too little time for the second look at a card, 2 s after the first: an outcome that is not known stays so at once. */
const ONE_LOOK = ['--retry-max-time', '2s'];

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

it('a plan of a part of an input is shown with what was left out, and applied', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const run = (args: readonly string[]) => runFrontdesk(args, { home, env: server.env });
  writeFileSync(join(home.path, 'work', 'some.csv'), `Card,team\n${cardId(1)},north\n${cardId(2)},south\n`);
  const shape = ['--map', 'Card=cardId', '--where', 'team=south', '--ignore-columns', 'team'];
  const made = await run(['card', 'block', '--from', 'some.csv', ...shape, '--reason', 'X-1', '--plan', 'some.plan']);
  expect(made.code, made.stderr).toBe(0);
  const shown = await run(['plan', 'show', 'some.plan', '--json']);
  expect(JSON.parse(shown.stdout).plan.shape).toEqual({ map: ['Card=cardId'], where: ['team=south'], leftOut: 1 });
  const applied = await run(['plan', 'apply', 'some.plan', '--yes']);
  expect(applied.code, applied.stderr).toBe(0);
  expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([`POST /v1/cards/${cardId(2)}/block`]);
});

it('--plan makes two plans of equal rows', async () => {
  const { home, server } = await planOf(1);
  await runFrontdesk([...BLOCK, '--plan', 'q.plan'], { home, env: server.env, stdin: idLines(1) });
  const [one, two] = [linesOf(home)[0], linesOf(home, 'q.plan')[0]] as { plan: string }[];
  expect(one?.plan).not.toBe(two?.plan);
});

it('--plan for a single ID exits with the code of the read, or 17', async () => {
  const home = createHome();
  const server = await startRecordingServer(
    playService((request) => (cardNumber(request) === 2 ? refusal(404, 'CARD_NOT_FOUND') : undefined)),
  );
  const plan = (id: string, more: readonly string[] = []) =>
    runFrontdesk(['card', 'block', id, '--plan', 'p.plan', ...more], { home, env: server.env });
  expect((await plan(cardId(2))).code).toBe(3);
  const held = await plan(cardId(1), ['--expect', 'status=BLOCKED', '--json']);
  expect(held.code).toBe(17);
  expect(JSON.parse(held.stderr).error).toMatchObject({ code: 'PRECONDITION', id: cardId(1), outcome: 'not_sent' });
  expect(writes(server)).toEqual([]);
  expect(readdirSync(join(home.path, 'work'))).toEqual([]);
});

it.each([
  [401, 4],
  [403, 5],
])('--plan stops at a %d, also after cards that could be read, and writes no plan: exit %d', async (status, exit) => {
  const home = createHome();
  const server = await startRecordingServer(
    playService((request) => (cardNumber(request) === 2 ? refusal(status, 'NO') : undefined)),
  );
  const args = [...BLOCK, '--plan', 'p.plan', '-j', '1'];
  const { code, stdout } = await runFrontdesk(args, { home, env: server.env, stdin: idLines(3) });
  expect([code, stdout]).toEqual([exit, '']);
  expect(server.lines).toEqual([`GET /v1/cards/${cardId(1)}`, `GET /v1/cards/${cardId(2)}`]);
  expect(readdirSync(join(home.path, 'work'))).toEqual([]);
});

it.each([['several', [cardId(1), cardId(2)]]])(
  '--plan leaves no file behind when a signal ends it: %s',
  async (_, ids) => {
    const home = createHome();
    const server = await startRecordingServer(() => 'hang');
    const args = ['card', 'block', ...ids, '--plan', 'p.plan'];
    const running = startFrontdesk(args, { home, env: { ...server.env, ...SHORT_GRACE } });
    await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(ids.length);
    running.child.kill('SIGINT');
    expect((await running.result).signal).toBe('SIGINT');
    expect(readdirSync(join(home.path, 'work'))).toEqual([]);
  },
);

it.each([
  [['--plan', 'there'], '--plan: there exists'],
  [['--plan', 'p', '--shard', '1/2'], '--plan and --shard'],
  [['--plan', 'p', '--run', 'x'], '--plan and --run'],
  [['--plan', 'p', '--dry-run'], '--plan and --dry-run'],
  [['--plan', '-'], '--plan: must be a new file'],
  [['--plan', 'nowhere/p'], '--plan: could not write nowhere/p'],
  [
    ['--plan', 'p', '--plan-expires', '91d'],
    '--plan-expires: must be a duration such as 30s, 2m, 24h, 90d or 2w, more than 0 and at most 90d, not "91d"',
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

it('a plan names its input file, what was compared, and the rows that only the older file has', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const file = (name: string, text: string) => writeFileSync(join(home.path, 'work', name), text);
  file('cards.csv', `cardId,clientReference\n${cardId(1)},order-1\n`);
  const held = ['--expect', 'status=ACTIVE', '--expect', 'clientReference'];
  const block = ['card', 'block', '--from', './cards.csv', ...held, '--plan', 'cards.plan'];
  expect((await runFrontdesk(block, { home, env: server.env })).code).toBe(0);
  expect(linesOf(home, 'cards.plan')[0]).toMatchObject({
    source: 'cards.csv',
    expect: ['status', 'clientReference'],
  });
  expect(linesOf(home, 'cards.plan')[1]).toMatchObject({ expect: { status: 'ACTIVE', clientReference: 'order-1' } });
  file('old.csv', 'id,email,first_name\ns1,a@x,Ann\ns2,b@x,Bob\ns3,c@x,\ns4,d@x,Dan\n');
  file('new.csv', 'id,email,first_name\ns1,new@x,\ns2,b@x,\ns3,c@x,\n');
  const update = ['calendar', 'subscribers', 'update', '--from', 'new.csv', '--changed-from', 'old.csv'];
  const counted = [
    '1 row in the older file but not in the input, left unchanged',
    'note: row 1 (line 2), s1: first_name was "Ann" and is empty now. It is not cleared (--empty-cells clear does that)',
    'note: row 2 (line 3), s2: first_name was "Bob" and is empty now. It is not cleared (--empty-cells clear does that)',
  ];
  const planned = await runFrontdesk([...update, '--plan', 'p.plan'], { home, env: server.env });
  const dry = await runFrontdesk([...update, '--dry-run'], { home, env: server.env });
  for (const text of counted)
    expect([planned.stderr, dry.stderr]).toEqual([expect.stringContaining(text), expect.stringContaining(text)]);
  expect(linesOf(home)[0]).toMatchObject({ source: 'new.csv', rows: 1, unchanged: 2, missing: 1, emptied: 2 });
  const shown = await runFrontdesk(['plan', 'show', 'p.plan'], { home });
  expect(shown.stderr).toContain('frontdesk: note: Left out: 1 row in the older file but not in the input\n');
  expect(shown.stderr).toContain('frontdesk: note: Left out: 2 cells emptied since the older file, left unchanged\n');
  const clear = [...update, '--empty-cells', 'clear', '--plan', 'clear.plan'];
  await runFrontdesk(clear, { home, env: server.env });
  expect(linesOf(home, 'clear.plan')[0]).not.toHaveProperty('emptied');
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

it('plan apply resumes with another profile for the same service', async () => {
  const planned = await planOf(1);
  const { home, server } = planned;
  expect((await apply(planned)).code).toBe(0);
  await runFrontdesk(['profile', 'set', 'live', '--cards-url', server.url], { home });
  const env = { FRONTDESK_CARDS_TOKEN: CARDS_TOKEN };
  const again = await runFrontdesk(['plan', 'apply', 'p.plan', '--yes', '-p', 'live', '-o', 'ndjson'], { home, env });
  expect({ code: again.code, rows: rowLines(again.stdout) }).toEqual({ code: 0, rows: ['1 applied 200 1'] });
  expect(writes(server)).toHaveLength(1);
});

it('plan apply suggests no command that would be refused again if the profile has another URL now', async () => {
  const { home } = await planOf(1);
  const elsewhere = await startRecordingServer(playService());
  const env = { ...elsewhere.env };
  const refused = await runFrontdesk(['plan', 'apply', 'p.plan', '--yes'], { home, env });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(`Make the plan again for ${elsewhere.url}`);
  expect(refused.stderr).not.toContain('plan apply');
  expect(elsewhere.requests).toEqual([]);
});

it('plan apply suggests no profile that is not there any more', async () => {
  const { home } = await planOf(1);
  const elsewhere = await startRecordingServer(playService());
  await runFrontdesk(['profile', 'set', 'live', '--cards-url', elsewhere.url], { home });
  const env = { FRONTDESK_CARDS_TOKEN: CARDS_TOKEN };
  const refused = await runFrontdesk(['plan', 'apply', 'p.plan', '--yes', '-p', 'live'], { home, env });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(`Make the plan again for ${elsewhere.url}`);
  expect(refused.stderr).not.toContain('-p default');
  expect(elsewhere.requests).toEqual([]);
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

it('L3 plan apply skips a card that changed or cannot be read, says what changed, and continues', async () => {
  let isLater = false;
  const planned = await planOf(8, (request: RecordedRequest) => {
    if (!isLater || request.method !== 'GET') return undefined;
    const number = cardNumber(request);
    if (number === 2) return { body: cardText('BLOCKED', cardId(2)) };
    if (number === 3) return { body: cardText('ACTIVE', cardId(3)).replace('2025-01-02', '2025-01-03') };
    return number < 8 && number > 3 ? refusal(404, 'CARD_NOT_FOUND') : undefined;
  });
  isLater = true;
  const { code, stdout, stderr } = await apply(planned);
  expect(code, stderr).toBe(15);
  expect(rowLines(stdout)).toEqual([
    '1 applied 200 1',
    ...[2, 3].map((row) => `${row} not_sent null 0 PRECONDITION`),
    ...[4, 5, 6, 7].map((row) => `${row} not_sent 404 0 PRECONDITION`),
    '8 applied 200 1',
  ]);
  const messages = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).error?.message);
  expect(messages[1]).toBe(
    `could not block card ${cardId(2)}: status is BLOCKED, was ACTIVE when planned. Nothing was sent.`,
  );
  expect(messages[2]).toContain('updatedAt is 2025-01-03T00:00:00Z, was 2025-01-02T00:00:00Z when planned');
  expect(writes(planned.server)).toHaveLength(2);
  const again = await apply(planned);
  expect(again.code).toBe(15);
  expect(writes(planned.server)).toHaveLength(2);
});

it('plan apply sends a row at the next try if its card could not be read for a passing reason', async () => {
  let isDown = false;
  const planned = await planOf(2, (request) =>
    isDown && request.method === 'GET' && cardNumber(request) === 1 ? { status: 500, body: 'down' } : undefined,
  );
  isDown = true;
  const first = await apply(planned, ['--retries', '0']);
  expect(first.code, first.stderr).toBe(15);
  expect(rowLines(first.stdout)).toEqual(['1 not_sent 500 0 PRECONDITION', '2 applied 200 1']);
  isDown = false;
  const second = await apply(planned);
  expect(second.code, second.stderr).toBe(0);
  expect(rowLines(second.stdout)).toEqual(['1 applied 200 1', '2 applied 200 1']);
});

it('plan apply resumes after it was stopped, also by runs resume, and never sends a row twice', async () => {
  let isDown = false;
  const planned = await planOf(4, (request) =>
    isDown && request.method === 'POST' && cardNumber(request) === 2 ? 'reset' : undefined,
  );
  isDown = true;
  const first = await apply(planned, ['-j', '1', '--max-failures', '1', ...ONE_LOOK]);
  expect(first.code, first.stderr).toBe(8);
  isDown = false;
  const [header] = linesOf(planned.home) as { plan: string }[];
  const run = `plan-${header?.plan}`;
  const show = ['plan', 'show', 'p.plan', '--json', '--query', 'plan.state'];
  expect((await runFrontdesk(show, { home: planned.home })).stdout).toBe('"stopped"\n');
  const second = await runFrontdesk(['runs', 'resume', run, '-o', 'ndjson'], {
    home: planned.home,
    env: planned.server.env,
  });
  expect(second.code, second.stderr).toBe(8);
  expect(rowLines(second.stdout)).toEqual([
    '1 applied 200 1',
    '2 unknown null 1 OUTCOME_UNKNOWN',
    '3 applied 200 1',
    '4 applied 200 1',
  ]);
  const numbers = writes(planned.server).map((line) => Number(line.split('/')[3]?.slice(-12)));
  expect(numbers).toEqual([1, 2, 3, 4]);
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

it('plan apply sends rows that cannot be compared and says how many', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const rows = '{"id":"sub_1","email":"a@x.example"}\n{"id":"sub_2","first_name":""}\n';
  const update = ['calendar', 'subscribers', 'update', '--from', '-', '--plan', 'p.plan'];
  await runFrontdesk(update, { home, env: server.env, stdin: rows });
  expect(server.requests).toEqual([]);
  const csv = await apply({ home, server }, ['--failed', 'rest.csv']);
  expect({ code: csv.code, stderr: csv.stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('.ndjson'),
  });
  expect(server.requests).toEqual([]);
  const { code, stderr } = await runFrontdesk(['plan', 'apply', 'p.plan', '--yes'], { home, env: server.env });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('2 rows could not be compared: ');
  expect(writes(server)).toEqual([
    '/v1/subscribers/sub_1 {"email":"a@x.example"}',
    '/v1/subscribers/sub_2 {"first_name":""}',
  ]);
});

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

it('plan apply --failed writes its file anew when it resumes, or has no row', async () => {
  const planned = await planOf(2, (request) =>
    request.method === 'POST' && writes(planned.server).length < 2 ? refusal(409, 'CARD_EXPIRED') : undefined,
  );
  const rest = join(planned.home.path, 'work', 'rest.csv');
  await apply(planned, ['--failed', 'rest.csv', '-j', '1', '--max-failures', '1']);
  expect(readFileSync(rest, 'utf8').trimEnd().split('\r\n')).toHaveLength(3);
  const again = ['runs', 'resume', '--last', '--failed', 'rest.csv'];
  await runFrontdesk(again, { home: planned.home, env: planned.server.env });
  expect(readFileSync(rest, 'utf8').trimEnd().split('\r\n')).toHaveLength(2);
  const none = await planOf(0);
  await runFrontdesk(['plan', 'apply', 'p.plan', '--failed', rest], { home: none.home, env: none.server.env });
  expect(readFileSync(rest, 'utf8').trimEnd().split('\r\n')).toHaveLength(1);
});

it('a balance that changed since a card was planned is said with the row, which is sent', async () => {
  let reads = 0;
  const planned = await planOf(1, ({ method }) => {
    if (method !== 'GET') return undefined;
    reads += 1;
    return { body: cardText('ACTIVE', cardId(1)).replace('10.10', reads === 1 ? '10.10' : '5') };
  });
  const { code, stderr } = await apply(planned);
  expect(code).toBe(0);
  expect(stderr).toContain(
    `{"notice":{"code":"BALANCE_CHANGED","message":"row 1: the balance of card ${cardId(1)} is 5, was 10.10 when planned"}}`,
  );
  expect(writes(planned.server)).toHaveLength(1);
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

it('plan apply refuses a plan of the sandbox for another service (2), and another process with the sandbox applies it', async () => {
  const home = createHome();
  const inSandbox = (...args: string[]) => runFrontdesk(['-p', 'sandbox', ...args, '--json'], { home });
  const made = await inSandbox('calendar', 'update', 'cal_tea_ceremony', '--name', 'Tea', '--plan', 'p.plan');
  expect(JSON.parse(made.stdout)).toMatchObject({ url: 'http://127.0.0.1', profile: 'sandbox' });
  const env = { FRONTDESK_CALENDAR_URL: 'http://127.0.0.1', FRONTDESK_CALENDAR_TOKEN: 'x' };
  const elsewhere = await runFrontdesk(['plan', 'apply', 'p.plan', '--yes'], { home, env });
  expect(elsewhere.code, elsewhere.stderr).toBe(2);
  expect((await inSandbox('plan', 'apply', 'p.plan', '--yes')).code).toBe(0);
  const again = await inSandbox('plan', 'apply', 'p.plan', '--yes');
  expect({ code: again.code, rows: JSON.parse(again.stdout).length }).toEqual({ code: 0, rows: 1 });
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

it('plan show says unsettled while a row of the run is unknown', async () => {
  const { home, server } = await planOf(1, (request) =>
    request.method === 'POST' ? { status: 500, body: '{}' } : undefined,
  );
  expect((await apply({ home, server }, ONE_LOOK)).code).toBe(8);
  const shown = await runFrontdesk(['plan', 'show', 'p.plan', '--json', '--query', 'plan.state'], { home });
  expect(shown.stdout).toBe('"unsettled"\n');
});

it.each<[string, (text: string) => string]>([['by git, on Windows', (text) => text.replaceAll('\n', '\r\n')]])(
  'a plan of which only the line ends were changed, %s, is refused by every command with the line for .gitattributes (2)',
  async (_by, change) => {
    const { home, server, path } = await planOf(2);
    const requests = server.requests.length;
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    for (const args of [['show'], ['apply', '--yes']]) {
      const [verb = '', ...more] = args;
      const result = await runFrontdesk(['plan', verb, 'p.plan', ...more], { home, env: server.env });
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toBe(
        [
          `frontdesk: could not use "p.plan" as a plan: line 1: only its line ends were changed, as git and some editors do${verb === 'apply' ? '. Nothing was sent.' : ''}`,
          'hint: add the line `*.plan -text` to .gitattributes, commit it, and get the original file',
          '',
        ].join('\n'),
      );
    }
    expect(server.requests).toHaveLength(requests);
  },
);
