import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClockPort } from '../context.ts';
import { removeDeadLock } from './lock.ts';
import { isGone, ownerOfTemporary } from './process-identity.ts';

/**
 * Removes what killed processes left in one of our folders: temporary files (each may be a full copy of
 * what was being saved, fault C11) and locks. Those of running processes stay. Never fails: a folder that
 * is missing, closed or read-only holds nothing that could be swept.
 */
export async function sweepLeftovers(
  folder: string,
  owner: { readonly pid: number; readonly clock: ClockPort },
): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    if (name.endsWith('.lock') || name.endsWith('.takeover')) removeDeadLock(path, owner);
    const maker = ownerOfTemporary(name);
    if (maker === undefined) continue;
    const info = await stat(path).catch(() => undefined);
    if (info === undefined || !isGone(maker, owner.clock.now() - info.mtimeMs)) continue;
    await unlink(path).catch(() => undefined);
  }
}
