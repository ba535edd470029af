import type { ClockPort } from '../context.ts';
import { HEARTBEAT_EVERY_MS, Heartbeats } from './heartbeat.ts';
import { ifPossible } from './io-failure.ts';
import { readLockFile } from './lock-file.ts';
import { processState } from './process-identity.ts';

/** Long enough for two heartbeats. */
const WATCH_MS = 2.5 * HEARTBEAT_EVERY_MS;
const LOOK_EVERY_MS = 100;

/**
 * Which of these locks a living process holds, for a list. Holders on this machine are asked. Others are watched
 * together for at most 5 s: one without a heartbeat in that time is left out, although it may only be paused.
 */
export async function livingLocks(paths: readonly string[], clock: ClockPort): Promise<ReadonlySet<string>> {
  const heartbeats = new Heartbeats(clock);
  const living = new Set<string>();
  let silent = paths;
  const look = (isFirst: boolean): void => {
    silent = silent.filter((path) => {
      const file = ifPossible(() => readLockFile(path));
      if (file === undefined) return false;
      const state = processState(file.holder);
      const hasBeaten = heartbeats.look(path, file) === 0 && !isFirst;
      if (state === 'running' || (state !== 'gone' && hasBeaten)) living.add(path);
      return state !== 'gone' && !living.has(path);
    });
  };
  look(true);
  for (const endMs = clock.monotonic() + WATCH_MS; silent.length > 0 && clock.monotonic() < endMs; look(false)) {
    await clock.sleep(LOOK_EVERY_MS);
  }
  return living;
}
