import { expect, it } from 'vitest';
import { parseAge, parseDuration } from '../../../../src/input/options/read-value.ts';

it.each([
  ['500ms', 500],
  ['0s', 0],
  ['30s', 30_000],
  ['2m', 120_000],
  ['1h', 3_600_000],
  ['168h', 604_800_000],
  ['7d', 604_800_000],
  ['1w', 604_800_000],
])('parseDuration reads %s as %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each([
  '',
  '30',
  '30 s',
  ' 30s',
  '30s\n',
  '-1s',
  '+1s',
  '1.5s',
  '1e3ms',
  's',
  'ms',
  '1S',
  '90d',
  '1m30s',
  '0x10s',
  '٣s',
  '169h',
  '8d',
  '2w',
  '9999999999999s',
  '1constructor',
])('parseDuration refuses %j', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

it.each([
  ['24h', 86_400_000],
  ['90d', 7_776_000_000],
  ['500ms', 500],
])('parseAge reads %s as %d ms', (text, ms) => {
  expect(parseAge(text)).toBe(ms);
});

it.each(['90', '1y', '40000d'])('parseAge refuses %j', (text) => {
  expect(parseAge(text)).toBeUndefined();
});
