import { expect, test } from 'vitest';
import { callAt, refused } from '../support/calls.ts';
import { CARD_ID } from '../support/sample-card.ts';

const CARD = JSON.stringify({
  cardId: CARD_ID,
  clientReference: 'a "b" \\ c\td\ne\u202ef',
  status: 'ACTIVE',
  currentBalance: 0,
  metadata: { tags: ['x', null, { a: 1 }], none: [] },
}).replace('"currentBalance":0', '"currentBalance":10.10');

test.each([
  ['status', 'ACTIVE\n'],
  ['clientReference', 'a "b" \\ c\td\\ne\\u202ef\n'],
  ['currentBalance', '10.10\n'],
  ['metadata.tags', 'x\n\n{"a":1}\n'],
  ['metadata.none', ''],
  ['missing', '\n'],
])('--query %s --raw prints a text without quotes', async (query, printed) => {
  for (const format of ['json', 'ndjson']) {
    const args = ['card', 'get', CARD_ID, '-o', format, '--query', query, '--raw', '-q'];
    const { code, stdout } = await callAt([{ body: CARD }], args);
    expect([format, code, stdout]).toEqual([format, 0, printed]);
  }
});

test.each([[['--json']], [['--query', 'status']]])('--raw with %j alone is refused', async (flags) => {
  expect(await refused(['card', 'get', CARD_ID, '--raw', ...flags])).toContain('--raw: needs');
});

test.each([[[]], [['--out', 'secret.json']]])('a provisioning has no --query (%j)', async (out) => {
  const args = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--json', '--query', 'encryptedPaymentInstument'];
  expect(await refused([...args, ...out])).toContain('--query: not for this command: the result is returned only once');
});
