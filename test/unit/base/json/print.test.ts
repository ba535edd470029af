import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { printJson, printJsonPieces } from '../../../../src/base/json/print.ts';
import { fromPlain, type JsonValue, rememberedText } from '../../../../src/base/json/value.ts';
import { rewriteJson } from '../../../../src/service/http/mask.ts';

it('printJson prints compact, or with two spaces, and leaves empty ones on their line', () => {
  const value = parseJson('{ "a" : [ 1.50 , { } , [ ] , null, true ], "b": "x" }');
  expect(printJson(value)).toBe('{"a":[1.50,{},[],null,true],"b":"x"}');
  expect(printJson(value, { indent: 2 })).toBe(
    '{\n  "a": [\n    1.50,\n    {},\n    [],\n    null,\n    true\n  ],\n  "b": "x"\n}',
  );
});

it.each([
  ['\u001b[31m', '"\\u001b[31m"'],
  ['\u007f', '"\\u007f"'],
  ['\u009b', '"\\u009b"'],
  ['a\nb\tc\rd\be\f', '"a\\nb\\tc\\rd\\be\\f"'],
  ['"\\', '"\\"\\\\"'],
  ['\u202e', '"\\u202e"'],
  ['\u2066\u2069\u061c\u200e\u200f', '"\\u2066\\u2069\\u061c\\u200e\\u200f"'],
  ['\u2028\u2029', '"\\u2028\\u2029"'],
  ['a\u200bb\ufeffc\u2060d', '"a\\u200bb\\ufeffc\\u2060d"'],
  ['\u{e0041}', '"\\udb40\\udc41"'],
  ['\ud800', '"\\ud800"'],
  ['x\udc00', '"x\\udc00"'],
])('printJson escapes what must not be raw: %j', (text, printed) => expect(printJson(text)).toBe(printed));

it.each(['日本語', 'עברית', 'العربية', '👩‍👩‍👧', '❤️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'می‌خواهم', 'क्‍ष', '1️⃣', '👍🏽', 'é', '葛󠄀'])(
  'printJson leaves ordinary text raw: %s',
  (text) => expect(printJson(text)).toBe(`"${text}"`),
);

it('printJson escapes names as well as values', () =>
  expect(printJson(new Map([['\u001b', null]]))).toBe('{"\\u001b":null}'));

it('printJson prints any text so that it parses to the same text, with nothing raw that a terminal obeys', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }), (text) => {
      const printed = printJson(text);
      expect(JSON.parse(printed)).toBe(text);
      expect(printed).not.toMatch(/[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u);
    }),
    { numRuns: 2000 },
  );
});

it('T2 printJson prints every control, bidi and tag character escaped, alone and between letters', () => {
  const points = [
    ...Array.from({ length: 0x20 }, (_, index) => index),
    ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index),
    ...[0x61c, 0xad, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060],
    ...[0x2066, 0x2069, 0xfeff],
    ...Array.from({ length: 0x80 }, (_, index) => 0xe0000 + index),
  ];
  for (const point of points) {
    const character = String.fromCodePoint(point);
    for (const text of [character, `a${character}b`, `1${character}`]) {
      const printed = printJson(text);
      expect(printed, point.toString(16)).not.toContain(character);
      expect(JSON.parse(printed)).toBe(text);
    }
  }
});

it('printJson prints what is nested to the limit', () => {
  const text = '['.repeat(256) + ']'.repeat(256);
  expect(printJson([parseJson(text)])).toBe(`[${text}]`);
});

const printed = (value: JsonValue, options: { indent?: 2; margin?: string } = {}) => [
  ...printJsonPieces(value, options),
];

it('printJsonPieces makes together what printJson makes, whatever the value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (plain) => {
      const value = fromPlain(plain);
      expect(printed(value).join('')).toBe(printJson(value));
      expect(JSON.parse(printed(value, { indent: 2 }).join(''))).toEqual(JSON.parse(JSON.stringify(plain)));
    }),
  );
});

it('printJsonPieces sets a margin after each line end', () => {
  expect(printed(parseJson('{"a":[1,{}],"b":[]}'), { indent: 2, margin: '..' }).join('')).toBe(
    '{\n..  "a": [\n..    1,\n..    {}\n..  ],\n..  "b": []\n..}',
  );
});

it('printJsonPieces hands over pieces of a long value, and of one long text, without changing it', () => {
  const long = `${'\u009b"\\\ud800e\u0301\u{1f468}\u200d\u{1f469}'.repeat(20_000)}\udc00`;
  for (const value of [long, [long, 'x'], new Map([[long.slice(0, 10), long]])]) {
    const pieces = printed(value);
    expect(pieces.length).toBeGreaterThan(3);
    for (const piece of pieces) expect(piece.length).toBeLessThan(700_000);
    expect(printJson(parseJson(pieces.join('')))).toBe(pieces.join(''));
  }
  expect(JSON.parse(printed(long).join(''))).toBe(long);
});

it('printJsonPieces prints what is nested deep and long in pieces that are no longer than the rest', () => {
  const deep = parseJson(`${'['.repeat(250)}${'1,'.repeat(99_999)}1${']'.repeat(250)}`);
  let length = 0;
  for (const piece of printJsonPieces(deep, { indent: 2 })) {
    expect(piece.length).toBeLessThan(70_000);
    length += piece.length;
  }
  // 100,000 lines of 500 spaces, a digit, a comma and a line end each, and the brackets.
  expect(length).toBeGreaterThan(50_000_000);
});

const remembered = (text: string) => rememberedText(parseJson(text, { remembers: true }));

it.each([
  ['{"a":1.50,"b":[1,{"c":"x y"}]}', '{"a":1.50,"b":[1,{"c":"x y"}]}'],
  [' \n{"a":-0e1}\r\n', '{"a":-0e1}'],
])('an object that remembers its text keeps a compact and plain one: %j', (text, kept) => {
  expect([remembered(text), printJson(parseJson(text, { remembers: true }))]).toEqual([kept, kept]);
});

it.each([
  ...['{ "a":1}', '{"a":1 }', '{"a": 1}', '{"a":[1 ,2]}', '{"a":"\\u0041"}', '{"a":"\\/"}', '{"a":"\u007f"}'],
  ...['{"a":"\u202e"}', '{"é":1}', '{}', '[{"a":1}]', `{"a":"${'x'.repeat(70_000)}"}`],
])('an object that remembers its text does not keep what is printed otherwise, is no object or long: %.30j', (text) =>
  expect(remembered(text)).toBeUndefined(),
);

it('an object that remembers its text is printed indented as any other', () =>
  expect(printJson(parseJson('{"a":1}', { remembers: true }), { indent: 2 })).toBe('{\n  "a": 1\n}'));

it('an object that remembers its text is printed as it would be without, whatever it holds and however it is written', () => {
  const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 1 });
  fc.assert(
    fc.property(fc.object({ key: fc.string({ unit: 'binary' }) }), fc.boolean(), space, (object, isSpaced, around) => {
      const text = `${around}${JSON.stringify(object, null, isSpaced ? 1 : 0)}${around}`;
      expect(printJson(parseJson(text, { remembers: true }))).toBe(printJson(parseJson(text)));
    }),
  );
});

const value = parseJson('{"a":"x","b":[1.50,"x",{"__proto__":"y","c":null}],"d":{"e":true}}');

it('rewriteJson changes texts and names, and keeps numbers, keys and their order', () => {
  const changed = rewriteJson(value, { text: (text) => text.replace(/[xa]/, '***') });
  expect(printJson(changed)).toBe('{"***":"***","b":[1.50,"***",{"__proto__":"y","c":null}],"d":{"e":true}}');
});

it('rewriteJson puts something else in the place of a member, wherever it is', () => {
  const hidden = rewriteJson(value, { member: (name) => (name === '__proto__' || name === 'd' ? '-' : undefined) });
  expect(printJson(hidden)).toBe('{"a":"x","b":[1.50,"x",{"__proto__":"-","c":null}],"d":"-"}');
});

it('rewriteJson answers the very same value where nothing changes', () =>
  expect(rewriteJson(value, { text: (text) => text, member: () => undefined })).toBe(value));
