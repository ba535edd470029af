import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  type Behavior,
  CLOSED_PORT,
  closeAfterRequest,
  closeOnAccept,
  drip,
  json,
  raw,
  resetAfterRequest,
  silence,
} from '../../support/fault-server.ts';
import { type ProxyMode, type ProxyServer, startProxyServer } from '../../support/proxy-server.ts';
import { createHome, NO_PAUSE } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import {
  EARLY_CERTIFICATE,
  EXPIRED_CERTIFICATE,
  GOOD_CERTIFICATE,
  OTHER_CERTIFICATE,
  TEST_CA,
  type TestCertificate,
} from '../../support/tls-server.ts';
import { CALLS, faulty, meet, onPost, seen, targetOf } from './fault-run.ts';

/** docs/faults.md, group N: what the network does to a call. */

const ACTIVE = json(200, cardText('ACTIVE'));
const BLOCKED = json(200, cardText('BLOCKED'));

const home = createHome();
const caFile = join(home.path, 'ca.pem');
writeFileSync(caFile, TEST_CA);

const closers: (() => Promise<unknown> | unknown)[] = [];
afterAll(async () => {
  for (const close of closers.splice(0)) await close();
});

async function proxy(mode: ProxyMode): Promise<ProxyServer> {
  const server = await startProxyServer(mode);
  closers.push(() => server.close());
  return server;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  // listen() on a host and port gives an AddressInfo, never a pipe name.
  return (server.address() as AddressInfo).port;
}

it.concurrent('N1 a refused connection gets three attempts, and nothing was sent', async () => {
  const port = CLOSED_PORT;
  const result = await meet(`http://127.0.0.1:${port}`, 'activate', { retries: 2, budgetMs: 40_000 });
  expect(result.end).toBe('7 not_sent');
  expect(result.error).toMatchObject({ code: 'UNREACHABLE', attempts: 3, phase: 'connecting' });
  expect(result.error?.message).toBe(
    `could not activate card ${CARD_ID}: cannot connect to 127.0.0.1:${port} (refused). Nothing was sent.`,
  );
});

it.concurrent('N3 a name that is not found is reported, and looked up again only if the name server says so', async () => {
  const result = await meet('https://cards.invalid', 'activate', { retries: 2, budgetMs: 40_000, attemptMs: 10_000 });
  expect(result.end).toBe('7 not_sent');
  const isTemporary = result.error?.message.includes('the name server did not answer');
  expect(result.error?.message).toContain('cannot resolve cards.invalid (');
  expect(result.error?.attempts).toBe(isTemporary ? 2 : 1);
});

const canUnshare = spawnSync('unshare', ['-n', 'true']).status === 0;
it.skipIf(!canUnshare).concurrent('N5 a machine without a route sends nothing', async () => {
  const program = new URL('../../../bin/frontdesk.js', import.meta.url).pathname;
  const child = spawn('unshare', ['-n', process.execPath, program, ...CALLS.activate, '--json', '--retries', '0'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home.path,
      FRONTDESK_CONFIG_DIR: join(home.path, 'n5-config'),
      FRONTDESK_STATE_DIR: join(home.path, 'n5-state'),
      FRONTDESK_CARDS_URL: 'https://192.0.2.1',
      FRONTDESK_CARDS_TOKEN: 'token-without-a-route',
    },
  });
  let stderr = '';
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString('utf8');
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code, stderr).toBe(7);
  expect(stderr).toContain('"outcome":"not_sent"');
  expect(stderr).toContain('(no route: ENETUNREACH). Nothing was sent.');
});

it.concurrent('N8 for a connection that is closed right after accept a change is unknown, and a read is retried', async () => {
  const server = await faulty(closeOnAccept());
  expect((await meet(server, 'event')).end).toBe('8 unknown');
  expect(server.connections).toBe(1);
  const other = await faulty(closeOnAccept());
  const read = await meet(other, 'get', { retries: 2, budgetMs: 40_000 });
  expect(read.end).toBe('10');
  expect(other.connections).toBe(3);
});

/** Writes a text one character at a time. */
function spelled(text: string, everyMs: number): Behavior {
  return {
    applies: true,
    onRequest: (socket) => {
      let index = 0;
      const timer = setInterval(() => {
        if (socket.destroyed) clearInterval(timer);
        else socket.write(text[index] ?? 'X');
        index += 1;
      }, everyMs);
      socket.on('close', () => clearInterval(timer));
    },
  };
}

it.concurrent('N9 after a reset behind a full request the card is checked, and the change is not sent again', async () => {
  const server = await faulty(onPost(resetAfterRequest(), ACTIVE));
  const result = await meet(server, 'block', { retries: 2, env: NO_PAUSE });
  expect(result.end).toBe('8 unknown');
  expect(seen(server)).toBe('1 POST, 2 GET');
  expect(server.applications(`POST ${targetOf('block')}`)).toBe(1);
  expect(result.error?.observed).toMatchObject({ status: 'ACTIVE', reads: 2 });
  expect(result.error?.message).toMatch(
    /OUTCOME UNKNOWN.* The request was sent at \d\d:\d\d:\d\dZ\. The .*reset before a reply/,
  );
  expect(result.error?.hint).toContain(`check with: frontdesk card get ${CARD_ID}`);
});

it.concurrent('N9 a change that the card check shows is done, and the card is printed', async () => {
  const server = await faulty(onPost(resetAfterRequest(), BLOCKED));
  const result = await meet(server, 'block');
  expect(result.code).toBe(0);
  expect(JSON.parse(result.stdout)).toMatchObject({ cardId: CARD_ID, status: 'BLOCKED' });
  expect(result.notices).toContain('CONFIRMED_BY_READ');
});

it.concurrent('N10 a close behind a full request is like a reset', async () => {
  const server = await faulty(onPost(closeAfterRequest(), ACTIVE));
  const result = await meet(server, 'activate');
  expect(result.code).toBe(0);
  expect(result.notices).toContain('CONFIRMED_BY_READ');
  const event = await faulty(closeAfterRequest());
  const unknown = await meet(event, 'event', { retries: 2 });
  expect(unknown.end).toBe('8 unknown');
  expect(unknown.error?.message).toContain('The connection closed before a reply');
  expect(seen(event)).toBe('1 POST, 0 GET');
});

it.concurrent('N11 without a response the timeout ends the attempt: a change is unknown, a read is retried', async () => {
  const server = await faulty(silence());
  const write = await meet(server, 'event', { attemptMs: 2000, retries: 2 });
  expect(write.end).toBe('8 unknown');
  expect(write.error?.message).toContain('No reply within 2 s');
  expect(seen(server)).toBe('1 POST, 0 GET');
  const other = await faulty(silence());
  const read = await meet(other, 'get', { attemptMs: 1500, retries: 1, budgetMs: 40_000 });
  expect(read.end).toBe('10');
  expect(seen(other)).toBe('0 POST, 2 GET');
});

it.concurrent('N12 a stale keep-alive connection that is reset on reuse does not send a change again', async () => {
  const server = await faulty({
    route: (request, count) => (count === 1 ? ACTIVE : request.method === 'POST' ? resetAfterRequest() : ACTIVE),
  });
  const result = await meet(server, [...CALLS.block, '--expect', 'status=ACTIVE'], { retries: 2, env: NO_PAUSE });
  expect(result.end).toBe('8 unknown');
  expect(seen(server)).toBe('1 POST, 3 GET');
  expect(server.requests[1]?.connection).toBe(server.requests[0]?.connection);
});

const slow: readonly (readonly [string, Behavior, string, attemptMs: number])[] = [
  ['N13 headers dripped byte by byte', spelled('HTTP/1.1 200 OK\r\n', 200), 'No reply within 2 s', 2000],
  [
    'N14 endless 103 Early Hints',
    drip('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', 10),
    'No reply within 3 s',
    3000,
  ],
  [
    'N15 body dripped for ever',
    drip('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n{', ' ', 50),
    'The service returned 200, but the response did not end within 3 s',
    3000,
  ],
  [
    'N16 body stalls',
    raw('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"id":', { keepOpen: true }),
    'The service returned 200, but the response did not end within 3 s',
    3000,
  ],
];
it.concurrent.each(slow)('for %s a change is unknown, and a read is retried', async (_, behavior, text, attemptMs) => {
  const server = await faulty(behavior);
  const write = await meet(server, 'subscriber', { attemptMs, retries: 2 });
  expect(write.end).toBe('8 unknown');
  expect(write.error?.message).toContain(text);
  expect(seen(server)).toBe('1 POST, 0 GET');
  const other = await faulty(behavior);
  const read = await meet(other, 'list', { attemptMs: 1500, retries: 1, budgetMs: 40_000 });
  expect(read.end).toBe('10');
  expect(seen(other)).toBe('0 POST, 2 GET');
});

it.concurrent('N14 a few provisional responses are skipped', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(5);
  const card = cardText('ACTIVE');
  const server = await faulty(raw(`${hints}HTTP/1.1 200 OK\r\nContent-Length: ${card.length}\r\n\r\n${card}`));
  expect((await meet(server, 'activate')).code).toBe(0);
});

it.concurrent('N16 a body that stalls after a 200 of a block is resolved by checking the card', async () => {
  const stalled = raw('HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{"cardId"', { keepOpen: true });
  const server = await faulty(onPost(stalled, BLOCKED));
  const result = await meet(server, 'block', { attemptMs: 3000, budgetMs: 30_000 });
  expect(result.code).toBe(0);
  expect(result.notices).toContain('CONFIRMED_BY_READ');
});

const secure = (certificate: TestCertificate) => faulty({ tls: certificate, script: [ACTIVE] });

it.concurrent('a certificate of the authority in --ca-file is trusted', async () => {
  const server = await secure(GOOD_CERTIFICATE);
  expect((await meet(server, 'get', { flags: ['--ca-file', caFile] })).code).toBe(0);
});

it.concurrent('--ca-file adds to what a newer Node than the one that built the program trusts', async () => {
  const server = await secure(GOOD_CERTIFICATE);
  const preload = join(home.path, 'newer-node.cjs');
  const ca = JSON.stringify([TEST_CA]);
  writeFileSync(preload, `require('node:tls').getCACertificates = () => ${ca};`);
  const other = join(home.path, 'other.pem');
  writeFileSync(other, OTHER_CERTIFICATE.cert);
  const env = { NODE_OPTIONS: `--require ${preload}` };
  expect((await meet(server, 'get', { flags: ['--ca-file', other], env })).code).toBe(0);
});

it.concurrent('N17 a self-signed certificate or unknown authority is not trusted: one attempt, --ca-file named', async () => {
  const server = await secure(GOOD_CERTIFICATE);
  const result = await meet(server, 'block', { retries: 2 });
  expect(result.end).toBe('7 not_sent');
  expect(result.error?.message).toContain(`the certificate of 127.0.0.1:${server.port} is not trusted`);
  expect(result.error?.hint).toContain('--ca-file');
  expect(result.error?.hint).not.toContain('insecure');
  expect(result.error?.attempts).toBe(1);
  expect(server.requests).toEqual([]);
});

it.concurrent('N18 a certificate for another host names both hosts', async () => {
  const server = await secure(OTHER_CERTIFICATE);
  const result = await meet(`https://localhost:${server.port}`, 'activate', { flags: ['--ca-file', caFile] });
  expect(result.end).toBe('7 not_sent');
  expect(result.error?.message).toContain(
    `the certificate of localhost:${server.port} is for other.example, not for localhost`,
  );
  expect(server.requests).toEqual([]);
});

it.concurrent.each([
  ['expired', EXPIRED_CERTIFICATE, 'has expired (valid 2020-01-01T00:00:00.000Z to 2021-01-01T00:00:00.000Z)'],
  ['not yet valid', EARLY_CERTIFICATE, 'is not valid yet (valid 2119-01-01T00:00:00.000Z to 2120-01-01T00:00:00.000Z)'],
])('N19 a certificate that is %s names its dates and the clock of this machine', async (_, certificate, text) => {
  const server = await secure(certificate);
  const result = await meet(server, 'activate', { retries: 2, flags: ['--ca-file', caFile] });
  expect(result.end).toBe('7 not_sent');
  expect(result.error?.message).toContain(text);
  expect(result.error?.message).toMatch(/this machine's clock says \d{4}-\d\d-\d\dT/);
  expect(server.requests).toEqual([]);
});

it.concurrent('N20 https to an http port says that it does not speak TLS, without the words of OpenSSL', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'));
  });
  const port = await listen(server);
  const result = await meet(`https://127.0.0.1:${port}`, 'activate', { retries: 2 });
  expect(result.end).toBe('7 not_sent');
  expect(result.error?.message).toContain(`127.0.0.1:${port} does not speak TLS. Nothing was sent.`);
  expect(result.stderr).not.toMatch(/openssl|ssl3|SSL routines/i);
  expect(result.error?.attempts).toBe(1);
});

it.concurrent('N21 NODE_TLS_REJECT_UNAUTHORIZED=0 is refused before anything is sent', async () => {
  const server = await secure(EXPIRED_CERTIFICATE);
  const result = await meet(server, 'activate', { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
  expect(result.end).toBe('2 not_sent');
  expect(`${result.error?.message} ${result.error?.hint}`).toMatch(/unset NODE_TLS_REJECT_UNAUTHORIZED/i);
  expect(server.connections).toBe(0);
});

const FAR = 'https://cards.example';

it.concurrent('N22 a proxy that refuses is named without its password', async () => {
  const port = CLOSED_PORT;
  const result = await meet(FAR, 'activate', {
    env: { HTTPS_PROXY: 'http://127.0.0.1:1', https_proxy: `http://operator77:s3cret-word@127.0.0.1:${port}` },
  });
  expect(result.end).toBe('7 not_sent');
  expect(result.error?.hint).toBe('check the proxy that https_proxy names');
  expect(result.error?.message).toContain(`cannot connect through the proxy 127.0.0.1:${port} (refused)`);
  expect(result.stderr).not.toContain('s3cret-word');
  expect(result.stderr).not.toContain('operator77');
});

it.concurrent('N23 a proxy with 407 requires a user name and password', async () => {
  const server = await proxy({ answer: 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n' });
  const result = await meet(FAR, 'activate', { retries: 2, env: { HTTPS_PROXY: server.url } });
  expect(result.end).toBe('7 not_sent');
  expect(result.error?.message).toContain('wants a user name and password (407)');
  expect(result.error?.hint).toBe(
    'set HTTPS_PROXY to http://<user>:<password>@<host>:<port>, or ask for a proxy with such a login',
  );
  expect(server.connections).toBe(1);
});

it.concurrent('N24 a proxy that returns an HTML 502 to CONNECT sends nothing to the service', async () => {
  const page = '<html><title>Bad gateway</title></html>';
  const server = await proxy({ answer: `HTTP/1.1 502 Bad Gateway\r\nContent-Length: ${page.length}\r\n\r\n${page}` });
  const result = await meet(FAR, 'block', { env: { HTTPS_PROXY: server.url } });
  expect(result.end).toBe('7 not_sent');
  expect(result.error?.message).toContain('did not open a connection (502)');
});

it.concurrent('N26 http:// past a proxy: this machine is reached directly, anything else is refused', async () => {
  const server = await proxy('tunnel');
  const service = await faulty(ACTIVE);
  const env = {
    HTTPS_PROXY: server.url,
    HTTP_PROXY: server.url,
    https_proxy: server.url,
    http_proxy: server.url,
    ALL_PROXY: server.url,
  };
  expect((await meet(service, 'get', { env })).code).toBe(0);
  expect((await meet('http://cards.example', 'activate', { env })).end).toBe('2 not_sent');
  expect(server.connections).toBe(0);
});

/** A proxy that opens every tunnel to one local port, whatever name was asked for. */
async function tunnelTo(port: number) {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (chunk: Buffer) => {
      asked.push(chunk.toString('latin1').split('\r\n')[0] ?? '');
      const far = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(far).pipe(socket);
      });
      far.on('error', () => undefined);
      socket.on('close', () => far.destroy());
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, asked };
}

it.concurrent('N27 HTTPS_PROXY and NO_PROXY count in upper and lower case, shown by --verbose, and HTTP_PROXY does not', async () => {
  const service = await faulty({ tls: OTHER_CERTIFICATE, script: [ACTIVE] });
  const url = 'https://other.example';
  const trust = { flags: ['--ca-file', caFile, '--verbose'], format: ['--json'] };
  for (const name of ['HTTPS_PROXY', 'https_proxy']) {
    const way = await tunnelTo(service.port);
    const through = await meet(url, 'get', { ...trust, env: { [name]: way.url } });
    expect(through.code, through.stderr).toBe(0);
    expect(through.stderr).toContain(`(through the proxy ${way.url.slice(7)})`);
    expect(way.asked).toEqual(['CONNECT other.example:443 HTTP/1.1']);
  }
  for (const env of [
    { HTTPS_PROXY: 'x', NO_PROXY: 'other.example' },
    { HTTPS_PROXY: 'x', no_proxy: '.example' },
    { HTTP_PROXY: 'x' },
    { HTTP_PROXY: 'x', REQUEST_METHOD: 'GET' },
  ]) {
    const way = await tunnelTo(service.port);
    const named = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value === 'x' ? way.url : value] as const),
    );
    expect((await meet(url, 'get', { env: named })).code).toBe(7);
    expect(way.asked).toEqual([]);
  }
});
