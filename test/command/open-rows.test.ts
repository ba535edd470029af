import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openService, REISSUE } from '../support/open-service.ts';
import { cardId } from '../support/plain-service.ts';
import { openTerminal } from '../support/pty.ts';

const ONCE = ['--yes', '-q', '--retries', '0'];
const BLOCK = ['card', 'block', cardId(3), ...ONCE];
const UPDATE = ['calendar', 'subscribers', 'update'];
const EVENTS = 'name,start,calendar\nOpening,2026-05-01,c1\nClosing,2026-05-02,c1\n';

it('an open update is superseded by an update of the same fields only, single or in a run', async () => {
  const { run, service, list, file } = await openService();
  file('in.csv', 'id,email\nsub_1,a@example.com\nsub_2,b@example.com\n');
  expect((await run([...UPDATE, '--from', 'in.csv', ...ONCE, '--run', 'may'])).code).toBe(8);
  service.isBroken = false;
  expect((await run([...UPDATE, 'sub_1', '--first-name', 'Ann', '-q'])).code).toBe(0);
  expect(await list('--open')).toHaveLength(2);
  expect((await run([...UPDATE, 'sub_1', '--first-name', 'Ann', '--email', 'c@example.com', '-q'])).code).toBe(0);
  expect((await list('--open')).map(({ entry }) => entry)).toEqual(['may:2']);
  file('in.csv', 'id,email,first_name\nsub_2,b@example.com,Bo\n');
  expect((await run([...UPDATE, '--from', 'in.csv', '--yes', '-q', '--run', 'june'])).code).toBe(0);
  expect(await list('--open')).toEqual([]);
  expect((await run(['history', 'show', 'may:2', '--json', '--query', 'supersededBy'])).stdout).toBe('"june:1"\n');
});

it('a superseded write is not resolved by the check that resolves the later one', async () => {
  const { run, service, list, server } = await openService();
  expect((await run(BLOCK)).code).toBe(8);
  expect((await run(BLOCK)).code).toBe(8);
  service.status = 'BLOCKED';
  const [later, first] = await list('--open');
  const blocked = server.requests.length;
  expect((await run(['history', 'reconcile', '-q'])).code).toBe(0);
  expect(server.requests).toHaveLength(blocked + 1);
  const all = await list('--id', cardId(3));
  expect(all.map(({ entry, outcome, supersededBy }) => [entry, outcome, supersededBy])).toEqual([
    [later?.['entry'], 'confirmed_by_read', undefined],
    [first?.['entry'], 'unknown', later?.['entry']],
  ]);
});

it('the audit log has what superseded or resolved a write', async () => {
  const { run, service, list, home } = await openService();
  const env = { FRONTDESK_AUDIT_LOG: join(home.path, 'audit.log') };
  await run(BLOCK, env);
  await run(REISSUE, env);
  const [reissue, block] = await list('--open');
  service.isBroken = false;
  await run(BLOCK, env);
  await run(['history', 'resolve', String(reissue?.['entry']), '--as', 'not_applied'], env);
  const lines = readFileSync(env.FRONTDESK_AUDIT_LOG, 'utf8').trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const superseded = { entry: block?.['entry'], operation: 'card.block', id: cardId(3) };
  expect(events.find(({ event }) => event === 'superseded')).toMatchObject(superseded);
  expect(events.at(-1)).toMatchObject({ event: 'resolved', operation: 'card.reissue', id: cardId(1) });
});

it('an open write is an error of its row in --plan, unless --again', async () => {
  const { run, server, home } = await openService();
  await run(REISSUE);
  const before = server.requests.length;
  const many = await run(['card', 'reissue', cardId(2), cardId(1), '--plan', 'p.plan', '-q']);
  expect([many.code, server.requests.length]).toEqual([2, before]);
  expect(many.stderr).toMatch(/<cardId> 2: the same card reissue of .* is open \(entry /);
  const one = await run(['card', 'reissue', cardId(1), '--plan', 'p.plan', '-q']);
  expect([one.code, server.requests.length]).toEqual([2, before]);
  expect(existsSync(join(home.path, 'work', 'p.plan'))).toBe(false);
  expect((await run(['card', 'reissue', cardId(1), '--plan', 'p.plan', '--again', '-q'])).code).toBe(0);
  expect((await run(['card', 'reissue', cardId(1), cardId(2), '--plan', 'q.plan', '--again', '-q'])).code).toBe(0);
});

it('an open event is recognized by its body: as a single change, as a row, and in a plan', async () => {
  const { run, posts, home, file } = await openService();
  file('in.csv', EVENTS);
  const create = ['calendar', 'event', 'create', '-q'];
  expect([(await run([...create, '--from', 'in.csv', '--yes', '--run', 'may'])).code, posts()]).toEqual([8, 2]);
  const refused = await run([...create, '--calendar', 'c1', '--name', 'Closing', '--start', '2026-05-02']);
  expect([refused.code, posts()]).toEqual([17, 2]);
  expect(refused.stderr).toContain('is open (entry may:2)');
  file('in.csv', `${EVENTS}Late,2026-05-03,c1\n`);
  const rows = await run([...create, '--from', 'in.csv', '--yes', '--json']);
  expect([rows.code, posts()]).toEqual([8, 3]);
  expect(JSON.parse(rows.stdout)).toMatchObject([
    { outcome: 'not_sent', error: { code: 'PRECONDITION' } },
    { outcome: 'not_sent', error: { code: 'PRECONDITION' } },
    { outcome: 'unknown' },
  ]);
  const plan = await run([...create, '--from', 'in.csv', '--plan', 'p.plan']);
  expect(plan.code).toBe(2);
  expect(plan.stderr).toMatch(
    /3 faults in .*\n +row 1, line 2, .* is open \(entry may:1\).*\n +row 2, line 3, .* is open \(entry may:2\).*\n +row 3, line 4, .* is open \(entry /,
  );
  // A run keeps its rows. The records of single events have no body.
  const open = join(home.stateDir, 'open');
  const records = readdirSync(open).map((name) => readFileSync(join(open, name), 'utf8'));
  expect(records.join('')).toContain('"operation":"calendar.event.create"');
  expect(records.join('')).not.toContain('Closing');
});

it('a plan with open writes is refused if the records cannot be read, before anything is sent', async () => {
  const { run, posts, home } = await openService();
  await run(REISSUE);
  writeFileSync(join(home.stateDir, 'history-key'), 'no key\n', { mode: 0o666 });
  const [name = ''] = readdirSync(join(home.stateDir, 'open'));
  const open = join(home.stateDir, 'open', name);
  chmodSync(open, 0o666);
  const rows = await run(['card', 'reissue', cardId(2), cardId(5), '--yes', '-q', '--run', 'may']);
  expect([rows.code, posts()]).toEqual([4, 1]);
  expect(rows.stderr).toContain('Nothing was sent.');
  chmodSync(open, 0o600);
  expect((await run(['card', 'reissue', cardId(2), cardId(5), '--yes', '-q', '--run', 'may'])).code).toBe(8);
  expect(posts()).toBe(3);
});

it('open writes are named first in the questions of a run and of a plan', async () => {
  const { run, home, server, list } = await openService();
  await run(BLOCK);
  const [{ entry = '' } = {}] = await list('--open');
  const line = `card block of`;
  const args = ['card', 'block', cardId(2), cardId(3)];
  const terminal = openTerminal(args, { home, env: server.env, columns: 200 });
  await terminal.waitFor('Block 2 cards');
  terminal.type('n\r');
  const { text, code } = await terminal.end;
  expect(code).toBe(130);
  const short = String(entry).slice(-6);
  expect(text).toMatch(new RegExp(`row 2: ${cardId(3)}: NOT KNOWN whether it was done: ${line} .*\\(entry ${short}`));
  expect(text.indexOf('NOT KNOWN')).toBeLessThan(text.search(new RegExp(`1 +${cardId(2)} .*ACTIVE`)));
  const plan = join(home.path, 'work', 'p.plan');
  await run([...args, '--plan', plan, '-q']);
  const applying = openTerminal(['plan', 'apply', plan], { home, env: server.env, columns: 200 });
  await applying.waitFor('y/N');
  applying.type('n\r');
  expect((await applying.end).text).toContain(`(entry ${short}`);
});

it('the reference and the status of a card are in its entries if they were seen', async () => {
  const { run, service, list, server, home } = await openService();
  service.isBroken = false;
  await run(['card', 'block', cardId(1), '--yes', '-q']);
  await run(['card', 'block', cardId(2), cardId(5), '--yes', '-q']);
  for (const id of [cardId(1), cardId(2)]) {
    expect(await list('--id', id)).toMatchObject([{ clientReference: 'order-1', status: 'BLOCKED' }]);
  }
  // The answer to a reissue is another card: what is known of the old one was seen before.
  await run(['card', 'reissue', cardId(3), '--yes', '-q']);
  const [unseen] = await list('--id', cardId(3));
  expect(Object.keys(unseen ?? {})).not.toContain('status');
  const terminal = openTerminal(['card', 'reissue', cardId(4)], { home, env: server.env });
  await terminal.waitFor('Reissue card');
  terminal.type('y\r');
  expect((await terminal.end).code).toBe(0);
  expect(await list('--id', cardId(4))).toMatchObject([{ clientReference: 'order-1', status: 'ACTIVE' }]);
  // Read for --expect, and not in the answer.
  await run(['card', 'reissue', cardId(6), cardId(7), '--expect', 'status=ACTIVE', '--yes', '-q']);
  await run(['card', 'reissue', cardId(8), '--expect', 'status=ACTIVE', '--yes', '-q']);
  for (const id of [cardId(6), cardId(7), cardId(8)]) {
    expect(await list('--id', id)).toMatchObject([{ clientReference: 'order-1', outcome: 'applied' }]);
  }
});

it.each([
  ['block', [], 'Check it with: frontdesk history reconcile '],
  ['reissue', ['--again'], 'Record what you found out with: frontdesk history'],
])('a %s of a run that is refused while an earlier one is open says both', async (verb, more, step) => {
  const { run, service, list } = await openService();
  expect((await run(['card', verb, cardId(3), ...ONCE])).code).toBe(8);
  const [{ entry = '' } = {}] = await list('--open');
  service.isRefusing = true;
  const args = ['card', verb, cardId(3), cardId(4), ...more, '--json', '--yes', '-q', '--run', 'may'];
  const { code, stdout, stderr } = await run(args);
  expect(code).toBe(15);
  const message = (text: string) =>
    (JSON.parse(text) as { readonly error: { readonly message: string } }[]).map(({ error }) => error.message);
  const both = [
    expect.stringMatching(/409.* This request changed nothing\. An earlier one may have been applied\.$/),
    expect.stringMatching(/409.* Nothing was changed\.$/),
  ];
  expect(message(stdout)).toEqual(both);
  expect(stderr).toMatch(new RegExp(`row 1: the first ${verb}, of [^.]+, is still open\\. ${step}`));
  expect(stderr).toContain(String(entry));
  expect(message((await run(['runs', 'results', 'may', '--json', '-q'])).stdout)).toEqual(both);
});

it('a run whose rows are held back says what must be closed before it is resumed', async () => {
  const { run, service, list, posts } = await openService();
  const env = { FRONTDESK_OUTPUT: 'table' };
  expect((await run(['card', 'reissue', cardId(3), ...ONCE])).code).toBe(8);
  const [{ entry = '' } = {}] = await list('--open');
  service.isBroken = false;
  const one = await run(['card', 'reissue', cardId(3), cardId(4), '--yes', '--run', 'may'], env);
  expect([one.code, posts()]).toEqual([15, 2]);
  const resolve = `record what you found out with: frontdesk history resolve ${String(entry)} --as <applied|not_applied>`;
  expect(one.stderr).toContain(`\nBefore a resume: ${resolve}\nThen: frontdesk runs resume may\n`);
  service.isBroken = true;
  expect((await run(['card', 'reissue', cardId(5), ...ONCE])).code).toBe(8);
  service.isBroken = false;
  const two = await run(['card', 'reissue', cardId(3), cardId(5), '--yes', '--run', 'june'], env);
  const open = 'list what is open: frontdesk history --open';
  expect(two.stderr).toContain(`\nBefore a resume: ${open}\nThen: frontdesk runs resume june\n`);
  expect((await run(['history', 'resolve', String(entry), '--as', 'not_applied', '-q'])).code).toBe(0);
  expect((await run(['runs', 'resume', 'may', '-q'])).code).toBe(0);
});

it.each([
  ['block', 'frontdesk runs resume may --reconcile'],
  ['reissue', 'frontdesk runs results may --outcome unknown'],
])('in a terminal runs show of a %s with unknown rows says what comes next', async (verb, next) => {
  const { run, home } = await openService();
  expect((await run(['card', verb, cardId(3), cardId(4), ...ONCE, '--run', 'may'])).code).toBe(8);
  const { text } = await openTerminal(['runs', 'show', 'may'], { home, columns: 100 }).end;
  expect(text).toMatch(new RegExp(`Next +${next}\n`));
});
