import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ClockPort } from '../../../../src/base/context.ts';

/** A folder of mode 0700 that goes away with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-unit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A clock that stands at `nowMs`; sleeping moves it, so nothing ever waits. */
export function stoppedClock(nowMs = Date.parse('2026-05-01T12:00:00Z')): ClockPort {
  let passedMs = 0;
  return {
    now: () => nowMs + passedMs,
    monotonic: () => passedMs,
    async sleep(ms) {
      passedMs += ms;
    },
  };
}

/** The machine's clock, for files whose times the system sets and for processes that really wait. */
export function realClock(): ClockPort {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}
