import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cellPieces, escapeCell, guardCell, unguardCell } from '../../../src/output/formula-guard.ts';

it.each([
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-', "'-"],
  ['@SUM', "'@SUM"],
  ['\tx', "'\tx"],
  ['\rx', "'\rx"],
  ['＝1', "'＝1"],
  ["'=x", "''=x"],
  ["''=x", "'''=x"],
  ["'x", "'x"],
  ["O'Neill", "O'Neill"],
  ['a=b', 'a=b'],
  ["x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"],
  ['x\t-1;+2', "x\t'-1;'+2"],
  ["x;'=1", "x;''=1"],
  ['x; =1', 'x; =1'],
  ['', ''],
  ['line\r\nline\ttab', 'line\r\nline\ttab'],
  ['a\u001b[31mb', 'a\\x1b[31mb'],
  ['a\u202eb', 'a\\u{202e}b'],
  ['\ud800', '\\u{d800}'],
  ['C:\\x41', 'C:\\x5cx41'],
  ['C:\\temp', 'C:\\temp'],
])('guardCell writes %j as %j (docs/faults.md T8)', (text, cell) => {
  expect(guardCell(text)).toBe(cell);
  expect(unguardCell(cell)).toBe(text);
});

it.each([
  ["'=x", '=x'],
  ["'x", "'x"],
  ['\\x41', '\\x41'],
  ['\\x0a', '\\x0a'],
  ['\\u{110000}', '\\u{110000}'],
  ['\\X1B', '\\X1B'],
  ['C:\\new', 'C:\\new'],
])('guardCell reads the cell %j of another program as %j', (cell, text) => {
  expect(unguardCell(cell)).toBe(text);
});

it('guardCell is undone exactly for every text', () => {
  const pieces = fc.constantFrom(
    "'",
    '=',
    '+',
    '-',
    '@',
    '\t',
    '\r',
    '\n',
    '＝',
    ';',
    '=',
    "'",
    '\\',
    'x',
    'u',
    '{',
    '}',
    '1',
    'b',
    '5',
    'c',
    '\u001b',
    '\u202e',
    '\ud800',
    '\udc00',
    '😀',
    '\u200d',
    'é',
  );
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: pieces }), fc.string({ unit: 'binary' })),
      (text) => unguardCell(guardCell(text)) === text,
    ),
    { numRuns: 10_000 },
  );
});

it('guardCell never begins like a formula and never holds a raw control but tab and line ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(guardCell(text)).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
      expect(guardCell(text).replace(/[\t\n\r]/g, '')).not.toMatch(
        /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u,
      );
    }),
    { numRuns: 3000 },
  );
});

const parts = ['=', "'", '\\', '\\x41', '\\u{202e}', '\u001b', '\u202e', 'é', '\ud83d\ude00', '\ud800', 'plain ', ','];
it('cellPieces gives together what guardCell and escapeCell give, also where a cut falls into an escape', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 40 }), fc.nat(40), (pieces, shift) => {
      const text = `${pieces.join('')}${'x'.repeat(16_384 - shift)}${pieces.join('').repeat(3)}${'y'.repeat(17_000)}`;
      expect([...cellPieces(text, true)].join('')).toBe(guardCell(text));
      expect([...cellPieces(text, false)].join('')).toBe(escapeCell(text));
    }),
  );
});
