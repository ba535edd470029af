import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { orIoFailure } from '../files/io-failure.ts';

function pathOf(stateDir: string): string {
  return join(stateDir, 'sandbox-reset');
}

/** Forgets what was sent to the sandbox: it is neither open nor the same input any more. Rejects with LOCAL_IO. */
export async function markSandboxReset(stateDir: string): Promise<void> {
  const path = pathOf(stateDir);
  await orIoFailure(
    writeFile(path, '', { mode: 0o600 }),
    `the sandbox is reset, and what was sent to it before could not be forgotten (${path})`,
  );
}

/** ISO 8601 time of the last reset of the sandbox; undefined: never. */
export function sandboxResetTime(stateDir: string): string | undefined {
  const facts = statSync(pathOf(stateDir), { throwIfNoEntry: false });
  return facts === undefined ? undefined : new Date(facts.mtimeMs).toISOString();
}
