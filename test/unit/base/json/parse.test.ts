import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import { JsonSyntaxError } from '../../../../src/base/json/syntax-error.ts';
import { JsonNumber } from '../../../../src/base/json/value.ts';

function refusal(text: string, maxDepth?: number): JsonSyntaxError {
  try {
    parseJson(text, maxDepth === undefined ? {} : { maxDepth });
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

it.each(['12345678901234567.89', '10.10', '1e400', '-0', '1E2', '1.0', '19.999999999999999', '0', '-1.5e-07', '1e+5'])(
  'parseJson keeps the digits of %s (docs/faults.md B11 to B14)',
  (text) => expect(parseJson(text)).toEqual(new JsonNumber(text)),
);

it('parseJson keeps key order, integer-like keys, __proto__ and then', () => {
  const value = parseJson('{"b":1,"10":2,"a":3,"2":4,"__proto__":5,"constructor":6,"then":7}');
  expect(value instanceof Map && [...value.keys()]).toEqual(['b', '10', 'a', '2', '__proto__', 'constructor', 'then']);
});

it('parseJson accepts one byte order mark and refuses two (docs/faults.md B23)', () =>
  expect([parseJson('\ufeff[]'), refusal('\ufeff\ufeff[]').problem]).toEqual([[], 'syntax']));

it('B24 parseJson keeps a lone surrogate that was written as an escape', () =>
  expect(parseJson('"\\ud83d"')).toBe('\ud83d'));

it('parseJson refuses a name that occurs twice, whatever its values (docs/faults.md B17)', () => {
  const error = refusal('{\n  "status": "ACTIVE",\n  "status": "ACTIVE"\n}');
  expect(error).toMatchObject({ problem: 'duplicate_key', line: 3, column: 3, offset: 26, path: 'status' });
  expect(refusal('{"a":1,"\\u0061":2}').problem).toBe('duplicate_key');
});

it('parseJson accepts 256 levels and refuses 257 (docs/faults.md B20)', () => {
  expect(() => parseJson('['.repeat(256) + ']'.repeat(256))).not.toThrow();
  expect(refusal('['.repeat(257) + ']'.repeat(257)).problem).toBe('too_deep');
  expect([refusal('{"a":'.repeat(100_000)).problem, refusal('[[1]]', 1).problem]).toEqual(['too_deep', 'too_deep']);
});

it('parseJson names line, column and path of a fault', () => {
  const error = refusal('{"data":[{"email":"a"},\n  {"email":x}]}');
  expect(error.message).toBe('line 2, column 12 (at data.1.email): expected a value');
  expect([error.line, error.column, error.offset, error.path]).toEqual([2, 12, 35, 'data.1.email']);
});

it('parseJson counts columns in characters, not in UTF-16 units', () => expect(refusal('["😀", x]').column).toBe(7));

it.each<[reason: string, ...texts: string[]]>([
  ['the text is empty', '', '   '],
  ['the text ends inside a string', '{"a', '"\\'],
  ['the text ends too early', '{"a":', '-', '1.', '1e'],
  ['expected "," or "]"', '[1'],
  ['expected "," or "}"', '{"a":1'],
  ['expected ":"', '{"a" 1}'],
  ['expected a name in double quotes', '{a:1}'],
  ['a comma after the last member: delete it', '{"a":1,}'],
  ['a comma after the last element: delete it', '[1,]'],
  ['a comma after the end: delete it', '{"a":1}, '],
  ['there is text after', '{"a":1},{}', '1 2', '1x'],
  ['leading zeros', '01'],
  ['expected a digit', '-x', '1.e5'],
  ['expected a value', '.5', '+1', 'NaN', 'nul', "'a'", '<html>', '\u00a01'],
  ['control character', '"\u0001"', '"a\nb"'],
  ['an escape', '"\\x41"', '"\\u12g4"'],
])('parseJson refuses with: %s', (reason, ...texts) => {
  for (const text of texts) expect(refusal(text).message).toContain(reason);
});

it('parseJson points at the wrong escape, not at the string', () => expect(refusal('["abc\\n\\q"]').column).toBe(8));

it('parseJson cuts a monstrous key out of the path and the message', () =>
  expect(refusal(`{"${'k'.repeat(5_000_000)}":x}`).message.length).toBeLessThan(200));

it('parseJson agrees with JSON.parse about every ordinary value', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(printJson(parseJson(text)))).toEqual(JSON.parse(text));
    }),
  );
});

it('parseJson agrees with JSON.parse about what is no JSON', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...'{}[],:"\\a01-.e \n', 'true'), { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      let accepted = true;
      try {
        JSON.parse(text);
      } catch {
        accepted = false;
      }
      let ours = true;
      try {
        parseJson(text);
      } catch (error) {
        expect(error).toBeInstanceOf(JsonSyntaxError);
        ours = error instanceof JsonSyntaxError && error.problem === 'duplicate_key';
      }
      expect(ours).toBe(accepted);
    }),
    { numRuns: 3000 },
  );
});

it('parseJson keeps 10,000 random decimals digit for digit (goal G6)', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,24})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,4})?$/), (text) => {
      expect(printJson(parseJson(`[${text}]`))).toBe(`[${text}]`);
    }),
    { numRuns: 10_000 },
  );
});

it('parseJson takes time in proportion to the text (docs/faults.md B21)', () => {
  const million = `{${Array.from({ length: 200_000 }, (_, index) => `"k${index}":"\\n${index}"`).join(',')}}`;
  const value = parseJson(million);
  expect(value instanceof Map && value.size).toBe(200_000);
  expect(refusal(`"${'\\n'.repeat(1_000_000)}\\q"`).message).toContain('an escape');
});

it.each([
  ['small objects', '{"a":1}', 3],
  ['small arrays', '[1]', 2],
  ['empty texts', '""', 1],
  ['digits', '1', 1],
  ['numbers', '12.5', 1],
])('parseJson with a limit of values refuses %s without end', (_, item, count) => {
  const text = `[${`${item},`.repeat(99_999)}${item}]`;
  const values = 1 + count * 100_000;
  expect(() => parseJson(text, { maxValues: values - 1 })).toThrow('too many values to hold in memory');
  expect(() => parseJson(text, { maxValues: values })).not.toThrow();
});

it('parseJson with a limit of values counts each name of its own past the first 1,000 three times', () => {
  const text = `{${Array.from({ length: 50_000 }, (_, index) => `"k${index}":0`).join(',')}}`;
  expect(() => parseJson(text, { maxValues: 197_001 })).toThrow('too many values to hold in memory');
  expect(() => parseJson(text, { maxValues: 197_002 })).not.toThrow();
});
