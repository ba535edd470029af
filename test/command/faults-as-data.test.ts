import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';
import { handMadeWorkbook, textRow } from '../support/workbooks.ts';

test('several errors of a call are data in the JSON error', async () => {
  const { code, stdout, stderr } = await runFrontdesk([
    ...['calendar', 'subscribers', 'list', 'c1', '--limit', '0', '--active', 'maybe', '--json'],
  ]);
  expect([code, stdout]).toEqual([2, '']);
  const { error } = JSON.parse(stderr);
  expect(error.faultCount).toBe(2);
  expect(error.faults).toEqual([
    { where: '--active', field: 'active', message: 'must be one of true, false, all, not "maybe"' },
    { where: '--limit', field: 'limit', message: 'must be a whole number from 1 to 100, not 0' },
  ]);
});

test('several errors of options name the fields of the request, and none says its option twice', async () => {
  const args = [
    ...['calendar', 'subscribers', 'update', '', '--first-name', 'x', '--active', 'x', '--retries', 'x', '--nope'],
  ];
  const { code, stderr } = await runFrontdesk([...args, '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(stderr).error.faults).toEqual([
    { where: '--nope', message: 'unknown option of `frontdesk calendar subscribers update`' },
    { where: '--retries', message: 'must be a whole number from 0 to 100, not "x"' },
    { where: '--active', field: 'active', message: 'must be true or false, not "x"' },
    { where: '<subscriberId>', field: 'id', message: 'is empty' },
  ]);
});

test('several errors of a file name line, column and field, and those of one kind are counted', async () => {
  const home = createHome();
  const server = await startRecordingServer([]);
  const rows = Array.from({ length: 30 }, (_, at) => `s${at},maybe`);
  writeFileSync(join(home.path, 'work', 'in.csv'), `id,active\n${rows.join('\n')}\n`);
  const args = ['calendar', 'subscribers', 'update', '--from', 'in.csv', '--yes', '--json'];
  const { code, stderr } = await runFrontdesk(args, { home, env: server.env });
  expect([code, server.requests]).toEqual([2, []]);
  const { error } = JSON.parse(stderr);
  expect([error.faults.length, error.faultCount]).toEqual([1, 30]);
  expect(error.faults[0]).toEqual({
    where: 'row 1, line 2 and 29 more, column active',
    row: 1,
    line: 2,
    column: 2,
    field: 'active',
    message: expect.stringContaining('maybe'),
    count: 30,
  });
});

test('an error of a cell without a named column has the number of its column', async () => {
  const home = createHome();
  const rows = textRow(1, ['id', 'email']) + textRow(2, ['s1', 'a@x', 'x']) + textRow(3, ['s2', 'b@x', 'y']);
  writeFileSync(join(home.path, 'work', 'in.xlsx'), handMadeWorkbook({ rows }));
  const args = ['calendar', 'subscribers', 'update', '--from', 'in.xlsx', '--yes', '--json'];
  const { code, stderr } = await runFrontdesk(args, { home });
  expect(code).toBe(2);
  expect(JSON.parse(stderr).error.faults).toEqual([
    {
      where: 'row 1, Rows!C2 and 1 more',
      row: 1,
      line: 2,
      column: 3,
      message: 'its column has no name in row 1: write one there, or delete the cell',
      count: 2,
    },
  ]);
});

test('a single error has a message and no list', async () => {
  const { stderr } = await runFrontdesk(['calendar', 'subscribers', 'list', 'c1', '--limit', '0', '--json']);
  expect(JSON.parse(stderr).error).not.toHaveProperty('faults');
});
