import fc from 'fast-check';
import { expect, it } from 'vitest';
import { guardCell, guardedZeros, unguardCell, visibleCell, workbookCell } from '../../../src/screen/formula-guard.ts';

it.each([
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-', "'-"],
  ['@SUM', "'@SUM"],
  ['\tx', "'\tx"],
  ['\rx', "'\rx"],
  ...[...'＝＋－＠'].map((sign): [string, string] => [`${sign}1;${sign}1`, `'${sign}1;'${sign}1`]),
  ["'=x", "''=x"],
  ["''=x", "'''=x"],
  ["'x", "'x"],
  ["x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"],
  ['x\t-1;+2', "x\t'-1;'+2"],
  ["x;'=1", "x;''=1"],
  ['\nx', "'\nx"],
  ['\0=1;\0=2', "'\0=1;'\0=2"],
  ['="00042"', `'="00042"`],
  ...[
    ...["d'Or", 'a=b', 'x; =1', '', 'line\r\nline\ttab', 'Mon;\r\nTue', 'a\u001b[31mb', 'a\u202eb', 'C:\\x41', '\\x86'],
  ].map((text): [string, string] => [text, text]),
])('T8 guardCell writes %j as %j', (text, cell) => {
  expect([guardCell(text), unguardCell(cell)]).toEqual([cell, text]);
});

it.each([
  ["'=x", '=x'],
  ["'x", "'x"],
  ['\\x41', '\\x41'],
  ['\\u{202e}', '\\u{202e}'],
])('guardCell reads the cell %j of another program as %j', (cell, text) => expect(unguardCell(cell)).toBe(text));

it('guardCell is undone exactly for every text', () => {
  const pieces = fc.constantFrom(...`'=+-@\t\r\n\0＝;='\\xu{}1b5c\u001b\u202e😀\u200dé`, '\ud800', '\udc00');
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: pieces }), fc.string({ unit: 'binary' })), (text) => {
      expect([unguardCell(guardCell(text)), unguardCell(workbookCell(text))]).toEqual([text, text]);
      // A program turned the line ends of the export, and only those.
      const turned = (lines: string) => lines.replaceAll('\r\n', '\n');
      expect(unguardCell(turned(guardCell(text)))).toBe(turned(text));
    }),
    { numRuns: 10_000 },
  );
});

it('guardCell never begins like a formula', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(guardCell(text)).not.toMatch(/^\0*[=+\-@\t\r\n＝＋－＠]/);
    }),
    { numRuns: 3000 },
  );
});

it.each([
  ['="00042"', '00042'],
  ['="a""b"', 'a"b'],
  ['=""', ''],
  ['="a', undefined],
  ['="00042" ', undefined],
  [`'="00042"`, undefined],
  ['00042', undefined],
])('a guard of zeros: %j holds %j', (cell, value) => expect(guardedZeros(cell)).toBe(value));

it.each([
  ['=1+1', '=1+1'],
  ["'=1", "''=1"],
  ['="00042"', `'="00042"`],
  ["x;'=1", "x;''=1"],
  ['\u202eb', '\u202eb'],
])('workbookCell writes %j as %j', (text, cell) => {
  expect([workbookCell(text), unguardCell(cell)]).toEqual([cell, text]);
});

it('visibleCell shows control and bidi characters as escapes, whatever the length', () => {
  const text = `\u001b\u202e\t\r\n${'😀'.repeat(20_000)}\u0000`;
  expect(visibleCell(text)).toBe(`\\x1b\\u{202e}\t\r\n${'😀'.repeat(20_000)}\\x00`);
});
