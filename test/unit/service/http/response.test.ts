import { expect, it } from 'vitest';
import { quoted } from '../../../../src/base/json/outside-text.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import { JsonNumber, type JsonValue } from '../../../../src/base/json/value.ts';
import type { Operation } from '../../../../src/service/api/operation.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import { TokenMask } from '../../../../src/service/http/mask.ts';
import { judge, redirectOrigin, type Verdict } from '../../../../src/service/http/response.ts';
import { resultIdOf } from '../../../../src/service/http/response-shape.ts';
import type { BreakLabel, Broken, Exchange, Header } from '../../../../src/service/wire/exchange.ts';
import { CARD_ID, card } from './fakes.ts';

function judged(
  operation: Operation,
  body: string | Uint8Array,
  status = 200,
  headers: readonly Header[] = [],
): Verdict {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const exchange: Exchange = { kind: 'reply', status, headers, body: [bytes] };
  const params: Record<string, string> = operation.path.includes('{cardId}') ? { cardId: CARD_ID } : { id: 'cal-1' };
  return judge(exchange, { operation, params }, 0, new TokenMask());
}

const { cardGet, cardReissue, cardProvisionWalletA, calendarUpdate, subscribersList, eventCreate } = OPERATIONS;
const CARD = JSON.stringify(card('ACTIVE'));

it.each<[string, Operation, string | Uint8Array]>([
  ['a card', cardGet, CARD],
  ['B23 with a byte order mark', cardGet, `\ufeff${CARD}`],
  ['with the id in another case', cardGet, CARD.replace(CARD_ID, CARD_ID.toUpperCase())],
  ['B27 with a new status and more members', cardGet, JSON.stringify(card('FROZEN', { extra: [1] }))],
  ['B29 a reissue with another id', cardReissue, CARD.replace(CARD_ID, '00000000-0000-0000-0000-000000000000')],
  ['a calendar', calendarUpdate, '{"id":"cal-1","object":"calendar"}'],
  ['an empty list', subscribersList, '{"object":"list","data":[]}'],
  ['an event', eventCreate, '{"id":"e","object":"event","calendar":"c"}'],
])('2xx answers that are the resource: %s', (_, operation, body) => {
  expect(judged(operation, body)).toMatchObject({ kind: 'accepted', notices: [] });
});

it('B11 B12 B13 B14 a 2xx answer keeps every digit, B18 every key', () => {
  const text = CARD.replace(
    '"metadata":{}',
    '"metadata":{"__proto__":{"a":1},"n":[12345678901234567.89,10.10,1e400,-0,1E2]}',
  );
  const verdict = judged(cardGet, text);
  expect(verdict.kind === 'accepted' && printJson(verdict.resource)).toBe(text);
  expect(verdict).toMatchObject({ notices: [] });
});

it('B33 a 2xx answer is the resource whatever its Content-Type says', () => {
  expect(judged(cardGet, CARD, 200, [['Content-Type', 'text/html']])).toMatchObject({ kind: 'accepted' });
  expect(judged(cardGet, CARD, 200, [['Content-Encoding', 'identity']])).toMatchObject({ kind: 'accepted' });
});

it('H20 a 201 is accepted, and a 202 says that it is not finished', () => {
  expect(judged(cardGet, CARD, 201)).toMatchObject({ kind: 'accepted', notices: [] });
  expect(judged(cardGet, CARD, 299)).toMatchObject({ kind: 'accepted', notices: [] });
  expect(judged(cardGet, CARD, 202)).toMatchObject({ kind: 'accepted', notices: [{ code: 'ACCEPTED' }] });
});

const notices: readonly [title: string, operation: Operation, body: string, code: string, message: string][] = [
  [
    'B28 a required member is missing',
    cardGet,
    CARD.replace('"status":"ACTIVE",', ''),
    'MISSING_FIELD',
    'the response lacks status, which',
  ],
  [
    'an answer of the calendar API without an id',
    calendarUpdate,
    '{"name":"Spring"}',
    'NO_ID',
    'the response has no ID, so nothing shows what it is about',
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
    'the response has status in another form',
  ],
];
it.each<[title: string, operation: Operation, status: string, notices: readonly object[]]>([
  ['a block that shows BLOCKED', OPERATIONS.cardBlock, 'BLOCKED', []],
  [
    'a block that shows ACTIVE',
    OPERATIONS.cardBlock,
    'ACTIVE',
    [
      {
        code: 'OTHER_STATUS',
        level: 'warning',
        message: 'the response shows status "ACTIVE", not BLOCKED. Check the card',
      },
    ],
  ],
  [
    'an activation that shows a new status',
    OPERATIONS.cardActivate,
    'FROZEN',
    [
      {
        code: 'OTHER_STATUS',
        level: 'warning',
        message: 'the response shows status "FROZEN", not ACTIVE. Check the card',
      },
    ],
  ],
  [
    'a reissue that shows the card that was asked for',
    cardReissue,
    'ACTIVE',
    [{ code: 'NO_NEW_CARD', level: 'note', message: 'the response names no new card' }],
  ],
])('a 2xx is what it shows: %s', (_, operation, status, expected) => {
  expect(judged(operation, JSON.stringify(card(status)))).toMatchObject({ kind: 'accepted', notices: expected });
});

it.each(['', '..', 'x\u2028"'])('a reissue that answers with the cardId %j counts, and names no new card', (cardId) => {
  const message = `the response names no new card: its cardId is ${quoted(cardId)}, which is not a card ID`;
  expect(judged(cardReissue, JSON.stringify({ ...card('ACTIVE'), cardId }))).toMatchObject({
    kind: 'accepted',
    notices: expect.arrayContaining([{ code: 'NO_NEW_CARD', level: 'note', message }]),
  });
});

it('a block without a status in its 2xx counts, and says so', () => {
  const { status: _, ...rest } = card('BLOCKED');
  const message = 'the response shows no status, not BLOCKED. Check the card';
  expect(judged(OPERATIONS.cardBlock, JSON.stringify(rest))).toMatchObject({
    kind: 'accepted',
    notices: [{ code: 'OTHER_STATUS', message }, { code: 'MISSING_FIELD' }],
  });
});

it.each([
  ['its own path', '/v1/calendars/cal-1/subscribers', 'accepted'],
  ['its own path with other words, with a query', 'https://h/x/V1/Calendars/cal-1/subscribers?limit=10', 'accepted'],
  ['its own path below a folder of that name', 'https://h/calendars/v1/calendars/cal-1/subscribers', 'accepted'],
  ['its own encoded path', '/v1/calendars/cal%2D1/subscribers#top', 'accepted'],
  ['its own path behind that of another one', '/v1/calendars/cal-2/../cal-1/subscribers', 'accepted'],
  ['another path', '/v2/lists/7', 'accepted'],
  ['no path', '', 'accepted'],
  ['a host alone', 'https://[', 'accepted'],
  ['the path of its ID in another case', '/v1/calendars/CAL-1/subscribers', 'failed'],
  ['the path of another calendar without a slash', 'v1/calendars/cal-2/subscribers', 'failed'],
  ['the path of another calendar with more slashes', '//v1//calendars//cal-2//subscribers//', 'failed'],
  ['the path of another calendar in another case', '/V1/Calendars/cal-2/SUBSCRIBERS', 'failed'],
  ['the path of another calendar with dots', '/v1/calendars/cal-1/../cal-2/./subscribers', 'failed'],
  ['the path of another calendar with encoded dots', '/v1/calendars/cal-1/%2e%2E/cal-2/subscribers', 'failed'],
  ['the path of another calendar of another version', '/v2/calendars/cal-2/subscribers', 'failed'],
  ['the path of another calendar without a version', 'calendars/cal-2/subscribers', 'failed'],
  ['the path of another calendar with backslashes', '\\\\v1\\calendars\\cal-2\\subscribers', 'failed'],
  ['the path of another calendar with a slash in its ID', '/v1/calendars/cal%2F1/subscribers', 'failed'],
  ['the path of another calendar behind its own', '/v1/calendars/cal-1/subscribers/../../cal-2/subscribers', 'failed'],
  ['the path of another calendar', '/v1/calendars/cal-2/subscribers', 'failed'],
  ['the path of another calendar without its list', '/v1/calendars/cal-2', 'failed'],
  ['another calendar in its query', '/v1/subscribers?calendar=cal%2D2&limit=10', 'failed'],
  ['its own path without its list', '/v1/calendars/cal-1/', 'accepted'],
  ['its own calendar in its query', '/v1/subscribers?calendar=cal-1', 'accepted'],
  ['an empty calendar in its query', '/v1/subscribers?calendar=', 'accepted'],
  ['a path of calendars without an ID', '/v1/calendars', 'accepted'],
  ['a path of calendars with its list alone', '/v1/calendars/subscribers', 'accepted'],
  ['a word that may be anything', 'cal-2', 'accepted'],
  ['the encoded path of another calendar', 'https://h/x/v1/calendars/cal%202/subscribers/', 'failed'],
])('a list with the url of %s', (_, url, kind) => {
  const verdict = judged(subscribersList, JSON.stringify({ object: 'list', data: [], url }));
  expect(verdict.kind).toBe(kind);
});

it.each([
  ['another card', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
  ['the card that was asked for, in any case', CARD_ID.toUpperCase(), undefined],
  ['none with an empty ID', '', undefined],
  ['none with an ID that makes another path', '..', undefined],
  ['none with a line separator behind its ID', '00000000-0000-0000-0000-000000000000\u2028', undefined],
])('the new card of a reissue is %s', (_, cardId, resultId) => {
  expect(resultIdOf(cardReissue, CARD_ID, new Map([['cardId', cardId]]))).toBe(resultId);
});

it.each(notices)('2xx answers that are the resource: %s', (_, operation, body, code, message) => {
  const verdict = judged(operation, body);
  expect(verdict).toMatchObject({ kind: 'accepted', notices: [{ code, level: 'warning' }] });
  expect(verdict.kind === 'accepted' && verdict.notices[0]?.message).toContain(message);
});

const rows: readonly [
  title: string,
  operation: Operation,
  body: string | Uint8Array,
  problem: RegExp,
  headers?: readonly Header[],
][] = [
  ['empty', cardGet, '', /^there is no body$/],
  ['H19 HTML', cardGet, '<html><title>Login</title>', /^the response is not JSON \(line 1, column 1/],
  ['B5 cut', cardGet, CARD.slice(0, 40), /not JSON/],
  ['B26 null', cardGet, 'null', /not a JSON object/],
  ['B26 array', cardGet, '[]', /not a JSON object/],
  ['B26 text', cardGet, '"x"', /not a JSON object/],
  ['B26 number', cardGet, '5', /not a JSON object/],
  ['B17 duplicate keys', cardGet, '{"status":"ACTIVE","status":"BLOCKED"}', /ambiguous \(.*"status" occurs twice/],
  ['B17 duplicate keys of one value', cardGet, '{"a":1,"a":1}', /ambiguous/],
  ['B20 too deep', cardGet, '['.repeat(300), /nested too deep/],
  ['B22 invalid UTF-8', cardGet, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not UTF-8/],
  ['B25 UTF-16', cardGet, Buffer.from(CARD, 'utf16le'), /not JSON|not UTF-8/],
  ['B9 compressed', cardGet, CARD, /compressed \(gzip\)/, [['Content-Encoding', 'gzip']]],
  [
    'B29 another card',
    cardGet,
    CARD.replace(CARD_ID, '00000000-0000-0000-0000-000000000000'),
    /cardId "00000000-0000-0000-0000-000000000000", not the requested/,
  ],
  ['B29 another calendar', calendarUpdate, '{"id":"cal-2"}', /the id "cal-2", not the requested/],
  ['B29 a calendar with an ID in another case', calendarUpdate, '{"id":"CAL-1"}', /the id "CAL-1", not the requested/],
  ['an error with 200', calendarUpdate, '{"errorCode":"LATE","message":"m"}', /its body is an error/],
  ['a card without its id', cardReissue, '{"status":"REISSUED"}', /has no cardId/],
  ['a provisioning without its fields', cardProvisionWalletA, '{"ok":true}', /none of the expected fields/],
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
it.each(rows)('2xx answers that cannot be read: %s', (_, operation, body, problem, headers) => {
  const verdict = judged(operation, body, 200, headers);
  expect(verdict).toMatchObject({ kind: 'failed', event: 'unreadable' });
  expect(verdict.kind === 'failed' && verdict.problem).toMatch(problem);
});

const otherStatuses: readonly [status: number, headers: readonly Header[], event: string][] = [
  [301, [], 'refused'],
  [304, [], 'refused'],
  [400, [], 'refused'],
  [401, [], 'refused'],
  [408, [], 'busy'],
  [418, [], 'refused'],
  [429, [], 'busy'],
  [499, [], 'refused'],
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
it.each(otherStatuses)('an answer of another status: %d %j is %s', (status, headers, event) => {
  expect(judged(cardGet, '', status, headers)).toMatchObject({ kind: 'failed', event, reply: { status } });
});

it.each([
  [300, 'server_error'],
  [303, 'server_error'],
  [306, 'server_error'],
  [307, 'refused'],
  [308, 'refused'],
  [309, 'server_error'],
  [399, 'server_error'],
  [400, 'refused'],
  [408, 'server_error'],
  [409, 'refused'],
  [429, 'busy'],
  [500, 'server_error'],
])('an answer of another status to a change: %d is %s', (status, event) => {
  expect(judged(OPERATIONS.cardBlock, '', status)).toMatchObject({ kind: 'failed', event });
});

const NOTHING = { service: undefined, body: undefined, message: undefined, summary: '', isHtml: false };
const SECRET_IN_IT = '{"errorCode":"E","message":"encryptedPaymentInstrument: x"}';

it.each<[string, Operation, string, number, readonly Header[], object]>([
  ['compressed', cardGet, 'x', 409, [['Content-Encoding', 'zstd']], { summary: 'the body is compressed with zstd' }],
  [
    'with a secret',
    cardProvisionWalletA,
    SECRET_IN_IT,
    409,
    [],
    { summary: 'the body may hold a secret, and is not shown' },
  ],
  ['a provisioning that cannot be read', cardProvisionWalletA, 'oops', 200, [], {}],
  ['a provisioning with something else', cardProvisionWalletA, '{"activation_data":"x"}', 200, [], {}],
])('an answer of which the body is not shown: %s', (_, operation, body, status, headers, error) => {
  const verdict = judged(operation, body, status, headers);
  expect(verdict.kind === 'failed' && verdict.error).toEqual({ ...NOTHING, ...error });
});

it.each<[string, Operation, string, number]>([
  ['E: "no"', cardProvisionWalletA, '{"errorCode":"E","message":"no"}', 409],
  ['E: "encryptedPaymentInstrument ***"', cardGet, SECRET_IN_IT, 409],
  ['"no"', cardProvisionWalletA, '{"message":"no"}', 200],
])('an answer whose body says %s', (summary, operation, body, status) => {
  expect(judged(operation, body, status)).toMatchObject({ kind: 'failed', error: { summary } });
});

it('headers that may hold a secret are hidden, by their name or their value, in the answer to a provisioning alone', () => {
  const headers: Header[] = [
    ['Activation-Data', 'a'],
    ['X-Note', 'activationData: b'],
    ['X-Other', 'c'],
  ];
  const shown = (operation: Operation) => judged(operation, '', 409, headers).reply?.headers.map(([, value]) => value);
  expect(shown(cardProvisionWalletA)).toEqual(['***', '***', 'c']);
  expect(shown(cardGet)).toEqual(['a', 'activationData: b', 'c']);
});

it('an answer without a body says what WWW-Authenticate says', () => {
  const headers: Header[] = [['WWW-Authenticate', 'Bearer error="insufficient_scope"']];
  expect(judged(cardGet, '', 403, headers)).toMatchObject({ error: { summary: 'insufficient_scope' } });
});

it('a Retry-After that cannot be read is kept, and one that can be is not', () => {
  const odd = (value: string) => judged(cardGet, '', 429, [['Retry-After', value]]);
  expect([odd('soon'), odd('2')]).toMatchObject([
    { oddRetryAfter: 'soon', retryAfterMs: undefined },
    { oddRetryAfter: undefined, retryAfterMs: 2000 },
  ]);
});

const errors: readonly [title: string, body: string, expected: object][] = [
  [
    'the error shape of the gift-card API',
    '{"errorCode":"E","message":"m","details":{}}',
    { summary: 'E: "m"', body: undefined },
  ],
  [
    'a message that would end its quotes, and a code that is no word',
    '{"errorCode":"hint: x","message":"m\\"). Nothing was sent. (\\""}',
    { summary: `"hint: x": "m'). Nothing was sent. ('"` },
  ],
  ['errorCode without message is another shape', '{"errorCode":"E"}', { service: undefined, summary: '"E"' }],
  ['H30 problem details', '{"title":"t","detail":"d","status":1}', { service: undefined, summary: '"t: d"' }],
  ['a nested message', '{"error":{"message":"m"}}', { summary: '"m"' }],
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
    { summary: `E: "${'y'.repeat(499)}…", details {"cut":"the rest of 1000030 characters"}` },
  ],
];
it.each(errors)('an answer of another status: %s', (_, body, expected) => {
  expect(judged(cardGet, body, 500)).toMatchObject({ error: expected });
});

/** What an exchange that broke off came to. */
function judgedBroken(broken: Omit<Broken, 'kind'>): Verdict {
  return judge({ kind: 'broken', ...broken }, { operation: cardGet, params: { cardId: CARD_ID } }, 0, new TokenMask());
}

it.each<[BreakLabel, string]>([
  ['refused', 'not_sent'],
  ['unroutable', 'not_sent'],
  ['connect_timeout', 'not_sent'],
  ['connect_reset', 'not_sent'],
  ['proxy', 'not_sent'],
  ['other', 'not_sent'],
  ['lookup_failed', 'not_sent_once'],
  ['not_found', 'not_sent_final'],
  ['not_tls', 'not_sent_final'],
  ['untrusted', 'not_sent_final'],
  ['wrong_name', 'not_sent_final'],
  ['certificate_dates', 'not_sent_final'],
  ['tls', 'not_sent_final'],
  ['proxy_auth', 'not_sent_final'],
  ['proxy_refused', 'not_sent_final'],
])('exchanges that broke off before the first byte, %s: %s; after it: broken', (label, event) => {
  const breakage = { label, text: 'it broke' };
  expect(judgedBroken({ sent: false, phase: 'connecting', breakage })).toEqual({
    kind: 'failed',
    event,
    phase: 'connecting',
    reply: undefined,
    error: { service: undefined, body: undefined, message: undefined, summary: '', isHtml: false },
    breakage,
    problem: '',
    retryAfterMs: undefined,
  });
  expect(judgedBroken({ sent: true, phase: 'awaiting_headers', breakage })).toMatchObject({
    event: 'broken',
    phase: 'awaiting_headers',
  });
});

it.each<[number, readonly Header[] | undefined, string, number | undefined]>([
  [199, undefined, 'server_error', undefined],
  [200, undefined, 'unreadable', undefined],
  [299, [], 'unreadable', undefined],
  [300, [], 'refused', undefined],
  [404, [], 'refused', undefined],
  [429, [['Retry-After', '2']], 'busy', 2000],
  [503, [['Retry-After', '2']], 'unavailable', 2000],
  [503, [], 'server_error', undefined],
])('exchanges that broke off in the body of a %d with %j: %s', (status, headers, event, retryAfterMs) => {
  const breakage = { label: 'broken', text: 'the response was cut off' } as const;
  const cut = { sent: true, phase: 'reading_body', breakage, status } as const;
  expect(judgedBroken(headers === undefined ? cut : { ...cut, headers })).toEqual({
    kind: 'failed',
    event,
    phase: 'reading_body',
    reply: { status, headers: headers ?? [], requestId: undefined },
    error: { service: undefined, body: undefined, message: undefined, summary: '', isHtml: false },
    breakage,
    problem: 'the response was cut off',
    retryAfterMs,
  });
});

it.each<[string, readonly Header[], string | undefined]>([
  ['x-request-id', [['X-Request-Id', 'r-1']], 'r-1'],
  ['request-id', [['Request-Id', 'r-2']], 'r-2'],
  [
    'x-request-id before request-id',
    [
      ['request-id', 'r-2'],
      ['x-request-id', 'r-1'],
    ],
    'r-1',
  ],
  [
    'the first that is not empty',
    [
      ['x-request-id', ''],
      ['x-request-id', 'r-3'],
    ],
    'r-3',
  ],
  [
    'request-id when the other is empty',
    [
      ['x-request-id', ''],
      ['request-id', ''],
      ['request-id', 'r-4'],
    ],
    'r-4',
  ],
  ['none', [['id', 'r-5']], undefined],
])('facts of an answer: its id is %s', (_what, headers, requestId) => {
  expect(judged(cardGet, CARD, 200, headers)).toMatchObject({ reply: { status: 200, headers, requestId } });
});

it('facts of an answer hold when to try again, by the clock of the service', () => {
  const headers: Header[] = [
    ['Date', 'Fri, 02 Jan 2026 12:00:00 GMT'],
    ['Retry-After', 'Fri, 02 Jan 2026 12:00:30 GMT'],
  ];
  expect(judged(cardGet, '', 429, headers)).toMatchObject({ event: 'busy', retryAfterMs: 30_000, phase: 'answered' });
  expect(judged(cardGet, '', 404)).toMatchObject({ retryAfterMs: undefined, problem: '', breakage: undefined });
});

it.each<[string, Header[], string | undefined]>([
  ['the origin of an address', [['Location', 'https://login.example:8443/a?token=b']], 'https://login.example:8443'],
  ['the same origin for a path', [['location', '/elsewhere']], 'https://cards.example'],
  ['scheme and host where there is no origin', [['Location', 'foo://login.example/a']], 'foo://login.example'],
  [
    'the first of two',
    [
      ['Location', 'https://one.example'],
      ['Location', 'https://two.example'],
    ],
    'https://one.example',
  ],
  ['nothing of what is no address', [['Location', 'https://[']], undefined],
  ['nothing when it leads nowhere', [], undefined],
])('facts of an answer show of a redirect %s', (_what, headers, origin) => {
  const reply = { status: 302, headers, requestId: undefined };
  expect(redirectOrigin(reply, 'https://cards.example/v1/cards/x')).toBe(origin);
});

const TOKEN = 'tok-0123456789abcdef';

function masked(body: string, headers: readonly Header[] = [], status = 200): Verdict {
  const mask = new TokenMask();
  mask.add(TOKEN);
  const exchange: Exchange = { kind: 'reply', status, headers, body: [Buffer.from(body)] };
  return judge(exchange, { operation: cardGet, params: { cardId: CARD_ID } }, 0, mask);
}

it('the token of the call in a response is masked in a resource, and where it is escaped', () => {
  for (const text of [TOKEN, TOKEN.replace('t', '\\u0074')]) {
    const verdict = masked(CARD.replace('"metadata":{}', `"metadata":{"a":"${text}"}`));
    expect(verdict.kind === 'accepted' && printJson(verdict.resource)).toContain('"metadata":{"a":"***"}');
  }
});

it('the token of the call in a response is left in a provisioning, which is printed as it came', () => {
  const body = [Buffer.from(`{"encryptedPaymentInstrument":"${TOKEN}"}`)];
  const exchange: Exchange = { kind: 'reply', status: 200, headers: [], body };
  const asked = { operation: cardProvisionWalletA, params: { cardId: CARD_ID } };
  expect(judge(exchange, asked, 0, maskOf(TOKEN))).toMatchObject({
    resource: new Map([['encryptedPaymentInstrument', TOKEN]]),
  });
});

it('the token of the call in a response is masked in headers', () => {
  const verdict = masked(CARD, [['X-Request-Id', `r-${TOKEN}`]]);
  expect(verdict.reply).toEqual({ status: 200, headers: [['X-Request-Id', 'r-***']], requestId: 'r-***' });
  const cut = judge(
    {
      kind: 'broken',
      sent: true,
      phase: 'reading_body',
      breakage: { label: 'broken', text: 'cut' },
      status: 404,
      headers: [['X-Request-Id', TOKEN]],
    },
    { operation: cardGet, params: { cardId: CARD_ID } },
    0,
    maskOf(TOKEN),
  );
  expect(cut.reply?.requestId).toBe('***');
});

it.each([
  ['as the name that occurs twice', `{"${TOKEN}":1,"${TOKEN}":2}`, 'the response is ambiguous (line 1, column 27)'],
  ['in a body that is no JSON', `{"a":"${TOKEN}"`, 'the response is not JSON (line 1, column 28)'],
])(
  'the token of the call in a response is not in the problem of a response that holds it %s',
  (_what, body, problem) => {
    const verdict = masked(body);
    expect(verdict.kind === 'failed' && verdict.problem).toBe(problem);
    expect(JSON.stringify(verdict)).not.toContain(TOKEN);
    expect(verdict.kind === 'failed' && String(verdict.error.body)).toContain('***');
  },
);

it('the token of the call in a response is not in the problem of another card, or in what is shown of it', () => {
  const verdict = masked(CARD.replace(CARD_ID, TOKEN));
  expect(verdict.kind === 'failed' && verdict.problem).toBe('the response has the cardId "***", not the requested one');
  expect(verdict.kind === 'failed' && printJson(verdict.error.body ?? null)).toContain('"cardId":"***"');
});

it('the token of the call in a response is masked in errors', () => {
  for (const body of [`{"errorCode":"E","message":"${TOKEN}"}`, `no ${TOKEN}`]) {
    const verdict = masked(body, [], 400);
    expect(verdict.kind === 'failed' && verdict.error.summary).toMatch(/\*\*\*/);
    expect(JSON.stringify(verdict)).not.toContain(TOKEN);
  }
});

function maskOf(token: string): TokenMask {
  const mask = new TokenMask();
  mask.add(token);
  return mask;
}

const unreadable: readonly [string, string | Uint8Array, readonly Header[], string, unknown][] = [
  ['nothing of no body', '', [], 'there is no body', undefined],
  [
    'the text of a compressed one',
    'oops',
    [['Content-Encoding', ' GZIP ']],
    'the response is compressed (gzip), which was not asked for',
    'oops',
  ],
  [
    'the text of one that was compressed twice',
    'oops',
    [
      ['Content-Encoding', 'gzip'],
      ['Content-Encoding', 'br'],
    ],
    'the response is compressed (gzip, br), which was not asked for',
    'oops',
  ],
  [
    'what is text in bytes that are none',
    Buffer.from([0x6f, 0x68, 0xff]),
    [],
    'the response is not UTF-8 text',
    'oh\ufffd',
  ],
  ['the text of what is no JSON', 'oops', [], 'the response is not JSON (line 1, column 1: expected a value)', 'oops'],
  ['a long text, cut', 'o'.repeat(5000), [], '', `${'o'.repeat(499)}…`],
  ['a text as long as is kept, cut', 'o'.repeat(4096), [], '', `${'o'.repeat(499)}…`],
  ['JSON that is no resource', '[1]', [], 'the response is not a JSON object', [new JsonNumber('1')]],
];
it.each(unreadable)('what is shown of an answer that cannot be read: %s', (_what, body, headers, problem, shown) => {
  const verdict = judged(cardGet, body, 200, headers);
  expect(verdict).toMatchObject({ kind: 'failed', event: 'unreadable', phase: 'answered', reply: { status: 200 } });
  expect(verdict.kind === 'failed' && verdict.error.body).toEqual(shown);
  if (problem !== '') expect(verdict.kind === 'failed' && verdict.problem).toBe(problem);
});

it.each([
  ['{"a":1,"a":2}', /^the response is ambiguous \(line 1, column 8.*"a" occurs twice/],
  ['['.repeat(300), /^the response is nested too deep \(line 1, column \d+/],
])('what is shown of an answer that cannot be read: %.20s says what is wrong with it', (body, problem) => {
  const verdict = judged(cardGet, body);
  expect(verdict.kind === 'failed' && verdict.problem).toMatch(problem);
});

it('what is shown of an answer that cannot be read is taken whatever its coding is called when it has none', () => {
  expect(judged(cardGet, CARD, 200, [['Content-Encoding', ' Identity ']])).toMatchObject({ kind: 'accepted' });
  expect(judged(cardGet, CARD, 200, [['Content-Encoding', '']])).toMatchObject({ kind: 'accepted' });
});

it.each(['[1]', '"text"', '{"cardId":"another","object":"other"}', 'null'])(
  'the answer of a raw call may be any JSON: %s',
  (body) => {
    const exchange: Exchange = { kind: 'reply', status: 200, headers: [], body: [Buffer.from(body)] };
    const input = { operation: cardGet, params: {}, target: '/' };
    const verdict = judge(exchange, input, 0, new TokenMask());
    expect(verdict).toMatchObject({ kind: 'accepted', notices: [] });
    expect(verdict.kind === 'accepted' && printJson(verdict.resource)).toBe(body);
  },
);

const RAW_WRITE: Operation = {
  ...{ ...OPERATIONS.cardBlock, response: { ...OPERATIONS.cardBlock.response, properties: {} } },
  effect: { ...(OPERATIONS.cardBlock.effect as object), unavailable: 'once' } as Operation['effect'],
};

it.each<[string, Operation, string, string]>([
  ['a change that is known', OPERATIONS.cardBlock, '[1]', 'the response is not a JSON object'],
  ['a change that is known', OPERATIONS.cardBlock, '', 'there is no body'],
  ['a change of which nothing is known', RAW_WRITE, '[1]', 'accepted'],
  ['a change of which nothing is known', RAW_WRITE, '', 'accepted'],
  ['a read', cardGet, '', 'there is no body'],
])('the answer of a raw call: %s, with %s %s, is %s', (_, operation, body, end) => {
  const exchange: Exchange = { kind: 'reply', status: 200, headers: [], body: [Buffer.from(body)] };
  const verdict = judge(exchange, { operation, params: {}, target: '/' }, 0, new TokenMask());
  expect(verdict.kind === 'failed' ? verdict.problem : verdict.kind).toBe(end);
});

it('the answer of a raw call must be JSON', () => {
  const exchange: Exchange = { kind: 'reply', status: 200, headers: [], body: [Buffer.from('oops')] };
  const input = { operation: cardGet, params: {}, target: '/' };
  expect(judge(exchange, input, 0, new TokenMask())).toMatchObject({ kind: 'failed', event: 'unreadable' });
});

it('H20 a 202 says what that means', () => {
  expect(judged(cardGet, CARD, 202)).toMatchObject({
    notices: [
      {
        code: 'ACCEPTED',
        message: 'the service returned 202: accepted, not finished. Check it later',
        level: 'warning',
      },
    ],
  });
});

const entries = (entry: string) => `[${`${entry},`.repeat(300_000)}${entry}]`;

it('B21 answers of many megabytes: a list whose entries all lack what is required: shown, with one warning', () => {
  const verdict = judged(cardGet, CARD.replace('"metadata":{}', `"metadata":{},"transactions":${entries('{}')}`));
  expect(verdict).toMatchObject({ kind: 'accepted', notices: [{ code: 'MISSING_FIELD' }] });
});

it('B21 an answer of many megabytes: more parts than memory is given for them: unreadable, and shown by its beginning', () => {
  const many = CARD.replace('"metadata":{}', `"metadata":{"a":${entries('{"a":1},{"a":1},{"a":1},{"a":1}')}}`);
  const verdict = judged(cardGet, many);
  expect(verdict).toMatchObject({ kind: 'failed', event: 'unreadable' });
  expect(verdict.kind === 'failed' && verdict.problem).toMatch(
    /^the response has too many parts \(line 1, column \d+ \(at metadata\.a\.\d+.*\): too many values to hold in memory\)$/,
  );
  expect(verdict.kind === 'failed' && verdict.error.body).toBe(`${many.slice(0, 499)}…`);
});

it('B34 answers of many megabytes: an error of more than 8 MiB is shown by its beginning', () => {
  const message = 'm'.repeat(9 * 1024 * 1024);
  const verdict = judged(cardGet, JSON.stringify({ errorCode: 'E', message }), 400);
  expect(verdict).toMatchObject({ kind: 'failed', event: 'refused', error: { service: undefined } });
  expect(verdict.kind === 'failed' && String(verdict.error.body)).toHaveLength(500);
});

it('answers of many megabytes: another card of more than 8 MiB is not repeated in the error', () => {
  const other = CARD.replace(CARD_ID, '00000000-0000-0000-0000-000000000001');
  const verdict = judged(cardGet, other.replace('"metadata":{}', `"metadata":{"a":"${'x'.repeat(9 << 20)}"}`));
  expect(verdict.kind === 'failed' && verdict.problem).toContain('not the requested one');
  expect(verdict.kind === 'failed' && String(verdict.error.body)).toHaveLength(500);
});

it('answers of many megabytes reads a body that came in pieces, cut inside a character', () => {
  const bytes = Buffer.from(CARD.replace('"design":"d"', '"design":"Tromsø 🎁"'), 'utf8');
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
  const exchange: Exchange = { kind: 'reply', status: 200, headers: [], body: pieces };
  const verdict = judge(exchange, { operation: cardGet, params: { cardId: CARD_ID } }, 0, new TokenMask());
  expect(verdict.kind === 'accepted' && printJson(verdict.resource)).toContain('"design":"Tromsø 🎁"');
});

it('an answer keeps of an error of more than 64 KiB the code, the beginning of what it says, and how long it was', () => {
  const message = 'no '.repeat(30_000);
  const body = JSON.stringify({ errorCode: 'CARD_EXPIRED', message, details: { a: [1] } });
  const { error } = { ...judged(cardGet, body, 409) } as { error: { service: JsonValue; summary: string } };
  expect(printJson(error.service)).toBe(
    `{"errorCode":"CARD_EXPIRED","message":"${message.slice(0, 1971)}… (cut from 90000 characters)","details":{"cut":"the rest of ${body.length} characters"}}`,
  );
  const other = judged(cardGet, JSON.stringify({ title: 'no', all: 'x'.repeat(70_000) }), 409);
  expect(other).toMatchObject({ error: { service: undefined, message: 'no', summary: '"no"' } });
  expect(other.kind === 'failed' && String(other.error.body)).toHaveLength(500);
});

it('an answer keeps the 5,000 characters of an id that the interface allows, and says that it is cut', () => {
  const verdict = judged(OPERATIONS.eventCreate, `{"id":"${'e'.repeat(6000)}","object":"event"}`);
  expect(verdict).toMatchObject({ kind: 'accepted', notices: [{ code: 'ID_CUT' }] });
  const id = resultIdOf(OPERATIONS.eventCreate, undefined, verdict.kind === 'accepted' ? verdict.resource : null);
  expect(id).toBe(`${'e'.repeat(4972)}… (cut from 6000 characters)`);
});

it('an answer says that an id is cut only if it is: the limit counts characters, not UTF-16 units', () => {
  const whole = '😀'.repeat(3000);
  const verdict = judged(OPERATIONS.eventCreate, JSON.stringify({ id: whole, object: 'event' }));
  expect(verdict).toMatchObject({ kind: 'accepted', notices: [] });
  expect(resultIdOf(OPERATIONS.eventCreate, undefined, verdict.kind === 'accepted' ? verdict.resource : null)).toBe(
    whole,
  );
});

it('an answer keeps 256 characters of a request id, and says that it is cut', () => {
  const exchange: Exchange = { kind: 'reply', status: 409, headers: [['x-request-id', 'r'.repeat(60_000)]], body: [] };
  const verdict = judge(exchange, { operation: cardGet, params: { cardId: CARD_ID } }, 0, new TokenMask());
  expect(verdict.reply?.requestId).toBe(`${'r'.repeat(227)}… (cut from 60000 characters)`);
});
