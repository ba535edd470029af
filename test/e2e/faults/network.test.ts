import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Behavior, flood, json, reply } from '../../support/fault-server.ts';
import { startProxyServer } from '../../support/proxy-server.ts';
import { createHome, measuring, runFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { GOOD_CERTIFICATE, OTHER_CERTIFICATE, TEST_CA, type TestCertificate } from '../../support/tls-server.ts';
import { CALLS, type CallName, type FaultOptions, faulty, meet } from './fault-run.ts';

/** docs/faults.md, group N: what the network does to a call. */

const ACTIVE = json(200, cardText('ACTIVE'));
const home = createHome();
const caFile = join(home.path, 'ca.pem');
writeFileSync(caFile, TEST_CA);

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
  expect(await new Promise((resolve) => child.on('close', resolve)), stderr).toBe(7);
  expect(stderr).toContain('"outcome":"not_sent"');
  expect(stderr).toContain('(no route: ENETUNREACH). Nothing was sent.');
});

const secure = (certificate: TestCertificate) => faulty({ tls: certificate, script: [ACTIVE] });

it.concurrent('a certificate of the authority in --ca-file is trusted', async () => {
  expect((await meet(await secure(GOOD_CERTIFICATE), 'get', { flags: ['--ca-file', caFile] })).code).toBe(0);
});

it.concurrent('--ca-file adds to what a newer Node than the one that built the program trusts', async () => {
  const server = await secure(GOOD_CERTIFICATE);
  const preload = join(home.path, 'newer-node.cjs');
  writeFileSync(preload, `require('node:tls').getCACertificates = () => ${JSON.stringify([TEST_CA])};`);
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
  expect([result.error?.attempts, server.requests]).toEqual([1, []]);
});

it.concurrent('N27 HTTPS_PROXY and NO_PROXY count in upper and lower case, shown by --verbose, and HTTP_PROXY does not', async () => {
  const service = await faulty({ tls: OTHER_CERTIFICATE, script: [ACTIVE] });
  const url = 'https://other.example';
  const trust = { flags: ['--ca-file', caFile, '--verbose'], format: ['--json'] };
  for (const name of ['HTTPS_PROXY', 'https_proxy']) {
    const way = await startProxyServer({ tunnelTo: service.port });
    const through = await meet(url, 'get', { ...trust, env: { [name]: way.url } });
    expect(through.code, through.stderr).toBe(0);
    expect(through.stderr).toContain(`(through the proxy ${way.url.slice(7)})`);
    expect(way.heads.map((head) => head.split('\r\n')[0])).toEqual(['CONNECT other.example:443 HTTP/1.1']);
    await way.close();
  }
  for (const env of [
    { HTTPS_PROXY: 'x', NO_PROXY: 'other.example' },
    { HTTPS_PROXY: 'x', no_proxy: '.example' },
    { HTTP_PROXY: 'x' },
    { HTTP_PROXY: 'x', REQUEST_METHOD: 'GET' },
  ]) {
    const way = await startProxyServer({ tunnelTo: service.port });
    const named = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value === 'x' ? way.url : value] as const),
    );
    expect([(await meet(url, 'get', { env: named })).code, way.heads]).toEqual([7, []]);
    await way.close();
  }
});

/** docs/faults.md, group B: what may stand in a body. */

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const CARD = cardText('ACTIVE');

async function once(behavior: Behavior, call: CallName | readonly string[], options: FaultOptions = {}) {
  const server = await faulty(behavior);
  return { server, ...(await meet(server, call, options)) };
}

it.concurrent('B7 P12 an endless body is stopped at the limit', async () => {
  const endless = flood(`${HEAD}\r\n{"a":"`, 'x'.repeat(65_536));
  const write = await once(endless, 'event', { attemptMs: 15_000, budgetMs: 15_000 });
  expect(write.end).toBe('8 unknown');
  expect(write.error?.message).toContain('the response does not end (the limit is 33554432 bytes)');
});

/** Runs the program; the most memory that it held, MiB, and how long it had a processor, ms. */
async function measured(args: readonly string[], env: Readonly<Record<string, string>>) {
  const home = createHome();
  const { env: hook, usage } = measuring(home);
  const ended = await runFrontdesk(args, { home, env: { ...env, ...hook }, timeoutMs: 60_000 });
  return { ...ended, ...usage() };
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
  const rows: readonly (readonly [string, () => string, string, number])[] = [
    ['bidi overrides', () => filled('"', '\u202e', '"'), 'json', 0],
    ['a quarter of a million transactions', () => filled('[', transaction, ']'), 'csv', 0],
    [
      'a million keys',
      () => `${CARD.slice(0, -1)},${Array.from({ length: 1e6 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
      'json',
      10,
    ],
  ];
  it.each(rows)('B21 P12 %s in 31 MiB: below 260 MiB, in a few seconds', async (_, make, format, code) => {
    const server = await faulty(json(200, make()));
    const env = { FRONTDESK_CARDS_URL: server.url, FRONTDESK_CARDS_TOKEN: 'token-of-a-large-card' };
    const result = await measured(['card', 'get', CARD_ID, '-o', format, '--retries', '0'], env);
    expect(result.code, result.stderr.slice(0, 500)).toBe(code);
    if (format === 'json' && code === 0) expect(JSON.parse(result.stdout).cardId).toBe(CARD_ID);
    expect(result.mib).toBeLessThan(260);
    // Of a processor's time, of which it takes two: what other processes take does not count.
    expect(result.cpuMs).toBeLessThan(10_000);
  });

  it('B10 a gzip bomb is never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
    const server = await faulty(reply(200, { 'Content-Encoding': 'gzip' }, Buffer.concat(Array(150).fill(bomb))));
    const env = { FRONTDESK_CARDS_URL: server.url, FRONTDESK_CARDS_TOKEN: 'token-against-a-bomb' };
    const { code, stderr, mib } = await measured(['card', 'get', CARD_ID, '--json', '--retries', '0'], env);
    expect(code).toBe(10);
    expect(stderr).toContain('the response is compressed (gzip), which was not asked for');
    expect(mib).toBeLessThan(150);
  });
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
