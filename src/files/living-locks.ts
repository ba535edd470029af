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
  const living = new Set<string>();
  const silent = new Set<string>();
  for (const path of paths) {
    const file = read(path);
    if (file === undefined) continue;
    const fate = file.holder === undefined ? 'elsewhere' : fateOf(file.holder);
    if (fate === 'running') living.add(path);
    else if (fate !== 'gone') silent.add(path);
  }
  for (const path of await watch(silent, clock)) living.add(path);
  return living;
}

/** Those whose holder gave a sign of life. */
async function watch(paths: ReadonlySet<string>, clock: ClockPort): Promise<ReadonlySet<string>> {
  const signs = new SignsOfLife(clock);
  const silent = new Set(paths);
  const living = new Set<string>();
  const look = (isFirst: boolean): void => {
    for (const path of silent) {
      const file = read(path);
      if (file === undefined) silent.delete(path);
      else if (signs.look(path, file) === 0 && !isFirst) living.add(path);
    }
    for (const path of living) silent.delete(path);
  };
  look(true);
  for (const endMs = clock.monotonic() + WATCH_MS; silent.size > 0 && clock.monotonic() < endMs; ) {
    await clock.sleep(LOOK_EVERY_MS);
    look(false);
  }
  return living;
}
