import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ClockPort } from '../context.ts';
import { ifPossible } from './io-failure.ts';

/** Names that may have been left behind. Every start checks, so the rest is loaded only if there are some. */
const SUSPICIOUS = /^\.frontdesk-.*\.tmp|\.(?:lock|takeover)$/;

/**
 * Removes what killed processes left in a folder of frontdesk: temporary files (each may be a full copy of what was
 * saved, docs/faults.md C11) and locks. Those of running processes stay. Never fails: a missing, closed or read-only
 * folder holds nothing to sweep.
 */
export async function sweepLeftovers(
  folder: string,
  owner: { readonly pid: number; readonly clock: ClockPort },
): Promise<void> {
  // Synchronous: every call checks, and starting Node's threads takes longer.
  const names = (ifPossible(() => readdirSync(folder)) ?? []).filter((name) => SUSPICIOUS.test(name));
  if (names.length === 0) return;
  const [{ removeDeadLock }, { isLeftOver }] = await Promise.all([
    import('./lock.ts'),
    import('./process-identity.ts'),
  ]);
  for (const name of names) {
    const path = join(folder, name);
    if (name.endsWith('.lock') || name.endsWith('.takeover')) removeDeadLock(path, owner);
    // Another process may remove it first, or alone be allowed to.
    ifPossible(() => isLeftOver(name, owner.clock.now() - statSync(path).mtimeMs) && rmSync(path, { recursive: true }));
  }
}
