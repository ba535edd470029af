import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';

/** Updates subscribers from `new.csv`, off a terminal; what stood on stderr, and what was sent. */
async function update(files: Readonly<Record<string, string>>, more: readonly string[] = []) {
  const home = createHome();
  const server = await startRecordingServer(() => ({ status: 200, body: '{"email":"x"}' }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.path, 'work', name), text);
  const args = ['calendar', 'subscribers', 'update', '--from', 'new.csv', '--yes', ...more];
  const { code, stderr } = await runFrontdesk(args, { home, env: server.env });
  const sent = server.requests.map(({ url, body }) => `${url} ${body}`);
  return { code, stderr, sent };
}

const OLDER = ['--changed-from', 'old.csv'];

it('--expect-changes requires exactly so many rows that differ (17), and an older file (2)', async () => {
  const files = { 'old.csv': 'id,email\ns1,a@x\ns2,b@x\n', 'new.csv': 'id,email\ns1,a@y\ns2,b@x\n' };
  const wrong = await update(files, [...OLDER, '--expect-changes', '2']);
  expect([wrong.code, wrong.sent]).toEqual([17, []]);
  expect(wrong.stderr).toContain('1 row differs from the older file, and --expect-changes says 2. Nothing was sent.');
  const right = await update(files, [...OLDER, '--expect-changes', '1']);
  expect([right.code, right.sent]).toEqual([0, ['/v1/subscribers/s1 {"email":"a@y"}']]);
  expect((await update(files, ['--expect-changes', '1'])).code).toBe(2);
  expect((await update(files, [...OLDER, '--expect-changes', '2', '--dry-run'])).code).toBe(17);
});
