import { expect, test } from 'vitest';
import { RunTimeline } from '../../../../src/runs/report/run-timeline.ts';

test('a timeline tells the time of half of the rows and of 95 of 100 apart, though both lie within one bound of the picture', () => {
  const timeline = new RunTimeline();
  timeline.addRun(1000);
  for (let row = 1; row <= 100; row += 1) {
    timeline.add({ n: row, s: 'applied', a: 1, t: 1000 + row, http: 200, ms: row <= 60 ? 110 : 180 });
  }

  const durations = timeline.durations();

  expect(durations).toMatchObject({ rows: 100, maxMs: 180 });
  expect(durations?.counts).toEqual([0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0]);
  // Within 5 % of what they are.
  expect(durations?.medianMs).toBeGreaterThanOrEqual(105);
  expect(durations?.medianMs).toBeLessThanOrEqual(115);
  expect(durations?.p95Ms).toBeGreaterThanOrEqual(171);
  expect(durations?.p95Ms).toBeLessThanOrEqual(180);
});
