import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
  injecting,
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

/** The plan with a header that says something else, and a hash that is right again. */
function rewritten(path: string, change: Readonly<Record<string, unknown>>): void {
  const [head = '', ...rows] = readFileSync(path, 'utf8').split(/(?<=\n)/);
  const header = { ...JSON.parse(head), ...change, plan: '', sha256: '' };
  const empty = `${JSON.stringify(header)}\n`;
  const sha256 = createHash('sha256')
    .update(empty + rows.join(''))
    .digest('hex');
  writeFileSync(path, `${JSON.stringify({ ...header, plan: sha256.slice(0, 12), sha256 })}\n${rows.join('')}`);
}

/** The plan with rows that hold something else, named by its header, and a hash that is right again. */
function rewrittenRows(path: string, change: Readonly<Record<string, object>>): void {
  const [head = '', ...rows] = readFileSync(path, 'utf8').split(/(?<=\n)/);
  writeFileSync(path, head + rows.map((row) => `${JSON.stringify({ ...JSON.parse(row), ...change })}\n`).join(''));
  rewritten(path, { expect: Object.keys(change['expect'] ?? {}) });
}

describe('--plan sends no write', () => {
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

  it('--plan writes no plan if a card cannot be read or is not as expected, and says which rows (15)', async () => {
    const home = createHome();
    const server = await startRecordingServer(
      playService((request) => (cardNumber(request) === 2 ? refusal(404, 'CARD_NOT_FOUND') : undefined)),
    );
    const args = [...BLOCK, '--expect', 'status=ACTIVE', '--plan', 'p.plan', '--json'];
    const { code, stdout, stderr } = await runFrontdesk(args, { home, env: server.env, stdin: idLines(3) });
    expect(code).toBe(15);
    expect(stdout).toBe('');
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0].error).toMatchObject({ code: 'NOT_FOUND', row: 2, id: cardId(2), operation: 'card.block' });
    expect(lines[1].notice.message).toBe(
      'no plan was written, because 1 of 3 rows cannot be planned. Nothing was sent.',
    );
    expect(lines.at(-1).summary).toMatchObject({ rows: 3, requests: 0, exitCode: 15 });
    expect(writes(server)).toEqual([]);
    expect(readdirSync(join(home.path, 'work'))).toEqual([]);
    const other = ['--expect', 'clientReference=order-2', '--plan', 'p.plan', '--json'];
    const held = await runFrontdesk([...BLOCK, ...other], { home, env: server.env, stdin: idLines(1) });
    expect(held.code).toBe(15);
    expect(JSON.parse(held.stderr.split('\n')[0] ?? '').error).toMatchObject({ code: 'PRECONDITION', row: 1 });
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
    ['one id', [cardId(1)]],
    ['several', [cardId(1), cardId(2)]],
  ])('--plan leaves no file behind when a signal ends it: %s', async (_, ids) => {
    const home = createHome();
    const server = await startRecordingServer(() => 'hang');
    const args = ['card', 'block', ...ids, '--plan', 'p.plan'];
    const running = startFrontdesk(args, { home, env: { ...server.env, ...SHORT_GRACE } });
    await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(ids.length);
    running.child.kill('SIGINT');
    expect((await running.result).code).toBe(130);
    expect(readdirSync(join(home.path, 'work'))).toEqual([]);
  });

  it('--plan leaves no file behind when a signal ends it while rows are written for which nothing is read', async () => {
    const home = createHome();
    const server = await startRecordingServer([]);
    const work = join(home.path, 'work');
    const lines = Array.from({ length: 100_000 }, (_, index) => `s${index},a@x\n`);
    const args = ['calendar', 'subscribers', 'update', '--from', '-', '--plan', 'p.plan'];
    // Ctrl-C when the first rows are written, and long before the last ones.
    const pressed = injecting(`import fs from 'node:fs';
      const { open } = fs.promises;
      fs.promises.open = async (path, flags, ...rest) => {
        const file = await open(path, flags, ...rest);
        if (flags !== 'wx' || !String(path).startsWith('.frontdesk-')) return file;
        const write = file.writeFile.bind(file);
        file.writeFile = (...args) => {
          file.writeFile = write;
          process.kill(process.pid, 'SIGINT');
          return write(...args);
        };
        return file;
      };`);
    const options = { home, env: { ...server.env, ...pressed }, stdin: `id,email\n${lines.join('')}` };
    expect((await runFrontdesk(args, options)).code).toBe(130);
    expect(readdirSync(work)).toEqual([]);
  });

  it('--plan stops at a 401 (4)', async () => {
    const home = createHome();
    const server = await startRecordingServer(() => refusal(401, 'UNAUTHORIZED'));
    const args = [...BLOCK, '-j', '1', '--plan', 'p.plan'];
    const { code } = await runFrontdesk(args, { home, env: server.env, stdin: idLines(20) });
    expect(code).toBe(4);
    expect(server.requests).toHaveLength(1);
    expect(readdirSync(join(home.path, 'work'))).toEqual([]);
  });

  it.each([
    [['--plan', 'there'], '--plan: there exists'],
    [['--plan', 'p', '--shard', '1/2'], '--plan and --shard'],
    [['--plan', 'p', '--run', 'x'], '--plan and --run'],
    [['--plan', 'p', '--dry-run'], '--plan and --dry-run'],
    [['--plan', '-'], '--plan: must be a new file'],
    [['--plan', 'nowhere/p'], '--plan: could not write nowhere/p'],
    [['--plan', 'p', '--plan-expires', '91d'], '--plan-expires: must be more than 0 and at most 90d, not "91d"'],
    [['--plan', 'p', '--plan-expires', 'soon'], '--plan-expires: must be a duration'],
    [['--plan-expires', '1h', '--yes'], '--plan-expires: belongs to --plan'],
  ])('--plan refuses %j and sends nothing', async (args, message) => {
    const home = createHome();
    writeFileSync(join(home.path, 'work', 'there'), 'mine');
    const server = await startRecordingServer([]);
    for (const source of [['--from', '-'], [cardId(1)]]) {
      const all = ['card', 'block', ...source, ...args];
      const { code, stdout, stderr } = await runFrontdesk(all, { home, env: server.env, stdin: idLines(2) });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      if (source[0] === '--from' || !args.some((word) => word === '--shard' || word === '--run'))
        expect(stderr).toContain(message);
    }
    expect(readFileSync(join(home.path, 'work', 'there'), 'utf8')).toBe('mine');
  });

  it('--plan with --changed-from keeps only changed cells, with their old values, and sends no request', async () => {
    const home = createHome();
    const server = await startRecordingServer([]);
    const work = join(home.path, 'work');
    writeFileSync(
      join(work, 'old.csv'),
      'id,email,first_name,active\nsub_1,a@old.example,Ann,true\nsub_2,b@x.example,,true\n',
    );
    writeFileSync(
      join(work, 'new.csv'),
      'id,email,first_name,active\nsub_1,a@new.example,Ann,false\nsub_2,b@x.example,,true\n',
    );
    const args = ['calendar', 'subscribers', 'update', '--from', 'new.csv', '--changed-from', 'old.csv'];
    const { code, stderr } = await runFrontdesk([...args, '--plan', 'p.plan'], { home, env: server.env });
    expect(code, stderr).toBe(0);
    expect(linesOf(home)).toEqual([
      expect.objectContaining({ operation: 'calendar.subscribers.update', rows: 1, unchanged: 1 }),
      {
        row: 1,
        id: 'sub_1',
        body: { email: 'a@new.example', active: false },
        before: { email: 'a@old.example', active: true },
        drift: 'unchecked',
      },
    ]);
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
      'empty cells left unchanged: 3 in first_name',
      'of these, emptied since the older file: 2 in first_name',
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

  it('--plan plans one event, and names a missing option', async () => {
    const home = createHome();
    const server = await startRecordingServer([]);
    const create = ['calendar', 'event', 'create', '--name', 'Tasting', '--start', '2026-04-02', '--no-url'];
    const bad = await runFrontdesk([...create, '--plan', 'p.plan'], { home, env: server.env });
    expect({ code: bad.code, stderr: bad.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--calendar'),
    });
    const good = await runFrontdesk([...create, '--calendar', 'cal_1', '--plan', 'p.plan'], { home, env: server.env });
    expect(good.code, good.stderr).toBe(0);
    expect(linesOf(home)[1]).toEqual({
      row: 1,
      id: null,
      body: { name: 'Tasting', start: '2026-04-02', calendar: 'cal_1', url: null },
      drift: 'unchecked',
    });
  });

  it('--plan of no rows is a plan of no rows', async () => {
    const { home, server } = await planOf(0);
    expect(linesOf(home)).toEqual([expect.objectContaining({ rows: 0, operation: 'card.block' })]);
    const { code, stdout, stderr } = await runFrontdesk(['plan', 'apply', 'p.plan', '--json'], {
      home,
      env: server.env,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '[]\n' });
    expect(stderr).toContain('the plan has no rows');
    expect(server.requests).toEqual([]);
  });
});

describe('plan apply', () => {
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

  it('L5 plan apply prints the results and sends nothing when it is run again', async () => {
    const planned = await planOf(2);
    await apply(planned);
    const count = planned.server.requests.length;
    const { code, stdout } = await apply(planned);
    expect(code).toBe(0);
    expect(rowLines(stdout)).toEqual(['1 applied 200 1', '2 applied 200 1']);
    expect(planned.server.requests).toHaveLength(count);
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

  it('plan apply stops at a 401 of the read (4)', async () => {
    let isOut = false;
    const planned = await planOf(3, () => (isOut ? refusal(401, 'UNAUTHORIZED') : undefined));
    isOut = true;
    const { code } = await apply(planned, ['-j', '1']);
    expect(code).toBe(4);
    expect(planned.server.requests).toHaveLength(4);
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
    await runFrontdesk(['runs', 'resume', '--last'], { home: planned.home, env: planned.server.env });
    expect(readFileSync(rest, 'utf8').trimEnd().split('\r\n')).toHaveLength(2);
    const none = await planOf(0);
    await runFrontdesk(['plan', 'apply', 'p.plan', '--failed', rest], { home: none.home, env: none.server.env });
    expect(readFileSync(rest, 'utf8').trimEnd().split('\r\n')).toHaveLength(1);
  });

  it('plan apply --dry-run prints the requests', async () => {
    const { home, server } = await planOf(1);
    const { code, stdout } = await runFrontdesk(['plan', 'apply', 'p.plan', '-n', '--json'], { home, env: server.env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).requests.map((request: { url: string }) => request.url)).toEqual([
      `${server.url}/v1/cards/${cardId(1)}/block`,
    ]);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a plan is compared with what is read right before each write', () => {
  /** A card whose members are others from the second read of it on. */
  const changing = (change: Readonly<Record<string, unknown>>) => {
    const seen = new Set<number>();
    return (request: RecordedRequest): Reply | undefined => {
      const number = cardNumber(request);
      if (request.method !== 'GET' || !seen.has(number)) {
        seen.add(number);
        return undefined;
      }
      const card = JSON.parse(cardText('ACTIVE'));
      const known = { cardId: cardId(number), clientReference: 'order-1', updatedAt: '2025-01-02T00:00:00Z' };
      return { status: 200, body: JSON.stringify({ ...card, currentBalance: 10.1, ...known, ...change }) };
    };
  };
  const made = async (special: Parameters<typeof playService>[0], more: readonly string[]) => {
    const home = createHome();
    const server = await startRecordingServer(playService(special));
    const args = ['card', 'block', cardId(1), '--plan', 'p.plan', ...more];
    expect((await runFrontdesk(args, { home, env: server.env })).code).toBe(0);
    return { home, server };
  };

  it.each([
    [
      'its reference is another one',
      { clientReference: 'order-9' },
      {},
      'clientReference is order-9, was order-1 when planned',
    ],
    [
      'what --expect asked for does not hold any more',
      { metadata: { shop: 'b' } },
      { 'metadata.shop': 'harbour' },
      'metadata.shop is "b", not "harbour"',
    ],
  ])('plan apply skips a card when %s', async (_what, change, expected, problem) => {
    const { home, server } = await made(changing(change), []);
    if (Object.keys(expected).length > 0) rewrittenRows(join(home.path, 'work', 'p.plan'), { expect: expected });
    const { code, stdout } = await apply({ home, server });
    expect(code).toBe(15);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
      row: 1,
      outcome: 'not_sent',
      attempts: 0,
      error: { code: 'PRECONDITION', message: `could not block card ${cardId(1)}: ${problem}. Nothing was sent.` },
    });
    expect(writes(server)).toEqual([]);
  });

  it('plan apply sends a card whose balance changed, and says so with the row', async () => {
    const planned = await made(changing({ currentBalance: 5 }), []);
    const { code, stderr } = await apply(planned);
    expect(code).toBe(0);
    expect(stderr).toContain(
      `{"notice":{"code":"BALANCE_CHANGED","message":"row 1: the balance of card ${cardId(1)} is 5, was 10.10 when planned"}}`,
    );
    expect(writes(planned.server)).toHaveLength(1);
  });
});

describe('a card stands in a plan once', () => {
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

  it('a file with the same card twice is no plan', async () => {
    const { home, server, path } = await planOf(2);
    writeFileSync(path, readFileSync(path, 'utf8').replace(`"id":"${cardId(2)}"`, `"id":"${cardId(1)}"`));
    rewritten(path, {});
    const before = server.requests.length;
    const { code, stderr } = await apply({ home, server });
    expect([code, server.requests.length]).toEqual([2, before]);
    expect(stderr).toContain('as a plan: line 3');
    expect((await runFrontdesk(['plan', 'show', 'p.plan'], { home })).code).toBe(2);
  });
});

describe('plan show --as markdown', () => {
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
});

describe('an expired plan that was begun before', () => {
  it('an expired plan that was begun before is shown again, or resumed', async () => {
    const planned = await planOf(2, ({ method, url }) =>
      method === 'POST' && url.includes(cardId(2)) ? refusal(401, 'UNAUTHORIZED') : undefined,
    );
    expect((await apply(planned, ['-j', '1'])).code).toBe(4);
    // The same run, as if its plan had lived until now: another hash, and so another name.
    const runs = join(planned.home.stateDir, 'runs');
    const [before] = linesOf(planned.home) as { plan: string }[];
    rewritten(planned.path, { expiresAt: '2026-01-01T00:00:00.000Z' });
    const [after] = linesOf(planned.home) as { plan: string }[];
    const folder = join(runs, `plan-${after?.plan}`);
    renameSync(join(runs, `plan-${before?.plan}`), folder);
    const bytes = readFileSync(planned.path);
    writeFileSync(join(folder, 'plan'), bytes);
    const header = JSON.parse(readFileSync(join(folder, 'header.json'), 'utf8'));
    const inputSha256 = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(folder, 'header.json'), JSON.stringify({ ...header, run: `plan-${after?.plan}`, inputSha256 }));
    const show = ['plan', 'show', 'p.plan', '--json', '--query', 'plan.state'];
    expect((await runFrontdesk(show, { home: planned.home })).stdout).toBe('"stopped"\n');
    const again = await apply(planned, ['-j', '1']);
    expect(again.code).toBe(4);
    expect(rowLines(again.stdout)[0]).toBe('1 applied 200 1');
    expect(writes(planned.server)).toHaveLength(3);
  });
});

describe('plan apply refuses and sends nothing', () => {
  it('plan apply refuses without --yes outside a terminal, also when the plan is finished', async () => {
    const { home, server } = await planOf(1);
    const args = ['plan', 'apply', 'p.plan'];
    expect((await runFrontdesk(args, { home, env: server.env })).code).toBe(2);
    await apply({ home, server });
    expect((await runFrontdesk(args, { home, env: server.env })).code).toBe(2);
    expect(writes(server)).toHaveLength(1);
  });

  it('plan apply refuses another service than that of the plan (2)', async () => {
    const { home } = await planOf(1);
    const other = await startRecordingServer([]);
    const { code, stderr } = await apply({ home, server: other });
    expect(code).toBe(2);
    expect(stderr).toContain('Nothing was sent.');
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

  it('plan apply refuses an expired plan (17)', async () => {
    const planned = await planOf(1);
    rewritten(planned.path, { expiresAt: '2026-01-01T00:00:00.000Z' });
    const { code, stderr } = await apply(planned);
    expect({ code, stderr }).toMatchObject({ code: 17, stderr: expect.stringContaining('expired at 2026-01-01') });
    const show = ['plan', 'show', 'p.plan', '--json', '--query', 'plan.state'];
    expect((await runFrontdesk(show, { home: planned.home })).stdout).toBe('"expired"\n');
    expect(planned.server.requests).toHaveLength(1);
  });

  it('plan apply refuses a read-only profile (5), with which a plan can be made and shown', async () => {
    const home = createHome();
    const server = await startRecordingServer(playService());
    const env = { FRONTDESK_CARDS_TOKEN: server.env['FRONTDESK_CARDS_TOKEN'] };
    await runFrontdesk(['profile', 'set', 'live', '--cards-url', server.url, '--read-only', 'true'], { home });
    const made = await runFrontdesk([...BLOCK, '--plan', 'p.plan'], { home, env, stdin: idLines(2) });
    expect(made.code, made.stderr).toBe(0);
    expect((await runFrontdesk(['plan', 'show', 'p.plan'], { home, env })).code).toBe(0);
    const { code } = await runFrontdesk(['plan', 'apply', 'p.plan', '--yes'], { home, env });
    expect(code).toBe(5);
    expect(writes(server)).toEqual([]);
  });

  it('a plan with a reason that the profile does not accept is refused when it is made and when it is applied (2)', async () => {
    const home = createHome();
    const server = await startRecordingServer(playService());
    const env = { FRONTDESK_CARDS_TOKEN: server.env['FRONTDESK_CARDS_TOKEN'] };
    const set = (pattern: string) =>
      runFrontdesk(['profile', 'set', 'live', '--cards-url', server.url, '--require-reason', pattern], { home });
    await set('T-[0-9]+');
    for (const args of [BLOCK, ['card', 'block', cardId(1)]]) {
      const refused = await runFrontdesk([...args, '--plan', 'p.plan'], { home, env, stdin: idLines(1) });
      expect(refused.code).toBe(2);
    }
    expect(server.requests).toEqual([]);
    await set('');
    await runFrontdesk([...BLOCK, '--plan', 'p.plan'], { home, env, stdin: idLines(1) });
    await set('T-[0-9]+');
    const { code, stderr } = await runFrontdesk(['plan', 'apply', 'p.plan', '--yes'], { home, env });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('line 2: reason:') });
    expect(writes(server)).toEqual([]);
  });

  it.each([
    ['a changed byte', (text: string) => text.replace('X-1', 'X-2'), 'line 1'],
    ['a line that is cut', (text: string) => text.slice(0, -9), 'line 3'],
    [
      'a line less',
      (text: string) =>
        text
          .split(/(?<=\n)/)
          .slice(0, -1)
          .join(''),
      'line 1',
    ],
    ['no plan', () => 'cardId\n1\n', 'line 1'],
  ])('plan apply and plan show refuse %s (2)', async (_, change, line) => {
    const planned = await planOf(2);
    writeFileSync(planned.path, change(readFileSync(planned.path, 'utf8')));
    for (const args of [
      ['apply', 'p.plan', '--yes'],
      ['show', 'p.plan'],
    ]) {
      const { code, stdout, stderr } = await runFrontdesk(['plan', ...args], {
        home: planned.home,
        env: planned.server.env,
      });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(line);
    }
    expect(planned.server.requests).toHaveLength(2);
  });

  it.each(['--from', '--reason', '--expect', '--allow-duplicates', '--shard', '--run'])(
    'plan apply refuses %s (2)',
    async (option) => {
      const { home, server } = await planOf(1);
      const { code, stderr } = await runFrontdesk(['plan', 'apply', 'p.plan', '--yes', option, 'x'], {
        home,
        env: server.env,
      });
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown option') });
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe('plan show', () => {
  it('plan show prints the rows as a table outside a terminal, and the whole plan as JSON', async () => {
    const { home, server } = await planOf(2);
    const table = await runFrontdesk(['plan', 'show', 'p.plan', '--columns', 'row,before.status'], { home });
    expect(table.stdout).toBe('ROW\tbefore.status\n1\tACTIVE\n2\tACTIVE\n');
    const [header, ...rows] = linesOf(home);
    const json = await runFrontdesk(['plan', 'show', 'p.plan', '--json'], { home });
    expect(JSON.parse(json.stdout)).toEqual({ plan: { ...(header as object), state: 'new' }, approvals: [], rows });
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
      'Approved',
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
      new RegExp(
        `State: finished\\nfrontdesk: note: Run: plan-${plan}, begun \\S+ \\(now\\): 1 applied, 1 rejected\\n`,
      ),
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
});

describe('a plan of which only the line ends were changed', () => {
  it.each<[string, (text: string) => string]>([
    ['by git, on Windows', (text) => text.replaceAll('\n', '\r\n')],
    ['by an editor that ends no last line', (text) => text.trimEnd()],
    ['by both', (text) => text.trimEnd().replaceAll('\n', '\r\n')],
  ])(
    'a plan of which only the line ends were changed, %s, is refused by every command with the line for .gitattributes (2)',
    async (_by, change) => {
      const { home, server, path } = await planOf(2);
      const requests = server.requests.length;
      writeFileSync(path, change(readFileSync(path, 'utf8')));
      for (const args of [['show'], ['apply', '--yes'], ['approve', '--key', 'k', '--as', 'ann', '--yes']]) {
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

  it('a plan with changed line ends and another change is a changed plan', async () => {
    const { home, path } = await planOf(2);
    writeFileSync(path, readFileSync(path, 'utf8').replace('X-1', 'X-2').replaceAll('\n', '\r\n'));
    const { code, stderr } = await runFrontdesk(['plan', 'show', 'p.plan'], { home });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('its hash does not match') });
  });
});

describe('plan apply, again', () => {
  it('plan apply sends no unknown row again, not even one that no check can resolve', async () => {
    const home = createHome();
    const server = await startRecordingServer(() => ({ status: 500, body: 'no' }));
    const stdin = 'calendar,name,start\nc,One,2026-05-01\nc,Two,2026-05-02\n';
    const made = await runFrontdesk(['calendar', 'event', 'create', '--from', '-', '--plan', 'p.plan'], {
      home,
      env: server.env,
      stdin,
    });
    expect(made.code, made.stderr).toBe(0);
    for (let time = 1; time <= 2; time += 1) {
      expect((await apply({ home, server }, ['--retries', '0'])).code).toBe(8);
      expect(writes(server)).toHaveLength(2);
    }
  });

  it('plan apply sends what was checked, even if the file changes meanwhile', async () => {
    let path: string | undefined;
    const planned = await planOf(3, () => {
      if (path !== undefined) writeFileSync(path, 'no plan\n');
      return undefined;
    });
    path = planned.path;
    expect((await apply(planned, ['-j', '1'])).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('no plan\n');
    expect(writes(planned.server)).toHaveLength(3);
  });
});
