import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createClient, TOKEN } from '../../support/library.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

function jwt(expiresAtMs: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256' })}.${part({ exp: Math.floor(expiresAtMs / 1000) })}.c2lnbmF0dXJl`;
}

describe('the token', () => {
  it('a token function is called once, and once more after a 401', async () => {
    const server = await startRecordingServer([
      { body: cardText('ACTIVE') },
      { status: 401 },
      { body: cardText('ACTIVE') },
      { body: cardText('ACTIVE') },
    ]);
    let asked = 0;
    const token = async () => {
      asked += 1;
      return `token-number-${asked}`;
    };
    const client = createClient({ cards: { url: server.url, token } });
    for (const _ of [1, 2, 3]) expect(await client.card.get(CARD_ID)).toMatchObject({ ok: true });
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-number-1',
      'Bearer token-number-1',
      'Bearer token-number-2',
      'Bearer token-number-2',
    ]);
    expect(asked).toBe(2);
  });

  it('a token function is called once more in all if several calls get a 401', async () => {
    const server = await startRecordingServer(({ headers }) =>
      headers['authorization'] === 'Bearer token-number-1' ? { status: 401 } : { body: cardText('ACTIVE') },
    );
    let asked = 0;
    const token = async () => {
      asked += 1;
      return `token-number-${asked}`;
    };
    const client = createClient({ cards: { url: server.url, token } });
    const results = await Promise.all([1, 2, 3].map(() => client.card.activate(CARD_ID)));
    expect(results.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied']);
    expect(asked).toBe(2);
  });

  it('a token that is the same again after a 401 is not sent again', async () => {
    const server = await startRecordingServer([{ status: 401 }]);
    const client = createClient({ cards: { url: server.url, token: () => TOKEN } });
    expect(await client.card.block(CARD_ID)).toMatchObject({
      outcome: 'rejected',
      error: { code: 'AUTH', exitCode: 4 },
    });
  });

  it.each([
    ['throws', () => Promise.reject(new Error(`no luck with ${TOKEN}`))],
    [
      'throws at once',
      () => {
        throw new Error(TOKEN);
      },
    ],
    ['gives nothing', () => ''],
    ['gives what is no ASCII', () => 'gehéim-token'],
    ['gives two lines', () => `${TOKEN}\nX-Other: 1`],
    // @ts-expect-error: a function that breaks its type
    ['gives no text', (): string => 42],
    ['gives one that has expired', () => jwt(Date.now() - 60_000)],
  ])('a token function that %s ends a call as not sent', async (_, token) => {
    const server = await startRecordingServer([]);
    const client = createClient({ cards: { url: server.url, token } });
    const [write, read] = [await client.card.block(CARD_ID), await client.card.get(CARD_ID)];
    expect(write).toMatchObject({ outcome: 'not_sent', error: { code: 'AUTH', exitCode: 4 } });
    expect(read).toMatchObject({ ok: false, error: { code: 'AUTH', exitCode: 4 } });
    expect(JSON.stringify([write, read])).not.toContain(TOKEN);
  });

  it('a token of the library is masked wherever it is echoed, and the client does not print it', async () => {
    const escaped = TOKEN.replace('t', '\\u0074');
    const echo = cardText('ACTIVE').replace('order-1', `${TOKEN} ${escaped}`);
    const server = await startRecordingServer([
      { body: echo, headers: { 'x-request-id': TOKEN } },
      { status: 400, body: { errorCode: 'BAD', message: TOKEN, details: { [TOKEN]: TOKEN } } },
    ]);
    const client = createClient({ cards: { url: server.url, token: TOKEN } });
    const [read, write] = [await client.card.get(CARD_ID), await client.card.block(CARD_ID)];
    for (const shown of [
      JSON.stringify(read),
      JSON.stringify(write),
      inspect(client, { depth: 9, showHidden: true }),
    ]) {
      expect(shown).not.toContain(TOKEN);
    }
    expect(read).toMatchObject({ ok: true, resource: { clientReference: '*** ***' } });
    expect('text' in read && read.text).toContain('"currentBalance":10.10');
  });
});
