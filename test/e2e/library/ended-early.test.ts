import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createClient, TOKEN } from '../../support/library.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

it('a call of the library is not sent if the signal was aborted before', async () => {
  const server = await startRecordingServer([]);
  const client = createClient({ cards: { url: server.url, token: () => Promise.reject(new Error('asked')) } });
  const signal = AbortSignal.abort();
  expect(await client.card.block(CARD_ID, {}, { signal })).toMatchObject({
    outcome: 'not_sent',
    error: { code: 'CANCELLED', exitCode: 130 },
  });
  expect(await client.card.get(CARD_ID, { signal })).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
});

it('a call of the library that is aborted while its token is fetched is not sent', async () => {
  const server = await startRecordingServer([]);
  const ending = new AbortController();
  const token = () => {
    ending.abort();
    return new Promise<string>(() => undefined);
  };
  const client = createClient({ cards: { url: server.url, token } });
  const result = await client.card.activate(CARD_ID, { signal: ending.signal });
  expect(result).toMatchObject({ outcome: 'not_sent', error: { code: 'CANCELLED' } });
});

it('a call of the library that is aborted while its token is fetched does not keep the program alive', async () => {
  const library = new URL('../../../dist/library/index.mjs', import.meta.url).href;
  const program = `
      import { createClient } from ${JSON.stringify(library)};
      const ending = new AbortController();
      const token = () => {
        setImmediate(() => ending.abort());
        return new Promise(() => {});
      };
      const client = createClient({ cards: { url: 'http://127.0.0.1:9', token } });
      const { outcome } = await client.card.activate('${CARD_ID}', { signal: ending.signal });
      console.log(outcome, process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length);
      process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout).toBe('not_sent 0\n');
});

it('an aborted call of the library is unknown once the request may have been sent, and the card is not checked', async () => {
  const ending = new AbortController();
  const server = await startRecordingServer(() => {
    ending.abort();
    return 'hang';
  });
  const client = createClient({ cards: { url: server.url, token: TOKEN } });
  expect(await client.card.block(CARD_ID, {}, { signal: ending.signal })).toMatchObject({
    outcome: 'unknown',
    error: { code: 'OUTCOME_UNKNOWN', exitCode: 8, sentAt: expect.any(String) },
  });
  expect(server.lines).toEqual([`POST /v1/cards/${CARD_ID}/block`]);
});

it.each([
  [{ status: 429 }, { outcome: 'rejected', error: { code: 'BUSY', http: { status: 429 } } }],
  [{ status: 503 }, { outcome: 'unknown', error: { code: 'OUTCOME_UNKNOWN', http: { status: 503 } } }],
])('an abort between two attempts of the library ends by the last one: %j', async ({ status }, expected) => {
  const ending = new AbortController();
  const server = await startRecordingServer((_, count) => {
    if (count === 1) return { status, headers: { 'retry-after': '20' } };
    throw new Error('a further request');
  });
  const client = createClient({ calendar: { url: server.url, token: TOKEN } });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const call = client.calendar.update('cal_1', { name: 'Tours' }, { signal: ending.signal });
  // The wait that the service asked for has begun: its answer has been read.
  await expect.poll(() => timers.mock.calls.some(([, ms = 0]) => ms >= 20_000 && ms < 30_000)).toBe(true);
  ending.abort();
  expect(await call).toMatchObject(expected);
  expect(server.lines).toEqual(['POST /v1/calendars/cal_1']);
});

it('close of the library waits for calls in progress, and later calls open new connections', async () => {
  let answer: (() => void) | undefined;
  const server = await startRecordingServer((_, count) =>
    count > 1
      ? { body: cardText('ACTIVE') }
      : new Promise((resolve) => {
          answer = () => resolve({ body: cardText('BLOCKED') });
        }),
  );
  const client = createClient({ cards: { url: server.url, token: TOKEN } });
  const call = client.card.block(CARD_ID);
  await expect.poll(() => answer).toBeDefined();
  const closed = client.close();
  answer?.();
  await closed;
  expect(await call).toMatchObject({ outcome: 'applied' });
  expect(await client.card.get(CARD_ID)).toMatchObject({ ok: true });
  await client.close();
});
