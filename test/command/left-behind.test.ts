import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID } from '../support/sample-card.ts';

const OTHER_ID = '2b7e0000-0000-4000-8000-000000000002';
const WORDS = 'card gone, nothing was sent. Nothing was changed.';
const GONE = { status: 404, body: JSON.stringify({ errorCode: 'CARD_NOT_FOUND', message: WORDS, details: {} }) };

/** The last line of a failure's message, in table format and as JSON. */
async function messagesOf(args: readonly string[], env: Readonly<Record<string, string>>, cwd?: string) {
  const shown = await runFrontdesk(args, { env, ...(cwd === undefined ? {} : { cwd }) });
  const json = await runFrontdesk([...args, '--json'], { env, ...(cwd === undefined ? {} : { cwd }) });
  return [shown.stderr.split('\n')[0], JSON.parse(json.stderr.split('\n')[0] ?? '').error.message];
}

test.each([
  [['card', 'block', 'nothing was sent', '--yes']],
  [['card', 'block', 'Nothing was sent.', '--yes']],
  [['card', 'activate', CARD_ID, '--expect', 'nothing was sent']],
  [['card', 'block', '--from', 'nothing was sent', '--yes']],
  [['card', 'block', '--from', 'nothing was sent.csv', '--yes']],
  [['calendar', 'update', 'c1', '--url', 'nothing was sent']],
])('%j ends with the sentence of frontdesk, whatever words it holds', async (args) => {
  const server = await startRecordingServer([]);
  const { path } = createHome();
  writeFileSync(join(path, 'nothing was sent.csv'), 'cardId\nNothing was sent.\n');
  for (const message of await messagesOf(args, server.env, path)) expect(message).toMatch(/\. Nothing was sent\.$/);
  expect(server.lines).toEqual([]);
});

test('a change that a read held back says that nothing was sent, whatever the service says', async () => {
  const server = await startRecordingServer(() => GONE);
  const args = ['card', 'block', CARD_ID, '--yes', '--expect', 'status=ACTIVE'];
  for (const message of await messagesOf(args, server.env)) expect(message).toMatch(/ Nothing was sent\.$/);
  expect(server.lines).toEqual([`GET /v1/cards/${CARD_ID}`, `GET /v1/cards/${CARD_ID}`]);
});

test('a change that the service rejected says that nothing was changed, whatever the service says', async () => {
  const server = await startRecordingServer(() => GONE);
  for (const message of await messagesOf(['card', 'block', CARD_ID, '--yes'], server.env)) {
    expect(message).toMatch(/ Nothing was changed\.$/);
  }
});

test('a read says neither, but for the words of the service', async () => {
  const server = await startRecordingServer(() => GONE);
  for (const message of await messagesOf(['card', 'get', CARD_ID], server.env)) {
    expect(message).toMatch(/the service returned 404 \(.*Nothing was changed\..*\)$/);
  }
});

test('each rejected row of a run says that nothing was changed, when it ends and in its record', async () => {
  const server = await startRecordingServer(() => GONE);
  const home = createHome();
  const args = ['card', 'block', CARD_ID, OTHER_ID, '--yes', '--json', '--run', 'words'];
  const { stdout, code } = await runFrontdesk(args, { env: server.env, home });
  expect(code).toBe(15);
  const stored = await runFrontdesk(['runs', 'results', 'words', '--json'], { env: server.env, home });
  for (const text of [stdout, stored.stdout]) {
    const messages = JSON.parse(text).map((row: { error: { message: string } }) => row.error.message);
    expect(messages).toEqual([
      expect.stringMatching(/^could not block card .* Nothing was changed\.$/),
      expect.stringMatching(/^could not block card .* Nothing was changed\.$/),
    ]);
  }
});
