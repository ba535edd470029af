import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import type { ProxyServer } from '../../../../src/service/wire/base-url.ts';
import type { Exchange, Transport, WireRequest } from '../../../../src/service/wire/exchange.ts';
import { createTransport } from '../../../../src/service/wire/transport.ts';
import { CLOSED_PORT, json, startFaultServer } from '../../../support/fault-server.ts';
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

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5), monotonic: () => performance.now() };

async function serveTls(certificate: TestCertificate) {
  const server = await startFaultServer({ script: [json(200, '{"ok":1}')], tls: certificate });
  cleanups.push(() => server.close());
  return server;
}

function transportTo(url: string, options: { trust?: boolean; proxy?: ProxyServer } = {}): Transport {
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
const GET: WireRequest = { method: 'GET', target: '/v1/x', headers, body: undefined };

function summary(exchange: Exchange): string {
  if (exchange.kind === 'reply') return `reply ${exchange.status}`;
  return `${exchange.sent ? 'sent' : 'unsent'} ${exchange.breakage.label}: ${exchange.breakage.text}`;
}

it('certificates: a CA file adds to the trust, by name and by address', async () => {
  const server = await serveTls(GOOD_CERTIFICATE);
  for (const host of ['localhost', '127.0.0.1']) {
    const url = `https://${host}:${server.port}`;
    expect(summary(await transportTo(url).exchange(GET, { timeoutMs: 5000 }))).toBe('reply 200');
  }
});

it('a transport reads the certificates that it trusts once for all connections', async () => {
  const server = await serveTls(GOOD_CERTIFICATE);
  const transport = transportTo(`https://localhost:${server.port}`);
  const { createSecureContext } = tls;
  let made = 0;
  tls.createSecureContext = (options) => {
    made += options?.ca === undefined ? 0 : 1;
    return createSecureContext(options);
  };
  syncBuiltinESMExports();
  try {
    for (let turn = 0; turn < 3; turn += 1) await transport.exchange(GET, { timeoutMs: 5000, own: true });
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
  const exchange = await transportTo(`https://localhost:${server.port}`, { trust }).exchange(GET, { timeoutMs: 5000 });
  expect(summary(exchange).replaceAll(`:${server.port}`, ':PORT')).toBe(`unsent ${expected}`);
  expect(server.requests).toEqual([]);
});

it('N21 certificates: NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch verification off', async () => {
  const server = await serveTls(EXPIRED_CERTIFICATE);
  const url = `https://localhost:${server.port}`;
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  try {
    expect(summary(await transportTo(url).exchange(GET, { timeoutMs: 5000 }))).toMatch(/^unsent certificate_dates/);
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
  const exchange = await transportTo(`https://localhost:${server.port}`, { proxy }).exchange(GET, { timeoutMs });
  return { line: summary(exchange).replaceAll(proxy.hostPort, 'PROXY'), server, proxyServer };
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
  const transport = transportTo('https://h.example', { proxy: proxyAt(CLOSED_PORT) });
  expect(summary(await transport.exchange(GET, { timeoutMs: 5000 }))).toBe(
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
  const exchange = await transportTo(`https://localhost:${port}`).exchange(GET, { timeoutMs: 5000 });
  const words = `localhost:${port} asks for a client certificate and ended the connection, and frontdesk has none`;
  expect(summary(exchange)).toBe(version === 'TLSv1.2' ? `unsent no_certificate: ${words}` : `sent broken: ${words}`);
});
