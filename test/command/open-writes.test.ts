import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { beginElsewhere, openService, REISSUE } from '../support/open-service.ts';
import { cardId, openPlain, plainAnswer, REPLACEMENT_ID, refusal, rowLines } from '../support/plain-service.ts';
import { openTerminal } from '../support/pty.ts';

const CREATE = ['calendar', 'event', 'create', '-q'];
const EVENT = [...CREATE, '--calendar', 'c', '--name', 'secret name', '--start', '2026-05-01'];
const PROVISION = ['card', 'provision', cardId(1), '--wallet', 'wallet_a', '--json', '--yes', '-q'];

const BLOCK = ['card', 'block', cardId(3), '--yes', '-q', '--retries', '0'];

it('an open reissue is not sent a second time with --yes, but with --again', async () => {
  const { run, posts, list } = await openService();
  expect([(await run(REISSUE)).code, posts()]).toEqual([8, 1]);
  const [first] = await list('--open');
  const second = await run(REISSUE);
  expect([second.code, posts()]).toEqual([17, 1]);
  expect(second.stderr).toContain(`is open (entry ${String(first?.['entry'])})`);
  expect(second.stderr).toContain('Nothing was sent.');
  expect([(await run(['card', 'reissue', cardId(1).toUpperCase(), '--yes'])).code, posts()]).toEqual([17, 1]);
  expect([(await run([...REISSUE, '--again'])).code, posts()]).toEqual([8, 2]);
  expect(await list('--open')).toHaveLength(2);
  expect((await run(['card', 'reissue', cardId(2), '--yes', '-q'])).code).toBe(8);
});

it('an open reissue is closed by history resolve', async () => {
  const { run, service, list } = await openService();
  await run(REISSUE);
  const [{ entry = '' } = {}] = await list('--open');
  expect((await run(['history', 'resolve', String(entry), '--as', 'not_applied', '--result-id', 'x'])).code).toBe(2);
  const given = ['--as', 'applied', '--result-id', cardId(9), '--note', 'seen at the provider', '--json'];
  const resolved = await run(['history', 'resolve', String(entry), ...given]);
  expect(resolved.code).toBe(0);
  const found = { as: 'applied', note: 'seen at the provider', resultId: cardId(9) };
  expect(JSON.parse(resolved.stdout)).toMatchObject({ entry, outcome: 'unknown', resolved: found });
  expect(await list('--open')).toEqual([]);
  service.isBroken = false;
  expect((await run(REISSUE)).code).toBe(0);
  const [known] = await list('--outcome', 'applied');
  const refused = await run(['history', 'resolve', String(known?.['entry']), '--as', 'applied']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('ended applied, which is known') });
  await run(['history', 'resolve', String(entry), '--as', 'not_applied']);
  const all = await list();
  expect(all.find((each) => each['entry'] === entry)?.['resolved']).toMatchObject({ as: 'not_applied', note: null });
});

it('an open reissue that is resolved as applied is never sent again by its run', async () => {
  const { run, posts, list, json } = await openService();
  expect((await run(['card', 'reissue', cardId(7), cardId(8), '--yes', '-q', '--run', 'may', '--json'])).code).toBe(8);
  expect(posts()).toBe(2);
  expect((await run(['history', 'resolve', 'may:1', '--as', 'applied', '--note', 'seen in the shop'])).code).toBe(0);
  expect((await list('--open')).map(({ entry }) => entry)).toEqual(['may:2']);
  expect(await json('runs', 'show', 'may')).toMatchObject({ state: 'unsettled', outcomes: { applied: 1, unknown: 1 } });
  expect((await run(['history', 'resolve', 'may:2', '--as', 'applied'])).code).toBe(0);
  expect(await json('runs', 'show', 'may')).toMatchObject({ state: 'finished', outcomes: { applied: 2 } });
  const again = await run(['runs', 'resume', 'may', '--resend-unknown', '--yes', '--json', '-q']);
  expect([again.code, posts()]).toEqual([0, 2]);
  expect(JSON.parse(again.stdout)).toMatchObject([{ outcome: 'applied' }, { outcome: 'applied' }]);
  expect((await run(['history', 'show', 'may:1', '--json'])).stdout).toContain('"outcome": "unknown"');
});

/** A run of three updates whose outcomes are unknown. `answers`: from then on; undefined: as it is asked. */
async function openUnknown() {
  let answers: Parameters<typeof openPlain>[0] = () => refusal(500, 'NO');
  const { run, file, sent, pathOf } = await openPlain((request, count) => answers?.(request, count));
  file('s.csv', 'id,email\ns1,old\ns2,old\ns3,old\n');
  const update = ['calendar', 'subscribers', 'update', '--yes'];
  expect((await run([...update, '--from', pathOf('s.csv'), '--run', 'may', '--retries', '0'])).code).toBe(8);
  const before = sent().length;
  return {
    /** Which rows are sent from then on. */
    sent: () =>
      sent()
        .slice(before)
        .map((line) => line.replace(/^(?:.*\/)?(s\d) .*"(\w+)"\}$/, '$1 $2')),
    change: () => run([...update, 's3', '--email', 'new']),
    resume: async (...more: string[]) => {
      const { code, stdout } = await run(['runs', 'resume', 'may', '-o', 'ndjson', ...more]);
      return [code, ...rowLines(stdout)];
    },
    answer: (next: typeof answers) => {
      answers = next;
    },
  };
}

it('unknown rows that were about to be sent again when the run stopped stay unknown, until told and without a later change', async () => {
  const { sent, change, resume, answer } = await openUnknown();
  answer(({ url }) => (url.includes('s1') ? refusal(401, 'NO') : undefined));
  const unknown = [1, 2, 3].map((row) => `${row} unknown 500 1 OUTCOME_UNKNOWN`);
  await resume('--resend-unknown', '--yes', '-j', '3', '--rate', '1/m');
  answer(undefined);
  expect((await change()).code).toBe(0);
  expect(await resume()).toEqual([8, expect.stringMatching(/^1 unknown/), ...unknown.slice(1)]);
  expect(sent()).toEqual(['s1 old', 's3 new']);
  await resume('--resend-unknown', '--yes');
  expect(sent().slice(2)).toEqual(['s1 old', 's2 old']);
});

it('an unknown row is not sent again over a later change that was made while the others were', async () => {
  const { sent, change, resume, answer } = await openUnknown();
  answer((request, count) =>
    request.body.includes('old') && request.url.includes('s1')
      ? change().then(() => plainAnswer(request, count))
      : undefined,
  );
  const again = await resume('--resend-unknown', '--yes', '-j', '1');
  expect(again).toEqual([8, '1 applied 200 2', '2 applied 200 2', expect.stringMatching(/^3 unknown 500 1 /)]);
  expect(sent()).toEqual(['s1 old', 's3 new', 's2 old']);
});

it('an open reissue that is resolved as not applied is sent again by a resume', async () => {
  const { run, posts, service, json } = await openService();
  expect((await run(['card', 'reissue', cardId(7), cardId(8), '--yes', '-q', '--run', 'may'])).code).toBe(8);
  const unlogged = ['history', 'resolve', 'may:1', '--as', 'not_applied'];
  expect((await run(unlogged, { FRONTDESK_AUDIT_LOG: '/dev/full' })).code).toBe(16);
  expect(await json('runs', 'show', 'may')).toMatchObject({ state: 'unsettled', outcomes: { unknown: 2 } });
  for (const entry of ['may:1', 'may:2']) {
    expect((await run(['history', 'resolve', entry, '--as', 'not_applied'])).code).toBe(0);
  }
  expect(await json('runs', 'show', 'may')).toMatchObject({ state: 'stopped', outcomes: { not_sent: 2 } });
  // The last word counts.
  expect((await run(['history', 'resolve', 'may:2', '--as', 'applied'])).code).toBe(0);
  service.isBroken = false;
  const resumed = await run(['runs', 'resume', 'may', '--yes', '--json', '-q']);
  expect([resumed.code, posts()]).toEqual([0, 3]);
  expect(JSON.parse(resumed.stdout)).toMatchObject([
    { row: 1, outcome: 'applied', attempts: 2, httpStatus: 200 },
    { row: 2, outcome: 'applied', attempts: 1 },
  ]);
});

it.each([
  [['--columns', 'status', '-o', 'csv'], true],
  [['--json', '--query', 'status'], true],
  [['--json'], false],
])('a reissue with --no-history says the new ID where %j does not', async (more, isSaid) => {
  const { run, service } = await openService();
  service.isBroken = false;
  const result = await run(['card', 'reissue', cardId(1), '--yes', '--no-history', ...more]);
  expect(result.code).toBe(0);
  expect(result.stderr.includes(`The ID in the response is ${REPLACEMENT_ID}, and no record keeps it`)).toBe(isSaid);
});

/** A block that another process is sending, until it is released. */
async function heldBlock() {
  const opened = await openService();
  const { run, service, server } = opened;
  service.isBroken = false;
  let release = () => {};
  service.held = new Promise((resolve) => (release = resolve));
  const first = run(BLOCK);
  await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 60_000 });
  service.held = Promise.resolve();
  return { ...opened, first, release: () => release() };
}

it('a block that another process is sending is open: it is counted, and a later one does not close it', async () => {
  const { release, first, run, list } = await heldBlock();
  const checked = await run(['doctor', '--json', '--query', "checks[?name=='open-writes'].[status, message] | [0]"]);
  expect(JSON.parse(checked.stdout)).toEqual(['ok', '1 write is in progress']);
  expect((await run(BLOCK)).code).toBe(0);
  expect((await list('--open')).map(({ supersededBy }) => supersededBy)).toEqual([undefined]);
  release();
  expect((await first).code).toBe(0);
  expect((await list()).map(({ outcome }) => outcome)).toEqual(['applied', 'applied']);
});

const RESOLVE = 'Record what you found out with: frontdesk history resolve';

it.each([
  ['block', BLOCK, 'Check it with: frontdesk history reconcile'],
  ['reissue', [...REISSUE, '--again'], RESOLVE],
  ['provisioning', [...PROVISION, '--again'], RESOLVE],
  ['creation', [...EVENT, '--again'], RESOLVE],
])('a second %s that is refused says that, and that the first is open', async (noun, args, step) => {
  const { run, service, list } = await openService();
  expect((await run(args)).code).toBe(8);
  const [{ entry = '' } = {}] = await list('--open');
  service.isRefusing = true;
  const { code, stdout, stderr } = await run(args);
  expect([code, stdout]).toEqual([6, '']);
  expect(stderr).toContain(' This request changed nothing. An earlier one may have been applied.');
  expect(stderr).not.toContain('Nothing was changed');
  expect(stderr).toMatch(new RegExp(`the first ${noun}, of [^"]+, is still open\\.`));
  expect(stderr).toContain(`${step} ${String(entry)}`);
  expect((await list()).map(({ outcome }) => outcome)).toEqual(['rejected', 'unknown']);
  expect((await list('--open')).map((open) => open['entry'])).toEqual([entry]);
});

it.each([
  ['block that cannot be reached', BLOCK, 7, true],
  ['block whose card is not as expected', [...BLOCK, '--expect', 'status=BLOCKED'], 17, false],
  // A second one would be no repeat.
  ['reissue that cannot be reached', [...REISSUE, '--again'], 7, false],
] as const)('a %s while an earlier one is open says both', async (what, args, expected, isToRepeat) => {
  const { run, server } = await openService();
  expect((await run(args[1] === 'block' ? BLOCK : REISSUE)).code).toBe(8);
  if (what.endsWith('reached')) await server.stop();
  const { code, stderr } = await run(args);
  expect(code).toBe(expected);
  expect(stderr).toContain(' This request was not sent. An earlier one may have been applied.');
  expect(stderr).toMatch(
    /the first (?:block|reissue), of [^.]+, is still open\. (?:Check it with|Record what you found)/,
  );
  expect(stderr.includes('try again in a minute')).toBe(isToRepeat);
});

it('a block that is refused while another process sends one says where to see how that ended', async () => {
  const { release, first, run, service } = await heldBlock();
  service.isRefusing = true;
  const { code, stderr } = await run(BLOCK);
  expect(code).toBe(6);
  expect(stderr).toMatch(/the first block, of [^.]+, is in progress\. See how it ended: frontdesk history show /);
  release();
  await first;
});

it.each([
  ['.', ['card', 'block', cardId(3), '--yes']],
  ['writes', ['card', 'block', cardId(3), '--yes']],
  ['open', ['api', 'POST', '/v1/cards/import/rows', '--yes']],
])('a state folder that others can write to (%s) ends %j with 4, once, and sends nothing', async (path, args) => {
  const { run, home, server, service } = await openService();
  service.isBroken = false;
  await run(['card', 'block', cardId(1), cardId(2), '--yes', '-q', '--run', 'may']);
  await run(['card', 'block', cardId(1), '--yes', '-q']);
  chmodSync(join(home.stateDir, path), 0o777);
  const before = server.requests.length;
  const { code, stdout, stderr } = await run(args);
  expect([code, stdout, server.requests.length]).toEqual([4, '', before]);
  expect(stderr.match(/others can write to it/g)).toHaveLength(1);
  expect(stderr).toContain(`fix it with: chmod -R go-w ${home.stateDir}\n`);
  expect(stderr).toContain('Nothing was sent.');
});

it('the same event is refused within a day, and nothing in the state folder shows its body', async () => {
  const { run, posts, service, home } = await openService();
  service.isBroken = false;
  expect((await run(EVENT)).code).toBe(0);
  const second = await run(EVENT);
  expect([second.code, posts()]).toEqual([17, 1]);
  expect(second.stderr).toContain('the same event was sent at');
  for (const more of [['--again'], ['--location', 'Hall 2'], ['--no-history']])
    expect((await run([...EVENT, ...more])).code).toBe(0);
  for (const entry of readdirSync(home.stateDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
    expect(readFileSync(path, 'utf8')).not.toContain('secret name');
  }
});

it.each([
  ['record cannot be read', 'journal.jsonl', '{\n{\n'],
  ['record is gone', 'journal.jsonl', undefined],
] as const)('history --open names a run whose %s, with 16, and a reissue is refused', async (_what, file, text) => {
  const { run, home, posts } = await openService();
  await run(['card', 'block', cardId(3), cardId(4), '--yes', '-q', '--retries', '0', '--run', 'bad']);
  await run(REISSUE);
  const path = join(home.stateDir, 'runs', 'bad', file);
  if (text === undefined) rmSync(path);
  else writeFileSync(path, text);
  // What the index knows of the run is gone too.
  writeFileSync(join(home.stateDir, 'open', 'bad.run'), '');
  const { code, stdout, stderr } = await run(['history', '--open', '--json']);
  expect([code, stderr]).toEqual([16, expect.stringContaining('bad')]);
  expect(JSON.parse(stdout)).toMatchObject([{ operation: 'card.reissue' }]);
  const before = posts();
  expect([(await run(['card', 'reissue', cardId(2), '--yes', '-q'])).code, posts()]).toEqual([16, before]);
});

it('history --open refuses what is no file among the open changes, and does not wait for it', async () => {
  const { run, home } = await openService();
  await run(REISSUE);
  const path = join(home.stateDir, 'open', '20261130T000000000-1-abcdef~aaaaaaaaaaaa.write');
  execFileSync('mkfifo', ['-m', '600', path]);
  for (const args of [['history', '--open'], ['history']]) {
    const { code, stderr } = await run(args);
    expect([args, code, stderr]).toEqual([args, 4, expect.stringContaining(path)]);
  }
});

it('history chooses by a text in the reason, by the user with their assistant, and by a profile that is named', async () => {
  const { run, service, list } = await openService();
  service.isBroken = false;
  await run(['card', 'block', cardId(1), '--yes', '-q', '--reason', 'Lost, INC-7']);
  await run(['card', 'block', cardId(2), '--yes', '-q', '--reason', 'stolen']);
  const idsOf = async (...args: string[]) => (await list(...args)).map(({ id }) => id);
  expect(await idsOf('--reason', 'inc-7')).toEqual([cardId(1)]);
  expect(await idsOf('--reason', 'inc-8')).toEqual([]);
  expect(await idsOf('--user', 'no-such-user')).toEqual([]);
  expect(await idsOf('-p', 'sandbox')).toEqual([]);
  const unknown = await run(['history', '-p', 'nope', '--json']);
  expect([unknown.code, unknown.stdout]).toEqual([2, '']);
});

/** A reissue that has only begun, by a process of another machine or container. */
async function reissueElsewhere(agoMs: number, ...more: string[]) {
  const opened = await openService();
  expect((await opened.run([...REISSUE, ...more])).code).toBe(8);
  const [{ entry = '' } = {}] = await opened.list('--open');
  beginElsewhere(opened.home, agoMs);
  return { ...opened, resolve: ['history', 'resolve', String(entry), '--as', 'not_applied'] };
}

it('a change that may be in progress elsewhere cannot be resolved without a terminal, before an hour is over', async () => {
  const { run, list, resolve } = await reissueElsewhere(60_000);
  const text = /may still be in progress on another machine or in another container.+It can be resolved after \d/s;
  expect(await run(resolve)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(text) });
  expect(await list('--open')).toHaveLength(1);
  const hint = 'ee how it ended: frontdesk history show 2';
  expect((await run(REISSUE)).stderr).toMatch(new RegExp(`open, and may be in progress elsewhere .+s${hint}`, 's'));
  for (const told of [`is still open. S${hint}`, '1 more are still open. List what is open: frontdesk history --open'])
    expect((await run([...REISSUE, '--again'])).stderr).toContain(told);
  const slow = await reissueElsewhere(3_660_000, '--retry-max-time', '3h');
  expect((await slow.run(slow.resolve)).code).toBe(2);
  const later = await reissueElsewhere(3_660_000);
  expect((await later.run(later.resolve)).code).toBe(0);
  expect(await later.list('--open')).toEqual([]);
});

it.each([
  ['n', 130, 1],
  ['y', 0, 0],
] as const)('in a terminal it is asked whether its process has ended: %s', async (answer, expected, open) => {
  const { home, list, resolve } = await reissueElsewhere(60_000);
  const terminal = openTerminal(resolve, { home });
  await terminal.waitFor('Has its process ended?');
  terminal.type(`${answer}\r`);
  expect((await terminal.end).code).toBe(expected);
  expect(await list('--open')).toHaveLength(open);
});

it('localhost, 127.0.0.1 and ::1 are one place: what is open, remembered, planned and in the history of one is so of all', async () => {
  const { run, posts, service, server } = await openService();
  const local = { FRONTDESK_CARDS_URL: `${server.url.replace('127.0.0.1', 'LocalHost')}/` };
  const six = { FRONTDESK_CARDS_URL: server.url.replace('127.0.0.1', '[0:0::1]') };
  expect((await run(REISSUE, local)).code).toBe(8);
  for (const url of [{}, six]) expect((await run(REISSUE, url)).code).toBe(17);
  expect((await run(['card', 'reissue', cardId(1), cardId(2), '--yes', '-q', '--run', 'may'])).code).toBe(8);
  expect(posts()).toBe(2);
  expect((await run(BLOCK, local)).code).toBe(8);
  service.status = 'BLOCKED';
  const reconciled = await run(['history', 'reconcile', '--json', '-q']);
  expect(JSON.parse(reconciled.stdout)).toMatchObject([{ id: cardId(3), outcome: 'confirmed_by_read' }, {}]);
  const found = await run(['card', 'find', cardId(3), '--json', '-q'], six);
  expect(JSON.parse(found.stdout)).toMatchObject([{ cardId: cardId(3) }]);
  expect((await run(['card', 'activate', cardId(3), '--plan', 'p.plan', '-q'], local)).code).toBe(0);
  service.isBroken = false;
  expect((await run(['plan', 'apply', 'p.plan', '--yes', '-q'])).code).toBe(0);
});
