import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../src/api/operation.ts';
import { OPERATIONS } from '../../../src/api/operations.ts';
import { TokenMask } from '../../../src/http/mask.ts';
import { judge, type Verdict } from '../../../src/http/response.ts';
import { printJson } from '../../../src/json/print.ts';
import type { Exchange, Header } from '../../../src/wire/exchange.ts';
import { CARD_ID, card } from './fakes.ts';

function judged(
  operation: Operation,
  body: string | Uint8Array,
  status = 200,
  headers: readonly Header[] = [],
): Verdict {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const exchange: Exchange = { kind: 'reply', status, headers, body: [bytes] };
  const id = operation.path.includes('{cardId}') ? CARD_ID : 'cal-1';
  return judge(exchange, { operation, id, nowMs: 0, mask: new TokenMask() });
}

const { cardGet, cardReissue, calendarUpdate, subscribersList, eventCreate } = OPERATIONS;
const CARD = JSON.stringify(card('ACTIVE'));

describe('2xx answers that are the resource', () => {
  it.each<[string, Operation, string | Uint8Array]>([
    ['a card', cardGet, CARD],
    ['B23 with a byte order mark', cardGet, `\ufeff${CARD}`],
    ['with the id in another case', cardGet, CARD.replace(CARD_ID, CARD_ID.toUpperCase())],
    ['B27 with a new status and more members', cardGet, JSON.stringify(card('FROZEN', { extra: [1] }))],
    ['B29 a reissue with another id', cardReissue, CARD.replace(CARD_ID, '00000000-0000-0000-0000-000000000000')],
    ['a calendar', calendarUpdate, '{"id":"CAL-1","object":"calendar"}'],
    ['an empty list', subscribersList, '{"object":"list","data":[]}'],
    ['an event', eventCreate, '{"id":"e","object":"event","calendar":"c"}'],
  ])('%s', (_, operation, body) => {
    expect(judged(operation, body)).toMatchObject({ kind: 'accepted', notices: [] });
  });

  it('B11 B12 B13 B14 keeps every digit, B18 every key', () => {
    const text = CARD.replace(
      '"metadata":{}',
      '"metadata":{"__proto__":{"a":1},"n":[12345678901234567.89,10.10,1e400,-0,1E2]}',
    );
    const verdict = judged(cardGet, text);
    expect(verdict.kind === 'accepted' && printJson(verdict.resource)).toBe(text);
    expect(verdict).toMatchObject({ notices: [] });
  });

  it('B33 whatever its Content-Type says', () => {
    expect(judged(cardGet, CARD, 200, [['Content-Type', 'text/html']])).toMatchObject({ kind: 'accepted' });
    expect(judged(cardGet, CARD, 200, [['Content-Encoding', 'identity']])).toMatchObject({ kind: 'accepted' });
  });

  it('H20 201 is taken, 202 says that the work goes on', () => {
    expect(judged(cardGet, CARD, 201)).toMatchObject({ kind: 'accepted', notices: [] });
    expect(judged(cardGet, CARD, 202)).toMatchObject({ kind: 'accepted', notices: [{ code: 'ACCEPTED' }] });
  });

  const notices: readonly [title: string, operation: Operation, body: string, code: string, message: string][] = [
    [
      'B28 a required member is missing',
      cardGet,
      CARD.replace('"status":"ACTIVE",', ''),
      'MISSING_FIELD',
      'the answer lacks status, which',
    ],
    [
      'B29 another id in family B, which does not say that ids come back as given',
      calendarUpdate,
      '{"id":"cal-2"}',
      'OTHER_ID',
      'the answer is shown as it came, but its id is "cal-2", which is not the one that was asked for',
    ],
    [
      'a nested one',
      cardGet,
      CARD.replace('"metadata":{}', '"metadata":{},"transactions":[{"amount":1}]'),
      'MISSING_FIELD',
      'lacks transactions.0.transactionId, transactions.0.type, transactions.0.createdAt,',
    ],
    [
      'another type',
      cardGet,
      CARD.replace('"status":"ACTIVE"', '"status":null'),
      'UNEXPECTED_FIELD',
      'the answer has status in another form',
    ],
  ];
  it.each(notices)('%s', (_, operation, body, code, message) => {
    const verdict = judged(operation, body);
    expect(verdict).toMatchObject({ kind: 'accepted', notices: [{ code, level: 'warning' }] });
    expect(verdict.kind === 'accepted' && verdict.notices[0]?.message).toContain(message);
  });
});

describe('2xx answers that cannot be read', () => {
  const rows: readonly [
    title: string,
    operation: Operation,
    body: string | Uint8Array,
    problem: RegExp,
    headers?: readonly Header[],
  ][] = [
    ['empty', cardGet, '', /^there is no body$/],
    ['H19 HTML', cardGet, '<html><title>Login</title>', /not JSON: line 1, column 1/],
    ['B5 cut', cardGet, CARD.slice(0, 40), /not JSON/],
    ['B26 null', cardGet, 'null', /no JSON object/],
    ['B26 array', cardGet, '[]', /no JSON object/],
    ['B26 text', cardGet, '"x"', /no JSON object/],
    ['B26 number', cardGet, '5', /no JSON object/],
    ['B17 duplicate keys', cardGet, '{"status":"ACTIVE","status":"BLOCKED"}', /ambiguous: .*"status" occurs twice/],
    ['B17 duplicate keys of one value', cardGet, '{"a":1,"a":1}', /ambiguous/],
    ['B20 too deep', cardGet, '['.repeat(300), /nested too deep/],
    ['B22 invalid UTF-8', cardGet, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not UTF-8/],
    ['B25 UTF-16', cardGet, Buffer.from(CARD, 'utf16le'), /not JSON|not UTF-8/],
    ['B9 compressed', cardGet, CARD, /compressed \(gzip\)/, [['Content-Encoding', 'gzip']]],
    [
      'B29 another card',
      cardGet,
      CARD.replace(CARD_ID, '00000000-0000-0000-0000-000000000000'),
      /cardId is "00000000-0000-0000-0000-000000000000", which is not/,
    ],
    ['B30 another object', calendarUpdate, '{"id":"cal-1","object":"event"}', /object is "event", not "calendar"/],
    [
      'a list that says it is none',
      subscribersList,
      '{"object":"calendar","data":[]}',
      /object is "calendar", not "list"/,
    ],
    ['a list without data', subscribersList, '{"object":"list"}', /no array data/],
    ['a list whose data is none', subscribersList, '{"object":"list","data":{}}', /no array data/],
  ];
  it.each(rows)('%s', (_, operation, body, problem, headers) => {
    const verdict = judged(operation, body, 200, headers);
    expect(verdict).toMatchObject({ kind: 'failed', event: 'unreadable' });
    expect(verdict.kind === 'failed' && verdict.problem).toMatch(problem);
  });
});

describe('other statuses', () => {
  const rows: readonly [status: number, headers: readonly Header[], event: string][] = [
    [301, [], 'refused'],
    [304, [], 'refused'],
    [400, [], 'refused'],
    [401, [], 'refused'],
    [408, [], 'busy'],
    [418, [], 'refused'],
    [429, [], 'busy'],
    [500, [], 'server_error'],
    [500, [['Retry-After', '1']], 'server_error'],
    [503, [], 'server_error'],
    [503, [['Retry-After', 'soon']], 'server_error'],
    [503, [['retry-after', '1']], 'unavailable'],
    [599, [], 'server_error'],
    [600, [], 'server_error'],
    [999, [], 'server_error'],
    [101, [], 'server_error'],
  ];
  it.each(rows)('%d %j is %s', (status, headers, event) => {
    expect(judged(cardGet, '', status, headers)).toMatchObject({ kind: 'failed', event, reply: { status } });
  });

  const errors: readonly [title: string, body: string, expected: object][] = [
    [
      'the error shape of family A',
      '{"errorCode":"E","message":"m","details":{}}',
      { summary: 'E: m', body: undefined },
    ],
    ['errorCode without message is another shape', '{"errorCode":"E"}', { service: undefined, summary: 'E' }],
    ['H30 problem details', '{"title":"t","detail":"d","status":1}', { service: undefined, summary: 't: d' }],
    ['a nested message', '{"error":{"message":"m"}}', { summary: 'm' }],
    [
      'H16 HTML: the title only',
      '<html><head><title> 502\n Bad Gateway </title></head><body>secret</body>',
      { summary: '"502 Bad Gateway"', isHtml: true },
    ],
    ['HTML without title: tags stripped', '<html><body><h1>Oh</h1> no</body>', { summary: '"Oh no"' }],
    ['text', 'upstream error', { summary: '"upstream error"', body: 'upstream error' }],
    ['long text is cut', 'x'.repeat(600), { summary: `"${'x'.repeat(119)}…"`, body: `${'x'.repeat(499)}…` }],
    ['nothing', '', { summary: '', service: undefined, body: undefined }],
    [
      'B34 a message of megabytes is cut in the summary',
      `{"errorCode":"E","message":"${'y'.repeat(1_000_000)}"}`,
      { summary: `E: ${'y'.repeat(496)}…` },
    ],
  ];
  it.each(errors)('%s', (_, body, expected) => {
    expect(judged(cardGet, body, 500)).toMatchObject({ error: expected });
  });
});

describe('answers of many megabytes', () => {
  const entries = (entry: string) => `[${`${entry},`.repeat(300_000)}${entry}]`;

  it('B21 a list whose entries all lack what is required: shown, with one warning', () => {
    const verdict = judged(cardGet, CARD.replace('"metadata":{}', `"metadata":{},"transactions":${entries('{}')}`));
    expect(verdict).toMatchObject({ kind: 'accepted', notices: [{ code: 'MISSING_FIELD' }] });
  });

  it('B21 more parts than memory is given for them: unreadable, and shown by its beginning', () => {
    const many = CARD.replace('"metadata":{}', `"metadata":{"a":${entries('{"a":1},{"a":1},{"a":1},{"a":1}')}}`);
    const verdict = judged(cardGet, many);
    expect(verdict).toMatchObject({ kind: 'failed', event: 'unreadable' });
    expect(verdict.kind === 'failed' && verdict.problem).toMatch(
      /^it has too many parts: line 1, column \d+ \(at metadata\.a\.\d+.*\): too many values to hold in memory$/,
    );
    expect(verdict.kind === 'failed' && verdict.error.body).toBe(`${many.slice(0, 499)}…`);
  });

  it('B34 an error of more than 8 MiB is shown by its beginning', () => {
    const message = 'm'.repeat(9 * 1024 * 1024);
    const verdict = judged(cardGet, JSON.stringify({ errorCode: 'E', message }), 400);
    expect(verdict).toMatchObject({ kind: 'failed', event: 'refused', error: { service: undefined } });
    expect(verdict.kind === 'failed' && String(verdict.error.body)).toHaveLength(500);
  });

  it('another card of more than 8 MiB is not repeated in the error', () => {
    const other = CARD.replace(CARD_ID, '00000000-0000-0000-0000-000000000001');
    const verdict = judged(cardGet, other.replace('"metadata":{}', `"metadata":{"a":"${'x'.repeat(9 << 20)}"}`));
    expect(verdict.kind === 'failed' && verdict.problem).toContain('which is not the one that was asked for');
    expect(verdict.kind === 'failed' && String(verdict.error.body)).toHaveLength(500);
  });

  it('reads a body that came in pieces, cut inside a character', () => {
    const bytes = Buffer.from(CARD.replace('"design":"d"', '"design":"Tromsø 🎁"'), 'utf8');
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const exchange: Exchange = { kind: 'reply', status: 200, headers: [], body: pieces };
    const verdict = judge(exchange, { operation: cardGet, id: CARD_ID, nowMs: 0, mask: new TokenMask() });
    expect(verdict.kind === 'accepted' && printJson(verdict.resource)).toContain('"design":"Tromsø 🎁"');
  });
});
