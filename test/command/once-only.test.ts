import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { call, type Message, RawClient, YES } from '../support/mcp-process.ts';
import { openService } from '../support/open-service.ts';
import {
  cardId,
  cardNumber,
  idLines,
  openPlain,
  plainAnswer,
  playService,
  refusal,
  rowLines,
} from '../support/plain-service.ts';
import { openTerminal } from '../support/pty.ts';
import { startRecordingServer, untilFileEnds } from '../support/recording-server.ts';
import {
  createHome,
  type Home,
  injecting,
  NO_PAUSE,
  type RunResult,
  startFrontdesk,
} from '../support/run-frontdesk.ts';

const PAIRS = process.env['FRONTDESK_LONG'] === '1' ? 1000 : process.env['CI'] === 'true' ? 100 : 12;
/** Pairs at once: more would measure the machine. */
const ABREAST = 4;

/** A service that answers a change at a word of the test (`isHeld`), and how often it was asked for each. */
async function slowService(isHeld = false, late: Readonly<Record<string, string>> = {}) {
  const sent = new Map<string, number>();
  const held = new Map<string, () => void>();
  const free: string[] = [];
  const play = playService();
  const server = await startRecordingServer(async (request, count) => {
    const about = request.url.includes('/events') ? request.body : request.url.toLowerCase();
    if (request.method !== 'POST') return play(request, count);
    sent.set(about, (sent.get(about) ?? 0) + 1);
    // A second one is a fault, and must not wait for the first.
    const isAnswered = !isHeld || held.has(about) || free.some((part) => about.includes(part));
    if (!isAnswered) await new Promise<void>((resolve) => held.set(about, resolve));
    return play(request, count);
  }, untilFileEnds);
  const start = (home: Home, ...args: string[]) =>
    startFrontdesk(args, { env: { ...server.env, ...NO_PAUSE, ...late }, home }).result;
  /** Two calls that begin the same change: the one that sends it gets its answer when the other has ended. */
  const together = async (about: string, one: Promise<RunResult>, other: Promise<RunResult>) => {
    await Promise.race([one, other]);
    free.push(about);
    for (const [key, answer] of held) if (key.includes(about)) answer();
    return Promise.all([one, other]);
  };
  return { sent, start, together, env: server.env };
}

const EVENT = ['calendar', 'event', 'create', '--calendar', 'c', '--start', '2026-05-01', '-q', '--name'];
const KINDS: readonly ((pair: number) => readonly [about: string, args: readonly string[]])[] = [
  (pair) => [cardId(pair), ['card', 'reissue', cardId(pair), '--yes', '-q']],
  (pair) => [cardId(pair), ['card', 'provision', cardId(pair), '--wallet', 'wallet_a', '--json', '--yes', '-q']],
  (pair) => [`"event ${pair}"`, [...EVENT, `event ${pair}`]],
];

it(`the same reissue, provisioning or event of two processes that are started together is sent once: ${PAIRS} pairs`, {
  timeout: 30 * 60_000,
}, async () => {
  const { sent, start, together } = await slowService(true);
  const home = createHome();
  const codes: string[] = [];
  const pair = async (number: number) => {
    const [about = '', args = []] = KINDS[number % KINDS.length]?.(number) ?? [];
    // A card ID in any case is the same card.
    const other = args.map((word) => (word === cardId(number) ? word.toUpperCase() : word));
    const both = await together(about, start(home, ...args), start(home, ...other));
    const ended = both.map(({ code }) => code).sort();
    codes.push(ended.join());
    if (ended.join() !== '0,17') throw new Error(`${args.join(' ')}: ${both.map(({ stderr }) => stderr).join('')}`);
  };
  let next = 1;
  const workers = Array.from({ length: ABREAST }, async () => {
    while (next <= PAIRS) await pair(next++);
  });
  await Promise.all(workers);
  expect([codes, sent.size]).toEqual([Array<string>(PAIRS).fill('0,17'), PAIRS]);
  expect([...sent.values()].filter((times) => times !== 1)).toEqual([]);
});

it('the same rows of two runs that are started together are sent once, and the other run holds them back', async () => {
  const { sent, start } = await slowService();
  const home = createHome();
  const path = join(home.path, 'work', 'ids.txt');
  writeFileSync(path, idLines(12));
  const args = ['card', 'reissue', '--from', path, '--yes', '--json'];
  const both = await Promise.all([start(home, ...args, '--run', 'one'), start(home, ...args, '--run', 'two')]);
  expect([...sent.values()]).toEqual(Array<number>(12).fill(1));
  const applied = both.flatMap(({ stdout, code }) => (code === 17 ? [] : [stdout])).join('');
  expect(applied.match(/"outcome": ?"applied"/g)).toHaveLength(12);
});

const REISSUE = ['card', 'reissue', cardId(1)];
const QUESTION = /\(y\/N[^)]*\)\s*$/;

/** As on another machine, whose clock is behind. */
const AN_HOUR_LATE = injecting('const { now } = Date; Date.now = () => now() - 3_600_000;');
const SECOND = ', and this would make a second one';

it.each([
  { door: 'a call', args: REISSUE, ends: [17, `. The question did not name it${SECOND}`] },
  { door: 'a run', args: [...REISSUE, cardId(2)], ends: [15, SECOND] },
  { door: 'a plan', args: ['plan', 'apply', 'plan'], ends: [15, SECOND] },
  { door: 'the desk', args: ['desk', cardId(1)], before: 'reissue\r', after: 'leave\r', ends: [0, ': 1 not sent '] },
])('a yes to a reissue of $door sends nothing if another process sent it while the question stood', async (way) => {
  const { sent, start, env } = await slowService(false, AN_HOUR_LATE);
  const home = createHome();
  const plan = join(home.path, 'plan');
  expect((await start(home, ...REISSUE, '--plan', plan)).code).toBe(0);
  const terminal = openTerminal(way.args, { home, env });
  if (way.before !== undefined) {
    await terminal.waitFor(/then Enter/);
    terminal.type(way.before);
  }
  await terminal.waitFor(QUESTION);
  expect((await start(home, ...REISSUE, '--yes')).code).toBe(0);
  terminal.type('y\r');
  await terminal.waitFor(/the same card\s+reissue/);
  if (way.after !== undefined) {
    await terminal.waitFor(/NOT REISSUED[\s\S]*then Enter/);
    terminal.type(way.after);
  }
  const { code, text } = await terminal.end;
  const ofCard = [...sent].filter(([about]) => about.includes(cardId(1)));
  expect([code, ofCard.map(([, times]) => times)]).toEqual([way.ends[0], [1]]);
  expect(text.replaceAll(/\s+/g, ' ')).toContain(way.ends[1]);
  expect(text.includes('--again')).toBe(way.door === 'a call');
});

it('a row that was found not applied is held back like any other if its card was reissued since', async () => {
  const { run, service, posts } = await openService();
  const rows = ['card', 'reissue', cardId(1), cardId(2), '--run', 'may', '-j', '1', '--max-failures', '1'];
  expect((await run([...rows, '--yes', '--retries', '0'])).code).toBe(8);
  service.isBroken = false;
  for (const card of [1, 2]) expect((await run(['card', 'reissue', cardId(card), '--again', '--yes'])).code).toBe(0);
  expect((await run(['history', 'resolve', 'may:1', '--as', 'not_applied'])).code).toBe(0);
  const { code, stdout } = await run(['runs', 'resume', 'may', '--max-failures', '5', '-o', 'ndjson']);
  expect([code, posts(), rowLines(stdout)]).toEqual([
    15,
    3,
    ['1 not_sent null 1 PRECONDITION', '2 not_sent null 0 PRECONDITION'],
  ]);
});

/** A run of cards 9 and 1 that stopped at the first, which the service refused. */
async function stoppedBefore(special: Parameters<typeof openPlain>[0]) {
  const place = await openPlain((request, count) =>
    cardNumber(request) === 9 && request.method === 'POST' ? refusal(409, 'NO') : special?.(request, count),
  );
  const args = ['card', 'reissue', cardId(9), cardId(1), '--run', 'old', '-j', '1', '--max-failures', '1', '--yes'];
  expect((await place.run(args)).code).toBe(15);
  const path = join(place.home.path, 'failed.csv');
  const resume = async (...more: string[]) =>
    rowLines((await place.run(['runs', 'resume', 'old', '-o', 'ndjson', ...more])).stdout)[1];
  /** What is left to send according to a run's file of failed rows, and its rows as input: card and outcome. */
  const left = async (run: string) => {
    const { stdout } = await place.run(['runs', 'results', run, '--outcome', 'not_sent', '--as-input', '-o', 'csv']);
    return [readFileSync(path, 'utf8'), stdout].map((text) =>
      text
        .split('\n')
        .flatMap(
          (line) => /^([-0-9a-f]+),.*?\b(rejected|not_sent|unknown|applied)\b/.exec(line)?.slice(1).join(' ') ?? [],
        ),
    );
  };
  return { ...place, resume, left, toFile: ['--failed', path] };
}

const HELD = '2 not_sent null 0 PRECONDITION';

it('a row of a run finds what an older run sends that is resumed meanwhile', async () => {
  let resumed: Promise<unknown> | undefined;
  const { run, resume, sent, left, toFile } = await stoppedBefore(({ url, method }) => {
    if (method !== 'POST' || !url.includes(cardId(2))) return undefined;
    resumed = resume();
    return resumed.then(() => plainAnswer({ url, body: '' }, 1));
  });
  const args = ['card', 'reissue', cardId(2), cardId(1), '-j', '1', '--yes', '-o', 'ndjson', '--run', 'new', ...toFile];
  expect([rowLines((await run(args)).stdout)[1], await left('new')]).toEqual([HELD, [[], []]]);
  expect(await resumed).toBe('2 applied 200 1');
  expect(sent().filter((line) => line.startsWith(`${cardId(1)}/reissue`))).toHaveLength(1);
});

it.each([
  ['a run', [cardId(8), '--run', 'other']],
  ['a single call', []],
])('a row that was held by an unknown change of %s is sent once that was found not applied', async (_, how) => {
  let isBroken = true;
  const { run, resume, json, left, toFile } = await stoppedBefore(() =>
    isBroken ? { status: 500, body: 'no' } : undefined,
  );
  expect((await run(['card', 'reissue', cardId(1), ...how, '--yes', '--retries', '0'])).code).toBe(8);
  isBroken = false;
  expect(await resume(...toFile)).toBe(HELD);
  expect(await left('old')).toEqual([[`${cardId(9)} rejected`, `${cardId(1)} unknown`], []]);
  const open: { entry: string; id: string }[] = await json('history', '--open');
  const { entry = '' } = open.find(({ id }) => id === cardId(1)) ?? {};
  expect((await run(['history', 'resolve', entry, '--as', 'not_applied'])).code).toBe(0);
  expect(await resume()).toBe('2 applied 200 1');
});

it('a row is held by an unknown change from before its run, and sent once that was found applied, as over a single change', async () => {
  let isBroken = true;
  const { run, json } = await openPlain((request) => {
    if (request.method !== 'POST') return undefined;
    return cardNumber(request) === 9 ? refusal(409, 'NO') : isBroken ? { status: 500, body: 'no' } : undefined;
  });
  const rows = (first: number, name: string) =>
    run(['card', 'reissue', cardId(first), cardId(1), '--run', name, '--yes', '--retries', '0', '-j', '1']);
  expect([(await rows(8, 'first')).code, (await rows(9, 'second')).code]).toEqual([8, 15]);
  isBroken = false;
  expect((await json('history', '--open')).map(({ entry }: { entry: string }) => entry).sort()).toEqual([
    'first:1',
    'first:2',
  ]);
  expect((await run(['history', 'resolve', 'first:2', '--as', 'applied'])).code).toBe(0);
  const { stdout } = await run(['runs', 'resume', 'second', '-o', 'ndjson']);
  expect(rowLines(stdout)[1]).toBe('2 applied 200 1');
});

it('a row is sent although the same change was refused since its run began, and a wallet although another one has the card', async () => {
  let isRefused = true;
  const { run, resume, posts } = await stoppedBefore(() => (isRefused ? refusal(409, 'NO') : undefined));
  expect((await run(['card', 'reissue', cardId(1), '--yes'])).code).toBe(6);
  isRefused = false;
  expect([await resume(), posts()]).toEqual(['2 applied 200 1', 3]);
  const provision = ['card', 'provision', cardId(3), '--json', '--yes', '--wallet'];
  const both = await Promise.all(['wallet_a', 'wallet_b'].map((wallet) => run([...provision, wallet])));
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
});

it('a row with an unknown outcome is sent again at the word of a person, whatever was sent since', async () => {
  let isBroken = true;
  const { run, posts } = await openPlain(({ method }) =>
    isBroken && method === 'POST' ? { status: 500, body: 'no' } : undefined,
  );
  const rows = ['card', 'reissue', cardId(1), cardId(2), '--run', 'may', '--yes', '--retries', '0'];
  expect((await run(rows)).code).toBe(8);
  isBroken = false;
  expect((await run(['card', 'reissue', cardId(1), '--again', '--yes'])).code).toBe(0);
  expect([(await run(['runs', 'resume', 'may', '--resend-unknown', '--yes'])).code, posts()]).toEqual([0, 5]);
});

it('of two rows of one card, the second is held back while the outcome of the first is unknown, in a resume too', async () => {
  let isBroken = true;
  const { run, posts } = await openPlain(({ method }) =>
    isBroken && method === 'POST' ? { status: 500, body: 'no' } : undefined,
  );
  const rows = ['card', 'reissue', cardId(1), cardId(1).toUpperCase(), '--allow-duplicates', '--run', 'may', '--yes'];
  const first = await run([...rows, '--retries', '0', '-o', 'ndjson']);
  isBroken = false;
  const resume = async (...more: string[]) =>
    rowLines((await run(['runs', 'resume', 'may', '-o', 'ndjson', ...more])).stdout);
  const held = ['1 unknown 500 1 OUTCOME_UNKNOWN', '2 not_sent null 0 PRECONDITION'];
  expect([first.code, rowLines(first.stdout), await resume(), posts()]).toEqual([8, held, held, 1]);
  expect(first.stdout).toContain('(entry may:1)');
  expect(await resume('--resend-unknown', '--yes')).toEqual(['1 applied 200 2', '2 applied 200 1']);
});

const isEnd = ({ id, result }: Message) => (id === 1 || id === 2) && result !== undefined;

it('two yes to two questions of an assistant about the same reissue send it once', async () => {
  const { sent, env } = await slowService();
  const client = new RawClient(['--allow-writes'], { env });
  await client.initialize();
  client.send(
    call(1, 'card_reissue', { cardId: cardId(1) }),
    call(2, 'card_reissue', { cardId: cardId(1).toUpperCase() }),
  );
  const questions = [await client.question(), await client.question()];
  client.send(...questions.map(({ id }) => ({ jsonrpc: '2.0', id, result: YES })));
  const ends = [await client.next(isEnd), await client.next(isEnd)];
  const outcomes = ends.map(({ result }) => result?.structuredContent?.['outcome']);
  expect([outcomes.toSorted(), [...sent.values()]]).toEqual([['applied', 'not_sent'], [1]]);
});
