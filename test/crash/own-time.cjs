'use strict';

// Preloaded into the built program (`node --require`): gives the machine that it runs on a time of its own.
// TIME_SPEED: how much faster its monotonic clock and its timers go, so that a patience of a minute is over in seconds.
// CLOCK_OFFSET_MS: how far its wall clock is ahead.

const speed = Number(process.env.TIME_SPEED ?? 1);
const offsetMs = Number(process.env.CLOCK_OFFSET_MS ?? 0);

const { now } = Date;
Date.now = () => now() + offsetMs;

const { bigint } = process.hrtime;
process.hrtime.bigint = () => bigint() * BigInt(speed);

for (const name of ['setTimeout', 'setInterval']) {
  const original = globalThis[name];
  const faster = (callback, ms, ...args) => original(callback, ms / speed, ...args);
  globalThis[name] = Object.defineProperties(faster, Object.getOwnPropertyDescriptors(original));
}
