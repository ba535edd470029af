import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { afterAll, expect, it } from 'vitest';
import { type Behavior, json, reply } from '../../support/fault-server.ts';
import { cardText } from '../../support/sample-card.ts';
import { GOOD_CERTIFICATE } from '../../support/tls-server.ts';
import { type CallName, type FaultOptions, faulty, meet } from './fault-run.ts';

/** docs/faults.md, group H: what the service's HTTP does to a call. */

/** The same answer to every request, met once by a call. */
async function once(behavior: Behavior, call: CallName, options: FaultOptions = {}) {
  const server = await faulty(behavior);
  return { server, ...(await meet(server, call, options)) };
}

it.concurrent('H2 a 307 to another port or scheme sends nothing to the second server', async () => {
  const second = await faulty(json(200, cardText('ACTIVE')));
  for (const location of [`${second.url}/v1/x`, `https://127.0.0.1:${second.port}/v1/x`, '//other.example/x']) {
    const wrote = await once(reply(307, { Location: location }, ''), 'block');
    expect(wrote.end).toBe('6 rejected');
    expect(wrote.error?.message).toContain(location.startsWith('//') ? 'other.example' : `127.0.0.1:${second.port}`);
  }
  expect(second.connections).toBe(0);
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
