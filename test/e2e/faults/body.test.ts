import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Behavior, flood, json, raw, reply, wrongLength } from '../../support/fault-server.ts';
import { createHome, NO_PAUSE, startFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { type CallName, type FaultOptions, faulty, meet, onPost, seen } from './fault-run.ts';

/** docs/faults.md, group B: what may stand in a body. */

const ACTIVE = json(200, cardText('ACTIVE'));
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const CARD = cardText('ACTIVE');

async function once(behavior: Behavior, call: CallName | readonly string[], options: FaultOptions = {}) {
  const server = await faulty(behavior);
  return { server, ...(await meet(server, call, options)) };
}

/** A card whose text has this member added; the rest is a whole card. */
function cardWith(members: string): string {
  return `${CARD.slice(0, -1)},${members}}`;
}

/** A body that nobody can read: a read fails, is tried again and says why; a write is unknown, and sent once. */
async function expectUnreadable(answer: Behavior, text: string | RegExp): Promise<void> {
  const read = await once(answer, 'get', { retries: 1, budgetMs: 40_000 });
  expect(read.end).toBe('10');
  expect(read.error?.message).toMatch(text);
  expect(seen(read.server)).toBe('0 POST, 2 GET');
  const write = await once(answer, 'provisionA', { retries: 1, budgetMs: 40_000 });
  expect(write.end).toBe('8 unknown');
  expect(write.error?.message).toMatch(text);
  expect(write.error?.http?.status).toBe(200);
  expect(seen(write.server)).toBe('1 POST, 0 GET');
}

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const rows: readonly (readonly [string, Behavior, RegExp])[] = [
  ['B1 chunked and cut', raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\nff\r\n{"cardId"`), /the response was cut off/],
  [
    'B2 chunked, valid JSON so far, without the last chunk',
    raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk(CARD)}`),
    /the response was cut off/,
  ],
  ['B3 a length that is too long', wrongLength(200, CARD.length + 9, CARD), /the response was cut off/],
  ['B4 a length that is too short', wrongLength(200, 3, CARD), /the response is not JSON|answer/],
  [
    'B5 no length, cut at the close',
    raw(`${HEAD}\r\n${CARD.slice(0, 60)}`),
    /the response is not JSON.*ends inside a string/,
  ],
  ['B6 a bad chunk size', raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`), /broke the rules of HTTP/],
  [
    'B8 a declared length of 99 GB',
    raw(`${HEAD}Content-Length: 99000000000\r\n\r\n{`, { keepOpen: true }),
    /the response declares 99000000000 bytes \(the limit is 33554432 bytes\)/,
  ],
];
it.concurrent.each(rows)('%s: no half of a body is printed', async (_, answer, text) => {
  await expectUnreadable(answer, text);
});

it.concurrent('B7 an endless body is stopped at the limit', async () => {
  const endless = flood(`${HEAD}\r\n{"a":"`, 'x'.repeat(65_536));
  const write = await once(endless, 'event', { attemptMs: 15_000, budgetMs: 15_000 });
  expect(write.end).toBe('8 unknown');
  expect(write.error?.message).toContain('the response does not end (the limit is 33554432 bytes)');
});

it.concurrent('B9 gzip without a request for it is refused by name', async () => {
  const zipped = reply(200, { 'Content-Encoding': 'gzip' }, gzipSync(CARD));
  await expectUnreadable(zipped, /the response is compressed \(gzip\), which was not asked for/);
  const { server } = await once(zipped, 'get');
  expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
});

/** Most memory that a run of the built program had at a time, MiB; undefined where the system does not tell. */
async function peakMemory(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { child, result } = startFrontdesk(args, { env, timeoutMs: 60_000 });
  let peak: number | undefined;
  let seconds = 0;
  const timer = setInterval(() => {
    try {
      const line = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
      if (line !== undefined) peak = Number(line) / 1024;
      // Hundredths of a second in its own code and in the system, behind the name, which may hold anything.
      const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .slice(11);
      seconds = (Number(user) + Number(system)) / 100;
    } catch {
      // Over already, or a system without /proc.
    }
  }, 5);
  const ended = await result;
  clearInterval(timer);
  return { peak, seconds, ...ended };
}

describe('memory and time of large answers', () => {
  const SIZE = 31 * 1024 * 1024;
  /** A card of 31 MiB, filled with this text again and again. */
  const filled = (open: string, text: string, close: string) => {
    const empty = CARD.replace('{"store":"Bergen"}', `{"a":${open}${close}}`);
    const times = Math.floor((SIZE - empty.length) / (Buffer.byteLength(text) + 1)) - 1;
    const separator = open === '"' ? '' : ',';
    return CARD.replace('{"store":"Bergen"}', `{"a":${open}${`${text}${separator}`.repeat(times)}${text}${close}}`);
  };
  const transaction =
    '{"transactionId":"0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101","amount":10.50,"type":"LOAD","createdAt":"2025-01-01T00:00:00Z"}';
  const rows: readonly (readonly [string, () => string, number])[] = [
    ['one long text', () => filled('"', 'x', '"'), 0],
    ['bidi overrides', () => filled('"', '\u202e', '"'), 0],
    ['a quarter of a million transactions', () => filled('[', transaction, ']'), 0],
    ['millions of small objects', () => filled('[', '{"a":1}', ']'), 10],
    ['millions of small arrays', () => filled('[', '[1]', ']'), 10],
    ['millions of digits, deep inside', () => filled('['.repeat(200), '1', ']'.repeat(200)), 10],
    [
      'a million keys',
      () => `${CARD.slice(0, -1)},${Array.from({ length: 1e6 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
      10,
    ],
  ];
  it.each(rows)('B21 %s in 31 MiB: below 260 MiB, in a few seconds', async (_, make, code) => {
    const server = await faulty(json(200, make()));
    const env = { FRONTDESK_CARDS_URL: server.url, FRONTDESK_CARDS_TOKEN: 'token-of-a-large-card' };
    for (const format of code === 0 ? ['json', 'csv'] : ['json']) {
      const result = await peakMemory(['card', 'get', CARD_ID, '-o', format, '--retries', '0'], env);
      expect(result.code, result.stderr.slice(0, 500)).toBe(code);
      if (format === 'json' && code === 0) expect(JSON.parse(result.stdout).cardId).toBe(CARD_ID);
      if (result.peak !== undefined) expect(result.peak).toBeLessThan(260);
      // Of a processor's time, of which it takes two: what other processes take does not count.
      expect(result.seconds).toBeLessThan(10);
    }
  });

  it('B21 a response to a change with more parts than its memory is unknown, never a crash', async () => {
    const server = await faulty(json(200, filled('[', '{"a":1}', ']')));
    const result = await meet(server, 'provisionA', { attemptMs: 30_000 });
    expect(result.end).toBe('8 unknown');
    expect(result.error?.message).toContain('the response has too many parts');
  });

  it('B10 a gzip bomb is never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
    const server = await faulty(reply(200, { 'Content-Encoding': 'gzip' }, Buffer.concat(Array(150).fill(bomb))));
    const env = { FRONTDESK_CARDS_URL: server.url, FRONTDESK_CARDS_TOKEN: 'token-against-a-bomb' };
    const { code, stderr, peak } = await peakMemory(['card', 'get', CARD_ID, '--json', '--retries', '0'], env);
    expect(code).toBe(10);
    expect(stderr).toContain('the response is compressed (gzip), which was not asked for');
    if (peak !== undefined) expect(peak).toBeLessThan(150);
  });
});

// More digits than a double has, a trailing zero, beyond the range of a double, minus zero, an exponent, a whole number
// with a fraction, and nines that a double rounds up.
const AMOUNTS = ['12345678901234567.89', '10.10', '1e400', '-0', '1E2', '1.0', '19.999999999999999'];

it.concurrent('B11 B12 B13 B14 amounts are printed digit for digit in every format', async () => {
  const [balance = '', , initial = '', loaded = ''] = AMOUNTS;
  const transactions = AMOUNTS.map((amount) => `{"transactionId":"t","amount":${amount}}`).join(',');
  const card = CARD.replace('10.10', balance).replace('50.00', initial);
  const server = await faulty(
    json(200, `${card.slice(0, -1)},"cancellationAmount":${loaded},"transactions":[${transactions}]}`),
  );
  const asJson = await meet(server, 'get');
  expect(asJson.stdout, asJson.stderr).toContain(`"currentBalance": ${balance},`);
  expect(asJson.stdout).toContain(`"initialBalance": ${initial},`);
  for (const amount of AMOUNTS) expect(asJson.stdout).toContain(`"amount": ${amount}\n`);
  const ndjson = await meet(server, 'get', { format: ['-o', 'ndjson'] });
  expect(ndjson.stdout).toContain(`"currentBalance":${balance},`);
  const named = [
    'currentBalance',
    'initialBalance',
    'cancellationAmount',
    ...AMOUNTS.map((_, at) => `transactions.${at}.amount`),
  ];
  const all = [balance, initial, loaded, ...AMOUNTS];
  const csv = await meet(server, 'get', { format: ['-o', 'csv', '--columns', named.join(',')] });
  expect(csv.stdout).toBe(`${named.join(',')}\r\n${all.join(',')}\r\n`);
  const table = await meet(server, 'get', { format: ['--columns', named.join(','), '--no-header'] });
  expect(table.stdout).toBe(`${all.join('\t')}\n`);
  const query = await meet(server, 'get', { format: ['-o', 'ndjson'], flags: ['--query', 'transactions[].amount'] });
  expect(query.stdout).toBe(`[${AMOUNTS.join(',')}]\n`);
});

it.concurrent('B15 amounts are compared and added as decimals, never as doubles', async () => {
  const text = cardWith('"transactions":[{"amount":0.1},{"amount":0.2},{"amount":12345678901234567.89}]');
  const server = await faulty(json(200, text));
  const sum = await meet(server, 'get', { flags: ['--query', 'sum(transactions[].amount)'] });
  expect(sum.stdout).toBe('12345678901234568.19\n');
  const more = 'transactions[?amount > `12345678901234567.88`].amount';
  expect((await meet(server, 'get', { format: ['-o', 'ndjson'], flags: ['--query', more] })).stdout).toBe(
    '[12345678901234567.89]\n',
  );
  const none = 'transactions[?amount > `12345678901234567.895`].amount';
  expect((await meet(server, 'get', { flags: ['--query', none] })).stdout).toBe('[]\n');
});

it.concurrent('B16 a JavaScript engine without source text access and rawJSON prints the same digits', async () => {
  const home = createHome();
  const old = join(home.path, 'old-engine.cjs');
  writeFileSync(
    old,
    `delete JSON.rawJSON; delete JSON.isRawJSON;
       const parse = JSON.parse;
       JSON.parse = (text, reviver) => parse(text, reviver && function (key, value) { return reviver.call(this, key, value); });`,
  );
  const result = await once(json(200, CARD.replace('50.00', '1234567890123456789.10')), 'get', {
    home,
    env: { NODE_OPTIONS: `--require ${old}` },
  });
  expect(result.stdout).toContain('"initialBalance": 1234567890123456789.10,');
});

it.concurrent('B17 a response with the same key twice is refused as ambiguous', async () => {
  const twice = json(200, CARD.replace('"status":"ACTIVE"', '"status":"ACTIVE","status":"BLOCKED"'));
  const read = await once(twice, 'get');
  expect(read.end).toBe('10');
  expect(read.error?.message).toContain('the response is ambiguous');
  expect(read.error?.message).toContain('the name "status" occurs twice');
  const write = await faulty(onPost(twice, ACTIVE));
  expect((await meet(write, 'block', { env: NO_PAUSE })).end).toBe('8 unknown');
  const deep = json(200, cardWith('"transactions":[{"amount":1,"amount":1}]'));
  expect((await once(deep, 'get')).end).toBe('10');
});

it.concurrent('B18 B19 names of what every object has are keys of metadata like any other', async () => {
  const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'valueOf', '10', ''];
  const metadata = `{${odd.map((name, index) => `"${name}":"v${index}"`).join(',')}}`;
  const named = odd.slice(0, 5).map((name) => `metadata.${name}`);
  const columns = ['--columns', named.join(','), '--no-header'];
  const server = await faulty(json(200, CARD.replace('{"store":"Bergen"}', metadata)));
  const asJson = await meet(server, 'get', { format: ['-o', 'ndjson'] });
  expect(asJson.stdout).toBe(`${CARD.replace('{"store":"Bergen"}', metadata)}\n`);
  expect((await meet(server, 'get', { format: columns })).stdout).toBe('v0\tv1\tv2\tv3\tv4\n');
  const csv = await meet(server, 'get', { format: ['-o', 'csv'] });
  expect(csv.stdout.split('\r\n')[0]).toContain(named.join(','));
  expect((await once(ACTIVE, 'get', { format: columns })).stdout).toBe('\t\t\t\t\n');
});

it.concurrent('B18 __proto__ at the top and as an object changes nothing else', async () => {
  const text = cardWith('"__proto__":{"status":"HACKED"},"constructor":{"prototype":{"x":1}}');
  const { code, stdout } = await once(json(200, text), 'get', { format: ['-o', 'ndjson'] });
  expect(code).toBe(0);
  expect(stdout).toBe(`${text}\n`);
  const query = await once(json(200, text), 'get', { flags: ['--query', '[status, x, "__proto__".status]'] });
  expect(JSON.parse(query.stdout)).toEqual(['ACTIVE', null, 'HACKED']);
});

it.concurrent('B20 a response nested deeper than 256 is refused, and 256 is printed', async () => {
  // The card is one level, its metadata the second.
  const nested = (levels: number) => {
    const inside = `${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}`;
    return json(200, CARD.replace('{"store":"Bergen"}', `{"deep":${inside}}`));
  };
  for (const levels of [257, 10_000, 1_000_000]) {
    const read = await once(nested(levels), 'get');
    expect(read.end).toBe('10');
    expect(read.error?.message).toContain('nested deeper than 256 levels');
    const server = await faulty(onPost(nested(levels), ACTIVE));
    expect((await meet(server, 'reissue', { env: NO_PAUSE })).end).toBe('8 unknown');
  }
  for (const format of [['--json'], ['-o', 'ndjson'], ['-o', 'csv'], []]) {
    expect((await once(nested(256), 'get', { format })).code).toBe(0);
  }
});

it.concurrent.each([
  ['B22 bytes that are no UTF-8', Buffer.from(CARD.replace('Bergen', 'Troms\u00f8'), 'latin1')],
  ['B25 UTF-16', Buffer.from(`\ufeff${CARD}`, 'utf16le')],
])('%s: text is unreadable, never repaired', async (_, bytes) => {
  await expectUnreadable(
    reply(200, { 'Content-Type': 'application/json; charset=iso-8859-1' }, bytes),
    /the response is not UTF-8 text/,
  );
});

it.concurrent('B25 UTF-16 without a byte order mark is no JSON', async () => {
  await expectUnreadable(reply(200, {}, Buffer.from('{"a":1}', 'utf16le')), /the response is not JSON/);
});

it.concurrent('B23 one byte order mark is accepted, two are not', async () => {
  expect((await once(json(200, `\ufeff${CARD}`), 'get')).code).toBe(0);
  expect((await once(json(200, `\ufeff\ufeff${CARD}`), 'get')).end).toBe('10');
});

it.concurrent('B24 half a surrogate pair is kept in JSON, and shown as a replacement in a table', async () => {
  const answer = json(200, CARD.replace('Bergen', 'a\\ud800b'));
  const asJson = await once(answer, 'get');
  expect(asJson.stdout).toContain('"store": "a\\ud800b"');
  const table = await once(answer, 'get', { format: ['--columns', 'metadata.store', '--no-header'] });
  expect(table.stdout).toBe('a\ufffdb\n');
});

it.concurrent.each(['null', '[]'])('B26 %s as the body is no card', async (body) => {
  await expectUnreadable(json(200, body), /the response is not a JSON object/);
  const list = await once(json(200, body), 'list');
  expect(list.end).toBe('10');
});

it.concurrent.each([
  ['an object without data', '{"object":"list"}', 'the response has no array data'],
  ['data that is no array', '{"object":"list","data":{}}', 'the response has no array data'],
])('B26 a list that is %s is refused with the name of the field', async (_, body, text) => {
  const { end, error } = await once(json(200, body), 'list');
  expect(end).toBe('10');
  expect(error?.message).toContain(text);
});

it.concurrent('B26 entries of a list that are no objects are printed as they are', async () => {
  for (const format of [['--json'], ['-o', 'ndjson'], ['-o', 'csv'], []]) {
    const { code, notices } = await once(json(200, '{"object":"list","data":[null,5,"x",[]]}'), 'list', { format });
    expect(code).toBe(0);
    if (format[0] === '--json') expect(notices).toContain('UNEXPECTED_FIELD');
  }
});

it.concurrent('B27 an unknown status and further fields are printed as they are', async () => {
  const text = cardWith('"status2":"x","colour":{"hue":[1,2]}').replace('"ACTIVE"', '"FROZEN_SOLID"');
  const { code, stdout, notices } = await once(json(200, text), 'get', { format: ['-o', 'ndjson'] });
  expect(code).toBe(0);
  expect(stdout).toBe(`${text}\n`);
  expect(notices).toEqual([]);
  const table = await once(json(200, text), 'get', { format: ['--columns', 'status', '--no-header'] });
  expect(table.stdout).toBe('FROZEN_SOLID\n');
});

it.concurrent('B28 a card without a required field is printed with a warning', async () => {
  const text = `{"cardId":"${CARD_ID}","design":"classic"}`;
  const result = await once(json(200, text), 'get', { format: ['-o', 'ndjson'], flags: ['--quiet'] });
  expect(result.code).toBe(0);
  expect(result.stdout).toBe(`${text}\n`);
  expect(result.notices).toEqual(['MISSING_FIELD']);
  expect(result.stderr).toContain('status');
  expect((await once(json(200, '{}'), 'activate')).end).toBe('8 unknown');
});

const OTHER = '00000000-0000-0000-0000-000000000001';
it.concurrent('B29 a response with another card ID is unreadable, except to a reissue', async () => {
  const other = json(200, cardText('ACTIVE', OTHER));
  const read = await once(other, 'get');
  expect(read.end).toBe('10');
  expect(read.error?.message).toContain(`the response has the cardId "${OTHER}", not the requested one`);
  const write = await faulty(onPost(other, ACTIVE));
  expect((await meet(write, 'block', { env: NO_PAUSE })).end).toBe('8 unknown');
  const reissued = await once(other, 'reissue');
  expect(reissued.code).toBe(0);
  expect(reissued.stdout).toContain(OTHER);
  const upper = await once(json(200, cardText('ACTIVE', CARD_ID.toUpperCase())), 'get');
  expect(upper.code).toBe(0);
});

it.concurrent('B30 for an object of another kind a read fails, and a change is unknown', async () => {
  expect((await once(json(200, '{"object":"subscriber","data":[]}'), 'list')).end).toBe('10');
  const event = await once(json(200, '{"object":"calendar","id":"cal_1"}'), 'event');
  expect(event.end).toBe('8 unknown');
  expect(event.error?.message).toContain('member object is "calendar", not "event"');
  const calendar = await once(json(200, '{"object":"event","id":"cal_1"}'), 'calendar');
  expect(calendar.end).toBe('8 unknown');
});

it.concurrent('B31 a date that does not exist is printed as the service sent it', async () => {
  const answer = json(200, CARD.replace('2031-01-01T00:00:00Z', '2026-02-30T25:61:00Z'));
  expect((await once(answer, 'get')).stdout).toContain('"expiryDate": "2026-02-30T25:61:00Z"');
  const table = await once(answer, 'get', { format: ['--columns', 'expiryDate', '--no-header'] });
  expect(table.stdout).toBe('2026-02-30T25:61:00Z\n');
});

it.concurrent.each([
  [10, [], 0, 1],
  [11, [], 0, 0],
  [3, ['--limit', '3'], 0, 1],
  [3, ['--limit', '3', '--require-complete'], 15, 0],
])('B32 %i entries with %j are all printed, with a warning for a full page', async (count, flags, code, warnings) => {
  const data = Array.from({ length: count }, (_, index) => ({ id: `sub_${index}`, object: 'subscriber' }));
  const result = await once(json(200, { object: 'list', data }), 'list', { flags });
  expect(result.code).toBe(code);
  expect(JSON.parse(result.stdout).data).toHaveLength(count);
  expect(result.notices.filter((notice) => notice === 'MAY_BE_INCOMPLETE')).toHaveLength(warnings);
  if (code === 15) expect(result.error?.message).toContain('there may be more than 3 subscribers');
});

it.concurrent('B33 another content type with valid JSON is accepted', async () => {
  for (const type of ['text/plain', 'text/html', 'application/octet-stream', '']) {
    expect((await once(reply(200, { 'Content-Type': type }, CARD), 'activate')).code).toBe(0);
  }
});

it.concurrent('B34 an error message of 5 MB is cut in text, and whole in JSON', async () => {
  const message = 'x'.repeat(5_000_000);
  const answer = json(400, { errorCode: 'LONG', message });
  const people = await once(answer, 'activate', { format: [] });
  expect(people.code).toBe(6);
  expect(people.stderr.length).toBeLessThan(1000);
  expect(people.stderr).toContain('LONG: "xxx');
  const programs = await once(answer, 'activate');
  expect(programs.end).toBe('6 rejected');
  expect(programs.error?.service).toEqual({ errorCode: 'LONG', message });
  expect(programs.error?.message.length).toBeLessThan(1000);
});
