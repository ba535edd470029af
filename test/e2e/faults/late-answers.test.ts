import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFaultServer } from '../../support/fault-server.ts';
import { cardId, idLines } from '../../support/plain-service.ts';
import { createHome, runFrontdesk } from '../../support/run-frontdesk.ts';
import { cardText } from '../../support/sample-card.ts';

function keptOpen(status: number, body: string): string {
  return `HTTP/1.1 ${status} Done\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

test('updates of one subscriber go one after the other, in order, each over a connection without an earlier one', async () => {
  const home = createHome();
  const late = new Map<number, string>();
  let underWay = 0;
  let most = 0;
  const names: string[] = [];
  const server = await startFaultServer({
    route: ({ body, connection }) => {
      const name = String(JSON.parse(body).first_name);
      names.push(name);
      underWay += 1;
      most = Math.max(most, underWay);
      const isRefused = Number(name) % 2 === 1;
      const answer = isRefused
        ? keptOpen(409, '{"error":"not now"}')
        : keptOpen(200, `{"object":"subscriber","id":"sub-1","first_name":"${name}"}`);
      const before = late.get(connection) ?? '';
      late.set(connection, answer);
      const onRequest = (socket: { write(text: string): void }) =>
        setTimeout(() => {
          underWay -= 1;
          socket.write(before + answer);
        }, 5);
      return { applies: !isRefused, onRequest };
    },
  });
  const rows = Array.from({ length: 20 }, (_, index) => String(index + 1));
  writeFileSync(join(home.path, 'rows.csv'), `id,first_name\n${rows.map((name) => `sub-1,${name}\n`).join('')}`);
  const env = { FRONTDESK_CALENDAR_URL: server.url, FRONTDESK_CALENDAR_TOKEN: 'token-of-the-test' };
  const words = ['calendar', 'subscribers', 'update', '--from', join(home.path, 'rows.csv'), '--allow-duplicates'];
  const { code, stdout } = await runFrontdesk([...words, '--yes', '-j', '8', '-o', 'ndjson', '-q'], { home, env });
  await server.close();
  const outcomes = stdout
    .trim()
    .split('\n')
    .slice(0, 20)
    .map((line): string => JSON.parse(line).outcome);
  expect({ code, most, names }).toEqual({ code: 15, most: 1, names: rows });
  expect(outcomes).toEqual(rows.map((name) => (Number(name) % 2 === 1 ? 'rejected' : 'applied')));
  expect(new Set(server.requests.map(({ connection }) => connection)).size).toBe(20);
});

/** A card service that refuses each change with 409. Its proxy repeats the answer to a read before the next change of its card. */
async function startRepeatingService() {
  const reads = new Map<number, string>();
  return startFaultServer({
    route: ({ method, target, connection }) => {
      const card = keptOpen(200, cardText('ACTIVE', target.split('/')[3]));
      const repeated = reads.get(connection) === card ? card : '';
      if (method === 'GET') reads.set(connection, card);
      const answer = method === 'GET' ? card : repeated + keptOpen(409, '{"errorCode":"CARD_LOCKED","message":"no"}');
      return { applies: false, onRequest: (socket) => socket.write(answer) };
    },
  });
}

test.each(['--expect', '--skip-if'])(
  'with %s a change takes no repeated answer to the read before it for its own',
  async (option) => {
    const server = await startRepeatingService();
    const env = { FRONTDESK_CARDS_URL: server.url, FRONTDESK_CARDS_TOKEN: 'token-of-the-test' };
    const condition = option === '--expect' ? 'status=ACTIVE' : 'status=EXPIRED';
    const { code } = await runFrontdesk(['card', 'block', cardId(1), option, condition, '--yes'], { env });
    await server.close();
    expect(code).toBe(6);
    expect(server.requests.map(({ method, connection }) => [method, connection])).toEqual([
      ['GET', 1],
      ['POST', 2],
    ]);
  },
);

test('the rows of a run take no repeated answer for their own, and go over one connection more than rows at a time', async () => {
  const home = createHome();
  const server = await startRepeatingService();
  const rows = Array.from({ length: 100 }, (_, index) => cardId(index + 1));
  writeFileSync(join(home.path, 'rows.txt'), idLines(100));
  const env = { FRONTDESK_CARDS_URL: server.url, FRONTDESK_CARDS_TOKEN: 'token-of-the-test' };
  const words = ['card', 'block', '--from', join(home.path, 'rows.txt'), '--expect', 'status=ACTIVE'];
  const { stdout } = await runFrontdesk([...words, '--yes', '-j', '4', '-o', 'ndjson', '-q'], { home, env });
  await server.close();
  const lines = stdout.trim().split('\n').slice(0, 100);
  expect(lines.map((line): string => JSON.parse(line).outcome)).toEqual(rows.map(() => 'rejected'));
  expect(server.connections).toBeLessThanOrEqual(5);
});
