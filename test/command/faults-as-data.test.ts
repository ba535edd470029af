import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refused } from '../support/calls.ts';
import { createHome } from '../support/run-frontdesk.ts';
import { handMadeWorkbook, textRow } from '../support/workbooks.ts';

/** The error of a call that is refused, with a file to read. */
async function errorOf(args: readonly string[], name = 'none', content: string | Uint8Array = '') {
  const home = createHome();
  writeFileSync(join(home.path, 'work', name), content);
  return JSON.parse(await refused([...args, '--json'], { home })).error;
}

const LIST = ['calendar', 'subscribers', 'list', 'c1'];
const UPDATE = ['calendar', 'subscribers', 'update'];

test('several errors of a call are data in the JSON error', async () => {
  expect(await errorOf([...LIST, '--limit', '0', '--active', 'maybe'])).toMatchObject({
    faultCount: 2,
    faults: [
      { where: '--active', field: 'active', message: 'must be one of true, false, all, not "maybe"' },
      { where: '--limit', field: 'limit', message: 'must be a whole number from 1 to 100, not 0' },
    ],
  });
});

test('several errors of options name the fields of the request, and none says its option twice', async () => {
  const options = ['--first-name', 'x', '--active', 'x', '--retries', 'x', '--nope'];
  expect((await errorOf([...UPDATE, '', ...options])).faults).toEqual([
    { where: '--nope', message: 'unknown option of `frontdesk calendar subscribers update`' },
    { where: '--retries', message: 'must be a whole number from 0 to 100, not "x"' },
    { where: '--active', field: 'active', message: 'must be true or false, not "x"' },
    { where: '<subscriberId>', field: 'id', message: 'is empty' },
  ]);
});

test('several errors of a file name line, column and field, and those of one kind are counted', async () => {
  const text = `id,active\n${Array.from({ length: 30 }, (_, at) => `s${at},maybe`).join('\n')}\n`;
  const { faults, faultCount } = await errorOf([...UPDATE, '--from', 'in.csv', '--yes'], 'in.csv', text);
  const place = { where: 'row 1, line 2 and 29 more, column active', row: 1, line: 2, column: 2, field: 'active' };
  expect([faultCount, faults]).toEqual([30, [{ ...place, message: expect.stringContaining('maybe'), count: 30 }]]);
});

test('an error of a cell without a named column has the number of its column', async () => {
  const rows = textRow(1, ['id', 'email']) + textRow(2, ['s1', 'a@x', 'x']) + textRow(3, ['s2', 'b@x', 'y']);
  const { faults } = await errorOf([...UPDATE, '--from', 'in.xlsx', '--yes'], 'in.xlsx', handMadeWorkbook({ rows }));
  const message = 'its column has no name in row 1: write one there, or delete the cell';
  expect(faults).toEqual([{ where: 'row 1, Rows!C2 and 1 more', row: 1, line: 2, column: 3, message, count: 2 }]);
});

test('a single error has a message and no list', async () => {
  expect(await errorOf([...LIST, '--limit', '0'])).not.toHaveProperty('faults');
});
