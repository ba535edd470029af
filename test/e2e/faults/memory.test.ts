import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cardId, idLines } from '../../support/plain-service.ts';
import { createHome, programCommand } from '../../support/run-frontdesk.ts';
import { cardText } from '../../support/sample-card.ts';

const ANSWERS = 64;
const ANSWER_BYTES = 8_000_000;
const HOOK = fileURLToPath(new URL('../../../bench/peak-memory.cjs', import.meta.url));

/** A service whose every card has a long text in it; it answers when `after` requests have come. */
async function startLargeCards(after: number) {
  const long = 'a'.repeat(ANSWER_BYTES);
  let count = 0;
  const waiting: (() => void)[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (data) => {
      const [, id = '', verb] = /\/v1\/cards\/([\w-]{36})(\/block)?/.exec(data.toString('latin1')) ?? [];
      const card = cardText(verb === undefined ? 'ACTIVE' : 'BLOCKED', id).replace('Bergen', long);
      count += 1;
      waiting.push(() =>
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${card.length}\r\n\r\n${card}`,
        ),
      );
      if (count >= after) for (const answer of waiting.splice(0)) answer();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    requests: () => count,
    env: {
      // A TCP server has a port.
      FRONTDESK_CARDS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      FRONTDESK_CARDS_TOKEN: 'token-of-large-cards',
    },
  };
}

/** Starts the program; `ended` has its exit code, what it wrote to stderr and the most memory it held, in MiB. */
function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const home = createHome();
  const peakFile = join(home.path, 'peak');
  const { command, args: words, env: all } = programCommand(args, home, { ...env, PEAK_MEMORY_FILE: peakFile });
  const child = spawn(command, ['--require', HOOK, ...words], { env: all, stdio: 'pipe' });
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += String(data);
  });
  const ended = once(child, 'close').then(([code]) => ({
    code,
    stderr,
    peak: Number(readFileSync(peakFile, 'utf8')) / 1024,
  }));
  return { child, ended };
}

describe('T26 answers of 8 MB, all at once', () => {
  it.each([
    ['read', ['card', 'get']],
    ['applied', ['card', 'block', '--yes']],
  ])(
    `${ANSWERS} rows are %s in 512 MiB`,
    async (outcome, command) => {
      const service = await startLargeCards(ANSWERS);
      const ids = join(createHome().path, 'ids.txt');
      writeFileSync(ids, idLines(ANSWERS));
      const { child, ended } = start(
        [...command, '--from', ids, '-j', String(ANSWERS), '-o', 'ndjson', '-q'],
        service.env,
      );
      child.stdin.end();
      let bytes = 0;
      child.stdout.on('data', (data: Buffer) => {
        bytes += data.length;
      });
      const { code, stderr, peak } = await ended;
      expect(stderr).toContain(`"outcomes":{"${outcome}":${ANSWERS}}`);
      expect(code).toBe(0);
      expect(bytes).toBeGreaterThan(ANSWERS * ANSWER_BYTES);
      expect(service.requests()).toBe(ANSWERS);
      expect(peak).toBeLessThan(512);
    },
    180_000,
  );

  it('32 calls of an assistant are answered in 512 MiB', async () => {
    const service = await startLargeCards(32);
    const { child, ended } = start(['mcp'], service.env);
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'large', version: '1' };
    send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
    send({ method: 'notifications/initialized' });
    for (let n = 1; n <= 32; n += 1) {
      send({ id: n, method: 'tools/call', params: { name: 'card_get', arguments: { cardId: cardId(n) } } });
    }
    let [lines, bytes] = [0, 0];
    child.stdout.on('data', (data: Buffer) => {
      bytes += data.length;
      lines += data.toString('latin1').split('\n').length - 1;
      if (lines === 33) child.stdin.end();
    });
    const { code, peak } = await ended;
    expect(code).toBe(0);
    // Each has its text twice.
    expect(bytes).toBeGreaterThan(2 * 32 * ANSWER_BYTES);
    expect(service.requests()).toBe(32);
    expect(peak).toBeLessThan(512);
  }, 180_000);
});
