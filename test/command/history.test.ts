import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  cardId,
  cardNumber,
  idLines,
  lastLine,
  playService,
  REPLACEMENT_ID,
  refusal,
} from '../support/plain-service.ts';
import { CALENDAR_TOKEN, CARDS_TOKEN, type Reply, startRecordingServer } from '../support/recording-server.ts';
import { copyHome, createHome, type Home, runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID } from '../support/sample-card.ts';

const BLOCK = ['card', 'block', CARD_ID, '--yes', '-q'];

type Entry = Readonly<Record<string, unknown>>;

async function history(home: Home, args: readonly string[] = []): Promise<Entry[]> {
  const { stdout } = await runFrontdesk(['history', ...args, '--json'], { home });
  // An array of objects, by the contract; what differs fails the comparison.
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

describe('history', () => {
  test('has every write, newest first, with exactly these members; reads are not in it', async () => {
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
    ['--outcome', 'rejected', ['card.block']],
    ['--id', cardId(2), ['card.block']],
    ['--id', cardId(2).toUpperCase(), ['card.block']],
    ['--id', REPLACEMENT_ID, ['card.reissue']],
    ['--limit', '2', ['calendar.event.create', 'card.block']],
    ['--since', '24h', ['calendar.event.create', 'card.block', 'card.reissue']],
    ['--since', '1ms', []],
  ])('%s %s filters, also without the word list', async (option, value, operations) => {
    const home = await withThreeWrites();
    for (const words of [[], ['list']]) {
      const entries = await history(home, [...words, option, value]);
      expect(entries.map(({ operation }) => operation)).toEqual(operations);
    }
  });

  test('show gives one entry', async () => {
    const home = await withThreeWrites();
    const [newest] = await history(home, ['--limit', '1']);
    const shown = await runFrontdesk(['history', 'show', String(newest?.['entry']), '--json'], { home });
    expect(JSON.parse(shown.stdout)).toEqual(newest);
    expect((await runFrontdesk(['history', 'show', 'nope'], { home })).code).toBe(2);
  });

  test('holds the rows of runs too, read from their journals', async () => {
    const { home, server, run } = await threeWrites();
    await runFrontdesk(['card', 'activate', '--from', '-', '--yes', '-j', '1', '--run', 'may'], {
      env: server.env,
      home,
      stdin: idLines(2),
    });
    await run(['card', 'reissue', cardId(1), '--yes']);
    const entries = await history(home);
    expect(entries.map(({ operation, run: name }) => [operation, name])).toEqual([
      ['card.reissue', null],
      ['card.activate', 'may'],
      ['card.activate', 'may'],
      ['calendar.event.create', null],
      ['card.block', null],
      ['card.reissue', null],
    ]);
    expect(entries[1]).toMatchObject({ id: cardId(2), host: server.url.slice('http://'.length), outcome: 'applied' });
    const shown = await runFrontdesk(['history', 'show', String(entries[1]?.['entry']), '--json'], { home });
    expect(JSON.parse(shown.stdout)).toEqual(entries[1]);
  });

  test('holds no token, no body and no sensitive result', async () => {
    const home = createHome();
    const server = await startRecordingServer(
      playService(({ url }) =>
        url.endsWith('/wallet_a') ? { body: { encryptedPaymentInstrument: 'payment-secret' } } : undefined,
      ),
    );
    const run = (args: readonly string[]) => runFrontdesk(args, { env: server.env, home });
    await run(['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--client-device-id', 'device-secret']);
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

  test('is recorded before the write is sent: one that was killed reads unknown', async () => {
    const home = createHome();
    const server = await startRecordingServer(() => 'hang');
    const running = startFrontdesk(['card', 'activate', CARD_ID], { env: server.env, home });
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    running.child.kill('SIGKILL');
    await running.result;
    expect(await history(home)).toMatchObject([{ operation: 'card.activate', id: CARD_ID, outcome: 'unknown' }]);
  });

  test('prune --older-than removes old single writes and no young ones', async () => {
    const home = await withThreeWrites();
    const prune = (age: string) => runFrontdesk(['history', 'prune', '--older-than', age, '--yes', '--json'], { home });
    expect((await prune('90d')).stdout).toBe('{\n  "removed": 0\n}\n');
    expect(await history(home)).toHaveLength(3);
    expect((await prune('1ms')).stdout).toBe('{\n  "removed": 3\n}\n');
    expect(await history(home)).toEqual([]);
  });

  test('prune asks, so off a terminal it needs --yes', async () => {
    const home = await withThreeWrites();
    const result = await runFrontdesk(['history', 'prune', '--older-than', '1ms'], { home });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('--yes');
    expect(await history(home)).toHaveLength(3);
  });

  test('show takes any part of a name that no other entry has', async () => {
    const home = await withThreeWrites();
    const entries = await history(home);
    const { entry } = entries[0] as { entry: string };
    const shown = await runFrontdesk(['history', 'show', entry.slice(-6), '--json'], { home });
    expect(JSON.parse(shown.stdout)).toEqual(entries[0]);
    const several = await runFrontdesk(['history', 'show', entry.slice(0, 4)], { home });
    expect(several).toMatchObject({ code: 2, stdout: '' });
    expect(several.stderr).toContain(`several history entries have "${entry.slice(0, 4)}" in their name`);
  });

  test.each([
    ['prune without an age', ['prune']],
    ['prune with an age that is none', ['prune', '--older-than', '90']],
    ['a limit of 0', ['--limit', '0']],
    ['an outcome that is none', ['--outcome', 'aplied']],
    ['an age that is none', ['--since', 'yesterday']],
    ['a command that is none', ['lst']],
  ])('%s is exit 2', async (_what, args) => {
    expect(await runFrontdesk(['history', ...args])).toMatchObject({ code: 2, stdout: '' });
  });

  test('is an empty array where nothing was written yet', async () => {
    expect((await runFrontdesk(['history', '--json'])).stdout).toBe('[]\n');
  });
});

describe('a state folder that cannot be written', () => {
  function brokenHome(): Home {
    const home = createHome();
    writeFileSync(home.stateDir, 'not a folder');
    return home;
  }

  test('refuses a write, exit 16, and nothing is sent', async () => {
    const server = await startRecordingServer([]);
    const result = await runFrontdesk([...BLOCK, '--json'], { env: server.env, home: brokenHome() });
    expect(result).toMatchObject({ code: 16, stdout: '' });
    expect(lastLine(result.stderr)).toMatchObject({ error: { code: 'LOCAL_IO', exitCode: 16, outcome: 'not_sent' } });
  });

  test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['--no-history', ['--no-history'], {}],
    ['FRONTDESK_NO_HISTORY=1', [], { FRONTDESK_NO_HISTORY: '1' }],
  ])('lets it through with %s', async (_what, args, env) => {
    const server = await startRecordingServer(playService());
    const result = await runFrontdesk([...BLOCK, ...args], { env: { ...server.env, ...env }, home: brokenHome() });
    expect(result.code).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  test('refuses a run, which always needs it: 16, and with --no-history 2', async () => {
    const server = await startRecordingServer([]);
    const run = (args: readonly string[]) =>
      runFrontdesk(['card', 'block', CARD_ID, cardId(2), '--yes', ...args], { env: server.env, home: brokenHome() });
    expect((await run([])).code).toBe(16);
    expect((await run(['--no-history'])).code).toBe(2);
  });
});

test('--no-history keeps no record of a single write', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  await runFrontdesk([...BLOCK, '--no-history'], { env: server.env, home });
  expect(await history(home)).toEqual([]);
});

test('a row that was rejected in a run is in the history as such', async () => {
  const home = createHome();
  const server = await startRecordingServer(
    playService((request) => (cardNumber(request) === 2 ? refusal(404, 'CARD_NOT_FOUND') : undefined)),
  );
  await runFrontdesk(['card', 'block', cardId(1), cardId(2), '--yes', '--reason', 'X-9'], { env: server.env, home });
  expect(await history(home, ['--outcome', 'rejected'])).toMatchObject([
    { operation: 'card.block', id: cardId(2), reason: 'X-9', httpStatus: 404 },
  ]);
});
