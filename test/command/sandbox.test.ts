import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';

// The service of the spec on loopback.

const ACTIVE = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const WAITING = '4fbeb052-7396-41ce-8085-9263bed4f505';
const STATUSES = ['ACTIVE', 'BLOCKED', 'CANCELLED', 'EXPIRED', 'REISSUED', 'WAITING_ACTIVATION'];

async function sandbox(home: Home, ...args: string[]) {
  const result = await runFrontdesk(['--profile', 'sandbox', ...args, '--json'], { home });
  return { ...result, value: result.stdout === '' ? undefined : JSON.parse(result.stdout) };
}

test('sandbox info --json is {"cards","calendars","subscribers","choices"} with cards in every status', async () => {
  const { stdout, code } = await runFrontdesk(['sandbox', 'info', '--json']);
  expect(code).toBe(0);
  const info = JSON.parse(stdout);
  const first = Object.entries(info).map(([name, list]) => `${name}: ${Object.keys((list as object[])[0] ?? {})}`);
  expect(first).toEqual([
    ...['cards: cardId,status', 'calendars: id', 'subscribers: id,calendar', 'choices: topic,choice'],
  ]);
  expect(info.cards[0]).toEqual({ cardId: ACTIVE, status: 'ACTIVE' });
  expect([...new Set(info.cards.map(({ status }: { status: string }) => status))].sort()).toEqual(STATUSES);
  expect((await runFrontdesk(['sandbox', '--json'])).stdout).toBe(stdout);
});

test('sandbox info shows the IDs of the cards on 24 lines, with subscribers to try', async () => {
  const { stdout } = await runFrontdesk(['sandbox', 'info']);
  expect(stdout.trimEnd().split('\n').length).toBeLessThan(24);
  expect(stdout).toContain(`  ${ACTIVE}  ACTIVE\n`);
  expect(stdout).toContain('  cal_tea_ceremony  sub_0016 sub_0017 sub_0018 and 3 more\n');
  expect(stdout).not.toContain('409');
});

test('sandbox info -o csv has a row for each card, calendar and subscriber, and --columns chooses', async () => {
  const [header, ...rows] = (await runFrontdesk(['sandbox', 'info', '-o', 'csv'])).stdout.split('\r\n');
  expect(header).toBe('kind,id,status,calendar');
  const some = [`card,${ACTIVE},ACTIVE,`, 'calendar,cal_harbour_tours,,', 'subscriber,sub_0016,,cal_tea_ceremony'];
  expect(rows).toEqual(expect.arrayContaining(some));
  const chosen = await runFrontdesk(['sandbox', 'info', '--columns', 'id,status', '--no-header']);
  expect(chosen.stdout.split('\n')[0]).toBe(`${ACTIVE}\tACTIVE`);
  expect((await runFrontdesk(['sandbox', 'info', '--choices', '-o', 'csv'])).stdout).toMatch(/^topic,choice\r\n/);
});

test('sandbox info --choices shows every rule that the sandbox chose, and no IDs', async () => {
  const home = createHome();
  const { stdout, code } = await runFrontdesk(['sandbox', 'info', '--choices'], { home });
  expect(code).toBe(0);
  const { choices } = JSON.parse((await runFrontdesk(['sandbox', 'info', '--json'], { home })).stdout);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'Where the service documents no rule, the sandbox chose:',
    ...choices.map(({ topic, choice }: { topic: string; choice: string }) => `  ${topic}  ${choice}`),
  ]);
  expect(stdout).not.toContain(ACTIVE);
});

test('--profile sandbox needs no account, says once that it is the sandbox, and every ID of sandbox info can be read', async () => {
  const home = createHome();
  const info = JSON.parse((await runFrontdesk(['sandbox', 'info', '--json'], { home })).stdout);
  const ids = info.cards.map(({ cardId }: { cardId: string }) => cardId);
  const cards = await sandbox(home, 'card', 'get', ...ids);
  expect(cards.code).toBe(0);
  expect(cards.value.map(({ cardId }: { cardId: string }) => cardId)).toEqual(ids);
  expect(cards.stderr.match(/sandbox/g)?.length).toBe(1);
  for (const { id } of info.calendars) {
    const list = await sandbox(home, 'calendar', 'subscribers', 'list', id, '--active', 'all', '--limit', '100');
    const idsOf = (entries: readonly { id: string }[]) => entries.map((entry) => entry.id).sort();
    const expected = info.subscribers.filter(({ calendar }: { calendar: string }) => calendar === id);
    expect(idsOf(list.value.data)).toEqual(idsOf(expected));
  }
});

test('the sandbox keeps its state between commands, and reset restores it', async () => {
  const home = createHome();
  const statusOf = async (id: string) => (await sandbox(home, 'card', 'get', id)).value.status;
  expect((await sandbox(home, 'card', 'block', ACTIVE, '-y')).value.status).toBe('BLOCKED');
  const { value } = await sandbox(home, 'card', 'reissue', WAITING, '-y');
  expect([await statusOf(ACTIVE), await statusOf(WAITING)]).toEqual(['BLOCKED', 'REISSUED']);
  expect(await statusOf(value.cardId)).toBe('WAITING_ACTIVATION');
  expect((await runFrontdesk(['sandbox', 'reset'], { home })).code).toBe(0);
  expect([await statusOf(ACTIVE), await statusOf(WAITING)]).toEqual(['ACTIVE', 'WAITING_ACTIVATION']);
  expect((await sandbox(home, 'card', 'get', value.cardId)).code).toBe(3);
});

test('the sandbox ignores URLs and tokens of the environment', async () => {
  const server = await startRecordingServer([]);
  const env = { ...server.env, FRONTDESK_PROFILE: 'sandbox', HTTPS_PROXY: server.url, HTTP_PROXY: server.url };
  const result = await runFrontdesk(['card', 'get', ACTIVE, '--query', 'status', '-q'], { env });
  expect(result).toMatchObject({ code: 0, stdout: 'ACTIVE\n', stderr: '' });
  expect(server.lines).toEqual([]);
});

test.each([
  [['--json', '--query', 'url'], /^"http:\/\/127\.0\.0\.1:\d+"\n$/],
  [['--json', '--query', 'url', '--raw'], /^http:\/\/127\.0\.0\.1:\d+\n$/],
  [['-o', 'ndjson', '--query', '{at: url}'], /^\{"at":"http:\/\/127\.0\.0\.1:\d+"\}\n$/],
  [['--query', 'url'], /^http:\/\/127\.0\.0\.1:\d+\n$/],
])('sandbox serve %j prints what the query finds', async (options, printed) => {
  const running = startFrontdesk(['sandbox', 'serve', ...options]);
  await running.waitForOutput('\n');
  running.child.kill('SIGTERM');
  expect((await running.result).stdout).toMatch(printed);
});

test('the lines that sandbox serve prints can be pasted into another shell', async () => {
  const running = startFrontdesk(['sandbox', 'serve']);
  await running.waitForOutput('FRONTDESK_CALENDAR_TOKEN=');
  const lines = running.output().stdout.match(/^export .*/gm) ?? [];
  const shown = spawnSync('sh', ['-c', `${lines.join('\n')}\nenv`], { env: {}, encoding: 'utf8' }).stdout;
  const env = Object.fromEntries(Array.from(shown.matchAll(/^(FRONTDESK_\w+)=(.*)$/gm), ([, ...pair]) => pair));
  const names = ['CALENDAR_TOKEN', 'CALENDAR_URL', 'CARDS_TOKEN', 'CARDS_URL'];
  expect(Object.keys(env).sort()).toEqual(names.map((name) => `FRONTDESK_${name}`));
  const card = await runFrontdesk(['card', 'get', ACTIVE, '--query', 'status'], { env });
  expect(card).toMatchObject({ code: 0, stdout: 'ACTIVE\n' });
  const list = ['calendar', 'subscribers', 'list', 'cal_tea_ceremony', '--query', 'length(data)'];
  expect(await runFrontdesk(list, { env })).toMatchObject({ code: 0, stdout: '4\n' });
  running.child.kill('SIGINT');
  expect((await running.result).signal).toBe('SIGINT');
});
