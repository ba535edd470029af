import { realpathSync } from 'node:fs';
import type { ClockPort, TimeZonePort } from '../context.ts';

export const systemClock: ClockPort = {
  now: () => Date.now(),
  // Not `performance`, which loads a module at its first use.
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      // setTimeout takes at most 2^31-1 ms, and fires at once beyond.
      const timer = setTimeout(finish, Math.min(ms, 2_147_483_647));
      signal?.addEventListener('abort', finish);
    }),
};

/** Uniform in [0, 1). */
export const systemRandom = (): number => Math.random();

function realPath(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync(path);
  } catch {
    // Removed or replaced since it was started, for example by an update.
    return undefined;
  }
}

/** What this process runs on, for `frontdesk doctor`. */
export function runtimeFacts() {
  // Only `doctor` asks. An import would be loaded at each start of the executable.
  const isExecutable = process.getBuiltinModule('node:sea').isSea();
  return {
    /** Without the v: `22.12.0`. */
    nodeVersion: process.versions.node,
    /** The started file, links followed; undefined if it is gone. */
    program: realPath(isExecutable ? process.execPath : process.argv[1]),
  };
}

let machineZone: string | undefined;

/** Of an empty TZ, and of a rule such as `UTC-2`, ICU knows no name: the zone of that distance has one. */
function localZone(): string {
  const { timeZone: name = 'UTC' }: { readonly timeZone?: string } = new Intl.DateTimeFormat().resolvedOptions();
  if (name !== 'UTC' && name !== 'Etc/Unknown') return name;
  const behind = new Date().getTimezoneOffset() / 60;
  return behind === 0 ? 'UTC' : `Etc/GMT${behind > 0 ? '+' : ''}${behind}`;
}

/** Node reads TZ anew when it is set, for every local time of the process. */
export const systemTimeZone: TimeZonePort = {
  machine: () => machineZone ?? localZone(),
  use(name) {
    machineZone ??= localZone();
    process.env['TZ'] = name;
  },
};
