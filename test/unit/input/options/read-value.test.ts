import { describe, expect, it } from 'vitest';
import { readValue } from '../../../../src/input/options/read-value.ts';

it.each([
  ['500ms', 500],
  ['0s', 0],
  ['30s', 30_000],
  ['2m', 120_000],
  ['1h', 3_600_000],
  ['168h', 604_800_000],
  ['7d', 604_800_000],
  ['1w', 604_800_000],
])('a duration: %s is %d ms', (text, ms) => {
  expect(readValue({ kind: 'duration' }, text)).toEqual({ ok: true, value: { text, ms } });
});

it.each([
  ['24h', 86_400_000],
  ['90d', 7_776_000_000],
  ['500ms', 500],
])('an age: %s is %d ms', (text, ms) => {
  expect(readValue({ kind: 'age' }, text)).toEqual({ ok: true, value: { text, ms } });
});

it.each([
  ['1/1', { index: 1, count: 1 }],
  ['3/10', { index: 3, count: 10 }],
])('a shard: %s', (text, shard) => expect(readValue({ kind: 'shard' }, text)).toEqual({ ok: true, value: shard }));

const NO_DURATIONS = [
  ...['', '30', '30 s', ' 30s', '30s\n', '-1s', '+1s', '1.5s', '1e3ms', 's', 'ms', '1S', '90d', '1m30s', '0x10s'],
  ...['٣s', '169h', '8d', '2w', '9999999999999s', '1constructor'],
];

describe.each([
  ['duration', NO_DURATIONS, 'a duration such as 500ms, 30s, 2m, 1h or 7d, at most 7d'],
  ['age', ['90', '1y', '40000d'], 'an age such as 30s, 2m, 24h, 90d or 2w, at most 36525d'],
  ['shard', ['0/4', '5/4', '1', '1/4 ', ''], 'i/n with i from 1 to n, such as 1/4'],
] as const)('no %s', (kind, texts, what) => {
  it.each(texts)(`%j is no ${kind}`, (text) => {
    expect(readValue({ kind }, text)).toEqual({ ok: false, problem: `must be ${what}, not ${JSON.stringify(text)}` });
  });
});
