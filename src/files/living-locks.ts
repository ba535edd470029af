import type { ClockPort } from '../context.ts';
import { type LockFile, readLockFile } from './lock-file.ts';
import { fateOf } from './process-identity.ts';
import { SIGN_EVERY_MS, SignsOfLife } from './signs-of-life.ts';

/** Long enough for two signs of life. */
const WATCH_MS = 2.5 * SIGN_EVERY_MS;
const LOOK_EVERY_MS = 100;

function read(path: string): LockFile | undefined {
  try {
    return readLockFile(path);
  } catch {
    return undefined;
  }
}

/**
 * Which of these locks a living process holds, for showing it. Holders on this machine are asked. Those that cannot be
 * asked are watched, all at once, for 5 s at most: one that gives no sign of life in that time is not among them, although
 * it may only be paused.
 */
export async function livingLocks(paths: readonly string[], clock: ClockPort): Promise<ReadonlySet<string>> {
  const signs = new SignsOfLife(clock);
  const living = new Set<string>();
  let silent = paths;
  const look = (isFirst: boolean): void => {
    silent = silent.filter((path) => {
      const file = read(path);
      if (file === undefined) return false;
      const fate = fateOf(file.holder);
      const hasGivenSign = signs.look(path, file) === 0 && !isFirst;
      if (fate === 'running' || (fate !== 'gone' && hasGivenSign)) living.add(path);
      return fate !== 'gone' && !living.has(path);
    });
  };
  look(true);
  for (const endMs = clock.monotonic() + WATCH_MS; silent.length > 0 && clock.monotonic() < endMs; look(false)) {
    await clock.sleep(LOOK_EVERY_MS);
  }
  return living;
}
