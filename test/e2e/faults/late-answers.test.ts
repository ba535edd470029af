import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFaultServer } from '../../support/fault-server.ts';
import { createHome, runFrontdesk } from '../../support/run-frontdesk.ts';

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
