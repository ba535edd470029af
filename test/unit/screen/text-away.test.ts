import { expect, it } from 'vitest';
import { awayFrom } from '../../../src/screen/text.ts';

const NOW = Date.UTC(2026, 10, 20, 12);

it.each([
  ['2027-03-01T00:00:00Z', 'in 3 months'],
  ['2026-11-18T12:00:00Z', '2 days ago'],
  ['2026-11-21T12:00:00+00:00', 'in 1 day'],
  ['2026-11-21T11:59:58Z', 'in 1 day'],
  ['2026-11-20T12:00:30Z', 'now'],
  ['2026-11-20T11:15:00Z', '45 minutes ago'],
  ['2026-11-20T14:00:00.5Z', 'in 2 hours'],
  ['2029-11-21T00:00:00Z', 'in 3 years'],
  ['2026-12-31', 'in 40 days'],
  ['2026-02-30T00:00:00Z', undefined],
  ['2026-11-20T12:00:00', undefined],
  ['soon', undefined],
  ['', undefined],
  ['2026-13-01', undefined],
])('B31 awayFrom: %s is %s, and nothing is said of a day that does not exist', (text, away) => {
  expect(awayFrom(text, NOW)).toBe(away);
});
