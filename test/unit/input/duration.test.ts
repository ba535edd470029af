import { describe, expect, it } from 'vitest';
import { formatDuration, parseAge, parseDuration } from '../../../src/input/duration.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['0s', 0],
    ['30s', 30_000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['168h', 604_800_000],
  ])('reads %s as %d ms', (text, ms) => {
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
    '9999999999999s',
    '1constructor',
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('parseAge', () => {
  it.each([
    ['24h', 86_400_000],
    ['90d', 7_776_000_000],
    ['500ms', 500],
  ])('reads %s as %d ms', (text, ms) => {
    expect(parseAge(text)).toBe(ms);
  });

  it.each(['90', '3w', '1y', '40000d'])('refuses %j', (text) => {
    expect(parseAge(text)).toBeUndefined();
  });
});

describe('formatDuration', () => {
  it.each([
    [-5, '0 ms'],
    [0, '0 ms'],
    [450.7, '450 ms'],
    [999, '999 ms'],
    [1000, '1 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [7_200_000, '2 h'],
    [7_500_000, '2 h 5 min'],
    [90_061_000, '1 d 1 h'],
    [86_400_000, '1 d'],
  ])('shows %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
