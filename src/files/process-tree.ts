import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { kill } from 'node:process';
import { readProcStat } from './process-identity.ts';

/** Pairs of process and parent, as /proc shows them, else as `ps` does; none where neither is there. */
function parents(): readonly (readonly [pid: number, parent: number | undefined])[] {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => [Number(pid), readProcStat(Number(pid))?.parent]);
  } catch {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    const lines = (stdout ?? '').trim().split('\n');
    return lines.map((line) => line.trim().split(/\s+/).map(Number)).map(([pid = 0, parent]) => [pid, parent]);
  }
}

/**
 * Ends all processes that a process has started, and those that these have. A group of their own would tell them apart
 * more simply, but has no terminal, at which a token command may have to ask.
 */
export function endDescendants(of: number): void {
  const known = parents();
  const found = [of];
  for (const pid of found) found.push(...known.filter(([, parent]) => parent === pid).map(([child]) => child));
  for (const pid of found.slice(1)) {
    try {
      kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile, or is another user's (sudo).
    }
  }
}
