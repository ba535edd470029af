import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { cardId, cardNumber, idLines, openPlain, refusal } from '../support/plain-service.ts';
import type { RecordedRequest, Reply } from '../support/recording-server.ts';
import { runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';
import { cardText } from '../support/sample-card.ts';

const BLOCK = ['card', 'block', '--from', '-', '--reason', 'X-1'];

async function begin(special?: Parameters<typeof openPlain>[0]) {
  const place = await openPlain(special);
  return {
    ...place,
    work: join(place.home.path, 'work'),
    linesOf: (name = 'p.plan') => place.lines(name),
    apply: (...more: string[]) => place.run(['plan', 'apply', 'p.plan', '--yes', '-o', 'ndjson', ...more]),
    show: (...more: string[]) => place.run(['plan', 'show', 'p.plan', ...more]),
    writes: () =>
      place.server.requests.filter(({ method }) => method === 'POST').map(({ url, body }) => `${url} ${body}`),
  };
}

async function planOf(rows: number, special?: Parameters<typeof openPlain>[0]) {
  const place = await begin(special);
  const made = await place.run([...BLOCK, '--plan', 'p.plan'], idLines(rows));
  expect(made.code, made.stderr).toBe(0);
  return place;
}

/** Refuses the change of card 2 in that way. */
const second = (status: number, code: string) => (request: RecordedRequest) =>
  request.method === 'POST' && cardNumber(request) === 2 ? refusal(status, code) : undefined;

it.each([
  [['--plan', 'p', '--shard', '1/2'], '--plan and --shard'],
  [['--plan', 'p', '--run', 'x'], '--plan and --run'],
  [['--plan', 'p', '--dry-run'], '--plan and --dry-run'],
  [['--plan', '-'], '--plan: must be a new file'],
  [
    ['--plan', 'p', '--plan-expires', '91d'],
    '--plan-expires: must be a duration such as 500ms, 30s, 2m, 1h or 7d, more than 0 and at most 90d, not "91d"',
  ],
  [['--plan-expires', '1h', '--yes'], '--plan-expires: belongs to --plan'],
])('--plan refuses %j and sends nothing', async (args, message) => {
  const { file, read, run, sent } = await begin();
  file('there', 'mine');
  const { code, stdout, stderr } = await run(['card', 'block', '--from', '-', ...args], idLines(2));
  expect([code, stdout, sent(), read('there')]).toEqual([2, '', [], 'mine']);
  expect(stderr).toContain(message);
});

it('L5 plan apply sends each row once when it runs twice at the same time', async () => {
  // Slow enough that the second process comes while the first one is at work.
  const slowly = async (request: RecordedRequest): Promise<Reply> => {
    await new Promise((resolve) => setTimeout(resolve, 150));
    return { body: cardText('BLOCKED', cardId(cardNumber(request))) };
  };
  const { apply, writes } = await planOf(6, (request) => (request.method === 'POST' ? slowly(request) : undefined));
  const codes = (await Promise.all([apply('-j', '1'), apply('-j', '1')])).map(({ code }) => code).sort();
  // The other one was refused, or came late and printed the results of the first.
  expect([
    [0, 0],
    [0, 2],
  ]).toContainEqual(codes);
  expect([writes().length, new Set(writes()).size]).toEqual([6, 6]);
});

it.each(['apply', 'show'])('plan %s leaves no copy of the plan when a signal ends it while it reads', async (verb) => {
  const { home, read, server, work, writes } = await planOf(1);
  expect(spawnSync('mkfifo', [join(work, 'slow.plan')]).status).toBe(0);
  const runs = join(home.stateDir, 'runs');
  for (const folder of [runs, join(work, 'tmp')]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const args = ['plan', verb, 'slow.plan', ...(verb === 'apply' ? ['--yes'] : [])];
  const { child, result } = startFrontdesk(args, { home, env: { ...server.env, TMPDIR: join(work, 'tmp') } });
  const pipe = await open(join(work, 'slow.plan'), 'w');
  await pipe.write(read('p.plan').split('\n', 1)[0] ?? '');
  const copies = () => [...readdirSync(runs), ...readdirSync(join(work, 'tmp'))];
  await vi.waitFor(() => expect(copies()).toHaveLength(1), 30_000);
  child.kill('SIGTERM');
  expect(await result).toMatchObject({ code: null, signal: 'SIGTERM', stdout: '' });
  await pipe.close();
  expect([copies(), writes()]).toEqual([[], []]);
});

it('--plan refuses the same card twice, whatever --allow-duplicates says', async () => {
  const { run, sent, work } = await begin();
  const args = [...BLOCK, '--plan', 'p.plan', '--allow-duplicates'];
  const { code, stderr } = await run(args, `${cardId(1)}\n${cardId(1).toUpperCase()}\n`);
  expect([code, sent(), readdirSync(work)]).toEqual([2, [], []]);
  expect(stderr).toContain(`the same id as in line 1 (${cardId(1).toUpperCase()}). A plan can have a card only once`);
});

it('plan show --as markdown prints the plan for a pull request, and as a member of one object with --json', async () => {
  const { linesOf, show } = await planOf(2);
  const { plan } = linesOf()[0];
  const { code, stdout, stderr } = await show('--as', 'markdown');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n').slice(0, 3)).toEqual([`## Plan ${plan}: card block of 2 rows`, '', '- State: `new`']);
  expect(stdout).toContain(
    `| Row | Id | Reference | Status |\n| --- | --- | --- | --- |\n| 1 | \`${cardId(1)}\` | \`order-1\` | \`ACTIVE\` |\n`,
  );
  expect(JSON.parse((await show('--as', 'markdown', '--json')).stdout)).toMatchObject({ plan, as: 'markdown' });
  const query = await show('--as', 'markdown', '--query', 'x');
  expect([query.code, query.stdout]).toEqual([2, '']);
});

it('plan show prints the rows as a table outside a terminal, and the whole plan as JSON', async () => {
  const { apply, linesOf, show } = await planOf(2);
  expect((await show('--columns', 'row,before.status')).stdout).toBe('ROW\tbefore.status\n1\tACTIVE\n2\tACTIVE\n');
  const [header, ...rows] = linesOf();
  expect(JSON.parse((await show('--json')).stdout)).toEqual({ plan: { ...header, state: 'new' }, rows });
  await apply();
  expect((await show('--json', '--query', 'plan.state')).stdout).toBe('"finished"\n');
});

it('plan show needs no profile and no home folder', async () => {
  const { pathOf } = await planOf(1);
  const { code, stderr } = await runFrontdesk(['plan', 'show', pathOf('p.plan')], {
    env: { FRONTDESK_CONFIG_DIR: undefined, FRONTDESK_STATE_DIR: undefined, HOME: undefined },
  });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('note: State: new\n') });
});

it('plan show prints the header on stderr, for the log of a job, and after an apply its counts', async () => {
  const { apply, linesOf, show } = await planOf(2, second(404, 'CARD_NOT_FOUND'));
  const { plan, createdAt } = linesOf()[0];
  const shown = await show();
  expect(shown.stdout).toMatch(`ROW\tID\tREFERENCE\tSTATUS\n1\t${cardId(1)}\torder-1\tACTIVE\n`);
  const facts = shown.stderr.trimEnd().split('\n');
  expect(facts[0]).toBe(`frontdesk: note: Plan ${plan}: card block of 2 rows`);
  expect(
    facts
      .slice(1)
      .map((line) => line.split(': ')[2])
      .join(', '),
  ).toBe('State, At, Made, Expires, Status when planned, Balances, Sends, Compared');
  expect(shown.stderr).toContain(`Made: ${createdAt.slice(0, 19)}Z (now) by `);
  expect(shown.stderr).toContain('Balances: 20.20 in all\n');
  expect((await show('--quiet')).stderr).toBe('');
  await apply();
  expect((await show()).stderr).toMatch(
    new RegExp(`State: finished\\nfrontdesk: note: Run: plan-${plan}, begun \\S+ \\(now\\): 1 applied, 1 rejected\\n`),
  );
});
