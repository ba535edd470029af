import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { json, raw, startFaultServer } from '../../support/fault-server.ts';
import { cardId, idLines } from '../../support/plain-service.ts';
import { createHome, measuring, programCommand } from '../../support/run-frontdesk.ts';
import { cardText } from '../../support/sample-card.ts';

const ANSWERS = 32;
const ANSWER_BYTES = 8_000_000;
const REFUSED = 64;
/** A busy machine may take minutes. */
const PATIENT = ['--timeout', '10m', '--retry-max-time', '20m'];

const environment = (url: string) => ({ FRONTDESK_CARDS_URL: url, FRONTDESK_CARDS_TOKEN: 'token-of-large-cards' });

/** A service of cards with a long text, which answers when so many requests have come. */
async function startLargeCards(after: number) {
  const waiting: (() => void)[] = [];
  const server = await startFaultServer({
    route: ({ method, target }, count) => ({
      onRequest(socket, asked) {
        const card = cardText(method === 'GET' ? 'ACTIVE' : 'BLOCKED', target.split('/')[3]);
        const long = card.replace('Bergen', 'a'.repeat(ANSWER_BYTES));
        waiting.push(() => json(200, long).onRequest?.(socket, asked));
        if (count >= after) for (const each of waiting.splice(0)) each();
      },
    }),
  });
  onTestFinished(() => server.close());
  return { requests: () => server.requests.length, env: environment(server.url) };
}

/** A service that answers POSTs with these bytes in turn, and each GET with others. */
async function startRaw(posts: readonly string[], get = '') {
  const server = await startFaultServer({
    route: ({ method }, count) => raw(method === 'GET' ? get : (posts[count % posts.length] ?? ''), { keepOpen: true }),
  });
  onTestFinished(() => server.close());
  return { env: environment(server.url) };
}

/** Starts the program; `ended` has its exit code, what it wrote to stderr and the most memory it held, in MiB. */
function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const home = createHome();
  const { env: hook, usage } = measuring(home);
  const { command, args: words, env: all } = programCommand(args, home, { ...env, ...hook });
  const child = spawn(command, words, { env: all, stdio: 'pipe' });
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += String(data);
  });
  return { child, ended: once(child, 'close').then(([code]) => ({ code, stderr, peak: usage().mib })) };
}

/** Runs a command over so many cards to its end; `bytes`: how much it wrote to stdout. */
async function overCards(count: number, args: readonly string[], env: Readonly<Record<string, string>>) {
  const ids = join(createHome().path, 'ids.txt');
  writeFileSync(ids, idLines(count));
  const { child, ended } = start([...args, '--from', ids, '-o', 'ndjson', '-q', ...PATIENT], env);
  child.stdin.end();
  let bytes = 0;
  child.stdout.on('data', (data: Buffer) => {
    bytes += data.length;
  });
  const end = await ended;
  return { ...end, bytes };
}

/** What a service may refuse a write with, each in 4 MB: a long message, many parts, no known shape, and a page. */
const REFUSALS: readonly string[] = [
  JSON.stringify({ errorCode: 'CARD_EXPIRED', message: 'no '.repeat(1_400_000) }),
  `{"errorCode":"CARD_EXPIRED","message":"no","details":{"all":[${Array(350_000).fill('{"a":"bcd"}').join(',')}]}}`,
  `{"title":"no","all":[${Array(350_000).fill('{"a":"bcd"}').join(',')}]}`,
  `<html><title>no</title>${'<p>no</p>'.repeat(450_000)}</html>`,
];

it(`${REFUSED} rows that are refused in 4 MB each end in 384 MiB`, async () => {
  const replies = REFUSALS.map(
    (body) =>
      `HTTP/1.1 409 Conflict\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nX-Request-Id: ${'r'.repeat(50_000)}\r\n\r\n${body}`,
  );
  const { env } = await startRaw(replies);
  const args = ['card', 'block', '--yes', '-j', String(REFUSED)];
  const { code, stderr, peak, bytes } = await overCards(REFUSED, args, env);
  expect(stderr).toContain(`"outcomes":{"rejected":${REFUSED}}`);
  expect(code).toBe(15);
  // What is kept of each is a page at most.
  expect(bytes).toBeLessThan(REFUSED * 8192);
  expect(peak).toBeLessThan(384);
}, 300_000);

it(`${ANSWERS} rows are applied in 384 MiB`, async () => {
  const service = await startLargeCards(ANSWERS);
  const args = ['card', 'block', '--yes', '-j', String(ANSWERS)];
  const { code, stderr, peak, bytes } = await overCards(ANSWERS, args, service.env);
  expect(stderr).toContain(`"outcomes":{"applied":${ANSWERS}}`);
  expect(code).toBe(0);
  expect(bytes).toBeGreaterThan(ANSWERS * ANSWER_BYTES);
  expect(service.requests()).toBe(ANSWERS);
  expect(peak).toBeLessThan(384);
}, 300_000);

it.each([['get'], ['block', '--yes']])(
  'T26 rows of `card %s` end although a long answer waits behind a short one',
  async (...command) => {
    // Without a length, an answer may be as long as any: the last row takes a place, the second one waits for the first.
    const delays = [900, 400, 0];
    const server = await startFaultServer({
      route: ({ target }) => ({
        onRequest(socket) {
          const at = Number(target.split('/')[3]?.slice(-1)) - 1;
          const status = target.endsWith('/block') ? 'BLOCKED' : 'ACTIVE';
          const body = cardText(status, cardId(at + 1)).replace('Bergen', 'a'.repeat(at === 0 ? 1 : 300_000));
          const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked';
          const chunked = `${head}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
          setTimeout(() => socket.write(chunked), delays[at]);
        },
      }),
    });
    onTestFinished(() => server.close());
    const { code, bytes } = await overCards(3, ['card', ...command, '-j', '3'], environment(server.url));
    expect(code).toBe(0);
    expect(bytes).toBeGreaterThan(600_000);
  },
);

it('32 calls of an assistant get results in 512 MiB', async () => {
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
}, 300_000);
