import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { afterAll, expect, it } from 'vitest';
import { type Behavior, counted, earlyReply, json, raw, reply, resetAfterRequest } from '../../support/fault-server.ts';
import { CARDS_TOKEN } from '../../support/recording-server.ts';
import { NO_PAUSE } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { GOOD_CERTIFICATE } from '../../support/tls-server.ts';
import { type CallName, type FaultOptions, faulty, meet, onPost, seen } from './fault-run.ts';

/** docs/faults.md, group H: what the service's HTTP does to a call. */

const ACTIVE = json(200, cardText('ACTIVE'));
const BLOCKED = json(200, cardText('BLOCKED'));
const ESC = '\u001b';

/** The same answer to every request, met once by a call. */
async function once(behavior: Behavior, call: CallName, options: FaultOptions = {}) {
  const server = await faulty(behavior);
  return { server, ...(await meet(server, call, options)) };
}

/** A status for the write and ACTIVE for every read, as a service that did it and then failed. */
async function write(behavior: Behavior, call: CallName, options: FaultOptions = {}, read: Behavior = ACTIVE) {
  const server = await faulty(onPost(behavior, read));
  return { server, ...(await meet(server, call, options)) };
}

it.concurrent.each([303])(
  'H1 a redirect %i of a change is never followed, and is unknown unless the card shows it',
  async (status) => {
    const moved = reply(status, { Location: '/v2/elsewhere' }, '');
    const server = await faulty(onPost(moved, json(200, cardText('EXPIRED'))));
    const unknown = await meet(server, 'activate', { retries: 2 });
    expect(unknown.end).toBe('8 unknown');
    expect(seen(server)).toBe('1 POST, 2 GET');
    expect((await write(moved, 'activate')).code).toBe(0);
    const read = await once(moved, 'list', { retries: 2 });
    expect(read.end).toBe('6');
    expect(seen(read.server)).toBe('0 POST, 1 GET');
  },
);

it.concurrent.each([307])('H1 a redirect %i to the same host is never followed, and is rejected', async (status) => {
  const moved = reply(status, { Location: '/v2/elsewhere' }, '');
  const wrote = await once(moved, 'activate', { retries: 2 });
  expect(wrote.end).toBe('6 rejected');
  expect(wrote.error?.message).toContain(
    `the service redirected (${status}) to ${wrote.server.url}, and redirects are`,
  );
  expect(wrote.error?.hint).toContain('check FRONTDESK_CARDS_URL (http://127.0.0.1:');
  expect(seen(wrote.server)).toBe('1 POST, 0 GET');
  const read = await once(moved, 'list', { retries: 2 });
  expect(read.end).toBe('6');
  expect(seen(read.server)).toBe('0 POST, 1 GET');
});

it.concurrent('H2 a 307 to another port or scheme sends nothing to the second server', async () => {
  const second = await faulty(ACTIVE);
  for (const location of [`${second.url}/v1/x`, `https://127.0.0.1:${second.port}/v1/x`, '//other.example/x']) {
    const wrote = await once(reply(307, { Location: location }, ''), 'block');
    expect(wrote.end).toBe('6 rejected');
    expect(wrote.error?.message).toContain(location.startsWith('//') ? 'other.example' : `127.0.0.1:${second.port}`);
  }
  expect(second.connections).toBe(0);
});

it.concurrent('H3 of a Location with a password and escape codes only the origin is printed', async () => {
  const location = 'https://ann:s3cret@evil.example/%1b]0;x?token=abc';
  const wrote = await once(reply(307, { Location: location }, ''), 'activate', { format: [] });
  expect(wrote.code).toBe(6);
  expect(wrote.stderr).toContain('to https://evil.example, ');
  expect(wrote.stderr).not.toMatch(/s3cret|token=abc/);
});

it.concurrent('H4 a 401 names the profile, the host and the source of the token, never the token', async () => {
  const body = { errorCode: 'UNAUTHORIZED', message: `${ESC}[31mbad token ${CARDS_TOKEN}` };
  const { code, stderr } = await once(json(401, body), 'get', { format: [], retries: 2 });
  expect(code).toBe(4);
  expect(stderr).toContain(' did not accept the token in FRONTDESK_CARDS_TOKEN (');
  expect(stderr).toContain('(401 UNAUTHORIZED: "\\x1b[31mbad token ***")');
  expect(stderr).toContain('put a valid token into FRONTDESK_CARDS_TOKEN');
  const wrote = await once(json(401, body), 'activate', { retries: 2 });
  expect(wrote.end).toBe('4 rejected');
  expect(seen(wrote.server)).toBe('1 POST, 0 GET');
});

it.concurrent('H5 a 403 says that the request was refused, and nothing of the token', async () => {
  const { end, error, server } = await once(json(403, { errorCode: 'NO', message: 'no' }), 'activate', {
    retries: 2,
  });
  expect(end).toBe('5 rejected');
  expect(error?.message).toBe(
    `could not activate card ${CARD_ID}: ${server.url.slice(7)} refused the request: the service returned 403 (NO: "no"). Nothing was changed.`,
  );
  expect(seen(server)).toBe('1 POST, 0 GET');
});

it.concurrent('H6 a 404 of a card names the card, the host and the profile, and a web page as one', async () => {
  const found = await once(json(404, { errorCode: 'CARD_NOT_FOUND', message: 'no such card' }), 'get');
  expect(found.end).toBe('3');
  expect(found.error).toMatchObject({
    code: 'NOT_FOUND',
    message: `could not read card ${CARD_ID}: no such card at ${found.server.url.slice(7)} (profile default): the service returned 404 (CARD_NOT_FOUND: "no such card")`,
    http: { status: 404 },
    service: { errorCode: 'CARD_NOT_FOUND', message: 'no such card' },
  });
  const page = await once(reply(404, { 'Content-Type': 'text/html' }, '<html><title>404</title></html>'), 'get');
  expect(page.end).toBe('3');
  expect(page.error?.hint).toContain('check FRONTDESK_CARDS_URL (http://127.0.0.1:');
  expect(page.error?.hint).toContain('a web page responded instead of the service');
});

it.concurrent('H7 a 404 of the calendar API shows a short excerpt of the body', async () => {
  const { code, stderr } = await once(reply(404, {}, `no ${ESC}[2Jcalendar here`), 'calendar', { format: [] });
  expect(code).toBe(3);
  expect(stderr).toContain('could not update calendar cal_1 at 127.0.0.1:');
  expect(stderr).toContain('the service returned 404 ("no \\x1b[2Jcalendar here")');
  expect(stderr).toContain('hint: check FRONTDESK_CALENDAR_URL (http://127.0.0.1:');
  const answered = await once(json(404, { error: 'gone' }), 'calendar', { format: [] });
  expect(answered.code).toBe(3);
  expect(answered.stderr).toContain('could not update calendar cal_1: no such calendar at 127.0.0.1:');
});

it.concurrent.each([409])('H8 %i is rejected, with code, message and details', async (status) => {
  const body = { errorCode: 'BAD_STATE', message: 'card is blocked', details: { since: '2026-01-01' } };
  const { end, error, server } = await once(json(status, body), 'activate', { retries: 2 });
  expect(end).toBe('6 rejected');
  expect(error?.message).toContain(
    `the service returned ${status} (BAD_STATE: "card is blocked", details {"since":"2026-01-01"})`,
  );
  expect(error?.service).toEqual(body);
  expect(seen(server)).toBe('1 POST, 0 GET');
});

it.concurrent('H9 a 408 of a change is unknown and never sent again, because a proxy may have forwarded it', async () => {
  const { end, error, server } = await once(json(408, ''), 'reissue', { retries: 2, budgetMs: 40_000 });
  expect(end).toBe('8 unknown');
  expect(error?.attempts).toBe(1);
  expect(seen(server)).toBe('1 POST, 2 GET');
});

it.concurrent('H9 a 408 of a read is retried, then busy', async () => {
  const { end, server } = await once(json(408, ''), 'list', { retries: 2, budgetMs: 40_000 });
  expect(end).toBe('11');
  expect(seen(server)).toBe('0 POST, 3 GET');
});

/** The first answer is refused with these headers, the next is good. */
async function afterRefusal(headers: Record<string, string>, options: FaultOptions = {}) {
  const server = await faulty({ script: [json(429, '', headers), ACTIVE] });
  return { server, ...(await meet(server, 'activate', { retries: 2, budgetMs: 40_000, ...options })) };
}

it.concurrent('H10 a Retry-After in seconds is waited for at least that long', async () => {
  const { code, elapsedMs, server } = await afterRefusal({ 'Retry-After': '1' });
  expect(code).toBe(0);
  expect(elapsedMs).toBeGreaterThanOrEqual(1000);
  expect(seen(server)).toBe('2 POST, 0 GET');
});

it.concurrent('H10 a Retry-After longer than --retry-max-time is not waited for, and the time to run again is named', async () => {
  const before = Date.now();
  const { end, error, server } = await once(json(429, '', { 'Retry-After': '120' }), 'activate', { retries: 2 });
  expect(end).toBe('11 rejected');
  expect(seen(server)).toBe('1 POST, 0 GET');
  expect(error?.message).toContain('asking to wait 120 s, and that wait is longer than --retry-max-time allows');
  expect(Date.parse(error?.retryAt ?? '')).toBeGreaterThanOrEqual(before + 120_000);
  expect(error?.hint).toContain(error?.retryAt ?? 'no time');
});

it.concurrent.each([
  ['an hour ahead', 3_600_000],
  ['an hour behind', -3_600_000],
])(
  'H11 a Retry-After date of a service whose clock is %s is compared with the Date of the service',
  async (_, skewMs) => {
    // Whole seconds, as HTTP dates are.
    const now = Math.floor(Date.now() / 1000) * 1000 + skewMs;
    const headers = { Date: new Date(now).toUTCString(), 'Retry-After': new Date(now + 2000).toUTCString() };
    const { code, elapsedMs, server } = await afterRefusal(headers);
    expect(code).toBe(0);
    expect(elapsedMs).toBeGreaterThanOrEqual(2000);
    expect(seen(server)).toBe('2 POST, 0 GET');
  },
);

it.concurrent.each(['31536000'])(
  'H12 a Retry-After of a year (%s s) ends the call at once with a message',
  async (value) => {
    const { end, error, server } = await once(json(429, '', { 'Retry-After': value }), 'activate', { retries: 2 });
    expect(end).toBe('11 rejected');
    expect(seen(server)).toBe('1 POST, 0 GET');
    expect(error?.retryAt).toMatch(/^\d{4}-/);
  },
);

it.concurrent.each(['-5', 'soon', '31536001', '99999999999999999999999999'])(
  'H12 a Retry-After of "%s" is said to be unreadable, and gets the usual waits and no endless retries',
  async (value) => {
    const { end, error, server } = await once(json(429, '', { 'Retry-After': value }), 'activate', {
      retries: 2,
      budgetMs: 40_000,
    });
    expect(end).toBe('11 rejected');
    expect(seen(server)).toBe('3 POST, 0 GET');
    expect(error?.attempts).toBe(3);
    expect(error?.message).toContain(`its Retry-After cannot be read ("${value}")`);
  },
);

it.concurrent('H12 of two Retry-After headers the longer wait counts', async () => {
  const head = 'HTTP/1.1 429 Busy\r\nRetry-After: 1\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n';
  const { end, error } = await once(counted(raw(head), false), 'activate', { retries: 2 });
  expect(end).toBe('11 rejected');
  expect(error?.message).toContain('asking to wait 120 s');
});

it.concurrent('H13 a 429 without Retry-After gets the usual waits', async () => {
  const { code, server } = await afterRefusal({});
  expect(code).toBe(0);
  expect(seen(server)).toBe('2 POST, 0 GET');
});

it.concurrent('H14 a 500 of a read is retried, then 10', async () => {
  const { end, error, server } = await once(json(500, { errorCode: 'E', message: 'm' }), 'get', {
    retries: 2,
    budgetMs: 40_000,
  });
  expect(end).toBe('10');
  expect(error).toMatchObject({ code: 'BAD_REPLY', attempts: 3, http: { status: 500 } });
  expect(seen(server)).toBe('0 POST, 3 GET');
});

it.concurrent('H15 a 500 of a change that was applied is unknown, or resolved by checking the card', async () => {
  const boom = counted(json(500, { errorCode: 'E', message: 'm' }), true);
  const event = await write(boom, 'event', { retries: 2 });
  expect(event.end).toBe('8 unknown');
  expect(seen(event.server)).toBe('1 POST, 0 GET');
  const settled = await write(boom, 'block', { retries: 2 }, BLOCKED);
  expect(settled.code).toBe(0);
  expect(settled.notices).toContain('CONFIRMED_BY_READ');
});

it.concurrent.each([504])(
  'H16 %i with an HTML page of a proxy is unknown, and only its title is printed',
  async (status) => {
    const title = `Gate${'way '.repeat(60)}`;
    const page = `<html><head><title>${title}</title></head><body><script>alert(1)</script></body></html>`;
    const { end, error, server } = await write(reply(status, { 'Content-Type': 'text/html' }, page), 'reissue', {
      env: NO_PAUSE,
    });
    expect(end).toBe('8 unknown');
    expect(error?.message).toContain(`The service returned ${status} ("Gateway way `);
    expect(error?.message).not.toContain('alert');
    expect(error?.message).not.toContain('<');
    expect(/\("([^"]*)"\)/.exec(error?.message ?? '')?.[1]?.length).toBe(120);
    expect(seen(server)).toBe('1 POST, 2 GET');
  },
);

const unavailable = counted(json(503, '', { 'Retry-After': '1' }), false);
it.concurrent.each<[CallName, string, string]>([
  ['block', '8 unknown', '2 POST, 3 GET'],
  ['calendar', '8 unknown', '2 POST, 0 GET'],
  ['get', '10', '0 POST, 2 GET'],
])('H17 a 503 with Retry-After of %s is %s after %s', async (call, end, requests) => {
  const server = await faulty({
    route: (request) => (request.method === 'POST' || call === 'get' ? unavailable : ACTIVE),
  });
  const retries = call === 'block' || call === 'get' ? 1 : 2;
  const result = await meet(server, call, { retries, budgetMs: 40_000 });
  expect(result.end).toBe(end);
  expect(seen(server)).toBe(requests);
});

it.concurrent.each([['204', 'HTTP/1.1 204 No Content\r\n\r\n', 204]])(
  'H18 for %s a read fails, and a change is resolved by checking the card, or unknown',
  async (_, answer, status) => {
    const read = await once(raw(answer), 'get');
    expect(read.end).toBe('10');
    expect(read.error?.message).toContain(`the service returned ${status} without a body`);
    const unknown = await write(raw(answer), 'subscriber');
    expect(unknown.end).toBe('8 unknown');
    expect(unknown.error?.message).toContain(`The service returned ${status} without a body`);
    expect((await write(raw(answer), 'activate')).code).toBe(0);
  },
);

it.concurrent('H19 a 200 with a login page is no response of the API', async () => {
  const page = reply(200, { 'Content-Type': 'text/html' }, '<!doctype html><title>Sign in</title>');
  const read = await once(page, 'list');
  expect(read.end).toBe('10');
  expect(read.error?.message).toContain('a web page responded instead of the service (200, "Sign in")');
  expect(read.error?.hint).toMatch(/^check (?:the base URL|FRONTDESK_\w+_URL) /);
  expect((await write(page, 'event')).end).toBe('8 unknown');
});

it.concurrent.each([201, 202])('H20 %i with the resource is applied', async (status) => {
  const { code, stdout, notices } = await write(json(status, cardText('ACTIVE')), 'activate');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'ACTIVE' });
  expect(notices).toEqual(status === 202 ? ['ACCEPTED'] : []);
});

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const rows: readonly (readonly [string, string, RegExp])[] = [
  [
    'H21 101 Switching Protocols',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    /not asked for/,
  ],
  ['H22 status 999', 'HTTP/1.1 999 What\r\nContent-Length: 2\r\n\r\n{}', /returned 999/],
  ['H23 status 99', 'HTTP/1.1 99 Low\r\nContent-Length: 2\r\n\r\n{}', /./],
  ['H23 a status line of junk', 'HTTP/1.1 abc def\r\n\r\n', /did not answer with HTTP/],
  ['H24 an SSH banner', 'SSH-2.0-OpenSSH_9.6\r\n', /127\.0\.0\.1:\d+ did not answer with HTTP/],
  ['H25 a header block of 1 MB', `${OK}X-Long: ${'x'.repeat(1_000_000)}\r\n\r\n{}`, /too many headers/],
  ['H26 a length and chunks', `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, /./],
  [
    'H28 HTTP/2 without being asked',
    '\u0000\u0000\u0006\u0004\u0000\u0000\u0000\u0000\u0000\u0000\u0003\u0000\u0000\u0000\u0064',
    /did not answer with HTTP/,
  ],
];
it.concurrent.each(rows)('for %s a change is unknown, and a read fails', async (_, bytes, text) => {
  const answer = raw(Buffer.from(bytes, 'latin1'));
  const unknown = await write(answer, 'event', { retries: 2 });
  expect(unknown.end).toBe('8 unknown');
  expect(unknown.error?.message).toMatch(text);
  expect(seen(unknown.server)).toBe('1 POST, 0 GET');
  const read = await once(answer, 'list', { retries: 1, budgetMs: 40_000 });
  expect(read.end).toBe('10');
  expect(seen(read.server)).toBe('0 POST, 2 GET');
});

it.concurrent('H27 a 401 before the body was read counts, although the connection is closed', async () => {
  const body = '{"errorCode":"UNAUTHORIZED","message":"who are you"}';
  const { end, error } = await once(earlyReply(401, body), 'block', { retries: 2 });
  expect(end).toBe('4 rejected');
  expect(error?.message).toContain('(401 UNAUTHORIZED: "who are you")');
});

it.concurrent('H27 a reset after the whole request is no 401', async () => {
  expect((await write(resetAfterRequest(), 'provisionA')).end).toBe('8 unknown');
});

it.concurrent('H28 a service that speaks HTTP/2 only is an error before anything was sent', async () => {
  const server = createServer({ ...GOOD_CERTIFICATE, ALPNProtocols: ['h2'] }, (socket) => socket.end());
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  // listen() on a host and port gives an AddressInfo, never a pipe name.
  const { port } = server.address() as AddressInfo;
  const result = await meet(`https://127.0.0.1:${port}`, 'activate', { retries: 2 });
  expect(result.end).toBe('7 not_sent');
  expect(result.error?.message).toContain(`the TLS handshake with 127.0.0.1:${port} failed`);
  expect(result.error?.message).toContain('Nothing was sent.');
});

it.concurrent('H29 a 401 with a Date far from the local clock has a hint that names both clocks', async () => {
  const far = json(401, '', { Date: 'Sat, 01 Jan 2000 00:00:00 GMT' });
  const { error } = await once(far, 'get');
  expect(error?.hint).toMatch(
    /check this machine's clock: it says \d{4}-.*, the service says 2000-01-01T00:00:00.000Z/,
  );
  const near = await once(json(401, '', { Date: new Date().toUTCString() }), 'get');
  expect(near.error?.hint).not.toContain('clock');
});

it.concurrent('H30 problem details of RFC 9457 are printed with title and detail', async () => {
  const problem = { type: 'about:blank', title: 'Unprocessable', status: 422, detail: 'email is taken' };
  const answer = json(422, problem, { 'Content-Type': 'application/problem+json' });
  const { end, error } = await once(answer, 'subscriber');
  expect(end).toBe('6 rejected');
  expect(error?.message).toContain('the service returned 422 ("Unprocessable: email is taken")');
  expect(error?.body).toEqual(problem);
});
