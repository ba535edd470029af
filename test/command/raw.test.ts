import { expect, test } from 'vitest';
import { startRecordingServer } from '../support/recording-server.ts';
import { runFrontdesk } from '../support/run-frontdesk.ts';
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
    const server = await startRecordingServer([{ body: CARD }]);
    const args = ['card', 'get', CARD_ID, '-o', format, '--query', query, '--raw', '-q'];
    const { code, stdout } = await runFrontdesk(args, { env: server.env });
    expect([format, code, stdout]).toEqual([format, 0, printed]);
  }
});

test.each([[['--json']], [['--query', 'status']]])(
  '--raw with %j alone is refused, and nothing is sent',
  async (flags) => {
    const server = await startRecordingServer([]);
    const { code, stdout, stderr } = await runFrontdesk(['card', 'get', CARD_ID, '--raw', ...flags], {
      env: server.env,
    });
    expect([code, stdout, server.lines]).toEqual([2, '', []]);
    expect(stderr).toContain('--raw: needs');
  },
);

test.each([[[]], [['--out', 'secret.json']]])('a provisioning has no --query (%j)', async (out) => {
  const server = await startRecordingServer([]);
  const args = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--json', '--query', 'encryptedPaymentInstument'];
  const { code, stderr } = await runFrontdesk([...args, ...out], { env: server.env });
  expect([code, server.lines]).toEqual([2, []]);
  expect(stderr).toContain('--query: not for this command: the result is returned only once');
});
