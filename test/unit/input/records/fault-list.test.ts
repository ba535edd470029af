import { expect, it } from 'vitest';
import { FaultList } from '../../../../src/input/records/fault-list.ts';

const listed = (faults: readonly Parameters<FaultList['add']>[0][number][]) => {
  const list = new FaultList();
  list.add(faults);
  return list.listed.map(({ line, problem, count }) => [line, problem, count]);
};

it('faults of one kind in one column are one, whatever their words hold', () => {
  expect(
    listed([
      { line: 2, column: 'active', kind: 'type', problem: 'not "yes"' },
      { line: 3, column: 'active', kind: 'type', problem: 'not a "no"' },
      { line: 4, column: 'active', kind: 'length', problem: 'not a "no"' },
      { line: 5, column: 'email', kind: 'type', problem: 'not "yes"' },
    ]),
  ).toEqual([
    [2, 'not "yes"', 2],
    [4, 'not a "no"', 1],
    [5, 'not "yes"', 1],
  ]);
});

it('faults without a kind are one only where their words are the same', () => {
  expect(
    listed([
      { line: 2, problem: 'the row 2 is "bad"' },
      { line: 3, problem: 'the row 3 is "worse"' },
      { line: 4, problem: 'the row 2 is "bad"' },
    ]),
  ).toEqual([
    [2, 'the row 2 is "bad"', 2],
    [3, 'the row 3 is "worse"', 1],
  ]);
});
