import { rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readFaults } from '../../../src/sandbox/faults.ts';
import { openSandbox, runServe, type ServeOptions } from '../../../src/sandbox/open.ts';
import type { SandboxServer } from '../../../src/sandbox/server.ts';
import { temporaryFolder } from '../base/files/place.ts';
import { ACTIVE, CLOCK, http, repeatableRandom, WAITING } from './simulated.ts';

const DEFAULTS: ServeOptions = { port: 0, seedFile: undefined, latencyMs: 0, faults: [] };
const PORTS = { pid: process.pid, clock: CLOCK, random: repeatableRandom() };

const opened: SandboxServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function serve(options: Partial<ServeOptions> = {}): Promise<SandboxServer> {
  const server = await runServe({ ...DEFAULTS, ...options }, PORTS);
  opened.push(server);
  return server;
}

function authorized(server: SandboxServer, path: string) {
  return { authorization: `Bearer ${path.startsWith('/v1/cards') ? server.cardsToken : server.calendarToken}` };
}

const get = (server: SandboxServer, path: string) => http(server.url + path, { headers: authorized(server, path) });

function post(server: SandboxServer, path: string, body: string) {
  const headers = { ...authorized(server, path), 'content-type': 'application/json' };
  return http(server.url + path, { method: 'POST', headers, body });
}

/** A head of HTTP, without the empty line at its end. */
function headOf(server: SandboxServer, line: string, ...more: string[]): string {
  const { authorization } = authorized(server, line.split(' ')[1] ?? '');
  return [`${line} HTTP/1.1`, 'host: x', `authorization: ${authorization}`, ...more, ''].join('\r\n');
}

async function statusOf(server: SandboxServer, cardId: string): Promise<string> {
  return JSON.parse((await get(server, `/v1/cards/${cardId}`)).text).status;
}

/** Sends raw bytes; resolves with all that came back once the connection has ended. */
function raw(server: SandboxServer, bytes: string, endsAfterwards = false): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (part) => {
      text += part.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    socket.write(bytes, 'latin1', () => {
      if (endsAfterwards) socket.destroy();
    });
  });
}

it('the server listens on loopback and has a token for each family, that of the gift cards in the form of a JWT', async () => {
  const server = await serve();
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(server.cardsToken).toMatch(/^[\w-]+\.[\w-]+\.[\w-]*$/);
  expect(server.calendarToken).toMatch(/^sandbox_key_[0-9a-f]{32}$/);
});

it('the server answers over HTTP as JSON with an id of the request', async () => {
  const server = await serve();
  const { status, headers, text } = await get(server, `/v1/cards/${ACTIVE}`);
  expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]{8}_1$/);
  expect(text).toContain('"initialBalance":50.00,');
  const japanese = await get(server, '/v1/cards/1c8b7d2f-4063-4e9b-8d52-6f308ba1c202');
  expect(JSON.parse(japanese.text).metadata.message).toBe('お誕生日おめでとう');
  expect(japanese.headers['content-length']).toBe(String(Buffer.byteLength(japanese.text)));
});

it('the server gives each request its own id, refused ones too', async () => {
  const server = await serve();
  const first = await http(`${server.url}/v1/cards/${ACTIVE}`, {});
  const second = await http(`${server.url}/nowhere`, {});
  expect([[first.status, second.status], first.headers['www-authenticate']]).toEqual([[401, 404], 'Bearer']);
  expect(first.headers['x-request-id']).not.toBe(second.headers['x-request-id']);
});

it('the server takes a POST without a body for an activation', async () => {
  const server = await serve();
  const headers = { authorization: `Bearer ${server.cardsToken}` };
  const reply = await http(`${server.url}/v1/cards/${WAITING}/activate`, { method: 'POST', headers });
  expect(JSON.parse(reply.text).status).toBe('ACTIVE');
});

it('the server serves several requests on one connection', async () => {
  const server = await serve();
  const head = headOf(server, `GET /v1/cards/${ACTIVE}`);
  expect((await raw(server, `${head}\r\n${head}connection: close\r\n\r\n`)).split('HTTP/1.1 200 OK')).toHaveLength(3);
});

it('the server takes the longest id that the spec allows', async () => {
  const { status } = await get(await serve(), `/v1/calendars/${encodeURIComponent('🎁'.repeat(5000))}/subscribers`);
  expect(status).toBe(404);
});

it('the server refuses a body that is not UTF-8, and one over 8 MiB', async () => {
  const server = await serve();
  const head = headOf(server, 'POST /v1/subscribers/sub_0001', 'content-type: application/json', 'connection: close');
  expect(await raw(server, `${head}content-length: 1\r\n\r\n\u00ff`)).toContain('it is not UTF-8');
  const large = await post(server, '/v1/subscribers/sub_0001', `{"email":"${'x'.repeat(8 * 1024 * 1024)}"}`);
  expect([large.status, JSON.parse(large.text).errorCode]).toEqual([413, 'BODY_TOO_LARGE']);
});

it('the server changes nothing for a request that is aborted in its body', async () => {
  const server = await serve();
  const head = headOf(server, `POST /v1/cards/${ACTIVE}/block`, 'content-type: application/json');
  expect(await raw(server, `${head}content-length: 20\r\n\r\n{}`, true)).toBe('');
  expect(await raw(server, `${head}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`, true)).toBe('');
  expect(await statusOf(server, ACTIVE)).toBe('ACTIVE');
});

it('the server answers bytes that are not HTTP, and a head over 128 KiB, with a status alone', async () => {
  const server = await serve();
  const close = '\r\nConnection: close\r\n\r\n';
  expect(await raw(server, 'SSH-2.0-OpenSSH_9.7\r\n\r\n')).toBe(`HTTP/1.1 400 Bad Request${close}`);
  const long = `GET /v1/cards/${'1'.repeat(128 * 1024)} HTTP/1.1\r\n\r\n`;
  expect(await raw(server, long)).toBe(`HTTP/1.1 431 Request Header Fields Too Large${close}`);
});

it('the sandbox waits before each response as long as --latency says', async () => {
  const server = await serve({ latencyMs: 60 });
  const before = performance.now();
  await get(server, `/v1/cards/${ACTIVE}`);
  expect(performance.now() - before).toBeGreaterThan(55);
});

it('the server closes at once though connections are idle, waiting or delayed', async () => {
  const faults = readFaults(['GET /v1/calendars:timeout']);
  const server = await runServe({ ...DEFAULTS, latencyMs: 60_000, faults }, PORTS);
  const agent = new Agent({ keepAlive: true });
  const results = Promise.allSettled([get(server, `/v1/cards/${ACTIVE}`), get(server, '/v1/calendars/c/subscribers')]);
  await raw(server, 'GET / HTTP/1.1\r\n', true);
  await server.close();
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  agent.destroy();
});

it('the server says that a port is in use', async () => {
  const port = Number(new URL((await serve()).url).port);
  await expect(serve({ port })).rejects.toMatchObject({
    code: 'USAGE',
    message: `the sandbox was not started on 127.0.0.1:${port}: the port is in use`,
  });
});

const block = `/v1/cards/${ACTIVE}/block`;

it('the sandbox with faults answers a status without applying the request, so many times', async () => {
  const server = await serve({ faults: readFaults(['POST /block:503+retry-after=2*2']) });
  const replies = [];
  for (let count = 0; count < 3; count += 1) replies.push(await post(server, block, '{}'));
  const ends = replies.map(({ status, headers }) => `${status} ${headers['retry-after']}`);
  expect(ends).toEqual(['503 2', '503 2', '200 undefined']);
  const fault = { errorCode: 'SANDBOX_FAULT', message: 'the sandbox was told to answer 503' };
  expect(JSON.parse(replies[0]?.text ?? '')).toEqual(fault);
});

it.each([
  ['429', 429, 'ACTIVE'],
  ['500', 500, 'ACTIVE'],
  ['302', 302, 'ACTIVE'],
  ['202', 202, 'BLOCKED'],
  ['204', 204, 'BLOCKED'],
  ['reset-before', 'ECONNRESET', 'ACTIVE'],
  ['reset-after', 'ECONNRESET', 'BLOCKED'],
  // The answer is cut.
  ['truncate', 'ECONNRESET', 'BLOCKED'],
])('the sandbox with faults: %s of a block is %s, and the card then reads %s', async (effect, end, then) => {
  const server = await serve({ faults: readFaults([`POST /block:${effect}`]) });
  const ended = post(server, block, '{}').then(
    ({ status }) => status,
    ({ code }: NodeJS.ErrnoException) => code,
  );
  expect([await ended, await statusOf(server, ACTIVE)]).toEqual([end, then]);
});

it('the sandbox with faults sends half of a cut answer, with the length of the whole', async () => {
  const server = await serve({ faults: readFaults(['GET /v1:truncate']) });
  const reply = await raw(server, `${headOf(server, `GET /v1/cards/${ACTIVE}`)}\r\n`);
  const [head = '', body = ''] = reply.split('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  expect(head).toMatch(/^HTTP\/1\.1 200 OK/);
  expect([body.startsWith('{"cardId":'), body.length]).toEqual([true, Math.floor(length / 2)]);
});

it('the sandbox with faults answers an applied request with something that is not JSON', async () => {
  const server = await serve({ faults: readFaults(['POST /block:garbage']) });
  const reply = await post(server, block, '{}');
  expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/json']);
  expect(() => JSON.parse(reply.text)).toThrow();
  expect(await statusOf(server, ACTIVE)).toBe('BLOCKED');
});

it('the sandbox with faults does not look for the path part in the query', async () => {
  const server = await serve({ faults: readFaults(['GET limit:500']) });
  expect((await get(server, '/v1/calendars/cal_tea_ceremony/subscribers?limit=1')).status).toBe(200);
});

it('the sandbox serves a seed file', async () => {
  const dir = temporaryFolder();
  writeFileSync(join(dir, 'seed.json'), '\ufeff{"calendars":[{"id":"c"}],"subscribers":[{"id":"s"}]}');
  expect((await get(await serve({ seedFile: join(dir, 'seed.json') }), '/v1/calendars/c/subscribers')).text).toBe(
    '{"object":"list","data":[{"id":"s"}],"url":"/v1/calendars/c/subscribers"}',
  );
});

it('the sandbox starts nothing when the seed file is missing, not UTF-8, or wrong', async () => {
  const path = join(temporaryFolder(), 'seed.json');
  for (const [text, message] of [
    [undefined, `could not read the seed file ${path}: no such file or folder (ENOENT). Nothing was started.`],
    [Buffer.from([0x7b, 0xff]), `could not read the seed file ${path}: it is not UTF-8. Nothing was started.`],
    ['{"cards":7}', `${path}: cards: is not an array. Nothing was sent.`],
  ] as const) {
    if (text !== undefined) writeFileSync(path, text);
    await expect(serve({ seedFile: path })).rejects.toMatchObject({ code: 'USAGE', message });
  }
});

it('the sandbox refuses what it cannot keep and says that nothing was changed', async () => {
  const dir = temporaryFolder();
  const server = await openSandbox(join(dir, 'state'), PORTS);
  opened.push(server);
  writeFileSync(join(dir, 'state'), 'a file where a folder should be');
  const reply = await post(server, `/v1/cards/${ACTIVE}/block`, '{}');
  expect([reply.status, JSON.parse(reply.text).errorCode]).toEqual([409, 'SANDBOX_STATE']);
  rmSync(join(dir, 'state'));
  expect(await statusOf(server, ACTIVE)).toBe('ACTIVE');
});

it('the sandbox works from memory where there is no state folder', async () => {
  const server = await openSandbox(undefined, PORTS);
  opened.push(server);
  await post(server, block, '{}');
  expect(await statusOf(server, ACTIVE)).toBe('BLOCKED');
});
