import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { json } from '../../support/fault-server.ts';
import { startProxyServer } from '../../support/proxy-server.ts';
import { createHome } from '../../support/run-frontdesk.ts';
import { cardText } from '../../support/sample-card.ts';
import { GOOD_CERTIFICATE, OTHER_CERTIFICATE, TEST_CA, type TestCertificate } from '../../support/tls-server.ts';
import { CALLS, faulty, meet } from './fault-run.ts';

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
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code, stderr).toBe(7);
  expect(stderr).toContain('"outcome":"not_sent"');
  expect(stderr).toContain('(no route: ENETUNREACH). Nothing was sent.');
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
    expect((await meet(url, 'get', { env: named })).code).toBe(7);
    expect(way.heads).toEqual([]);
    await way.close();
  }
});
