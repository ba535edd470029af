'use strict';

// Preloaded into the built program (`node --require`): gives the machine that it runs on a time of its own.
// TIME_SPEED: how much faster its monotonic clock and its timers go, so that a patience of a minute is over in seconds.
// CLOCK_OFFSET_MS: how far its wall clock is ahead. CLOCK_STOPS=1: a stop of the process stops both clocks, as a
// hypervisor's pause does.

const speed = Number(process.env.TIME_SPEED ?? 1);
const offsetMs = Number(process.env.CLOCK_OFFSET_MS ?? 0);

const { bigint } = process.hrtime;
const MOST_NS = 100_000_000n;
let lastNs = bigint();
let stoodNs = 0n;

/** How long the process has stood still: it looks at the time more often than that unless it does. */
function stood() {
  const nowNs = bigint();
  if (nowNs - lastNs > MOST_NS) stoodNs += nowNs - lastNs;
  lastNs = nowNs;
  return stoodNs;
}

const stopped = process.env.CLOCK_STOPS === '1' ? stood : () => 0n;
if (process.env.CLOCK_STOPS === '1') setInterval(stood, 5).unref();

const { now } = Date;
Date.now = () => now() + offsetMs - Number(stopped() / 1_000_000n);

process.hrtime.bigint = () => (bigint() - stopped()) * BigInt(speed);

for (const name of ['setTimeout', 'setInterval']) {
  const original = globalThis[name];
  const faster = (callback, ms, ...args) => original(callback, ms / speed, ...args);
  globalThis[name] = Object.defineProperties(faster, Object.getOwnPropertyDescriptors(original));
}
