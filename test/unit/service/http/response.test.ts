import { expect, it } from 'vitest';
import { printJson } from '../../../../src/base/json/print.ts';
import { JsonNumber, type JsonValue } from '../../../../src/base/json/value.ts';
import type { Operation } from '../../../../src/service/api/operation.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import { TokenMask } from '../../../../src/service/http/mask.ts';
import { judge, redirectOrigin, type Verdict } from '../../../../src/service/http/response.ts';
import { resultIdOf } from '../../../../src/service/http/response-shape.ts';
import type { BreakLabel, Broken, Exchange, Header } from '../../../../src/service/wire/exchange.ts';
import { CARD_ID, card } from './fakes.ts';

/** What is the same for many answers: the token of the call, and a target if it is a raw one. */
interface Call {
  readonly token?: string;
  readonly target?: string;
}

function judgedExchange(operation: Operation, exchange: Exchange, { token, target }: Call = {}): Verdict {
  const params: Record<string, string> = operation.path.includes('{cardId}') ? { cardId: CARD_ID } : { id: 'cal-1' };
  const mask = new TokenMask();
  if (token !== undefined) mask.add(token);
  const asked = target === undefined ? { operation, params } : { operation, params: {}, target };
  return judge(exchange, asked, 0, mask);
}

function judged(
  operation: Operation,
  body: string | Uint8Array | readonly Uint8Array[],
  status = 200,
  headers: readonly Header[] = [],
  call: Call = {},
): Verdict {
  const pieces = typeof body === 'string' ? [Buffer.from(body, 'utf8')] : Array.isArray(body) ? [...body] : [body];
  return judgedExchange(operation, { kind: 'reply', status, headers, body: pieces as Uint8Array[] }, call);
}

/** The resource as it is printed, or why there is none. */
const shownOf = (verdict: Verdict) => (verdict.kind === 'accepted' ? printJson(verdict.resource) : verdict.problem);

/** A failed attempt, so that its members can be read. */
function failedOf(verdict: Verdict) {
  if (verdict.kind !== 'failed') throw new Error('expected a failed attempt');
  return verdict;
}

const { cardGet, cardActivate, cardBlock, cardReissue, cardProvisionWalletA } = OPERATIONS;
const { calendarUpdate, subscribersList, eventCreate } = OPERATIONS;
const CARD = JSON.stringify(card('ACTIVE'));
const OTHER = '00000000-0000-0000-0000-000000000000';
const metadata = (text: string) => CARD.replace('"metadata":{}', text);

it.each<[string, Operation, string | Uint8Array]>([
  ['a card', cardGet, CARD],
  ['B23 with a byte order mark', cardGet, `\ufeff${CARD}`],
  ['with the id in another case', cardGet, CARD.replace(CARD_ID, CARD_ID.toUpperCase())],
  ['B27 with a new status and more members', cardGet, JSON.stringify(card('FROZEN', { extra: [1] }))],
  ['B29 a reissue with another id', cardReissue, CARD.replace(CARD_ID, OTHER)],
  ['a calendar', calendarUpdate, '{"id":"cal-1","object":"calendar"}'],
  ['an empty list', subscribersList, '{"object":"list","data":[]}'],
  ['an event', eventCreate, '{"id":"e","object":"event","calendar":"c"}'],
  ['a block that shows BLOCKED', cardBlock, JSON.stringify(card('BLOCKED'))],
])('2xx answers that are the resource: %s', (_, operation, body) => {
  expect(judged(operation, body)).toMatchObject({ kind: 'accepted', notices: [] });
});

it('B11 B12 B13 B14 a 2xx answer keeps every digit, B18 every key', () => {
  const text = metadata('"metadata":{"__proto__":{"a":1},"n":[12345678901234567.89,10.10,1e400,-0,1E2]}');
  expect(judged(cardGet, text)).toMatchObject({ kind: 'accepted', notices: [] });
  expect(shownOf(judged(cardGet, text))).toBe(text);
});

it.each<[string, Header[]]>([
  ['B33 Content-Type', [['Content-Type', 'text/html']]],
  ['Content-Encoding, if it has none', [['Content-Encoding', 'identity']]],
  ['Content-Encoding in another case, with blanks', [['Content-Encoding', ' Identity ']]],
  ['Content-Encoding, if it is empty', [['Content-Encoding', '']]],
  ['Content-Encoding, if it is no compression', [['Content-Encoding', 'UTF-8, none']]],
])('%s: a 2xx answer is the resource whatever it says', (_, headers) => {
  expect(judged(cardGet, CARD, 200, headers)).toMatchObject({ kind: 'accepted' });
});

it('H20 a 201 is accepted, and a 202 says that it is not finished', () => {
  for (const status of [201, 299]) expect(judged(cardGet, CARD, status)).toMatchObject({ notices: [] });
  const message = 'the service returned 202: accepted, not finished. Check it later';
  expect(judged(cardGet, CARD, 202)).toMatchObject({
    kind: 'accepted',
    notices: [{ code: 'ACCEPTED', message, level: 'warning' }],
  });
});

const [WARNING, NOTE] = ['warning', 'note'];
const statusless = (status: string) => JSON.stringify(card(status)).replace(`"status":"${status}",`, '');
const NAMELESS = 'the response names no new card';
const OTHER_STATUS = 'the response shows status "ACTIVE", not BLOCKED. Check the card';
const NEW_STATUS = 'the response shows status "FROZEN", not ACTIVE. Check the card';
const NO_STATUS = 'the response shows no status, not BLOCKED. Check the card';
const OF_NULL = CARD.replace('"ACTIVE"', 'null');
const LACK = 'lacks transactions.0.transactionId, transactions.0.type, transactions.0.createdAt,';
const transactions = '"metadata":{},"transactions":[{"amount":1}]';

it.each<[title: string, operation: Operation, body: string, level: string, code: string, message: string]>([
  ['shows another status', cardBlock, CARD, WARNING, 'OTHER_STATUS', OTHER_STATUS],
  ['shows a new status', cardActivate, JSON.stringify(card('FROZEN')), WARNING, 'OTHER_STATUS', NEW_STATUS],
  ['of a block has no status', cardBlock, statusless('BLOCKED'), WARNING, 'OTHER_STATUS', NO_STATUS],
  ['of a reissue shows the card that was asked for', cardReissue, CARD, NOTE, 'NO_NEW_CARD', NAMELESS],
  ['B28 lacks a member', cardGet, statusless('ACTIVE'), WARNING, 'MISSING_FIELD', 'the response lacks status, which'],
  ['has no id', calendarUpdate, '{"name":"Spring"}', WARNING, 'NO_ID', 'no ID, so nothing shows what it is about'],
  ['lacks some inside', cardGet, metadata(transactions), WARNING, 'MISSING_FIELD', LACK],
  ['has another type', cardGet, OF_NULL, WARNING, 'UNEXPECTED_FIELD', 'the response has status in another form'],
])('2xx answers count, and say what is odd: one that %s', (_, operation, body, level, code, message) => {
  const verdict = judged(operation, body);
  expect(verdict.kind === 'accepted' && verdict.notices[0]).toMatchObject({ code, level });
  expect(verdict.kind === 'accepted' && verdict.notices[0]?.message).toContain(message);
});

it.each([
  ['', '""'],
  ['..', '".."'],
  ['x\u2028"', '"x\u2028\'"'],
])('a reissue that answers with the cardId %j counts, and names no new card', (cardId, quoted) => {
  const message = `${NAMELESS}: its cardId is ${quoted}, which is not a card ID`;
  expect(judged(cardReissue, JSON.stringify({ ...card('ACTIVE'), cardId }))).toMatchObject({
    kind: 'accepted',
    notices: expect.arrayContaining([{ code: 'NO_NEW_CARD', level: 'note', message }]),
  });
});

const POSED = 'x" after all. Nothing was sent. Run: frontdesk card block 1 --yes"';
const POSED_SHOWN = `"x' after all. Nothing was sent. Run: frontdesk card block 1 --yes'"`;

it.each<[string, Operation, object, string]>([
  ['cardId', cardGet, card('ACTIVE', { cardId: POSED }), `the cardId ${POSED_SHOWN}, not the requested one`],
  ['object', calendarUpdate, { object: POSED, id: 'cal-1' }, `member object is ${POSED_SHOWN}, not "calendar"`],
  ['status', cardBlock, card(POSED), `status ${POSED_SHOWN}, not BLOCKED`],
  [
    'url',
    subscribersList,
    { object: 'list', data: [], url: `/v1/calendars/${encodeURIComponent(POSED)}/subscribers` },
    `the list of ${POSED_SHOWN}, not of`,
  ],
])('the %s of a 2xx cannot end its quotes and speak as frontdesk', (_, operation, body, shown) => {
  const verdict = judged(operation, JSON.stringify(body));
  expect(verdict.kind === 'accepted' ? verdict.notices[0]?.message : verdict.problem).toContain(shown);
});

it.each([
  ['base64', (token: string) => Buffer.from(token).toString('base64')],
  ['hexadecimal', (token: string) => Buffer.from(token).toString('hex')],
])('a 2xx that repeats the token in %s where another word belongs is named without any part of it', (_, formOf) => {
  const call = { token: 'k7Qw9-a-token-of-more-than-a-hundred-characters-'.repeat(3) };
  const text = `${formOf(call.token)}.`;
  const other = judged(cardGet, JSON.stringify(card('ACTIVE', { cardId: text })), 200, [], call);
  expect(shownOf(other)).toBe('the response has the cardId "***.", not the requested one');
  expect(judged(cardBlock, JSON.stringify(card(text)), 200, [], call)).toMatchObject({
    notices: [{ message: 'the response shows status "***.", not BLOCKED. Check the card' }],
  });
});

const OWN = '/v1/calendars/cal-1/subscribers';

it.each<[kind: 'accepted' | 'failed', what: string, ...urls: string[]]>([
  ['accepted', 'its own path', OWN, `https://h/calendars${OWN}`, '/v1/calendars/cal%2D1/subscribers#top'],
  ['accepted', 'its own path in other words', 'https://h/x/V1/Calendars/cal-1/subscribers?limit=10'],
  ['accepted', 'its own path behind that of another one', '/v1/calendars/cal-2/../cal-1/subscribers'],
  ['accepted', 'its own path without its list, or a query', '/v1/calendars/cal-1/', '/v1/subscribers?calendar=cal-1'],
  ['accepted', 'another path, or none, or a host alone', '/v2/lists/7', '', 'https://['],
  ['accepted', 'no calendar', '/v1/subscribers?calendar=', '/v1/calendars', '/v1/calendars/subscribers', 'cal-2'],
  ['failed', 'the path of its ID in another case', '/v1/calendars/CAL-1/subscribers'],
  ['failed', 'another calendar', '/v1/calendars/cal-2/subscribers', 'https://h/x/v1/calendars/cal%202/subscribers/'],
  ['failed', 'another, with other slashes', 'v1/calendars/cal-2/subscribers', '//v1//calendars//cal-2//subscribers//'],
  ['failed', 'another, in another case', '/V1/Calendars/cal-2/SUBSCRIBERS'],
  ['failed', 'with dots', '/v1/calendars/cal-1/../cal-2/./subscribers', '/v1/calendars/cal-1/%2e%2E/cal-2/subscribers'],
  ['failed', 'another, of another version or none', '/v2/calendars/cal-2/subscribers', 'calendars/cal-2/subscribers'],
  ['failed', 'another, with backslashes', '\\\\v1\\calendars\\cal-2\\subscribers'],
  ['failed', 'another, with a slash in its ID', '/v1/calendars/cal%2F1/subscribers'],
  ['failed', 'another, behind its own', `${OWN}/../../cal-2/subscribers`],
  ['failed', 'another, and no list, or a query', '/v1/calendars/cal-2', '/v1/subscribers?calendar=cal%2D2&limit=10'],
])('a list is %s with the url of %s', (kind, _what, ...urls) => {
  for (const url of urls) {
    expect([url, judged(subscribersList, JSON.stringify({ object: 'list', data: [], url })).kind]).toEqual([url, kind]);
  }
});

it.each([
  ['another card', OTHER, OTHER],
  ['the card that was asked for, in any case', CARD_ID.toUpperCase(), undefined],
  ['none with an empty ID', '', undefined],
  ['none with an ID that makes another path', '..', undefined],
  ['none with a line separator behind its ID', `${OTHER}\u2028`, undefined],
])('the new card of a reissue is %s', (_, cardId, resultId) => {
  expect(resultIdOf(cardReissue, CARD_ID, new Map([['cardId', cardId]]))).toBe(resultId);
});

it.each<[title: string, operation: Operation, body: string | Uint8Array, problem: RegExp]>([
  ['empty', cardGet, '', /^there is no body$/],
  ['H19 HTML', cardGet, '<html><title>Login</title>', /^the response is not JSON \(line 1, column 1/],
  ['B5 cut', cardGet, CARD.slice(0, 40), /not JSON/],
  ['B26 null', cardGet, 'null', /not a JSON object/],
  ['B26 array', cardGet, '[]', /not a JSON object/],
  ['B26 text', cardGet, '"x"', /not a JSON object/],
  ['B26 number', cardGet, '5', /not a JSON object/],
  ['B17 duplicate keys', cardGet, '{"a":1,"a":2}', /^the response is ambiguous \(line 1, column 8.*"a" occurs twice/],
  ['B17 duplicate keys of one value', cardGet, '{"a":1,"a":1}', /ambiguous/],
  ['B20 too deep', cardGet, '['.repeat(300), /^the response is nested too deep \(line 1, column \d+/],
  ['B22 invalid UTF-8', cardGet, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not UTF-8/],
  ['B25 UTF-16', cardGet, Buffer.from(CARD, 'utf16le'), /not JSON|not UTF-8/],
  ['B29 another card', cardGet, CARD.replace(CARD_ID, OTHER), /cardId "0{8}-(0{4}-){3}0{12}", not the requested/],
  ['B29 another calendar', calendarUpdate, '{"id":"cal-2"}', /the id "cal-2", not the requested/],
  ['B29 a calendar with an ID in another case', calendarUpdate, '{"id":"CAL-1"}', /the id "CAL-1", not the requested/],
  ['an error with 200', calendarUpdate, '{"errorCode":"LATE","message":"m"}', /its body is an error/],
  ['a card without its id', cardReissue, '{"status":"REISSUED"}', /has no cardId/],
  ['a provisioning without its fields', cardProvisionWalletA, '{"ok":true}', /none of the expected fields/],
  ['B30 another object', calendarUpdate, '{"id":"cal-1","object":"event"}', /object is "event", not "calendar"/],
  ['a list that is none', subscribersList, '{"object":"calendar","data":[]}', /object is "calendar", not "list"/],
  ['a list without data', subscribersList, '{"object":"list"}', /no array data/],
  ['a list whose data is none', subscribersList, '{"object":"list","data":{}}', /no array data/],
])('2xx answers that cannot be read: %s', (_, operation, body, problem) => {
  const expected = { kind: 'failed', event: 'unreadable', problem: expect.stringMatching(problem) };
  expect(judged(operation, body)).toMatchObject(expected);
});

const AFTER = (value: string): Header[] => [['Retry-After', value]];

it.each<[event: string, operation: Operation, headers: readonly Header[], ...statuses: number[]]>([
  ['refused', cardGet, [], 301, 304, 400, 401, 418, 499],
  ['busy', cardGet, [], 408, 429],
  ['server_error', cardGet, [], 101, 500, 503, 599, 600, 999],
  ['server_error', cardGet, AFTER('1'), 500],
  ['server_error', cardGet, AFTER('soon'), 503],
  ['unavailable', cardGet, [['retry-after', '1']], 503],
  ['refused', cardBlock, [], 307, 308, 400, 409],
  ['busy', cardBlock, [], 429],
  ['server_error', cardBlock, [], 300, 303, 306, 309, 399, 408, 500],
])('an answer of another status is %s', (event, operation, headers, ...statuses) => {
  for (const status of statuses) {
    expect(judged(operation, '', status, headers)).toMatchObject({ kind: 'failed', event, reply: { status } });
  }
});

const NOTHING = { service: undefined, body: undefined, message: undefined, summary: '', isHtml: false };
const SECRET_IN_IT = '{"errorCode":"E","message":"encryptedPaymentInstrument: x"}';

it.each<[string, Operation, string, number, readonly Header[], string]>([
  ['compressed', cardGet, 'x', 409, [['Content-Encoding', 'zstd']], 'the body is compressed with zstd'],
  ['with a secret', cardProvisionWalletA, SECRET_IN_IT, 409, [], 'the body may hold a secret, and is not shown'],
  ['a provisioning that cannot be read', cardProvisionWalletA, 'oops', 200, [], ''],
  ['a provisioning with something else', cardProvisionWalletA, '{"activation_data":"x"}', 200, [], ''],
])('C23 an answer of which the body is not shown: %s', (_, operation, body, status, headers, summary) => {
  expect(failedOf(judged(operation, body, status, headers)).error).toEqual({ ...NOTHING, summary });
});

it.each<[string, Operation, string, number]>([
  ['E: "no"', cardProvisionWalletA, '{"errorCode":"E","message":"no"}', 409],
  ['E: "encryptedPaymentInstrument ***"', cardGet, SECRET_IN_IT, 409],
  ['"no"', cardProvisionWalletA, '{"message":"no"}', 200],
])('an answer whose body says %s', (summary, operation, body, status) => {
  expect(judged(operation, body, status)).toMatchObject({ kind: 'failed', error: { summary } });
});

it('an error of more values than several rows may hold at once is shown by its beginning', () => {
  const [error, more] = ['{"errorCode":"E","message":"no","of":[', '1,'.repeat(200_000)];
  for (const body of [`${error}${more}1]}`, '['.repeat(200_001), '{"a":'.repeat(200_001)]) {
    expect(failedOf(judged(cardGet, body, 409)).error).toMatchObject({ service: undefined });
  }
  expect(failedOf(judged(cardGet, `${error}${more.slice(12)}1]}`, 409)).error).toMatchObject({ message: 'no' });
});

it('a name that occurs twice in the answer to a provisioning is not told: it may be the secret', () => {
  expect(shownOf(judged(cardProvisionWalletA, '{"S3CRET":1,"S3CRET":2}'))).toBe(
    'the response is ambiguous (line 1, column 13)',
  );
});

it('headers that may hold a secret are hidden, by their name or their value, in the answer to a provisioning alone', () => {
  const headers: Header[] = [
    ['Activation-Data', 'a'],
    ['X-Note', 'activationData: b'],
    ['X-Other', 'c'],
  ];
  const shown = (operation: Operation) => judged(operation, '', 409, headers).reply?.headers.map(([, value]) => value);
  expect([shown(cardProvisionWalletA), shown(cardGet)]).toEqual([
    ['***', '***', 'c'],
    ['a', 'activationData: b', 'c'],
  ]);
});

it('a Retry-After that cannot be read is kept, and one that can be is not', () => {
  expect([AFTER('soon'), AFTER('2')].map((after) => judged(cardGet, '', 429, after))).toMatchObject([
    { oddRetryAfter: 'soon', retryAfterMs: undefined },
    { oddRetryAfter: undefined, retryAfterMs: 2000 },
  ]);
});

const Y = 'y'.repeat(1_000_000);
const CUT_IN_SUMMARY = `E: "${'y'.repeat(499)}…", details {"cut":"the rest of 1000030 characters"}`;
const ODD_WORDS = '{"errorCode":"hint: x","message":"m\\"). Nothing was sent. (\\""}';
const PAGE = '<html><head><title> 502\n Bad Gateway </title></head><body>secret</body>';

it.each<[title: string, body: string, expected: object]>([
  ['the error of a card', '{"errorCode":"E","message":"m","details":{}}', { summary: 'E: "m"', body: undefined }],
  ['quotes in a message, and a code that is no word', ODD_WORDS, { summary: `"hint: x": "m'). Nothing was sent. ('"` }],
  ['errorCode without message is another shape', '{"errorCode":"E"}', { service: undefined, summary: '"E"' }],
  ['H30 problem details', '{"title":"t","detail":"d","status":1}', { service: undefined, summary: '"t: d"' }],
  ['a nested message', '{"error":{"message":"m"}}', { summary: '"m"' }],
  ['H16 HTML: the title only', PAGE, { summary: '"502 Bad Gateway"', isHtml: true }],
  ['HTML without title: tags stripped', '<html><body><h1>Oh</h1> no</body>', { summary: '"Oh no"' }],
  ['JSON of no known shape', '{"error":{"type":"invalid"}}', { summary: '{"error":{"type":"invalid"}}' }],
  ['long JSON of no known shape', `{"a":["${'x'.repeat(500)}"]}`, { summary: `{"a":["${'x'.repeat(112)}…` }],
  ['an empty object', '{}', { summary: '' }],
  ['text', 'upstream error', { summary: '"upstream error"', body: 'upstream error' }],
  ['long text is cut', 'x'.repeat(600), { summary: `"${'x'.repeat(119)}…"`, body: `${'x'.repeat(499)}…` }],
  ['nothing', '', { summary: '', service: undefined, body: undefined }],
  ['B34 a message of megabytes is cut', `{"errorCode":"E","message":"${Y}"}`, { summary: CUT_IN_SUMMARY }],
])('an answer of another status: %s', (_, body, expected) => {
  expect(judged(cardGet, body, 500)).toMatchObject({ error: expected });
});

const judgedBroken = (broken: Omit<Broken, 'kind'>) => judgedExchange(cardGet, { kind: 'broken', ...broken });

const FINAL = ['not_found', 'not_tls', 'untrusted', 'wrong_name', 'certificate_dates', 'tls'] as const;

it.each<[event: string, ...labels: BreakLabel[]]>([
  ['not_sent', 'refused', 'unroutable', 'connect_timeout', 'connect_reset', 'proxy', 'other'],
  ['not_sent_once', 'lookup_failed'],
  ['not_sent_final', ...FINAL, 'proxy_auth', 'proxy_refused'],
])('exchanges that broke off before the first byte are %s by what broke, then broken', (event, ...labels) => {
  for (const label of labels) {
    const breakage = { label, text: 'it broke' };
    const whole = { kind: 'failed', reply: undefined, error: NOTHING, breakage, problem: '', retryAfterMs: undefined };
    const phase = 'connecting';
    expect(judgedBroken({ sent: false, phase, breakage })).toEqual({ ...whole, event, phase });
    const sent = { event: 'broken', phase: 'awaiting_headers' } as const;
    expect(judgedBroken({ sent: true, phase: sent.phase, breakage })).toMatchObject(sent);
  }
});

it.each<[number, readonly Header[] | undefined, string, number | undefined]>([
  [199, undefined, 'server_error', undefined],
  [200, undefined, 'unreadable', undefined],
  [299, [], 'unreadable', undefined],
  [300, [], 'refused', undefined],
  [404, [], 'refused', undefined],
  [429, AFTER('2'), 'busy', 2000],
  [503, AFTER('2'), 'unavailable', 2000],
  [503, [], 'server_error', undefined],
])('exchanges that broke off in the body of a %d with %j: %s', (status, headers, event, retryAfterMs) => {
  const problem = 'the response was cut off';
  const breakage = { label: 'broken', text: problem } as const;
  const phase = 'reading_body';
  const cut = { sent: true, phase, breakage, status } as const;
  const reply = { status, headers: headers ?? [], requestId: undefined };
  expect(judgedBroken(headers === undefined ? cut : { ...cut, headers })).toEqual({
    ...{ kind: 'failed', event, phase, reply, error: NOTHING, breakage, problem, retryAfterMs },
  });
});

it.each<[string, readonly string[], string | undefined]>([
  ['x-request-id', ['X-Request-Id: r-1'], 'r-1'],
  ['request-id', ['Request-Id: r-2'], 'r-2'],
  ['x-request-id before request-id', ['request-id: r-2', 'x-request-id: r-1'], 'r-1'],
  ['the first that is not empty', ['x-request-id: ', 'x-request-id: r-3'], 'r-3'],
  ['request-id when the other is empty', ['x-request-id: ', 'request-id: ', 'request-id: r-4'], 'r-4'],
  ['none', ['id: r-5'], undefined],
])('facts of an answer: its id is %s', (_what, lines, requestId) => {
  const headers = lines.map((line): Header => [line.split(': ')[0] ?? '', line.split(': ')[1] ?? '']);
  expect(judged(cardGet, CARD, 200, headers)).toMatchObject({ reply: { status: 200, headers, requestId } });
});

it('facts of an answer hold when to try again, by the clock of the service', () => {
  const headers: Header[] = [['Date', 'Fri, 02 Jan 2026 12:00:00 GMT'], ...AFTER('Fri, 02 Jan 2026 12:00:30 GMT')];
  expect(judged(cardGet, '', 429, headers)).toMatchObject({ event: 'busy', retryAfterMs: 30_000, phase: 'answered' });
  expect(judged(cardGet, '', 404)).toMatchObject({ retryAfterMs: undefined, problem: '', breakage: undefined });
});

it.each<[string, readonly string[], string | undefined]>([
  ['the origin of an address', ['https://login.example:8443/a?token=b'], 'https://login.example:8443'],
  ['the same origin for a path', ['/elsewhere'], 'https://cards.example'],
  ['scheme and host where there is no origin', ['foo://login.example/a'], 'foo://login.example'],
  ['the first of two', ['https://one.example', 'https://two.example'], 'https://one.example'],
  ['nothing of what is no address', ['https://['], undefined],
  ['nothing when it leads nowhere', [], undefined],
])('facts of an answer show of a redirect %s', (_what, locations, origin) => {
  const reply = { status: 302, headers: locations.map((to): Header => ['Location', to]), requestId: undefined };
  expect(redirectOrigin(reply, 'https://cards.example/v1/cards/x')).toBe(origin);
});

const TOKEN = 'tok-0123456789abcdef';
const masked = (body: string, headers: readonly Header[] = [], status = 200) =>
  judged(cardGet, body, status, headers, { token: TOKEN });

it.each([TOKEN, TOKEN.replace('t', '\\u0074')])('the token of the call in a resource is masked: %s', (text) => {
  expect(shownOf(masked(metadata(`"metadata":{"a":"${text}"}`)))).toContain('"metadata":{"a":"***"}');
});

it('the token of the call is left in a provisioning, which is printed as it came', () => {
  const body = `{"encryptedPaymentInstrument":"${TOKEN}"}`;
  expect(shownOf(judged(cardProvisionWalletA, body, 200, [], { token: TOKEN }))).toBe(body);
});

it('the token of the call is masked in headers', () => {
  const headers: Header[] = [['X-Request-Id', `r-${TOKEN}`]];
  const reply = { status: 200, headers: [['X-Request-Id', 'r-***']], requestId: 'r-***' };
  expect(masked(CARD, headers).reply).toEqual(reply);
  const cut = { sent: true, phase: 'reading_body', breakage: { label: 'broken', text: 'cut' }, status: 404 } as const;
  expect(judgedExchange(cardGet, { kind: 'broken', ...cut, headers }, { token: TOKEN }).reply?.requestId).toBe('r-***');
});

it.each([
  ['as the name that occurs twice', `{"${TOKEN}":1,"${TOKEN}":2}`, 'the response is ambiguous (line 1, column 27)'],
  ['in a body that is no JSON', `{"a":"${TOKEN}"`, 'the response is not JSON (line 1, column 28)'],
])('the token of the call is not in the problem of a response that holds it %s', (_what, body, problem) => {
  const verdict = failedOf(masked(body));
  expect(verdict.problem).toBe(problem);
  expect(JSON.stringify(verdict)).not.toContain(TOKEN);
  expect(String(verdict.error.body)).toContain('***');
});

it('the token of the call is not in the problem of another card, or in what is shown of it', () => {
  const { problem, error } = failedOf(masked(CARD.replace(CARD_ID, TOKEN)));
  expect(problem).toBe('the response has the cardId "***", not the requested one');
  expect(printJson(error.body ?? null)).toContain('"cardId":"***"');
});

it.each([`{"errorCode":"E","message":"${TOKEN}"}`, `no ${TOKEN}`])('the token is masked in the error %s', (body) => {
  const verdict = failedOf(masked(body, [], 400));
  expect(verdict.error.summary).toMatch(/\*\*\*/);
  expect(JSON.stringify(verdict)).not.toContain(TOKEN);
});

const UNASKED = 'which was not asked for';
const encoded = (...values: string[]) => values.map((value): Header => ['Content-Encoding', value]);
const NO_UTF8 = 'the response is not UTF-8 text';
const NO_JSON = 'the response is not JSON (line 1, column 1: expected a value)';
const BEGINNING = `${'o'.repeat(499)}…`;

it.each<[string, string | Uint8Array, readonly Header[], string, unknown]>([
  ['nothing of no body', '', [], 'there is no body', undefined],
  ['B9 compressed text', 'oops', encoded(' GZIP '), `the response is compressed (gzip), ${UNASKED}`, 'oops'],
  ['text compressed twice', 'oops', encoded('gzip', 'br'), `the response is compressed (gzip, br), ${UNASKED}`, 'oops'],
  ['what is text in bytes that are none', Buffer.from([0x6f, 0x68, 0xff]), [], NO_UTF8, 'oh\ufffd'],
  ['the text of what is no JSON', 'oops', [], NO_JSON, 'oops'],
  ['a long text, cut', 'o'.repeat(5000), [], NO_JSON, BEGINNING],
  ['a text as long as is kept, cut', 'o'.repeat(4096), [], NO_JSON, BEGINNING],
  ['JSON that is no resource', '[1]', [], 'the response is not a JSON object', [new JsonNumber('1')]],
])('what is shown of an answer that cannot be read: %s', (_what, body, headers, problem, shown) => {
  const verdict = failedOf(judged(cardGet, body, 200, headers));
  expect(verdict).toMatchObject({ event: 'unreadable', phase: 'answered', reply: { status: 200 }, problem });
  expect(verdict.error.body).toEqual(shown);
});

const RAW_WRITE: Operation = {
  ...{ ...cardBlock, response: { ...cardBlock.response, properties: {} } },
  effect: { ...(cardBlock.effect as object), unavailable: 'once' } as Operation['effect'],
};

it.each<[string, Operation, string, string]>([
  ['a read', cardGet, '[1]', '[1]'],
  ['a read', cardGet, '"text"', '"text"'],
  ['a read', cardGet, '{"cardId":"another","object":"other"}', '{"cardId":"another","object":"other"}'],
  ['a read', cardGet, 'null', 'null'],
  ['a read', cardGet, 'oops', NO_JSON],
  ['a read', cardGet, '', 'there is no body'],
  ['a change that is known', cardBlock, '[1]', 'the response is not a JSON object'],
  ['a change that is known', cardBlock, '', 'there is no body'],
  ['a change of which nothing is known', RAW_WRITE, '[1]', '[1]'],
  ['a change of which nothing is known', RAW_WRITE, '', '{}'],
])('the answer of a raw call: %s with %j is %s', (_, operation, body, end) => {
  const verdict = judged(operation, body, 200, [], { target: '/' });
  expect(shownOf(verdict)).toBe(end);
  expect(verdict).toMatchObject(verdict.kind === 'accepted' ? { notices: [] } : { event: 'unreadable' });
});

const entries = (entry: string) => `[${`${entry},`.repeat(300_000)}${entry}]`;

it('B21 answers of many megabytes: a list whose entries all lack what is required: shown, with one warning', () => {
  const verdict = judged(cardGet, metadata(`"metadata":{},"transactions":${entries('{}')}`));
  expect(verdict).toMatchObject({ kind: 'accepted', notices: [{ code: 'MISSING_FIELD' }] });
});

it('B21 an answer of many megabytes: more parts than memory is given for them: unreadable, and shown by its beginning', () => {
  const many = metadata(`"metadata":{"a":${entries('{"a":1},{"a":1},{"a":1},{"a":1}')}}`);
  const { event, problem, error } = failedOf(judged(cardGet, many));
  expect([event, error.body]).toEqual(['unreadable', `${many.slice(0, 499)}…`]);
  const where = /line 1, column \d+ \(at metadata\.a\.\d+.*\): too many values to hold in memory/;
  expect(problem).toMatch(new RegExp(`^the response has too many parts \\(${where.source}\\)$`));
});

it('B34 answers of many megabytes: an error of more than 8 MiB is shown by its beginning', () => {
  const verdict = failedOf(judged(cardGet, JSON.stringify({ errorCode: 'E', message: 'm'.repeat(9 << 20) }), 400));
  expect(verdict).toMatchObject({ event: 'refused', error: { service: undefined } });
  expect(String(verdict.error.body)).toHaveLength(500);
});

it('answers of many megabytes: another card of more than 8 MiB is not repeated in the error', () => {
  const other = metadata(`"metadata":{"a":"${'x'.repeat(9 << 20)}"}`).replace(CARD_ID, OTHER);
  const { problem, error } = failedOf(judged(cardGet, other));
  expect(problem).toContain('not the requested one');
  expect(String(error.body)).toHaveLength(500);
});

it('an answer is read from a body that came in pieces, cut inside a character', () => {
  const bytes = Buffer.from(CARD.replace('"design":"d"', '"design":"Tromsø 🎁"'), 'utf8');
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(shownOf(judged(cardGet, pieces))).toContain('"design":"Tromsø 🎁"');
});

it('an answer keeps of an error of more than 64 KiB the code, the beginning of what it says, and how long it was', () => {
  const message = 'no '.repeat(30_000);
  const body = JSON.stringify({ errorCode: 'CARD_EXPIRED', message, details: { a: [1] } });
  const { error } = failedOf(judged(cardGet, body, 409));
  expect(printJson(error.service as JsonValue)).toBe(
    `{"errorCode":"CARD_EXPIRED","message":"${message.slice(0, 1971)}… (cut from 90000 characters)","details":{"cut":"the rest of ${body.length} characters"}}`,
  );
  const other = failedOf(judged(cardGet, JSON.stringify({ title: 'no', all: 'x'.repeat(70_000) }), 409));
  expect(other).toMatchObject({ error: { service: undefined, message: 'no', summary: '"no"' } });
  expect(String(other.error.body)).toHaveLength(500);
});

it.each([
  ['is cut to 5,000 characters, and says so', 'e'.repeat(6000), `${'e'.repeat(4972)}… (cut from 6000 characters)`, 1],
  ['of 3,000 emoji is whole: characters count, not UTF-16 units', '😀'.repeat(3000), '😀'.repeat(3000), 0],
])('the id of an answer %s', (_what, id, kept, cuts) => {
  const verdict = judged(eventCreate, JSON.stringify({ id, object: 'event' }));
  expect(verdict).toMatchObject({ kind: 'accepted', notices: Array(cuts).fill({ code: 'ID_CUT' }) });
  expect(resultIdOf(eventCreate, undefined, verdict.kind === 'accepted' ? verdict.resource : null)).toBe(kept);
});

it('an answer keeps 256 characters of a request id, and says that it is cut', () => {
  const { reply } = judged(cardGet, '', 409, [['x-request-id', 'r'.repeat(60_000)]]);
  expect(reply?.requestId).toBe(`${'r'.repeat(227)}… (cut from 60000 characters)`);
});
