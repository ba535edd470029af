import { constants } from 'node:fs';
import { access, chmod, copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runFolder } from './run-folder.ts';
import { showRun } from './run-list.ts';
import type { ActiveRun, RunPorts } from './run-store.ts';

/** Is a run finished, and its folder read-only? It is printed again then, and nothing is written. */
export async function isOnlyPrinted(ports: RunPorts, name: string | undefined): Promise<boolean> {
  if (name === undefined) return false;
  const { path, header } = runFolder(ports.stateDir, name);
  const may = async (mode: number, ...paths: readonly string[]) =>
    (await Promise.allSettled(paths.map((each) => access(each, mode)))).every(({ status }) => status === 'fulfilled');
  if ((await may(constants.W_OK, path, dirname(path))) || !(await may(constants.R_OK, header))) return false;
  return (await showRun(ports, name)).state === 'finished';
}

/** Opens a run. One that is only printed is opened as a copy, which is removed at its end. */
export async function openOrCopy(
  ports: RunPorts,
  name: string | undefined,
  open: (ports: RunPorts) => Promise<ActiveRun>,
): Promise<ActiveRun> {
  if (name === undefined || !(await isOnlyPrinted(ports, name))) return open(ports);
  const stateDir = await mkdtemp(join(tmpdir(), 'frontdesk-'));
  const remove = () => rm(stateDir, { recursive: true, force: true });
  try {
    const [from, to] = [runFolder(ports.stateDir, name), runFolder(stateDir, name)];
    await mkdir(to.path, { recursive: true, mode: 0o700 });
    for (const file of await readdir(from.path)) {
      const copy = join(to.path, file);
      if (copy === to.lock) continue;
      await copyFile(join(from.path, file), copy);
      await chmod(copy, 0o600);
    }
    const run = await open({ ...ports, stateDir, openAudit: undefined });
    return { ...run, close: () => run.close().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}
