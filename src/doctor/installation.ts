import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RuntimeFacts } from '../process/runtime.ts';

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Whether Debian's package brought this file: beside it lies what no other form of frontdesk installs. */
async function isFromDebian(program: string): Promise<boolean> {
  const installed = '/usr/bin/frontdesk';
  return program.endsWith(installed) && (await isThere(join(dirname(program), '../share/doc/frontdesk/copyright')));
}

/**
 * As what, and where, the running program was installed: `the Debian package (/usr/bin/frontdesk)`. Tells the npm
 * package from a checkout by the sources, which only the latter has. Never rejects.
 */
export async function describeInstallation({ program, isExecutable }: RuntimeFacts): Promise<string> {
  if (program === undefined) return 'a file that is no longer there';
  if (isExecutable) {
    return `the ${(await isFromDebian(program)) ? 'Debian package' : 'standalone executable'} (${program})`;
  }
  const folder = dirname(dirname(program));
  const isCheckout = await isThere(join(folder, 'src', 'main.ts'));
  return `${isCheckout ? 'a checkout of the sources' : 'the npm package'} (${folder})`;
}
