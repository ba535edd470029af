import { expect, it } from 'vitest';
import { windowsNameProblem } from '../../../../src/input/options/windows-name.ts';

const DEVICE = 'Windows uses that name for a device';
const ENDING = 'Windows allows no names that end with a dot or a space';

it.each([
  ['NUL', DEVICE],
  ['con', DEVICE],
  ['COM1.txt', DEVICE],
  ['lpt9 .csv', DEVICE],
  ['C:aux', DEVICE],
  ['work/nul.json', DEVICE],
  ['may.', ENDING],
  ['work/failed.csv ', ENDING],
])('windowsNameProblem refuses %j on Windows alone: %s', (path, problem) => {
  expect(windowsNameProblem(path, true)).toBe(`cannot be "${path}": ${problem}`);
  expect(windowsNameProblem(path, false)).toBeUndefined();
});

it.each([
  ...['C:x.json', 'C:\\work\\failed.csv', '\\\\server\\share\\failed.csv', '\\\\?\\C:\\work\\failed.csv'],
  ...['con/failed.csv', 'console.csv', '.may', '..', ''],
])('windowsNameProblem takes %j', (path) => expect(windowsNameProblem(path, true)).toBeUndefined());
