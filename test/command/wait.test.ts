import { expect, test } from 'vitest';
import { type Handler, type Reply, startRecordingServer, untilFileEnds } from '../support/recording-server.ts';
import { runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

const WAIT = ['card', 'wait', CARD_ID];
const READ = `GET /v1/cards/${CARD_ID}`;
const card = (status: string): Reply => ({ body: cardText(status) });

const serve = (script: readonly Reply[] | Handler) => startRecordingServer(script, untilFileEnds);

test.concurrent('card wait reads until the card has one of the statuses, and prints the card as card get does', async () => {
  const server = await serve([card('WAITING_ACTIVATION'), card('WAITING_ACTIVATION'), card('ACTIVE')]);
  const args = [...WAIT, '--status', 'blocked,active', '--interval', '50ms', '--json'];
  const result = await runFrontdesk(args, { env: server.env });
  expect(result.code).toBe(0);
  expect(result.stdout).toContain('\n  "currentBalance": 10.10,\n');
  expect(JSON.parse(result.stdout)).toMatchObject({ cardId: CARD_ID, status: 'ACTIVE' });
  expect(server.lines).toEqual([READ, READ, READ]);
});

test.concurrent('card wait exits with 124 when its time is up, and names the last status seen', async () => {
  const server = await serve(() => card('WAITING_ACTIVATION'));
  const result = await runFrontdesk([...WAIT, '--status', 'ACTIVE', '--timeout', '5s', '--interval', '2s', '--json'], {
    env: server.env,
  });
  expect([result.code, result.stdout]).toEqual([124, '']);
  const message = `card ${CARD_ID} was not ACTIVE within 5s: its last status is WAITING_ACTIVATION`;
  const error = { code: 'TIMEOUT', exitCode: 124, message, operation: 'card.wait', id: CARD_ID };
  const observed = { status: 'WAITING_ACTIVATION' };
  expect(JSON.parse(result.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ error: { ...error, observed } });
  expect(result.elapsedMs).toBeGreaterThan(5000);
  expect(server.requests.length).toBeGreaterThanOrEqual(2);
  expect(server.requests.length).toBeLessThanOrEqual(4);
});

test.concurrent.each<[string, Reply]>([
  ['hangs', 'hang'],
  ['answers 500', { status: 500, body: {} }],
  ['answers a web page', { body: '<html></html>' }],
])('card wait waits the whole time for a service that %s', async (_, trouble) => {
  const result = await runFrontdesk([...WAIT, '--status', 'ACTIVE', '--timeout', '3s', '--interval', '200ms'], {
    env: (await serve((_request, count) => (count === 1 ? card('BLOCKED') : trouble))).env,
  });
  expect(result).toMatchObject({ code: 124, stdout: '' });
  expect(result.stderr).toContain('within 3s: its last status is BLOCKED. The last check failed: ');
});

test.concurrent('card wait continues when a service that stopped listening is back, and waits the whole time when it is not', async () => {
  const server = await serve([card('BLOCKED')]);
  const running = startFrontdesk([...WAIT, '--status', 'ACTIVE', '--timeout', '5s', '--interval', '200ms'], {
    env: server.env,
  });
  await running.waitForOutput('is BLOCKED');
  await server.stop();
  const result = await running.result;
  expect(result.code).toBe(124);
  expect(result.stderr).toContain('(refused)');
});

test.concurrent('card wait exits with 7 if the service never returned anything', async () => {
  const server = await serve([]);
  await server.stop();
  const result = await runFrontdesk([...WAIT, '--status', 'ACTIVE', '--retries', '0'], { env: server.env });
  expect(result).toMatchObject({ code: 7, stdout: '' });
});

test.concurrent.each([
  [401, 4],
  [403, 5],
  [404, 3],
  [422, 6],
])('card wait ends at once if the service returns %i, with %i', async (status, code) => {
  const server = await serve([{ status, body: { errorCode: 'NO', message: 'no' } }]);
  expect(await runFrontdesk([...WAIT, '--status', 'ACTIVE'], { env: server.env })).toMatchObject({ code, stdout: '' });
});

test.concurrent('card wait exits with 11 and the time to run it again if the service asks for a longer pause than the wait', async () => {
  const server = await serve([{ status: 429, headers: { 'retry-after': '3600' }, body: {} }]);
  const result = await runFrontdesk([...WAIT, '--status', 'ACTIVE', '--timeout', '5s'], { env: server.env });
  expect(result.code).toBe(11);
  expect(result.stderr).toMatch(/the service asked for a pause until 20\d\d-.*past the end of this wait of 5s/);
});

test.concurrent('a signal ends card wait at once', async () => {
  const server = await serve([card('BLOCKED')]);
  const running = startFrontdesk([...WAIT, '--status', 'ACTIVE', '--interval', '30s'], { env: server.env });
  await running.waitForOutput('is BLOCKED, waiting for ACTIVE');
  running.child.kill('SIGINT');
  const result = await running.result;
  expect(result).toMatchObject({ code: null, signal: 'SIGINT', stdout: '' });
  expect(result.stderr).toMatch(/cancelled by Ctrl-C\n/);
});

test.concurrent('card wait reports each change of the status once, and nothing with --quiet', async () => {
  const script = [card('WAITING_ACTIVATION'), card('WAITING_ACTIVATION'), card('BLOCKED'), card('ACTIVE')];
  const line = [...WAIT, '--status', 'ACTIVE', '--interval', '20ms'];
  expect((await runFrontdesk(line, { env: (await serve(script)).env })).stderr).toBe(
    `frontdesk: note: card ${CARD_ID} is WAITING_ACTIVATION, waiting for ACTIVE\n` +
      `frontdesk: note: card ${CARD_ID} is BLOCKED, waiting for ACTIVE\n`,
  );
  const quiet = await runFrontdesk([...line, '-q'], { env: (await serve(script)).env });
  expect(quiet).toMatchObject({ code: 0, stderr: '' });
});

test.concurrent.each([
  [[...WAIT], '--status: is required'],
  [['card', 'wait', '--status', 'ACTIVE'], '<cardId>: is required'],
  [[...WAIT, '--status', ''], '--status: must be one of'],
  [[...WAIT, '--status', 'ACTIVE', '--columns', 'cardid'], 'did you mean "cardId"'],
])('card wait refuses %j', async (args, expected) => {
  const result = await runFrontdesk(args, { env: (await serve([])).env });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain(expected);
});
