import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Entry, ledgerIn, openService } from '../support/open-service.ts';
import { cardId, cardNumber, lastLine, openPlain, REPLACEMENT_ID } from '../support/plain-service.ts';
import { CALENDAR_TOKEN, CARDS_TOKEN, type Reply, startRecordingServer } from '../support/recording-server.ts';
import { type Home, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID } from '../support/sample-card.ts';

const QUICK = ['--yes', '-q', '--retries', '0', '--retry-max-time', '1s'];

/** A home with a reissue, a rejected block and an event of unknown outcome, in that order. */
async function threeWrites() {
  const place = await openPlain(({ url }) => {
    if (url === '/v1/events') return { status: 500, body: 'no' };
    if (!url.endsWith('/block')) return undefined;
    return { status: 409, headers: { 'request-id': 'req-7' }, body: { errorCode: 'CARD_EXPIRED', message: 'no' } };
  });
  await place.run(['card', 'reissue', cardId(1), '--yes', '--reason', 'R-1']);
  await place.run(['card', 'block', cardId(2), '--yes']);
  await place.run(['calendar', 'event', 'create', '--calendar', 'c', '--name', 'n', '--start', '2026-05-01']);
  await place.run(['card', 'get', cardId(3)]);
  return { ...place, list: (...args: string[]): Promise<Entry[]> => place.json('history', ...args) };
}

test('history has every change, newest first, with exactly these members, and no reads', async () => {
  const { list, server } = await threeWrites();
  const [event, block, reissue, ...more] = await list();
  expect(more).toEqual([]);
  expect(Object.keys(reissue ?? {}).join(' ')).toBe(
    'entry time user profile host operation id resultId reason outcome httpStatus requestId durationMs run',
  );
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const host = server.url.slice('http://'.length);
  const by = { entry: expect.any(String), time, user: expect.any(String), profile: 'default', host };
  const change = { operation: 'card.reissue', id: cardId(1), resultId: REPLACEMENT_ID, reason: 'R-1', run: null };
  const end = { outcome: 'applied', httpStatus: 200, requestId: null, durationMs: expect.any(Number) };
  expect(reissue).toEqual({ ...by, ...change, ...end });
  expect(block).toMatchObject({ operation: 'card.block', outcome: 'rejected', httpStatus: 409, requestId: 'req-7' });
  expect(event).toMatchObject({ operation: 'calendar.event.create', id: null, outcome: 'unknown', httpStatus: 500 });
});

test.each([
  // The word list may be there.
  [['list', '--id', cardId(2)], ['card.block']],
  [
    ['list', '--id', cardId(2).slice(0, 8)],
    ['card.block', 'card.reissue'],
  ],
  [['list', '--id', REPLACEMENT_ID.replaceAll('-', '').slice(0, 31)], ['card.reissue']],
])('history filters: %j', async (args, operations) => {
  const { list } = await threeWrites();
  expect((await list(...args)).map(({ operation }) => operation)).toEqual(operations);
});

test.each([
  ['2', '{"notice":{"code":"OLDER_CHANGES","message":"older changes are not listed. --limit lists more"}}\n'],
  ['3', ''],
])('history --limit %s of three changes says whether older ones are left out', async (limit, stderr) => {
  const { run } = await threeWrites();
  const listed = await run(['history', '--limit', limit, '--json']);
  expect(listed).toMatchObject({ code: 0, stderr });
  expect(JSON.parse(listed.stdout)).toHaveLength(Number(limit));
});

/** The texts of all files of the state folder, but for the copies of rows. */
function keptIn({ stateDir }: Home): string[] {
  return readdirSync(stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'rows')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

test('history has no token, no body and no sensitive result', async () => {
  const { home, run } = await openPlain(({ url }) =>
    url.endsWith('/wallet_a') ? { body: { encryptedPaymentInstrument: 'payment-secret' } } : undefined,
  );
  await run(['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--client-device-id', 'device-secret', '--json']);
  await run(['calendar', 'subscribers', 'update', 'sub_1', '--email', 'private@mail.example']);
  const kept = keptIn(home).join('\n');
  expect(kept).toContain('card.provision');
  for (const secret of ['payment-secret', 'device-secret', 'private@mail', CARDS_TOKEN, CALENDAR_TOKEN]) {
    expect(kept).not.toContain(secret);
  }
});

test('a token in a text of the command line is sent, and masked in history, journal, header, plan and audit log', async () => {
  const { file, home, read, run, server } = await openPlain();
  const encoded = Buffer.from(CARDS_TOKEN).toString('base64');
  const reason = `used ${encoded} and ${CARDS_TOKEN}`;
  const input = `${CARDS_TOKEN}.csv`;
  file(input, `cardId\n${CARD_ID}\n${cardId(2)}\n`);
  const rows = ['--from', input, '--where', `cardId!=${CARDS_TOKEN}`];
  const given = ['--reason', reason, '--yes'];
  for (const args of [
    [CARD_ID, ...given],
    [...rows, ...given],
    [...rows, '--plan', 'cards.plan'],
  ]) {
    const env = { FRONTDESK_AUDIT_LOG: join(home.path, 'work', 'audit.log') };
    const result = await run(['card', 'block', ...args], '', env);
    expect(result.code, result.stderr).toBe(0);
    expect(result.stderr).not.toContain(CARDS_TOKEN);
  }
  const sent = server.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).reason);
  expect(sent).toEqual([reason, reason, reason]);
  // What a resume will send is kept as it was given.
  const kept = keptIn(home).map((text) => text.replace(/"stored": \{.*?\n {2}\}/s, ''));
  const all = [...kept, read('audit.log'), read('cards.plan')].join('');
  expect([all.includes(CARDS_TOKEN), all.includes(encoded)]).toEqual([false, false]);
  expect(all.match(/used \*\*\* and \*\*\*/g)).toHaveLength(7);
});

test.each([
  ['prune without an age', ['prune']],
  ['prune with an age that is none', ['prune', '--older-than', '90']],
  ['a day that is none', ['--since', '2026-02-30']],
  ['an end before the beginning', ['--since', '2026-02-02', '--until', '2026-02-01']],
  ['an entry and an age to reconcile', ['reconcile', 'x', '--since', '7d']],
  ['a command that is none', ['lst']],
])('history: %s is exit 2', async (_what, args) => {
  expect(await runFrontdesk(['history', ...args])).toMatchObject({ code: 2, stdout: '' });
});

test.each([
  // Still Halloween in New York, where that night the clocks go back.
  ['2026-11-01T04:30:00.000Z', ['--until', '2026-10-31'], 'America/New_York', 0],
  ['2026-11-01T03:59:59.999Z', ['--until', '2026-10-31'], 'America/New_York', 1],
  ['2026-11-01T03:59:59.999Z', ['--since', '2026-11-01'], 'America/New_York', 0],
  ['2026-11-02T04:59:59.999Z', ['--since', '2026-11-01', '--until', '2026-11-01'], 'America/New_York', 1],
  ['2026-11-02T04:59:59.999Z', ['--since', '2026-11-02'], 'UTC', 1],
  ['2026-11-02T04:59:59.999Z', ['--since', '2026-11-02T05:00:00+01:00'], 'UTC', 1],
  ['2026-11-02T04:59:59.999Z', ['--since', '2026-11-02T06:00:00+01:00'], 'UTC', 0],
])('history --since and --until take whole days of the local zone: of %s %j in %s', async (time, args, TZ, found) => {
  const { home, run } = await openPlain();
  await run(['card', 'block', CARD_ID, '--yes', '-q']);
  const path = ledgerIn(home);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/"time":"[^"]+"/, `"time":"${time}"`));
  expect(JSON.parse((await run(['history', ...args, '--json'], '', { TZ })).stdout)).toHaveLength(found);
});

async function noMatch(args: readonly string[]): Promise<string> {
  const { home, run } = await threeWrites();
  const path = ledgerIn(home);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/"time":"[^"]+"/, '"time":"2026-09-03T10:00:00.000Z"'));
  const { code, stderr } = await run(['history', ...args], '', { TZ: 'UTC' });
  expect(code).toBe(0);
  return stderr;
}

const OF_BLOCK = ['--operation', 'card.block', '--outcome', 'applied', '--since', '7d'];

test.each([
  [['--id', CARD_ID], `No write of card ${CARD_ID} on this machine`],
  [['--id', 'sub_9'], 'No write of "sub_9" on this machine'],
  [OF_BLOCK, 'No card block with outcome applied since 7d on this machine'],
])('history %j without a match says what was looked for, and since when there are records', async (args, what) => {
  const message = `${what}. Records begin 3 Sep 2026, 10:00 UTC.`;
  expect(await noMatch(args)).toContain(message);
  expect(lastLine(await noMatch([...args, '--json']))).toEqual({ notice: { code: 'NO_MATCH', message } });
});

test('history --id does not repeat what looks like a token, whole or cut', async () => {
  const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.${'s'.repeat(60)}`;
  expect(await noMatch(['--id', token])).toMatch(/No write of "\*\*\*…?" on this machine/);
});

test.each([CARD_ID, CARD_ID.slice(0, 9)])('history --id finds a raw call by the card in its path: %s', async (id) => {
  const { json, run } = await openPlain();
  await run(['api', 'POST', `/v1/cards/${CARD_ID}/notes`, '--yes']);
  expect(await json('history', '--id', id)).toMatchObject([{ operation: 'api' }]);
});

/** Three writes that ended unknown: of the cards 1 (block), 2 (activate) and 3 (reissue), and the card 4 blocked. */
async function unknownWrites(statusOf: (number: number) => Reply | Promise<Reply>) {
  let isBroken = true;
  const place = await openPlain((request) => {
    if (isBroken) return { status: request.method === 'POST' ? 502 : 503, body: 'no' };
    return request.method === 'POST' ? { body: { cardId: cardId(4) } } : statusOf(cardNumber(request));
  });
  await place.run(['card', 'block', cardId(1), ...QUICK]);
  await place.run(['card', 'activate', cardId(2), ...QUICK]);
  await place.run(['card', 'reissue', cardId(3), ...QUICK]);
  isBroken = false;
  await place.run(['card', 'block', cardId(4), ...QUICK]);
  const before = place.server.lines.length;
  return {
    ...place,
    list: (...args: string[]): Promise<Entry[]> => place.json('history', ...args),
    outcomes: async () => (await place.json('history')).map(({ outcome }: Entry) => outcome),
    /** What reached the service since then. */
    reads: () => place.server.lines.slice(before),
  };
}

function shows(status: string) {
  return (n: number): Reply => ({ headers: { 'x-request-id': `read-${n}` }, body: { cardId: cardId(n), status } });
}

test('history reconcile resolves what the card shows as done, and changes nothing at the service', async () => {
  const { outcomes, reads, run } = await unknownWrites(shows('BLOCKED'));
  const { code, stdout, stderr } = await run(['history', 'reconcile', '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    8,
    [
      { operation: 'card.reissue', id: cardId(3), outcome: 'unknown', httpStatus: 502 },
      { operation: 'card.activate', id: cardId(2), outcome: 'unknown', httpStatus: 502 },
      { operation: 'card.block', id: cardId(1), outcome: 'confirmed_by_read', httpStatus: 200, requestId: 'read-1' },
    ],
  ]);
  expect(reads()).toEqual([3, 2, 1].map((number) => `GET /v1/cards/${cardId(number)}`));
  expect(stderr).toContain('Checking the card cannot confirm a reissue');
  expect(await outcomes()).toEqual(['applied', 'unknown', 'unknown', 'confirmed_by_read']);
  // A second time asks only for what is still open.
  expect((await run(['history', 'reconcile', '--json'])).code).toBe(8);
  expect(reads()).toHaveLength(5);
});

test('history reconcile exits with 0 if nothing is unknown any more, and reads nothing if nothing was', async () => {
  const { list, reads, run } = await unknownWrites(shows('BLOCKED'));
  const entries = await list();
  const reconcile = async (...args: string[]) => {
    const { code, stdout } = await run(['history', 'reconcile', ...args, '--json']);
    return [code, JSON.parse(stdout)];
  };
  const block = String(entries[3]?.['entry']).slice(-6);
  expect(await reconcile(block)).toMatchObject([0, [{ id: cardId(1), outcome: 'confirmed_by_read' }]]);
  expect(await reconcile(String(entries[0]?.['entry']))).toEqual([0, [entries[0]]]);
  expect([(await reconcile('--since', '1ms'))[1], reads()]).toEqual([[], [`GET /v1/cards/${cardId(1)}`]]);
});

test('history reconcile continues after a card that cannot be read, which stays unknown, and exits with 8', async () => {
  const place = await unknownWrites((number) => (number === 2 ? { status: 404, body: {} } : shows('ACTIVE')(number)));
  const { code, stderr } = await place.run(['history', 'reconcile', '--json']);
  expect([code, stderr]).toEqual([8, expect.stringContaining('404')]);
  expect(await place.outcomes()).toEqual(['applied', 'unknown', 'unknown', 'unknown']);
});

test('history reconcile exits with 4 at a 401, and keeps what was resolved before', async () => {
  const place = await unknownWrites((number) => (number === 1 ? { status: 401, body: {} } : shows('ACTIVE')(number)));
  const stderr = expect.stringContaining('Done before that: 2 card checks are recorded.');
  expect(await place.run(['history', 'reconcile', '--json'])).toMatchObject({ code: 4, stdout: '', stderr });
  expect(await place.outcomes()).toEqual(['applied', 'unknown', 'confirmed_by_read', 'unknown']);
});

test.each([
  [['history', 'resolve', '', '--as', 'not_applied'], 'it was closed', 0],
  [['card', 'activate', cardId(1), ...QUICK], 'its card was changed', 8],
])('history reconcile records no check of a card during which this ran: %s', async (args, why, exitCode) => {
  let block = '';
  const place = await unknownWrites(async (number) => {
    if (block !== '') await place.run(args.map((arg) => arg || block));
    return shows('BLOCKED')(number);
  });
  block = String((await place.list())[3]?.['entry']);
  const { code, stdout, stderr } = await place.run(['history', 'reconcile', block, '--json']);
  expect([code, stderr]).toEqual([exitCode, expect.stringContaining(`is not recorded, because ${why}`)]);
  const [shown] = JSON.parse(stdout);
  expect([shown.outcome, shown.resolved?.as]).toEqual(['unknown', exitCode === 0 ? 'not_applied' : undefined]);
  expect((await place.outcomes()).at(-1)).toBe('unknown');
});

test('history reconcile reads no card of another profile or host', async () => {
  const { list, run } = await unknownWrites(shows('BLOCKED'));
  const other = await startRecordingServer([]);
  const there = { FRONTDESK_CARDS_URL: other.url, FRONTDESK_CALENDAR_URL: other.url };
  expect(await run(['history', 'reconcile', '--json'], '', there)).toMatchObject({ code: 0, stdout: '[]\n' });
  const [{ entry = '' } = {}] = await list('--outcome', 'unknown');
  const refused = async (env: Readonly<Record<string, string | undefined>>, ...more: string[]) => {
    const { code, stdout, stderr } = await run(['history', 'reconcile', String(entry), ...more], '', env);
    expect([code, stdout]).toEqual([2, '']);
    return stderr;
  };
  const none = { FRONTDESK_CARDS_URL: undefined, FRONTDESK_CALENDAR_URL: undefined };
  expect(await refused(there)).toContain('leads to');
  await run(['profile', 'set', 'live', '--cards-url', 'https://cards.example.com']);
  // The profile of the environment alone cannot be named once another is stored.
  const resolve = `frontdesk history resolve ${String(entry)} --as <applied|not_applied>`;
  expect(await refused(none, '-p', 'live')).toContain(resolve);
  await run(['profile', 'set', 'default', '--cards-url', 'https://cards.example.com']);
  const check = `check it with: frontdesk history reconcile ${String(entry)} -p default`;
  expect(await refused(none, '-p', 'live')).toContain(check);
});

test.each<[string, readonly string[], RegExp]>([
  ['a row of blocks', ['card', 'block', cardId(7), cardId(8), '--run', 'may'], /runs resume may --reconcile/],
  ['a row of a run', ['card', 'reissue', cardId(7), cardId(8), '--run', 'may'], /runs results may --outcome unknown/],
  ['a calendar', ['calendar', 'update', 'cal_1', '--name', 'x'], /running this command again sends the same values/],
  ['a provisioning', ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--json'], /no command can check it/],
])('history reconcile refuses %s with the command that resolves it, and reads nothing', async (_what, args, fix) => {
  const { json, run, server } = await openPlain(() => ({ status: 502, body: 'no' }));
  await run([...args, ...QUICK]);
  const [{ entry }] = await json('history');
  const before = server.requests.length;
  const refused = await run(['history', 'reconcile', entry]);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(fix);
  expect(await run(['history', 'reconcile', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(server.requests).toHaveLength(before);
});

test('history reconcile reads nothing if it could not record the result', async () => {
  const { reads, run } = await unknownWrites(shows('BLOCKED'));
  expect(await run(['history', 'reconcile'], '', { FRONTDESK_NO_HISTORY: '1' })).toMatchObject({ code: 2, stdout: '' });
  expect(reads()).toEqual([]);
});

test('history reconcile names no command for what was applied and has no card, because nothing is left to resolve', async () => {
  const { json, run, server } = await openPlain();
  await run(['card', 'block', cardId(7), cardId(8), '--yes', '-q', '--run', 'may']);
  await run(['calendar', 'update', 'cal_1', '--name', 'x', '-q']);
  const [{ entry: update }] = await json('history');
  const before = server.requests.length;
  for (const entry of ['may:2', update]) {
    const stderr = `frontdesk: ${entry}: ended as applied, so nothing is left to resolve\n`;
    expect(await run(['history', 'reconcile', entry])).toMatchObject({ code: 2, stdout: '', stderr });
  }
  expect(server.requests).toHaveLength(before);
});

test.each([
  ['--id', `Card: ${CARD_ID}`, ' --outcome applied'],
  ['--id', `https://x.example/cards/${CARD_ID}?a=b`, ' --outcome applied'],
  ['--id', CARD_ID.replaceAll('-', ''), ' --outcome applied'],
  ['show', CARD_ID, ''],
])('history %s %s is refused with --id of the card', async (word, text, more) => {
  const result = await runFrontdesk(['history', word, text, ...more.split(' ').slice(1)]);
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain(`frontdesk history --id ${CARD_ID}${more}`);
});

test('history --id takes a text as it is if a change has that ID', async () => {
  const { json, run } = await openPlain();
  const id = CARD_ID.replaceAll('-', '');
  await run(['calendar', 'subscribers', 'update', id, '--email', 'a@b.example']);
  expect(await json('history', '--id', id)).toMatchObject([{ operation: 'calendar.subscribers.update', id }]);
});

const NO_ENTRY = ['there is no history entry none', 'list the entries: frontdesk history'] as const;
const RUNS = 'list the runs: frontdesk runs list';

test.each([
  [['history', 'show', 'none'], ...NO_ENTRY],
  [['history', 'resolve', 'none', '--as', 'applied'], ...NO_ENTRY],
  [['runs', 'show', 'none'], 'there is no run none', RUNS],
  [['runs', 'results'], '<run>: is required, or --last', RUNS],
])('the next step of %j has the profile that the command line names', async (args, problem, step) => {
  const named = await runFrontdesk([...args, '-p', 'sandbox']);
  expect([named.code, named.stderr]).toEqual([2, `frontdesk: ${problem}\nhint: ${step} -p sandbox\n`]);
  const other = await runFrontdesk(args, { env: { FRONTDESK_PROFILE: 'sandbox' } });
  expect(other.stderr).toBe(`frontdesk: ${problem}\nhint: ${step}\n`);
});

test('lines of the history that are no records are counted in a warning, but not those that a kill cut off', async () => {
  const { run, service, home } = await openService();
  service.isBroken = false;
  for (const number of [3, 4]) expect((await run(['card', 'block', cardId(number), '--yes', '-q'])).code).toBe(0);
  const path = ledgerIn(home);
  const [first = '', second = ''] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, `${first}\n${second.slice(0, 90)}\n\0\0\0\n${second.slice(9)}\n${second}\n${first.slice(0, 4)}`);
  const { code, stdout, stderr } = await run(['history', '--json']);
  expect([code, (JSON.parse(stdout) as unknown[]).length]).toEqual([0, 2]);
  expect(JSON.parse(stderr)).toEqual({
    notice: { code: 'UNREADABLE_LINES', message: 'left out 2 lines of the history that cannot be read' },
  });
});
