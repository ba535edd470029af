import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import tls from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { type ProxyServer, parseBaseUrl } from '../../../../src/service/wire/base-url.ts';
import type { Exchange, Transport, WireRequest } from '../../../../src/service/wire/exchange.ts';
import { createTransport } from '../../../../src/service/wire/transport.ts';
import {
  type Behavior,
  CLOSED_PORT,
  drip,
  type FaultServer,
  flood,
  json,
  raw,
  reply,
  resetAfterRequest,
  silence,
  startFaultServer,
  wrongLength,
} from '../../../support/fault-server.ts';
import { type ProxyMode, startProxyServer } from '../../../support/proxy-server.ts';
import {
  EARLY_CERTIFICATE,
  EXPIRED_CERTIFICATE,
  GOOD_CERTIFICATE,
  OTHER_CERTIFICATE,
  TEST_CA,
  type TestCertificate,
} from '../../../support/tls-server.ts';
import { baseUrl } from '../http/fakes.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function transportTo(url: string, connectTimeoutMs = 10_000): Transport {
  const parsed = parseBaseUrl(url);
  if (parsed.kind === 'bad') throw new Error(parsed.problem);
  const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5), monotonic: () => performance.now() };
  const transport = createTransport({ baseUrl: parsed.baseUrl, clock, connectTimeoutMs });
  cleanups.push(() => transport.close());
  return transport;
}

function post(target = '/v1/x'): WireRequest {
  return { method: 'POST', target, headers: [['Content-Type', 'application/json']] as const, body: '{"a":1}' };
}

const GET: WireRequest = { ...post(), method: 'GET', body: undefined };

async function serve(...script: Behavior[]): Promise<FaultServer> {
  const server = await startFaultServer({ script });
  cleanups.push(() => server.close());
  return server;
}

const close = (socket: Socket) => socket.end();
const reset = (socket: Socket) => socket.resetAndDestroy();

/** A transport to a service of these behaviors; `send` makes an exchange and sums it up. */
async function connect(...script: Behavior[]) {
  const server = await serve(...script);
  const transport = transportTo(server.url);
  const send = async (more: Partial<Parameters<Transport['exchange']>[1]> = {}, wire = post()) =>
    summary(await transport.exchange(wire, { timeoutMs: 5000, ...more }));
  return { server, transport, send, connections: () => server.requests.map(({ connection }) => connection) };
}

async function exchangeWith(behavior: Behavior, timeoutMs = 5000) {
  const server = await serve(behavior);
  return { exchange: await transportTo(server.url).exchange(post(), { timeoutMs }), server };
}

function summary(exchange: Exchange): string {
  if (exchange.kind === 'reply') return `reply ${exchange.status} ${Buffer.concat(exchange.body).toString('utf8')}`;
  const { sent, phase, breakage, status } = exchange;
  const what = sent ? breakage.text.replace(/127.0.0.1:\d+/, 'HOST') : breakage.label;
  const stage = { connecting: 'connecting', awaiting_headers: 'waiting', reading_body: 'reading' }[phase];
  return `${sent ? '' : 'unsent '}${stage}${status === undefined ? '' : ` ${status}`}: ${what}`;
}

const OK = 'HTTP/1.1 200 OK\r\n';

const CHUNKS = 'Transfer-Encoding: chunked\r\n\r\n';
const open = (bytes: string) => raw(bytes, { keepOpen: true });
const [CLOSED, RESET] = ['the connection closed before a reply', 'the connection was reset before a reply'];
const NO_HTTP = 'HOST did not answer with HTTP';
const LENGTH = 'the response does not have the length that it declares';
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';
const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\n';
const LIMIT = '(the limit is 33554432 bytes)';
const ENORMOUS = `reading 200: the response declares 99000000000 bytes ${LIMIT}`;
const CUT = 'reading 200: the response was cut off';
const BROKE_RULES = 'reading 200: the response broke the rules of HTTP while its body was read';
const EARLY = 'HTTP/1.1 401 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
const BAD = (status: string) => `waiting: the response has status ${status}, which HTTP does not know`;

it.each<[title: string, behavior: Behavior, expected: string]>([
  ['an answer', json(200, '{"b":2}'), 'reply 200 {"b":2}'],
  ['N8 close right after accept', { onAccept: close }, `waiting: ${CLOSED}`],
  ['N9 reset after the whole request', resetAfterRequest(), `waiting: ${RESET}`],
  ['reset after the headers of the request', { onHeaders: reset }, `waiting: ${RESET}`],
  ['N10 close after the whole request', { onRequest: close }, `waiting: ${CLOSED}`],
  ['provisional answers', raw(`${`${INTERIM}HTTP/1.1 103 E\r\n\r\n`.repeat(50)}${OK}\r\n{}`), 'reply 200 {}'],
  ['H21 101', raw(SWITCH), 'waiting: the response is one that was not asked for (1xx)'],
  ['H21 100', raw(`${INTERIM}${OK}\r\nHTTP/1.1 100 of a body`), 'reply 200 HTTP/1.1 100 of a body'],
  ['H22 status 999', reply(999, {}, 'x'), 'reply 999 x'],
  ['H23 status 000', raw('HTTP/1.1 000 Odd\r\n\r\n'), BAD('000')],
  ['H23 status 099', raw('HTTP/1.1 099 Odd\r\n\r\n'), BAD('099')],
  ['H23 status 99', raw('HTTP/1.1 99 Odd\r\n\r\n'), `waiting: ${NO_HTTP}`],
  ['H23 junk status line', raw('HTTP/1.1 two hundred\r\n\r\n'), `waiting: ${NO_HTTP}`],
  ['H24 a banner of another protocol', raw('SSH-2.0-OpenSSH_9.2\r\n'), `waiting: ${NO_HTTP}`],
  ['H25 1 MB of headers', raw(`${OK}X: ${'y'.repeat(1e6)}\r\n\r\n`), 'waiting: the response has too many headers'],
  ['H26 length and chunks', raw(`${OK}Content-Length: 2\r\n${CHUNKS}2\r\n{}\r\n0\r\n\r\n`), `waiting: ${LENGTH}`],
  ['H26 two lengths', raw(`${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `), `waiting: ${LENGTH}`],
  ['H27 early 401, body unread', { onHeaders: (socket) => socket.end(EARLY) }, 'reply 401 {}'],
  ['B1 chunks cut', raw(`${OK}${CHUNKS}10\r\n{"a":`), CUT],
  ['B2 chunks without the last one', raw(`${OK}${CHUNKS}2\r\n{}\r\n`), CUT],
  ['B3 length too long', wrongLength(200, 50, '{"a":1}'), CUT],
  ['B4 length too short', wrongLength(200, 3, '{"a":1}'), 'reply 200 {"a'],
  ['B5 no length, cut by closing', raw(`${OK}\r\n{"a":`), 'reply 200 {"a":'],
  ['B6 bad chunk size', raw(`${OK}${CHUNKS}zz\r\n{}`), BROKE_RULES],
  ['B7 endless', flood(`${OK}\r\n`, 'x'.repeat(1 << 20)), `reading 200: the response does not end ${LIMIT}`],
  ['B8 99 GB', open(`${OK}Content-Length: 99${'0'.repeat(9)}\r\n\r\n{`), ENORMOUS],
  ['an empty 204', open('HTTP/1.1 204 No Content\r\n\r\n'), 'reply 204 '],
])('a broken connection is distinguished by its stage: %s', async (_, behavior, expected) => {
  expect(summary((await exchangeWith(behavior)).exchange)).toBe(expected);
});

const NONE = 'waiting: no reply within 0.3 s';
const NO_END = 'reading 200: the response did not end within 0.3 s';

it.each<[title: string, behavior: Behavior, expected: string]>([
  ['N11 no answer', silence(), NONE],
  ['N13 headers dripped', drip('HTTP/1.1 200 OK\r\n', 'X', 20), NONE],
  ['N14 slow endless 1xx', drip('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 50), NONE],
  ['N15 body dripped for ever', drip(`${OK}\r\n{`, ' ', 20), NO_END],
  ['N16 body stalls', open(`${OK}Content-Length: 50\r\n\r\n{`), NO_END],
])('a broken connection is distinguished by its stage: %s: ended by the timeout', async (_, behavior, expected) => {
  expect(summary((await exchangeWith(behavior, 300)).exchange)).toBe(expected);
});

it('N1 where a connection is refused nothing was sent, which is said with host and port', async () => {
  const breakage = { label: 'refused', text: `cannot connect to 127.0.0.1:${CLOSED_PORT} (refused)` };
  const exchange = await transportTo(`http://127.0.0.1:${CLOSED_PORT}`).exchange(post(), { timeoutMs: 5000 });
  expect(exchange).toEqual({ kind: 'broken', sent: false, phase: 'connecting', breakage });
});

const UNANSWERED: Behavior = { onAccept: (socket) => socket.pause() };
const atData = (end: (socket: Socket) => void): Behavior => ({
  onAccept: (socket) => socket.once('data', () => end(socket)),
});
const AWAITED = `waiting: ${RESET}`;

it.each<[string, string, Behavior | undefined, ...string[]]>([
  ['N2 refused on every address of localhost', `http://localhost:${CLOSED_PORT}`, undefined, 'refused'],
  ['N3 no such host', 'https://no-such-host.invalid', undefined, 'not_found', 'lookup_failed'],
  ['N4 a TLS handshake that is never answered', 'https://', UNANSWERED, 'connect_timeout'],
  // Whether the reset comes before or after the first write is the kernel's choice.
  ['N6 reset on accept', 'http://', { onAccept: reset }, 'connect_reset', AWAITED],
  ['N7 reset in the TLS handshake', 'https://', atData(reset), 'connect_reset'],
])('nothing was sent, and the service saw nothing: %s', async (_, start, behavior, ...ends) => {
  const server = behavior === undefined ? undefined : await serve(behavior);
  const url = server === undefined ? start : `${start}127.0.0.1:${server.port}`;
  const transport = transportTo(url, behavior === UNANSWERED ? 200 : undefined);
  const exchange = await transport.exchange(post(), { timeoutMs: 5000 });
  expect(ends.map((end) => (end === AWAITED ? end : `unsent connecting: ${end}`))).toContain(summary(exchange));
  expect(server?.requests ?? []).toEqual([]);
});

it('nothing was sent: a deadline while connecting is not sent, and the request does not leave later', async () => {
  const server = await serve(UNANSWERED);
  const exchange = await transportTo(`https://127.0.0.1:${server.port}`).exchange(post(), { timeoutMs: 100 });
  expect([summary(exchange), server.requests]).toEqual(['unsent connecting: connect_timeout', []]);
});

it('N20 nothing was sent: a plain-text port, without OpenSSL noise', async () => {
  const server = await serve(atData((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
  const exchange = await transportTo(`https://127.0.0.1:${server.port}`).exchange(post(), { timeoutMs: 5000 });
  const text = `127.0.0.1:${server.port} does not speak TLS`;
  expect(exchange).toMatchObject({ sent: false, breakage: { label: 'not_tls', text } });
});

it('where it was stopped before it began: no connection is made', async () => {
  const { server, send } = await connect(json(200, '{}'));
  expect([await send({ abort: AbortSignal.abort() }), server.connections]).toEqual(['unsent connecting: aborted', 0]);
});

it('an abort ends an exchange whose request left, and says that it left', async () => {
  const { send } = await connect(silence());
  const abort = new AbortController();
  const onSend = () => setTimeout(() => abort.abort(), 20);
  expect(await send({ abort: abort.signal, onSend })).toBe('waiting: stopped before a reply');
});

it('stopping lets an exchange finish whose request left', async () => {
  const soft = new AbortController();
  const { send } = await connect(json(200, '{"b":2}'));
  const onSend = () => queueMicrotask(() => soft.abort());
  expect(await send({ stopping: soft.signal, onSend })).toBe('reply 200 {"b":2}');
});

it('stopping gives up a connection in the making', async () => {
  const url = `https://127.0.0.1:${(await serve(UNANSWERED)).port}`;
  const soft = new AbortController();
  setTimeout(() => soft.abort(), 50);
  const exchange = await transportTo(url).exchange(post(), { timeoutMs: 5000, stopping: soft.signal });
  expect(summary(exchange)).toBe('unsent connecting: aborted');
});

it('a transport sends the request exactly once with its target, headers and body as built', async () => {
  const { server, send } = await connect(json(200, '{}'));
  await send({}, post('/p/v1/cards/a%2Fb%3F?x=1'));
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]).toMatchObject({ method: 'POST', target: '/p/v1/cards/a%2Fb%3F?x=1', body: '{"a":1}' });
  expect(server.requests[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '7' });
});

it('a transport uses an idle connection again, and opens one for each exchange at a time', async () => {
  const { server, send } = await connect(json(200, '{}'));
  for (let time = 0; time < 2; time += 1) await send();
  expect(server.connections).toBe(1);
  await Promise.all([1, 2, 3].map(() => send()));
  expect(server.connections).toBe(3);
});

it.each(['GET', 'POST'] as const)('a change uses no connection of an earlier %s about the same', async (method) => {
  const { send, connections } = await connect(json(200, '{}'));
  await send({ about: 'a' }, { ...post(), method, body: undefined });
  for (const about of ['b', 'a', undefined, 'c']) await send({ about });
  expect(connections()).toEqual([1, 1, 2, 2, 2]);
});

it('reads use any connection, and two connections take turns when each change follows a read about the same', async () => {
  const { send, connections } = await connect(json(200, '{}'));
  for (const about of ['a', 'b', 'c']) for (const wire of [GET, post(), GET]) await send({ about }, wire);
  expect(connections()).toEqual([1, 2, 2, 2, 1, 1, 1, 2, 2]);
});

it('a connection that carried a thousand IDs serves reads until a change needs another', async () => {
  const { send, connections } = await connect(json(200, '{}'));
  for (let n = 0; n <= 1000; n += 1) await send({ about: String(n) }, GET);
  for (const wire of [post(), GET]) await send({ about: 'a' }, wire);
  expect(connections().slice(999)).toEqual([1, 1, 2, 2]);
});

it('a transport gives an exchange of its own a new connection, and closes it afterwards', async () => {
  const { send, connections } = await connect(json(200, '{}'));
  for (const own of [false, true, false]) await send({ own });
  expect(connections()).toEqual([1, 2, 1]);
});

/** Answers each request; `seen` is called for each connection with how to end it. */
async function serveEach(seen: (end: () => void, count: number) => void) {
  let count = 0;
  const used: number[] = [];
  const server = createServer((socket) => {
    count += 1;
    const number = count;
    socket.on('error', () => undefined);
    socket.on('data', () => {
      used.push(number);
      socket.write(`${OK}Content-Length: 2\r\n\r\n{}`);
    });
    seen(() => socket.end(), number);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => void server.close());
  // A TCP server has a port.
  const { port } = server.address() as AddressInfo;
  return { transport: transportTo(`http://127.0.0.1:${port}`), used, connections: () => count };
}
const followed = { timeoutMs: 5000, own: true, isFollowed: () => true };

it('a connection opened ahead is taken by the next exchange of its own, and by no other', async () => {
  const opened: number[] = [];
  const service = await serveEach((_, number) => opened.push(number));
  await service.transport.exchange(post(), followed);
  while (opened.length < 2) await setImmediate();
  await service.transport.exchange(post(), { timeoutMs: 5000 });
  await service.transport.exchange(post(), { timeoutMs: 5000, own: true });
  expect([service.used, service.connections()]).toEqual([[1, 3, 2], 3]);
});

it('a connection opened ahead is not opened where none follows', async () => {
  const service = await serveEach(() => undefined);
  await service.transport.exchange(post(), { ...followed, isFollowed: () => false });
  await service.transport.exchange(post(), { timeoutMs: 5000, own: true });
  expect([service.used, service.connections()]).toEqual([[1, 2], 2]);
});

it('a connection opened ahead is opened anew when the service has closed it', async () => {
  let hasEnded = false;
  const service = await serveEach((end, number) => {
    if (number !== 2) return;
    end();
    hasEnded = true;
  });
  await service.transport.exchange(post(), followed);
  while (!hasEnded) await setImmediate();
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  const exchange = await service.transport.exchange(post(), { timeoutMs: 5000, own: true });
  expect([summary(exchange), service.used]).toEqual(['reply 200 {}', [1, 3]]);
});

it('N12 a connection that is reset on reuse is not sent on again by itself', async () => {
  const { server, send } = await connect(json(200, '{}'), resetAfterRequest(), json(200, '{}'));
  await send();
  expect([await send(), server.requests.length]).toEqual([`waiting: ${RESET}`, 2]);
});

it('a connection that a deadline hit is not used again', async () => {
  const { server, send } = await connect(silence(), json(200, '{}'));
  await send({ timeoutMs: 100 });
  expect([await send(), server.connections]).toEqual(['reply 200 {}', 2]);
});

const REFUSAL = 'HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n[]';

it.each<[when: string, first: string, between: string]>([
  ['with the first', `${OK}Content-Length: 2\r\n\r\n{}${REFUSAL}`, ''],
  ['begun with the first', `${OK}Content-Length: 2\r\n\r\n{}HT`, REFUSAL.slice(2)],
  ['in the turn in which the next leaves', `${OK}Content-Length: 2\r\n\r\n{}`, REFUSAL],
])('N28 a second response that came before a request left never answers it: %s', async (_, first, between) => {
  const sockets: Socket[] = [];
  const onRequest = (socket: Socket) => {
    sockets.push(socket);
    socket.write(first);
  };
  const { server, send } = await connect({ onRequest }, json(200, '{"b":2}'));
  await send();
  const next = new Promise<string>((resolve) => sockets[0]?.write(between, () => resolve(send())));
  expect([await next, server.connections, server.requests.length]).toEqual(['reply 200 {"b":2}', 2, 2]);
});

it('a transport keeps header names, values, order and doubles as sent', async () => {
  const { exchange } = await exchangeWith(open(`${OK}X-One: a\r\nx-one: b\r\nContent-Length: 2\r\n\r\n{}`));
  expect(exchange.kind === 'reply' && exchange.headers.flat()).toEqual([
    ...['X-One', 'a', 'x-one', 'b', 'Content-Length', '2'],
  ]);
});

/** A server in a process of its own, which answers while this one stands still; answers its port. */
async function serveApart(): Promise<number> {
  const program = `require('node:http').createServer((request, response) => {
    request.resume().on('end', () => response.end('{"b":2}'));
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(async () => void child.kill());
  const [port] = await once(child.stdout, 'data');
  return Number(port);
}

it('M2 a transport reads an answer that came while the process was stopped, although the deadline has passed', async () => {
  const url = `http://127.0.0.1:${await serveApart()}`;
  const onSend = () => {
    // The bytes leave in this turn; the process stands still from the next one on.
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500));
  };
  expect(summary(await transportTo(url).exchange(post(), { timeoutMs: 1000, onSend }))).toBe('reply 200 {"b":2}');
});

it('a transport holds back every byte if it is stopped right before the first one', async () => {
  const { server, send } = await connect(json(200, '{}'));
  const stopping = new AbortController();
  const onSend = () => stopping.abort();
  expect(await send({ stopping: stopping.signal, onSend })).toBe('unsent connecting: aborted');
  await server.close();
  expect(server.requests).toEqual([]);
});

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5), monotonic: () => performance.now() };

async function serveTls(certificate: TestCertificate) {
  const server = await startFaultServer({ script: [json(200, '{"ok":1}')], tls: certificate });
  cleanups.push(() => server.close());
  return server;
}

function trustingTransportTo(url: string, options: { trust?: boolean; proxy?: ProxyServer } = {}): Transport {
  const transport = createTransport({
    baseUrl: baseUrl(url),
    clock,
    trustPems: options.trust === false ? [] : [TEST_CA],
    proxy: options.proxy,
  });
  cleanups.push(() => transport.close());
  return transport;
}

const headers = [['Authorization', 'Bearer secret-token']] as const;
const GET_WITH_TOKEN: WireRequest = { method: 'GET', target: '/v1/x', headers, body: undefined };

function end(exchange: Exchange): string {
  if (exchange.kind === 'reply') return `reply ${exchange.status}`;
  return `${exchange.sent ? 'sent' : 'unsent'} ${exchange.breakage.label}: ${exchange.breakage.text}`;
}

it('certificates: a CA file adds to the trust, by name and by address', async () => {
  const server = await serveTls(GOOD_CERTIFICATE);
  for (const host of ['localhost', '127.0.0.1']) {
    const url = `https://${host}:${server.port}`;
    expect(end(await trustingTransportTo(url).exchange(GET_WITH_TOKEN, { timeoutMs: 5000 }))).toBe('reply 200');
  }
});

it('a transport reads the certificates that it trusts once for all connections', async () => {
  const transport = trustingTransportTo(`https://localhost:${(await serveTls(GOOD_CERTIFICATE)).port}`);
  const { createSecureContext } = tls;
  let made = 0;
  tls.createSecureContext = (options) => {
    made += options?.ca === undefined ? 0 : 1;
    return createSecureContext(options);
  };
  syncBuiltinESMExports();
  try {
    for (let turn = 0; turn < 3; turn += 1) await transport.exchange(GET_WITH_TOKEN, { timeoutMs: 5000, own: true });
  } finally {
    tls.createSecureContext = createSecureContext;
    syncBuiltinESMExports();
  }
  expect(made).toBe(1);
});

const OF = 'the certificate of localhost:PORT';
const CHAIN =
  'its chain does not lead to a known authority. A certificate between them may be missing (UNABLE_TO_VERIFY_LEAF_SIGNATURE)';
const CLOCK = "and this machine's clock says 2026-01-02T03:04:05.000Z";
const midnight = (year: number) => `${year}-01-01T00:00:00.000Z`;
const PAST = `(valid ${midnight(2020)} to ${midnight(2021)})`;
const COMING = `(valid ${midnight(2119)} to ${midnight(2120)})`;

it.each<[title: string, certificate: TestCertificate, trust: boolean, expected: string]>([
  ['N17 not trusted', GOOD_CERTIFICATE, false, `untrusted: ${OF} is not trusted: ${CHAIN}`],
  ['N18 wrong host name', OTHER_CERTIFICATE, true, `wrong_name: ${OF} is for other.example, not for localhost`],
  ['N19 expired', EXPIRED_CERTIFICATE, true, `certificate_dates: ${OF} has expired ${PAST}, ${CLOCK}`],
  ['N19 not yet valid', EARLY_CERTIFICATE, true, `certificate_dates: ${OF} is not valid yet ${COMING}, ${CLOCK}`],
])('certificates: %s', async (_, certificate, trust, expected) => {
  const server = await serveTls(certificate);
  const exchange = await trustingTransportTo(`https://localhost:${server.port}`, { trust }).exchange(GET_WITH_TOKEN, {
    timeoutMs: 5000,
  });
  expect([end(exchange).replaceAll(`:${server.port}`, ':PORT'), server.requests]).toEqual([`unsent ${expected}`, []]);
});

it('N21 certificates: NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch verification off', async () => {
  const server = await serveTls(EXPIRED_CERTIFICATE);
  const url = `https://localhost:${server.port}`;
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  try {
    expect(end(await trustingTransportTo(url).exchange(GET_WITH_TOKEN, { timeoutMs: 5000 }))).toMatch(
      /^unsent certificate_dates/,
    );
  } finally {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
  }
  expect(server.requests).toEqual([]);
});

const proxyAt = (port: number, authorization?: string): ProxyServer => ({
  ...{ scheme: 'http', host: '127.0.0.1', port, hostPort: `127.0.0.1:${port}` },
  ...{ variable: 'HTTPS_PROXY', authorization },
});

async function through(mode: ProxyMode, timeoutMs = 5000) {
  const server = await serveTls(GOOD_CERTIFICATE);
  const proxyServer = await startProxyServer(mode);
  cleanups.push(() => proxyServer.close());
  const proxy = proxyAt(proxyServer.port, 'Basic cDpx');
  const exchange = await trustingTransportTo(`https://localhost:${server.port}`, { proxy }).exchange(GET_WITH_TOKEN, {
    timeoutMs,
  });
  return { line: end(exchange).replaceAll(proxy.hostPort, 'PROXY'), server, proxyServer };
}

it('a proxy tunnels to the service, which the proxy sees only as host and port', async () => {
  const { line, server, proxyServer } = await through('tunnel');
  expect([line, server.requests.length]).toEqual(['reply 200', 1]);
  expect(proxyServer.heads).toEqual([
    `CONNECT localhost:${server.port} HTTP/1.1\r\nHost: localhost:${server.port}\r\nProxy-Authorization: Basic cDpx\r\n\r\n`,
  ]);
});

const LOGINS = 'HTTP/1.1 407 Auth\r\nProxy-Authenticate: Negotiate\r\nProxy-Authenticate: NTLM\r\n\r\n';
const NO_LOGIN = 'proxy_auth: the proxy PROXY wants a login that frontdesk does not know (407, Negotiate, NTLM)';
const REFUSED = 'proxy_auth: the proxy PROXY did not accept the user name and password (407)';
const NO_TUNNEL = 'proxy_refused: the proxy PROXY sent something other than a tunnel';

it.each<[title: string, answer: string | undefined, expected: string]>([
  ['N23 407', 'HTTP/1.1 407 Auth\r\n\r\n', REFUSED],
  ['N23 407 to a login that frontdesk does not know', LOGINS, NO_LOGIN],
  ['N24 502', 'HTTP/1.1 502 Bad Gateway\r\n\r\n<html>', 'proxy: the proxy PROXY did not open a connection (502)'],
  ['no HTTP', 'SSH-2.0-x\r\n\r\n', 'proxy_refused: the proxy PROXY did not answer with HTTP'],
  ['closed', undefined, 'proxy: cannot connect through the proxy PROXY (closed)'],
  ['bytes after the tunnel opened', 'HTTP/1.1 200 OK\r\n\r\nhello', NO_TUNNEL],
])('%s: what a proxy answers is no tunnel', async (_, answer, expected) => {
  const { line, server } = await through(answer === undefined ? 'close' : { answer });
  expect([line, server.connections]).toEqual([`unsent ${expected}`, 0]);
});

it('N25 a proxy that never answers CONNECT ends at the deadline of the call', async () => {
  const { line } = await through('silent', 150);
  expect(line).toBe('unsent connect_timeout: no connection through the proxy PROXY within 0.15 s');
});

it('N22 a proxy that refuses is named', async () => {
  const transport = trustingTransportTo('https://h.example', { proxy: proxyAt(CLOSED_PORT) });
  expect(end(await transport.exchange(GET_WITH_TOKEN, { timeoutMs: 5000 }))).toBe(
    `unsent proxy: cannot connect through the proxy 127.0.0.1:${CLOSED_PORT} (refused)`,
  );
});

it.each(['TLSv1.2', 'TLSv1.3'] as const)('a client certificate that is demanded is named: %s', async (version) => {
  const asked = { requestCert: true, rejectUnauthorized: true, minVersion: version, maxVersion: version };
  const server = tls.createServer({ ...GOOD_CERTIFICATE, ...asked });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const exchange = await trustingTransportTo(`https://localhost:${port}`).exchange(GET_WITH_TOKEN, { timeoutMs: 5000 });
  const words = `localhost:${port} asks for a client certificate and ended the connection, and frontdesk has none`;
  expect(end(exchange)).toBe(version === 'TLSv1.2' ? `unsent no_certificate: ${words}` : `sent broken: ${words}`);
});
