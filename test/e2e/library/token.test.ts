import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { createClient, TOKEN } from '../../support/library.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

it('a token of the library is masked wherever it is echoed, and the client does not print it', async () => {
  const escaped = TOKEN.replace('t', '\\u0074');
  const echo = cardText('ACTIVE').replace('order-1', `${TOKEN} ${escaped}`);
  const server = await startRecordingServer([
    { body: echo, headers: { 'x-request-id': TOKEN } },
    { status: 400, body: { errorCode: 'BAD', message: TOKEN, details: { [TOKEN]: TOKEN } } },
  ]);
  const client = createClient({ cards: { url: server.url, token: TOKEN } });
  const [read, write] = [await client.card.get(CARD_ID), await client.card.block(CARD_ID)];
  for (const shown of [JSON.stringify(read), JSON.stringify(write), inspect(client, { depth: 9, showHidden: true })]) {
    expect(shown).not.toContain(TOKEN);
  }
  expect(read).toMatchObject({ ok: true, resource: { clientReference: '*** ***' } });
  expect('text' in read && read.text).toContain('"currentBalance":10.10');
});
