import { expect, it } from 'vitest';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import { rewriteJson } from '../../../../src/service/http/mask.ts';

const value = parseJson('{"a":"x","b":[1.50,"x",{"__proto__":"y","c":null}],"d":{"e":true}}');

it('rewriteJson changes texts and names, and keeps numbers, keys and their order', () => {
  const changed = rewriteJson(value, { text: (text) => text.replace(/[xa]/, '***') });
  expect(printJson(changed)).toBe('{"***":"***","b":[1.50,"***",{"__proto__":"y","c":null}],"d":{"e":true}}');
});

it('rewriteJson puts something else in the place of a member, wherever it is', () => {
  const hidden = rewriteJson(value, { member: (name) => (name === '__proto__' || name === 'd' ? '-' : undefined) });
  expect(printJson(hidden)).toBe('{"a":"x","b":[1.50,"x",{"__proto__":"-","c":null}],"d":"-"}');
});

it('rewriteJson answers the very same value where nothing changes', () => {
  expect(rewriteJson(value, { text: (text) => text, member: () => undefined })).toBe(value);
});
