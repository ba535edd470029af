import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ClockPort } from '../context.ts';

/** What may have been left behind; every start looks, so the rest is loaded only where there is something. */
const SUSPICIOUS = /^\.frontdesk-.*\.tmp|\.(?:lock|takeover)$/;

/**
 * Removes what killed processes left in one of our folders: temporary files (each may be a full copy of
 * what was being saved, docs/faults.md C11) and locks. Those of running processes stay. Never fails: a folder that
 * is missing, closed or read-only holds nothing that could be swept.
 */
export async function sweepLeftovers(
  folder: string,
  owner: { readonly pid: number; readonly clock: ClockPort },
): Promise<void> {
  const names = listSuspicious(folder);
  if (names.length === 0) return;
  const [{ removeDeadLock }, { isLeftOver }] = await Promise.all([
    import('./lock.ts'),
    import('./process-identity.ts'),
  ]);
  for (const name of names) {
    const path = join(folder, name);
    if (name.endsWith('.lock') || name.endsWith('.takeover')) removeDeadLock(path, owner);
    try {
      if (isLeftOver(name, owner.clock.now() - statSync(path).mtimeMs)) rmSync(path, { recursive: true });
    } catch {
      // Another process swept it first, or may do what this one may not.
    }
  }
}

/** At once: every call looks, and starting Node's threads for it takes longer than looking. */
function listSuspicious(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => SUSPICIOUS.test(name));
  } catch {
    return [];
  }
}
