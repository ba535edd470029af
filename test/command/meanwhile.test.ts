import { expect, it } from 'vitest';
import type { Entry } from '../support/open-service.ts';
import { cardId, cardNumber, openPlain } from '../support/plain-service.ts';
import { untilFileEnds } from '../support/recording-server.ts';
import type { RunResult } from '../support/run-frontdesk.ts';
import { cardText } from '../support/sample-card.ts';

const ONCE = ['--yes', '-q', '--retries', '0'];

/** A service at which a single write to card 2 is broken, and is made while a run waits for the answer to its card 1. */
async function meanwhile(verb: 'block' | 'reissue') {
  const single: RunResult[] = [];
  let isBroken = true;
  const place = await openPlain((request) => {
    if (request.method !== 'POST') return undefined;
    if (cardNumber(request) === 1) {
      return place.run(['card', verb, cardId(2), ...ONCE]).then((result) => {
        single.push(result);
        return { body: cardText('BLOCKED', cardId(verb === 'block' ? 1 : 9)) };
      });
    }
    if (!isBroken) return undefined;
    isBroken = false;
    return { status: 500, body: '{}' };
  }, untilFileEnds);
  const history = async (...args: string[]): Promise<Entry[]> => place.json('history', ...args);
  const rows = ['card', verb, cardId(1), cardId(2), '--yes', '-q', '-j', '1', '--run', 'may', '--json'];
  return { single, many: await place.run(rows), posts: place.posts(), history, run: place.run };
}

it.concurrent('a change that another process leaves open is superseded by a later row of a run', async () => {
  const { single, many, posts, history } = await meanwhile('block');
  expect([single.map(({ code }) => code), many.code, posts, await history('--open')]).toEqual([[8], 0, 3, []]);
  expect((await history('--id', cardId(2))).map(({ outcome, supersededBy }) => [outcome, supersededBy])).toEqual([
    ['applied', undefined],
    ['unknown', 'may:2'],
  ]);
});

it.concurrent('a change that another process leaves open holds back the row that would repeat it, until it is closed', async () => {
  const { single, many, posts, history, run } = await meanwhile('reissue');
  expect([single.map(({ code }) => code), many.code, posts]).toEqual([[8], 15, 2]);
  const [{ entry } = {}] = await history('--open');
  expect(JSON.parse(many.stdout)).toMatchObject([
    { outcome: 'applied' },
    { outcome: 'not_sent', error: { code: 'PRECONDITION', message: expect.stringContaining(`(entry ${entry})`) } },
  ]);
  expect(await run(['history', 'resolve', String(entry), '--as', 'not_applied'])).toMatchObject({ code: 0 });
  const resumed = await run(['runs', 'resume', 'may', '-q', '--json']);
  expect(resumed.stdout).toMatch(/"row": 2,[^}]*"outcome": "applied"/);
  expect(resumed.code).toBe(0);
});

it.concurrent.each([
  ['one', [cardId(1)], 11],
  ['a row', [cardId(1), cardId(2), '-j', '1'], 15],
])('%s that is refused for now is not sent again once its card is another', async (_, ids, code) => {
  let status = 'ACTIVE';
  const place = await openPlain((request) => {
    if (request.method !== 'POST') return { body: cardText(status, cardId(cardNumber(request))) };
    status = 'BLOCKED';
    return { status: 429, headers: { 'retry-after': '0' }, body: '{}' };
  }, untilFileEnds);
  const result = await place.run(['card', 'reissue', ...ids, '--expect', 'status=ACTIVE', '--yes', '--json']);
  expect([result.code, place.posts()]).toEqual([code, 1]);
  const why = 'it was not sent again, because status is "BLOCKED", not "ACTIVE"';
  expect((result.stderr + result.stdout).replaceAll('\\"', '"')).toContain(`reissue card ${cardId(1)}: ${why}`);
});

it.concurrent.each([
  ['one', [cardId(1)], ['--read-only', 'true'], 'profile live is read-only'],
  ['a row', [cardId(1), cardId(2), '-j', '1'], ['--read-only', 'true'], 'profile live is read-only'],
  ['one', [cardId(1)], ['--require-reason', 'OPS'], '--reason: this profile requires a reason that matches OPS'],
])('%s %j that is refused for now is not sent again once its profile has %j', async (_, ids, change, why) => {
  const place = await openPlain(({ method }) => {
    const busy = { status: 429, headers: { 'retry-after': '0' }, body: '{}' };
    return method === 'POST' ? place.run(['profile', 'set', 'live', ...change]).then(() => busy) : undefined;
  }, untilFileEnds);
  await place.run(['profile', 'set', 'live', '--cards-url', place.server.url]);
  const result = await place.run(['card', 'block', ...ids, '--yes', '-p', 'live', '--json']);
  expect([result.code, place.posts()]).toEqual([ids.length === 1 ? 11 : 15, ids.length === 1 ? 1 : 2]);
  expect(result.stderr + result.stdout).toContain(`block card ${cardId(1)}: it was not sent again, because ${why}`);
});

const EVENTS = 'name,start,calendar\nOpening,2026-05-01,c1\nClosing,2026-05-02,c1\n';
const CREATE = ['calendar', 'event', 'create', '-q'];
const CLOSING = [...CREATE, '--calendar', 'c1', '--name', 'Closing', '--start', '2026-05-02'];

it.concurrent.each([
  ['is refused within a day, unless --again', 200, [17, 0], 3],
  ['may be made where that row was refused', 409, [0, 17], 3],
])('a single event that the row of a run has created: %s', async (_what, status, codes, posts) => {
  let isFirst = true;
  const { file, run, server } = await openPlain(({ body }) => {
    if (!body.includes('Closing') || !isFirst) return undefined;
    isFirst = false;
    return status === 200 ? undefined : { status, body: '{}' };
  }, untilFileEnds);
  file('in.csv', EVENTS);
  await run([...CREATE, '--from', 'in.csv', '--yes', '--run', 'may']);
  const first = await run(CLOSING);
  if (status === 200) expect(first.stderr).toContain('(entry may:2)');
  expect([first.code, (await run(status === 200 ? [...CLOSING, '--again'] : CLOSING)).code]).toEqual(codes);
  expect(server.requests).toHaveLength(posts);
});

/** Profiles north and south of one service, and east of another; the events of a run at each. */
async function profiles() {
  const one = await openPlain(({ url }) => (url.endsWith('/reissue') ? { status: 500 } : undefined), untilFileEnds);
  const other = await openPlain(undefined, untilFileEnds);
  const urls = { FRONTDESK_CARDS_URL: undefined, FRONTDESK_CALENDAR_URL: undefined };
  const run = (args: readonly string[]) => one.run(args, '', urls);
  for (const [name, { url }] of Object.entries({ north: one.server, south: one.server, east: other.server })) {
    expect((await run(['profile', 'set', name, '--cards-url', url, '--calendar-url', url])).code).toBe(0);
  }
  one.file('in.csv', EVENTS);
  return { run, posts: () => [one.posts(), other.posts()] };
}

it.concurrent('two profiles for one service know of each other’s open writes, and for two services they do not', async () => {
  const { run, posts } = await profiles();
  const reissue = (profile: string) => run(['card', 'reissue', cardId(1), ...ONCE, '-p', profile]);
  expect([(await reissue('north')).code, (await reissue('south')).code, posts()]).toEqual([8, 17, [1, 0]]);
  expect([(await reissue('east')).code, posts()]).toEqual([0, [1, 1]]);
});

it.concurrent('two profiles may send the same input', async () => {
  const { run, posts } = await profiles();
  const create = (profile: string) => run([...CREATE, '--from', 'in.csv', '--yes', '-p', profile]);
  expect([(await create('north')).code, (await create('south')).code, (await create('east')).code]).toEqual([0, 0, 0]);
  expect([(await create('north')).code, posts()]).toEqual([17, [4, 2]]);
});
