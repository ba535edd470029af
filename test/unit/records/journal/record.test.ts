import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checksumOf, decodeRecord, encodeRecord } from '../../../../src/records/journal/record.ts';

it.each([
  ['123456789', 'cbf43926'],
  ['', '00000000'],
  ['The quick brown fox jumps over the lazy dog', '414fa339'],
])('the checksum of a journal line of %j is %s', (text, checksum) => {
  expect(checksumOf(text)).toBe(checksum);
  expect(checksumOf(new TextEncoder().encode(text))).toBe(checksum);
});

it('a journal line is ASCII with its epoch and its checksum last', () => {
  expect(encodeRecord({ n: 3, t: 5, s: 'intent', a: 1, id: 'käse' }, 7)).toBe(
    '{"n":3,"t":5,"s":"intent","a":1,"id":"k\\u00e4se","e":7,"c":"c12216cc"}\n',
  );
});

it('a journal line gives back what was put in, whatever the texts are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (id, reason) => {
      const record = { n: 1, t: 1, s: 'intent', a: 1, id, reason } as const;
      const line = encodeRecord(record, 12);
      expect(line).toMatch(/^[\x20-\x7e]+\n$/);
      expect(decodeRecord(new TextEncoder().encode(line.slice(0, -1)))).toEqual({ ...record, e: 12 });
    }),
  );
});

it.each([
  ['another checksum', '{"n":3,"t":5,"s":"intent","a":1,"c":"00000000"}'],
  ['no checksum', '{"n":3,"t":5,"s":"intent","a":1}'],
  ['nothing', ''],
  ['half of it', '{"n":3,"t":5,"s":"int'],
])('a journal line with %s is no record', (_what, line) => {
  expect(decodeRecord(new TextEncoder().encode(line))).toBeUndefined();
});
