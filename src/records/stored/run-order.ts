import { constants, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ignoreErrors } from '../../base/files/io-failure.ts';
import { requireOwnState } from '../../base/files/own-state.ts';

/** A line with the name of each run, in the order in which they were begun: clocks are put right, and differ. */
function orderPath(stateDir: string): string {
  return join(stateDir, 'runs-begun');
}

/** A run is begun. Rejects with the system's error, or AUTH. */
export async function noteBegun(stateDir: string, run: string): Promise<void> {
  const path = orderPath(stateDir);
  requireOwnState(stateDir, path);
  const file = await open(
    path,
    constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    await file.writeFile(`${run}\n`);
    await file.datasync();
  } finally {
    await ignoreErrors(file.close());
  }
}

export function placesOfRuns(stateDir: string): ReadonlyMap<string, number> {
  const path = orderPath(stateDir);
  requireOwnState(stateDir, path);
  try {
    return new Map(
      readFileSync(path, 'utf8')
        .split('\n')
        .map((run, place) => [run, place]),
    );
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return new Map();
    throw error;
  }
}
