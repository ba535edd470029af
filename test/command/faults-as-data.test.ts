import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';

test('several errors of a call are data in the JSON error', async () => {
  const { code, stdout, stderr } = await runFrontdesk([
    ...['calendar', 'subscribers', 'list', 'c1', '--limit', '0', '--active', 'maybe', '--json'],
  ]);
  expect([code, stdout]).toEqual([2, '']);
  const { error } = JSON.parse(stderr);
  expect(error.faultCount).toBe(2);
  expect(error.faults.map(({ where }: { where: string }) => where)).toEqual(['--active', '--limit']);
});

test('several errors of a file name line, column and field, and those past the first 20 are counted', async () => {
  const home = createHome();
  const server = await startRecordingServer([]);
  const rows = Array.from({ length: 30 }, (_, at) => `s${at},maybe`);
  writeFileSync(join(home.path, 'work', 'in.csv'), `id,active\n${rows.join('\n')}\n`);
  const args = ['calendar', 'subscribers', 'update', '--from', 'in.csv', '--yes', '--json'];
  const { code, stderr } = await runFrontdesk(args, { home, env: server.env });
  expect([code, server.requests]).toEqual([2, []]);
  const { error } = JSON.parse(stderr);
  expect([error.faults.length, error.faultCount]).toEqual([20, 30]);
  expect(error.faults[0]).toEqual({
    where: 'line 2, column active',
    line: 2,
    column: 2,
    field: 'active',
    message: expect.stringContaining('maybe'),
  });
});

test('a single error has a message and no list', async () => {
  const { stderr } = await runFrontdesk(['calendar', 'subscribers', 'list', 'c1', '--limit', '0', '--json']);
  expect(JSON.parse(stderr).error).not.toHaveProperty('faults');
});
