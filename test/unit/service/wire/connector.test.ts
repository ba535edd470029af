import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { parseBaseUrl } from '../../../../src/service/wire/base-url.ts';
import { Connector } from '../../../../src/service/wire/connector.ts';

it('a handshake that takes too long is given up, and its connection is closed', async () => {
  const server = createServer((socket: Socket) => socket.on('error', () => undefined).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on a port');
  const parsed = parseBaseUrl(`https://127.0.0.1:${address.port}`);
  if (parsed.kind === 'bad') throw new Error(parsed.problem);
  const accepted = once(server, 'connection');
  const clock = { now: () => 0, monotonic: () => performance.now() };
  const connector = new Connector({ baseUrl: parsed.baseUrl, clock, connectTimeoutMs: 300 });
  const ended = new Promise<Error | null>((resolve) => connector.connect((error) => resolve(error)));
  const [socket] = (await accepted) as [Socket];
  const closed = once(socket, 'close');
  expect(await ended).toMatchObject({ message: `no connection to 127.0.0.1:${address.port} within 0.3 s` });
  await closed;
});
