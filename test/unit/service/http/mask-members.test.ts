import { expect, it } from 'vitest';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import { maskTexts } from '../../../../src/service/http/mask.ts';

const mask = (text: string) => text.replaceAll('s3cret', '***');

it.each([
  ['{"a":"x s3cret y","b":1.50}', '{"a":"x *** y","b":1.50}'],
  ['{"s3cret":{"b":["s3cret"]}}', '{"***":{"b":["***"]}}'],
  ['{"a":"s3c\\u0072et"}', '{"a":"***"}'],
])('maskTexts masks texts and names, also of an answer that remembers its text: %s', (text, masked) => {
  for (const remembers of [false, true]) {
    expect(printJson(maskTexts(parseJson(text, { remembers }), mask))).toBe(masked);
  }
});

it('maskTexts does not copy an answer in which there is nothing to mask', () => {
  for (const remembers of [false, true]) {
    const value = parseJson('{"a":[{"b":"c"}]}', { remembers });
    expect(maskTexts(value, mask)).toBe(value);
  }
});

it('maskTexts is not misled by a token that the punctuation between texts makes up', () => {
  const value = parseJson('{"a":"b","c":"d"}', { remembers: true });
  expect(printJson(maskTexts(value, (text) => text.replaceAll('b","c', '***')))).toBe('{"a":"b","c":"d"}');
});
