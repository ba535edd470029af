import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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

/** The variable that a command and its children have in their environment. */
export const MARK = 'FRONTDESK_COMMAND';

/** The marks of the commands that run now. What a command left behind that has ended is not among them. */
export const runningMarks = new Set<string>();

/** Has it one of these marks? A child of a shell that the same Ctrl-C ended has no parent that runs. */
function isMarked(pid: number, marks: ReadonlySet<string>): boolean {
  if (marks.size === 0) return false;
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    return variables.some((text) => text.startsWith(`${MARK}=`) && marks.has(text.slice(MARK.length + 1)));
  } catch {
    return false;
  }
}

/**
 * Ends all descendants of a process, and what has one of the marks: of one command that is given up, its own, because
 * another command may run beside it. A process group has no terminal, on which a token command may ask.
 */
export function endDescendants(of: number, marks: ReadonlySet<string> = runningMarks): void {
  const known = processes();
  const found: { readonly pid: number; readonly start?: string | undefined }[] = [{ pid: of }];
  found.push(...known.filter(({ pid, parent }) => parent !== of && pid !== of && isMarked(pid, marks)));
  for (const { pid } of found) found.push(...known.filter(({ parent }) => parent === pid));
  const now = new Map(processes().map(({ pid, start }) => [pid, start]));
  for (const { pid, start } of found.slice(1)) {
    if (now.get(pid) !== start) continue;
    // It ended meanwhile, or belongs to another user (sudo).
    ifPossible(() => kill(pid, 'SIGKILL'));
  }
}
