import { expect, it } from 'vitest';
import { arrow, shortEntry } from '../../../src/screen/people-text.ts';

it.each([
  ['a single write', '20260501T120431250-4d2-9f3a1c', '9f3a1c'],
  ['a row of a run', '20260501-1204-7f3a2b:12', '7f3a2b:12'],
  ['a row of a plan', 'plan-ae408e905fac:2', '905fac:2'],
  ['a row of a run with a name', 'nightly:3', 'nightly:3'],
])('the entry of %s is short enough to be typed', (_what, entry, short) => expect(shortEntry(entry)).toBe(short));

it('an arrow is ASCII where the locale is not UTF-8', () =>
  expect([arrow({ unicode: true }), arrow({ unicode: false })]).toEqual(['→', '->']));
