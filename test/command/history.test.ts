import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ledgerIn, openService } from '../support/open-service.ts';
import { cardId, cardNumber, lastLine, playService, REPLACEMENT_ID } from '../support/plain-service.ts';
import { CALENDAR_TOKEN, CARDS_TOKEN, type Reply, startRecordingServer } from '../support/recording-server.ts';
import { copyHome, createHome, type Home, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID } from '../support/sample-card.ts';

const BLOCK = ['card', 'block', CARD_ID, '--yes', '-q'];

type Entry = Readonly<Record<string, unknown>>;

async function history(home: Home, args: readonly string[] = []): Promise<Entry[]> {
  const { stdout } = await runFrontdesk(['history', ...args, '--json'], { home });
  // What differs fails the comparison.
  return JSON.parse(stdout) as Entry[];
}

/** A home with a reissue, a rejected block and an event of unknown outcome, in that order. */
async function threeWrites() {
  const home = createHome();
  const server = await startRecordingServer(
    playService((request): Reply | undefined => {
      if (request.url === '/v1/events') return { status: 500, body: 'no' };
      if (request.url.endsWith('/block')) {
        return { status: 409, headers: { 'request-id': 'req-7' }, body: { errorCode: 'CARD_EXPIRED', message: 'no' } };
      }
      return undefined;
    }),
  );
  const run = (args: readonly string[]) => runFrontdesk(args, { env: server.env, home });
  await run(['card', 'reissue', cardId(1), '--yes', '--reason', 'R-1']);
  await run(['card', 'block', cardId(2), '--yes']);
  await run(['calendar', 'event', 'create', '--calendar', 'c', '--name', 'secret name', '--start', '2026-05-01']);
  await run(['card', 'get', cardId(3)]);
  return { home, server, run };
}

let written: Promise<Home> | undefined;

/** A home with those three writes, for a test that needs nothing of their service. */
async function withThreeWrites(): Promise<Home> {
  written ??= threeWrites().then(({ home }) => home);
  return copyHome(await written);
}

test('history has every change, newest first, with exactly these members, and no reads', async () => {
  const { home, server } = await threeWrites();
  const [event, block, reissue, ...more] = await history(home);
  expect(more).toEqual([]);
  expect(Object.keys(reissue ?? {})).toEqual([
    'entry',
    'time',
    'user',
    'profile',
    'host',
    'operation',
    'id',
    'resultId',
    'reason',
    'outcome',
    'httpStatus',
    'requestId',
    'durationMs',
    'run',
  ]);
  expect(reissue).toEqual({
    entry: expect.any(String),
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    user: expect.any(String),
    profile: 'default',
    host: server.url.slice('http://'.length),
    operation: 'card.reissue',
    id: cardId(1),
    resultId: REPLACEMENT_ID,
    reason: 'R-1',
    outcome: 'applied',
    httpStatus: 200,
    requestId: null,
    durationMs: expect.any(Number),
    run: null,
  });
  expect(block).toMatchObject({ operation: 'card.block', outcome: 'rejected', httpStatus: 409, requestId: 'req-7' });
  expect(event).toMatchObject({ operation: 'calendar.event.create', id: null, outcome: 'unknown', httpStatus: 500 });
});

test.each([
  ['--outcome', 'unknown', ['calendar.event.create']],
  ['--id', cardId(2), ['card.block']],
  ['--operation', 'card.block', ['card.block']],
  ['--id', cardId(2).slice(0, 8), ['card.block', 'card.reissue']],
  ['--id', REPLACEMENT_ID.replaceAll('-', '').slice(0, 31), ['card.reissue']],
])('history %s %s filters, also without the word list', async (option, value, operations) => {
  const home = await withThreeWrites();
  // The word list may be left out.
  const entries = await history(home, [...(option === '--id' ? ['list'] : []), option, value]);
  expect(entries.map(({ operation }) => operation)).toEqual(operations);
});

test.each([
  ['2', '{"notice":{"code":"OLDER_CHANGES","message":"older changes are not listed. --limit lists more"}}\n'],
  ['3', ''],
])('history --limit %s of three changes says whether older ones are left out', async (limit, stderr) => {
  const home = await withThreeWrites();
  const listed = await runFrontdesk(['history', '--limit', limit, '--json'], { home });
  expect(listed).toMatchObject({ code: 0, stderr });
  expect(JSON.parse(listed.stdout)).toHaveLength(Number(limit));
});

test('history has no token, no body and no sensitive result', async () => {
  const home = createHome();
  const server = await startRecordingServer(
    playService(({ url }) =>
      url.endsWith('/wallet_a') ? { body: { encryptedPaymentInstrument: 'payment-secret' } } : undefined,
    ),
  );
  const run = (args: readonly string[]) => runFrontdesk(args, { env: server.env, home });
  await run(['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--client-device-id', 'device-secret', '--json']);
  await run(['calendar', 'subscribers', 'update', 'sub_1', '--email', 'private@mail.example']);
  const kept = readdirSync(home.stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
  expect(kept).toContain('card.provision');
  for (const secret of ['payment-secret', 'device-secret', 'private@mail', CARDS_TOKEN, CALENDAR_TOKEN]) {
    expect(kept).not.toContain(secret);
  }
});

test('a token in a text of the command line is sent, and masked in history, journal, header, plan and audit log', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const env = { ...server.env, FRONTDESK_AUDIT_LOG: join(home.path, 'audit.log') };
  const run = async (args: readonly string[]) => {
    const result = await runFrontdesk(args, { env, home });
    expect(result.code, result.stderr).toBe(0);
    expect(result.stderr).not.toContain(CARDS_TOKEN);
  };
  const reason = ['--reason', `used ${Buffer.from(CARDS_TOKEN).toString('base64')} and ${CARDS_TOKEN}`];
  const file = `${CARDS_TOKEN}.csv`;
  writeFileSync(join(home.path, 'work', file), `cardId\n${CARD_ID}\n${cardId(2)}\n`);
  await run(['card', 'block', CARD_ID, ...reason, '--yes']);
  await run(['card', 'block', '--from', file, '--where', `cardId!=${CARDS_TOKEN}`, ...reason, '--yes']);
  await run(['card', 'block', '--from', file, '--where', `cardId!=${CARDS_TOKEN}`, '--plan', 'cards.plan']);
  const sent = server.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).reason);
  expect(sent).toEqual([reason[1], reason[1], reason[1]]);
  const kept = readdirSync(home.stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'rows')
    // What a resume will send is kept as it was given.
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').replace(/"stored": \{.*?\n {2}\}/s, ''));
  kept.push(readFileSync(env.FRONTDESK_AUDIT_LOG, 'utf8'), readFileSync(join(home.path, 'work', 'cards.plan'), 'utf8'));
  for (const text of kept) {
    expect(text).not.toContain(CARDS_TOKEN);
    expect(text).not.toContain(Buffer.from(CARDS_TOKEN).toString('base64'));
  }
  expect(kept.join('').match(/used \*\*\* and \*\*\*/g)).toHaveLength(7);
});

test('history prune asks, and needs --yes outside a terminal', async () => {
  const home = await withThreeWrites();
  const result = await runFrontdesk(['history', 'prune', '--older-than', '1ms'], { home });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain('--yes');
  expect(await history(home)).toHaveLength(3);
});

test.each([
  ['prune without an age', ['prune']],
  ['prune with an age that is none', ['prune', '--older-than', '90']],
  ['an age that is none', ['--since', 'tomorrow']],
  ['a day that is none', ['--since', '2026-02-30']],
  ['an end before the beginning', ['--since', '2026-02-02', '--until', '2026-02-01']],
  ['an operation that is none', ['--operation', 'card.blok']],
  ['an entry and an age to reconcile', ['reconcile', 'x', '--since', '7d']],
  ['a command that is none', ['lst']],
])('history: %s is exit 2', async (_what, args) => {
  expect(await runFrontdesk(['history', ...args])).toMatchObject({ code: 2, stdout: '' });
});

test('history --since and --until take days of the local zone, each with all its hours', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  await runFrontdesk([...BLOCK], { env: server.env, home });
  const path = ledgerIn(home);
  const at = (time: string) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"time":"[^"]+"/, `"time":"${time}"`));
  const found = async (args: readonly string[], TZ: string) => {
    const { stdout } = await runFrontdesk(['history', ...args, '--json'], { home, env: { TZ } });
    return (JSON.parse(stdout) as Entry[]).length;
  };
  at('2026-11-01T04:30:00.000Z');
  // Still Halloween in New York, where that night the clocks go back.
  expect(await found(['--until', '2026-10-31'], 'America/New_York')).toBe(0);
  at('2026-11-01T03:59:59.999Z');
  expect(await found(['--until', '2026-10-31'], 'America/New_York')).toBe(1);
  expect(await found(['--since', '2026-11-01'], 'America/New_York')).toBe(0);
  at('2026-11-02T04:59:59.999Z');
  expect(await found(['--since', '2026-11-01', '--until', '2026-11-01'], 'America/New_York')).toBe(1);
  expect(await found(['--since', '2026-11-02'], 'UTC')).toBe(1);
  expect(await found(['--since', '2026-11-02T05:00:00+01:00'], 'UTC')).toBe(1);
  expect(await found(['--since', '2026-11-02T06:00:00+01:00'], 'UTC')).toBe(0);
});

async function noMatch(args: readonly string[]): Promise<string> {
  const home = await withThreeWrites();
  const path = ledgerIn(home);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/"time":"[^"]+"/, '"time":"2026-09-03T10:00:00.000Z"'));
  const result = await runFrontdesk(['history', ...args], { home, env: { TZ: 'UTC' } });
  expect(result.code).toBe(0);
  return result.stderr;
}

test.each([
  [['--id', CARD_ID], `No write of card ${CARD_ID} on this machine. Records begin 3 Sep 2026, 10:00 UTC.`],
  [['--id', 'sub_9'], 'No write of "sub_9" on this machine. Records begin 3 Sep 2026, 10:00 UTC.'],
  [
    ['--operation', 'card.block', '--outcome', 'applied', '--since', '7d'],
    'No card block with outcome applied since 7d on this machine. Records begin 3 Sep 2026, 10:00 UTC.',
  ],
])(
  'history --id %j without a match says what was looked for, and since when there are records',
  async (args, sentence) => {
    expect(await noMatch(args)).toContain(sentence);
    const notice = { notice: { code: 'NO_MATCH', message: sentence } };
    expect(lastLine(await noMatch([...args, '--json']))).toEqual(notice);
  },
);

test('history --id does not repeat what looks like a token, whole or cut', async () => {
  const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.${'s'.repeat(60)}`;
  expect(await noMatch(['--id', token])).toMatch(/No write of "\*\*\*…?" on this machine/);
});

test('history --id finds a raw call by the card in its path', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  await runFrontdesk(['api', 'POST', `/v1/cards/${CARD_ID}/notes`, '--yes'], { env: server.env, home });
  expect(await history(home, ['--id', CARD_ID])).toMatchObject([{ operation: 'api' }]);
  expect(await history(home, ['--id', CARD_ID.slice(0, 9)])).toMatchObject([{ operation: 'api' }]);
});

/** Three writes that ended unknown: of the cards 1 (block), 2 (activate) and 3 (reissue), and the card 4 blocked. */
async function unknownWrites(statusOf: (number: number) => Reply) {
  const home = createHome();
  let isBroken = true;
  const server = await startRecordingServer((request): Reply => {
    if (request.method === 'POST')
      return { status: isBroken ? 502 : 200, body: isBroken ? 'no' : { cardId: cardId(4) } };
    return isBroken ? { status: 503, body: 'no' } : statusOf(cardNumber(request));
  });
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runFrontdesk(args, { env: { ...server.env, ...env }, home });
  const quick = ['--yes', '-q', '--retries', '0', '--retry-max-time', '1s'];
  await run(['card', 'block', cardId(1), ...quick]);
  await run(['card', 'activate', cardId(2), ...quick]);
  await run(['card', 'reissue', cardId(3), ...quick]);
  isBroken = false;
  await run(['card', 'block', cardId(4), ...quick]);
  const before = server.requests.length;
  /** What reached the service since then. */
  const reads = () => server.requests.slice(before).map(({ method, url }) => `${method} ${url}`);
  return { home, reads, run };
}

const shows =
  (status: string) =>
  (number: number): Reply => ({
    headers: { 'x-request-id': `read-${number}` },
    body: { cardId: cardId(number), status },
  });

test('history reconcile resolves what the card shows as done, and changes nothing at the service', async () => {
  const { home, reads, run } = await unknownWrites(shows('BLOCKED'));
  const result = await run(['history', 'reconcile', '--json']);
  expect(result.code).toBe(8);
  expect(JSON.parse(result.stdout)).toMatchObject([
    { operation: 'card.reissue', id: cardId(3), outcome: 'unknown', httpStatus: 502 },
    { operation: 'card.activate', id: cardId(2), outcome: 'unknown', httpStatus: 502 },
    { operation: 'card.block', id: cardId(1), outcome: 'confirmed_by_read', httpStatus: 200, requestId: 'read-1' },
  ]);
  expect(reads()).toEqual([3, 2, 1].map((number) => `GET /v1/cards/${cardId(number)}`));
  expect(result.stderr).toContain('Checking the card cannot confirm a reissue');
  const after = await history(home);
  expect(after.map(({ outcome }) => outcome)).toEqual(['applied', 'unknown', 'unknown', 'confirmed_by_read']);
  // A second time asks only for what is still open.
  expect((await run(['history', 'reconcile', '--json'])).code).toBe(8);
  expect(reads()).toHaveLength(5);
});

test('history reconcile exits with 0 if nothing is unknown any more, and reads nothing if nothing was', async () => {
  const { reads, run, home } = await unknownWrites(shows('BLOCKED'));
  const entries = await history(home);
  const [, , , block] = entries;
  const chosen = await run(['history', 'reconcile', String(block?.['entry']).slice(-6), '--json']);
  expect(chosen.code).toBe(0);
  expect(JSON.parse(chosen.stdout)).toMatchObject([{ id: cardId(1), outcome: 'confirmed_by_read' }]);
  const ended = await run(['history', 'reconcile', String(entries[0]?.['entry']), '--json']);
  expect(ended.code).toBe(0);
  expect(JSON.parse(ended.stdout)).toEqual([entries[0]]);
  expect((await run(['history', 'reconcile', '--since', '1ms', '--json'])).stdout).toBe('[]\n');
  expect(reads()).toEqual([`GET /v1/cards/${cardId(1)}`]);
});

test('history reconcile continues after a card that cannot be read, which stays unknown, and exits with 8', async () => {
  const { run } = await unknownWrites((number) => (number === 2 ? { status: 404, body: {} } : shows('ACTIVE')(number)));
  const result = await run(['history', 'reconcile', '--json']);
  expect(result.code).toBe(8);
  expect((JSON.parse(result.stdout) as Entry[]).map(({ outcome }) => outcome)).toEqual([
    'unknown',
    'unknown',
    'unknown',
  ]);
  expect(result.stderr).toContain('404');
});

test('history reconcile exits with 4 at a 401, and keeps what was resolved before', async () => {
  const { home, run } = await unknownWrites((number) =>
    number === 1 ? { status: 401, body: {} } : shows('ACTIVE')(number),
  );
  expect(await run(['history', 'reconcile', '--json'])).toMatchObject({ code: 4, stdout: '' });
  expect((await history(home)).map(({ outcome }) => outcome)).toEqual([
    'applied',
    'unknown',
    'confirmed_by_read',
    'unknown',
  ]);
});

test('history reconcile reads no card of another profile or host', async () => {
  const { home, run } = await unknownWrites(shows('BLOCKED'));
  const other = await startRecordingServer(playService());
  const elsewhere = await runFrontdesk(['history', 'reconcile', '--json'], { home, env: other.env });
  expect(elsewhere).toMatchObject({ code: 0, stdout: '[]\n' });
  const [entry] = await history(home, ['--outcome', 'unknown']);
  const named = await runFrontdesk(['history', 'reconcile', String(entry?.['entry'])], { home, env: other.env });
  expect(named).toMatchObject({ code: 2, stdout: '' });
  expect(named.stderr).toContain('leads to');
  await run(['profile', 'set', 'live', '--cards-url', 'https://cards.example.com']);
  const profile = await runFrontdesk(['history', 'reconcile', String(entry?.['entry']), '-p', 'live'], {
    home,
    env: { FRONTDESK_CARDS_TOKEN: 'x' },
  });
  expect(profile).toMatchObject({ code: 2, stdout: '' });
  // The profile of the environment alone cannot be named once another is stored.
  expect(profile.stderr).toContain(`frontdesk history resolve ${String(entry?.['entry'])} --as <applied|not_applied>`);
  await run(['profile', 'set', 'default', '--cards-url', 'https://cards.example.com']);
  const stored = await runFrontdesk(['history', 'reconcile', String(entry?.['entry']), '-p', 'live'], {
    home,
    env: { FRONTDESK_CARDS_TOKEN: 'x' },
  });
  expect(stored.code).toBe(2);
  expect(stored.stderr).toContain(`check it with: frontdesk history reconcile ${String(entry?.['entry'])} -p default`);
  expect(other.requests).toEqual([]);
});

test.each<[string, readonly string[], RegExp]>([
  ['a row of a run', ['card', 'block', cardId(7), cardId(8), '--yes', '--run', 'may'], /runs resume may --reconcile/],
  [
    'a row of a run of reissues',
    ['card', 'reissue', cardId(7), cardId(8), '--yes', '--run', 'may'],
    /runs results may --outcome unknown/,
  ],
  ['a calendar', ['calendar', 'update', 'cal_1', '--name', 'x'], /running this command again sends the same values/],
  ['a provisioning', ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--json'], /no command can check it/],
])('history reconcile refuses %s with the command that resolves it, and reads nothing', async (_what, args, fix) => {
  const home = createHome();
  const server = await startRecordingServer(() => ({ status: 502, body: 'no' }));
  await runFrontdesk([...args, '-q', '--retries', '0', '--retry-max-time', '1s'], { env: server.env, home });
  const [entry] = await history(home);
  const before = server.requests.length;
  const refused = await runFrontdesk(['history', 'reconcile', String(entry?.['entry'])], { env: server.env, home });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(fix);
  expect(await runFrontdesk(['history', 'reconcile', '--json'], { env: server.env, home })).toMatchObject({
    code: 0,
    stdout: '[]\n',
  });
  expect(server.requests).toHaveLength(before);
});

test('history reconcile reads nothing if it could not record the result', async () => {
  const { reads, run } = await unknownWrites(shows('BLOCKED'));
  expect(await run(['history', 'reconcile'], { FRONTDESK_NO_HISTORY: '1' })).toMatchObject({ code: 2, stdout: '' });
  expect(reads()).toEqual([]);
});

test('history reconcile names no command for what was applied and has no card, because nothing is left to resolve', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const run = (args: readonly string[]) => runFrontdesk(args, { env: server.env, home });
  await run(['card', 'block', cardId(7), cardId(8), '--yes', '-q', '--run', 'may']);
  await run(['calendar', 'update', 'cal_1', '--name', 'x', '-q']);
  const [{ entry: update = '' } = {}] = await history(home);
  const before = server.requests.length;
  for (const entry of ['may:2', String(update)]) {
    expect(await run(['history', 'reconcile', entry])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `frontdesk: ${entry}: ended as applied, so nothing is left to resolve\n`,
    });
  }
  expect(server.requests).toHaveLength(before);
});

test.each([`Card: ${CARD_ID}`, `https://x.example/cards/${CARD_ID}?a=b`, CARD_ID.replaceAll('-', '')])(
  'history --id of a text that holds a card ID refuses %s with the corrected command',
  async (text) => {
    const result = await runFrontdesk(['history', '--id', text, '--outcome', 'applied']);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(`frontdesk history --id ${CARD_ID} --outcome applied`);
  },
);

test('history --id takes a text as it is if a change has that ID', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const id = CARD_ID.replaceAll('-', '');
  await runFrontdesk(['calendar', 'subscribers', 'update', id, '--email', 'a@b.example'], { env: server.env, home });
  expect(await history(home, ['--id', id])).toMatchObject([{ operation: 'calendar.subscribers.update', id }]);
  // And what fits exactly wins over cards that begin so.
  const part = CARD_ID.slice(0, 8);
  await runFrontdesk([...BLOCK], { env: server.env, home });
  expect(await history(home, ['--id', part])).toMatchObject([{ operation: 'card.block' }]);
  await runFrontdesk(['calendar', 'subscribers', 'update', part, '--email', 'a@b.example'], {
    env: server.env,
    home,
  });
  expect(await history(home, ['--id', part])).toMatchObject([{ operation: 'calendar.subscribers.update', id: part }]);
});

test('history show of a card ID names history --id', async () => {
  const shown = await runFrontdesk(['history', 'show', CARD_ID]);
  expect(shown).toMatchObject({ code: 2, stdout: '' });
  expect(shown.stderr).toContain(`frontdesk history --id ${CARD_ID}`);
});

function brokenHome(): Home {
  const home = createHome();
  writeFileSync(home.stateDir, 'not a folder');
  return home;
}

test('a run is refused if the state folder cannot be written: 16, and with --no-history 2', async () => {
  const server = await startRecordingServer([]);
  const run = (args: readonly string[]) =>
    runFrontdesk(['card', 'block', CARD_ID, cardId(2), '--yes', ...args], { env: server.env, home: brokenHome() });
  expect((await run([])).code).toBe(16);
  expect((await run(['--no-history'])).code).toBe(2);
});

test.each([
  [['history', 'show', 'none'], 'there is no history entry none', 'list the entries: frontdesk history'],
  [
    ['history', 'resolve', 'none', '--as', 'applied'],
    'there is no history entry none',
    'list the entries: frontdesk history',
  ],
  [['runs', 'show', 'none'], 'there is no run none', 'list the runs: frontdesk runs list'],
  [['runs', 'results'], '<run>: is required, or --last', 'list the runs: frontdesk runs list'],
])('the next step of %j has the profile that the command line names', async (args, problem, step) => {
  const home = createHome();
  const named = await runFrontdesk([...args, '-p', 'sandbox'], { home });
  expect([named.code, named.stderr]).toEqual([2, `frontdesk: ${problem}\nhint: ${step} -p sandbox\n`]);
  const other = await runFrontdesk(args, { home, env: { FRONTDESK_PROFILE: 'sandbox' } });
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
