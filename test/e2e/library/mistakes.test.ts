import { expect, it } from 'vitest';
import { createClient, TOKEN } from '../../support/library.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

const OTHER_ID = '7c0e1111-2222-3333-4444-000000000000';
const QUICK = { timeoutMs: 2000, retries: 0, retryMaxTimeMs: 2000 };
it.each([
  [{ cards: { url: 'http://api.example.com', token: TOKEN } }, 'cards.url: must be https'],
  [{ cards: { url: 'https://u:p@api.example.com', token: TOKEN } }, 'cards.url: has a user name or password'],
  [{ calendar: { url: '', token: TOKEN } }, 'calendar.url: must begin with https'],
  [{ cards: { url: 'https://a.example' } }, 'cards.token: must be a text or a function'],
  [{ cards: { url: 'https://a.example', token: 'two words' } }, 'cards.token: must be visible ASCII'],
  [{ cards: { url: 'https://a.example', token: TOKEN, retry: 1 } }, 'cards: retry is not an option'],
  [{ timeout: 1000 }, 'timeout is not an option: did you mean timeoutMs?'],
  [{ timeoutMs: 0 }, 'timeoutMs: must be a whole number from 1'],
  [{ retries: 1.5 }, 'retries: must be a whole number from 0 to 100, not 1.5'],
  [{ retryMaxTimeMs: Number.POSITIVE_INFINITY }, 'retryMaxTimeMs: must be a whole number'],
  [{ ca: '-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----' }, 'ca: must be the text of certificates'],
  [{ ca: '/etc/ca.pem' }, 'ca: must be the text of certificates'],
  [undefined, 'createClient: must be an object'],
])('a mistake in the options %j throws a TypeError that names it', (options, message) => {
  const wrong = options as Parameters<typeof createClient>[0];
  expect(() => createClient(wrong)).toThrow(TypeError);
  expect(() => createClient(wrong)).toThrow(message);
});

it('a mistake in the arguments of a method rejects with a TypeError that names it, and nothing is sent', async () => {
  const server = await startRecordingServer([]);
  const service = { url: server.url, token: TOKEN };
  // Calls that the types forbid.
  const client = createClient({ cards: service, calendar: service }) as unknown as Record<
    'card' | 'calendar',
    Record<string, (...given: unknown[]) => Promise<unknown>>
  > & { calendar: { subscribers: Record<string, (...given: unknown[]) => Promise<unknown>> } };
  const { card, calendar } = client;
  const event = { calendar: 'cal_1', name: 'n', start: '2027-04-02' };
  const wrong: readonly [Promise<unknown> | undefined, string][] = [
    [card['get']?.('4711'), 'card.get: cardId: "4711" is not a card ID'],
    [card['get']?.(), 'card.get: cardId: is required'],
    [card['block']?.(CARD_ID, { reasn: 'x' }), 'card.block: reasn: is not a field'],
    [card['block']?.(CARD_ID, { reason: null }), 'card.block: reason: must not be null'],
    [card['block']?.(CARD_ID, 'lost'), 'card.block: fields: must be an object'],
    [card['activate']?.(CARD_ID, { reason: 'x' }), 'card.activate: reason is not an option'],
    [card['activate']?.(CARD_ID, { signal: true }), 'card.activate: signal: must be an AbortSignal'],
    [card['provision']?.(CARD_ID, { wallet: 'wallet_c' }), 'card.provision: wallet: must be wallet_a or wallet_b'],
    [calendar['update']?.('..', { name: 'n' }), 'calendar.update: calendarId: would name another resource'],
    [calendar['update']?.('cal_1', {}), 'nothing to change'],
    [calendar['update']?.('cal_1', { url: null }), 'calendar.update: url: must not be null'],
    [calendar['update']?.('cal_1', { url: 'ftp://x' }), 'calendar.update: url: must begin with http'],
    [calendar['createEvent']?.({ ...event, end: '2026-01-01' }), 'calendar.createEvent: end: is before the start'],
    [calendar['createEvent']?.({ ...event, start: 'soon' }), 'calendar.createEvent: start:'],
    [calendar['createEvent']?.({ ...event, active: 'yes' }), 'calendar.createEvent: active: must be true or false'],
    [calendar.subscribers['list']?.('cal_1', { limit: 101 }), 'limit: must be a whole number from 1 to 100, not 101'],
    [calendar.subscribers['list']?.('cal_1', { limit: 1.5 }), 'limit: must be'],
    [calendar.subscribers['update']?.('', { email: 'a' }), 'calendar.subscribers.update: subscriberId: is empty'],
  ];
  for (const [call, message] of wrong) {
    const error: unknown = await call?.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(message);
  }
});

it('a call of an API that the client was created without names it', async () => {
  const client = createClient({ cards: { url: 'https://a.example', token: TOKEN } });
  await expect(client.calendar.update('cal_1', { name: 'n' })).rejects.toThrow(
    new TypeError('calendar.update: the client was created without calendar'),
  );
});

it('another card in a response is an error of the call, and throws nothing', async () => {
  const server = await startRecordingServer([{ body: cardText('ACTIVE', OTHER_ID) }]);
  const client = createClient({ cards: { url: server.url, token: TOKEN }, ...QUICK });
  expect(await client.card.get(CARD_ID)).toMatchObject({ ok: false, error: { code: 'BAD_REPLY', exitCode: 10 } });
});
