import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { openTerminal } from '../../support/pty.ts';
import { type Reply, serve } from '../../support/recording-server.ts';
import { createHome, runFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { dialogue, type Step } from './dialogue.ts';
import { menuWith, screenOf } from './screen.ts';

const ACTIVE: Reply = { body: cardText('ACTIVE') };
const BLOCKED: Reply = { body: cardText('BLOCKED') };
const EVENT = { id: 'evt_1', object: 'event', name: 'Tasting', start: '2027-04-02', calendar: 'cal_1', active: true };

it.concurrent('a missing ID is asked for, and one inside a text is shown and taken by Enter alone', async () => {
  const server = await serve([ACTIVE]);
  const activate = (key: string) =>
    dialogue(
      ['card', 'activate'],
      [
        [/ID of the card/, ` "{${CARD_ID}}" \r`],
        [/> Enter takes this card/, key],
      ],
      { env: server.env, columns: 100 },
    );
  expect([(await activate('\u0003')).code, server.lines]).toEqual([130, []]);
  expect([(await activate('\r')).code, server.lines]).toEqual([0, [`POST /v1/cards/${CARD_ID}/activate`]]);
});

it.concurrent('a missing value is asked for again, with the limit that was broken, until it can be used', async () => {
  const server = await serve([{ body: EVENT }]);
  const steps: Step[] = [
    [/ID of the calendar that the event belongs to, such as cal_harbour_tours/, '\r'],
    [/> is empty/, 'c\ufffd\r'],
    [/a character of it is lost, because it is not UTF-8/, 'cal_1\r'],
    [/Name of the event, as customers see it, such as Spring tasting/, 'Tasting\r'],
    [/When the event starts, such as 2027-04-02T18:00/, '2027-13-02\r'],
    [/a month that does not exist/, '2027-04-02\r'],
    [/Create event "Tasting" at 127[^ ]* \(default\)\? \(y\/N/, 'y\r'],
  ];
  expect((await dialogue(['calendar', 'event', 'create'], steps, { env: server.env, columns: 200 })).code).toBe(0);
  expect(server.requests.map(({ body }) => body)).toEqual([
    '{"calendar":"cal_1","name":"Tasting","start":"2027-04-02"}',
  ]);
});

it.concurrent.each([
  [['completion'], [[/Which shell/, '\r']], /_frontdesk/],
  [['config', 'get'], [[/Which preference/, '\r']], /\btable\b/],
  [
    ['config', 'set'],
    [
      [/Which preference/, '\u001b[B\r'],
      [/Value of timeout/, '5 parsecs\r'],
      [/must be a duration/, '\u00152m\r'],
    ],
    /^2m$/m,
  ],
  [
    ['profile', 'set'],
    [
      [/Name of the profile/, 'a b\r'],
      [/is not 1 to 64/, '\u0015ab\r'],
    ],
    /ab/,
  ],
  [['profile', 'use'], [[/Which profile/, '\r']], /sandbox/],
  [
    ['history', 'prune'],
    [
      [/Delete what is older/, 'x\r'],
      [/must be an age/, '\u001590d\r'],
      [/Delete all single changes older than 90d/, 'y\r'],
    ],
    /0 entries deleted/,
  ],
  [['history', 'show'], [], /the history has no entry yet/],
  [['card', 'find', '-p', 'sandbox'], [[/Order number, .* such as order-10001/, 'A-1\r']], /remembers no cards yet/],
  [['card', 'wait', CARD_ID, '-p', 'sandbox'], [[/Which status/, '\u0003']], /cancelled/],
  [
    ['api'],
    [
      [/Which method/, '\r'],
      [/Path, such as/, '/v1/../x\r'],
      [/> /, '\u0003'],
    ],
    /cancelled/,
  ],
] as const)('a missing value is asked for: `%s`', async (args, steps, seen) => {
  const end = await dialogue(args, steps, { columns: 200 });
  expect(end.text).toMatch(seen);
  expect([0, 2, 130]).toContain(end.code);
  expect(end.leftBehind).toEqual([]);
});

it.concurrent('the missing entry of `history show` is chosen from the newest', async () => {
  const home = createHome();
  await runFrontdesk(['-p', 'sandbox', 'card', 'activate', CARD_ID], { home });
  const end = await dialogue(['history', 'show', '--json'], [[/Which entry\?[\s\S]*card activate/, '\r']], { home });
  expect(end.code).toBe(0);
  expect(end.text).toContain(`"id": "${CARD_ID}"`);
  // On 80 columns the end of the id has no room: the outcome comes before it.
  expect(end.text).toMatch(/❯ 1 \d+ \w+ \d{4}, \d\d:\d\d UTC {2}card activate {2}rejected {2}7c0e1111-[0-9a-f-]*…\n/);
});

it.concurrent('a call that is refused anyway asks nothing', async () => {
  const server = await serve([]);
  const refused = [
    ['card', 'provision', 'not-a-card'],
    ['card', 'block', '--expect', '=x'],
    ['calendar', 'event', 'create', '--start', 'tomorrow'],
    ['calendar', 'update'],
  ];
  for (const args of refused) {
    const { code, text } = await dialogue(args, [], { env: server.env });
    expect({ args, code }).toEqual({ args, code: 2 });
    expect(text).not.toContain('?\n');
  }
});

it.concurrent('the confirmation breaks a question without room before its answers', async () => {
  const server = await serve([ACTIVE]);
  const end = await dialogue(['card', 'block', CARD_ID], [[/\(y\/N/, 'n\r']], { env: server.env, columns: 80 });
  const host = server.url.slice('http://'.length);
  expect(end.text).toContain(`? Block card ${CARD_ID} at ${host}\n  (default)? (y/N, r = add a reason)`);
});

it.concurrent('the confirmation ends with what was done, also if a card check had to show it', async () => {
  const end = await dialogue(['card', 'block', CARD_ID, '--yes'], [], { env: (await serve(['reset', BLOCKED])).env });
  expect(end.code).toBe(0);
  expect(end.text.trimEnd()).toMatch(
    new RegExp(`\n✔ BLOCKED at \\d\\d:\\d\\d, confirmed by read\nCard +${CARD_ID} +order-1 +BLOCKED +10\\.10$`),
  );
});

it.concurrent.for([
  ['lost, ticket 4711', /\(y\/N\)/, '{"reason":"lost, ticket 4711"}'],
  ['', /✔ Reason[\s\S]*\(y\/N, r = add a reason\)/, '{}'],
] as const)('the confirmation takes the reason %j after r', async ([reason, seen, body]) => {
  const server = await serve([ACTIVE, ACTIVE, BLOCKED]);
  const steps: Step[] = [
    [/r = add a reason/, 'r\r'],
    [/Reason \(Enter = none\)/, `${reason}\r`],
    [seen, 'yes\r'],
  ];
  expect((await dialogue(['card', 'block', CARD_ID], steps, { env: server.env, columns: 120 })).code).toBe(0);
  expect(server.requests.map((request) => request.body)).toEqual(['', '', body]);
});

it.concurrent('auth login asks for API, URL and token, sends nothing, and says what to try next', async () => {
  const server = await serve([]);
  const token = 'a-token-that-nobody-may-read-9876';
  const steps: Step[] = [
    [/Gift cards or calendars\?/, '\r'],
    [/Base URL of the gift cards/, 'http://example.com\r'],
    [/must be https/, `\u0015${server.url}\r`],
    [/Token of the gift cards/, 'two words\r'],
    [/visible ASCII|space/, ` Bearer ${token} \r`],
  ];
  const end = await dialogue(['auth', 'login', '-p', 'live'], steps, { columns: 200 });
  expect({ code: end.code, leftBehind: end.leftBehind }).toEqual({ code: 0, leftBehind: [] });
  expect(end.output).not.toContain(token);
  expect(end.text).toContain(
    `Token of the gift cards (profile live, ${server.url.slice('http://'.length)}) ${'*'.repeat(token.length)}`,
  );
  expect(end.text).toContain(
    `Stored, not tried yet: gift cards at ${server.url}, profile live.\nToken: ends with 9876\n`,
  );
  expect(end.text).toMatch(/^Try: frontdesk card get <cardId>$/m);
  expect(server.requests).toEqual([]);
});

it.concurrent('a token that is pasted is drawn once, however long it is', async () => {
  const args = ['auth', 'login', '--family', 'cards', '--cards-url', (await serve([])).url, '-p', 'live'];
  const terminal = openTerminal(args, { home: createHome() });
  await terminal.waitFor(/Token of the gift cards [^\n]*\)\s*$/);
  const before = terminal.output.length;
  terminal.type(`\u001b[200~${'k'.repeat(5000)}\u001b[201~`);
  await terminal.waitFor(/\*{80}\n\*{1,79}$/);
  expect(terminal.output.slice(before).match(/Token of/g)).toHaveLength(1);
  terminal.type('\r');
  expect((await terminal.end).text).toContain('Token: ends with kkkk\n');
});

it.concurrent('a question in a window of another width takes away what the terminal made of its lines', async () => {
  const server = await serve(() => ({ body: cardText('ACTIVE') }));
  const terminal = openTerminal(['card', 'block', CARD_ID], { home: createHome(), env: server.env });
  await terminal.talk([/\(y\/N/, 'r\r'], [/Reason \(Enter = none\)\s*$/, 'k'.repeat(100)]);
  await terminal.waitFor(/(?:k\n?){100}$/);
  // The question has 24 columns, and so two lines of 80 and 44. A width of 50 makes three of them, and 90 two again.
  for (const [columns, erased] of [
    [50, '\u001b[2A\r\u001b[J\n\u001b'],
    [90, '\u001b[2A\r\u001b[J\n\n\u001b'],
  ] as const) {
    const before = terminal.output.length;
    terminal.resize(columns, 40);
    const isErased = () => terminal.output.slice(before).includes(erased.replaceAll('\n', '\r\n'));
    while (!isErased()) await terminal.more();
    // The text is typed again, character by character.
    while (!/(?:k\s*){100}$/.test(stripVTControlCharacters(terminal.output.slice(before)))) await terminal.more();
  }
  terminal.type('\r');
  await terminal.talk([/Reason \(Enter = none\) k{100}\n\? Block card[^?]*\?\s+\(y\/N\)\s*$/, '\r']);
  expect((await terminal.end).code).toBe(130);
});

it.concurrent('a menu in a window of another width stands there once, and nothing of the one before', async () => {
  const terminal = openTerminal(['completion'], { home: createHome(), rows: 24 });
  await terminal.talk([/Enter$/, 'x']);
  await terminal.waitFor(/\? Which shell\? x[\s\S]*Enter$/);
  for (const columns of [50, 90]) {
    const before = terminal.output.length;
    terminal.resize(columns, 24);
    // Erased from the question on, with room for the entries below it.
    const erased = `\r\u001b[J${'\r\n'.repeat(5)}\u001b[5A`;
    while (!terminal.output.slice(before).includes(erased)) await terminal.more();
    await menuWith(terminal, /\? Which shell\? x/, columns);
    expect(screenOf(terminal, columns, 24)).toHaveLength(6);
  }
  terminal.type('\u007f3\r');
  expect((await terminal.end).code).toBe(0);
});

it.concurrent('auth login keeps nothing if it is left in the middle', async () => {
  const home = createHome();
  const steps: Step[] = [
    [/Gift cards or calendars\?/, '\r'],
    // As typed from memory: the scheme is added, and shown.
    [/Base URL/, 'cards.example.com\r'],
    [/https:\/\/cards\.example\.com[\s\S]*Token/, 'abcdefghijklmnopqrstuvwxyz\u0003'],
  ];
  expect((await dialogue(['auth', 'login', '-p', 'live'], steps, { home })).code).toBe(130);
  expect((await runFrontdesk(['profile', 'list', '--json', '--query', '[].name'], { home })).stdout).toBe(
    '[\n  "sandbox"\n]\n',
  );
});

const env = { TERM: 'dumb', LANG: 'C' };

it.concurrent('a terminal without escape sequences gets questions line by line, and nothing but ASCII text', async () => {
  const server = await serve([ACTIVE, ACTIVE, BLOCKED]);
  const steps: Step[] = [
    [/\? ID of the card/, `{${CARD_ID}}\r`],
    [/Enter takes this card/, '\r'],
    [/\(y\/N/, 'maybe\r'],
    [/> answer y/, 'y\r'],
  ];
  const end = await dialogue(['card', 'block'], steps, { env: { ...server.env, ...env } });
  expect(end.code).toBe(0);
  expect(end.output.replaceAll(/[\r\n]/g, '')).toMatch(/^[\x20-\x7e]*$/);
  expect(end.text).toContain(`  ${CARD_ID}\n`);
});

it.concurrent('a terminal without escape sequences hides a secret', async () => {
  const token = 'a-token-that-nobody-may-read';
  const args = ['auth', 'login', '-p', 'live', '--cards-url', 'https://cards.example.com'];
  const end = await dialogue(args, [[/Token .*\(not shown\)/, `x\u007f${token}\r`]], { env, columns: 200 });
  expect({ code: end.code, leftBehind: end.leftBehind }).toEqual({ code: 0, leftBehind: [] });
  expect(end.output).not.toContain('a-token');
  expect(end.text).toContain('Stored, not tried yet: gift cards');
});

it.concurrent('a terminal without escape sequences chooses by number', async () => {
  const end = await dialogue(
    ['completion'],
    [
      [/1 bash, 2 zsh/, '9\r'],
      [/> type the number of an entry/, '3\r'],
    ],
    { env },
  );
  expect(end.code).toBe(0);
  expect(end.text).toContain('complete -c frontdesk');
});
