import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { kill } from 'node:process';
import { ifPossible } from './io-failure.ts';
import { readProcStat } from './process-identity.ts';

/** All processes from /proc, else from `ps`; empty without either. With their start: a pid alone may be reused. */
function processes() {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => ({ pid: Number(pid), parent: undefined, ...readProcStat(Number(pid)) }));
  } catch {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,lstart='], { encoding: 'utf8' });
    const found = [...(stdout ?? '').matchAll(/^ *(\d+) +(\d+) +(.+)$/gm)];
    return found.map(([, pid, parent, start]) => ({ pid: Number(pid), parent: Number(parent), start }));
  }
}

/** Ends all descendants of a process. A process group has no terminal, on which a token command may ask. */
export function endDescendants(of: number): void {
  const known = processes();
  const found: { readonly pid: number; readonly start?: string | undefined }[] = [{ pid: of }];
  for (const { pid } of found) found.push(...known.filter(({ parent }) => parent === pid));
  const now = new Map(processes().map(({ pid, start }) => [pid, start]));
  for (const { pid, start } of found.slice(1)) {
    if (now.get(pid) !== start) continue;
    // It ended meanwhile, or belongs to another user (sudo).
    ifPossible(() => kill(pid, 'SIGKILL'));
  }
}
