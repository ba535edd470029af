import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from '../../base/context.ts';
import { usageFailure } from '../../base/failure.ts';
import { succeeds } from '../../base/files/io-failure.ts';
import { runtimeFacts } from '../../base/process/system.ts';
import type { Session } from '../../command/session.ts';
import { resolvePreferences, switchFaults } from '../../profile/resolve.ts';
import { NO_SETTINGS } from '../../profile/settings.ts';
import { readCaFile } from '../ca-file.ts';
import { refuseDisabledTls } from '../open-session.ts';
import { attempt, type Check, ok } from './check.ts';

/** What the variables of the environment get wrong: every call but a few refuses it. */
async function checkEnvironment({ env }: Context, caFile: string | undefined): Promise<readonly Check[]> {
  const work = [
    () => refuseDisabledTls(env),
    () => {
      const faults = switchFaults(env);
      if (faults.length > 0) throw usageFailure(faults);
    },
    () => resolvePreferences({ flags: {}, env, profile: undefined, settings: NO_SETTINGS }),
    () => (caFile ? readCaFile(caFile, env) : undefined),
  ];
  const found: Check[] = [];
  for (const each of work) {
    const check = async () => {
      await each();
      return [];
    };
    found.push(...(await attempt('environment', check)));
  }
  return found.length === 0 ? [ok('environment', 'the variables of frontdesk can be read')] : found;
}

/** How and where the program was installed: `the Debian package (/usr/bin/frontdesk)`. Never rejects. */
async function describeInstallation(): Promise<string> {
  const { program, isExecutable } = runtimeFacts();
  if (program === undefined) return 'a file that is no longer there';
  if (isExecutable) {
    // Only Debian's package installs this file beside the program.
    const copyright = join(dirname(program), '../share/doc/frontdesk/copyright');
    const isFromDebian = program.endsWith('/usr/bin/frontdesk') && (await succeeds(stat(copyright)));
    return `the ${isFromDebian ? 'Debian package' : 'standalone executable'} (${program})`;
  }
  const folder = dirname(dirname(program));
  const isCheckout = await succeeds(stat(join(folder, 'src', 'main.ts')));
  return `${isCheckout ? 'a checkout of the sources' : 'the npm package'} (${folder})`;
}

/** This process and its environment. `caFile`: the certificates that calls would trust. */
export async function checkMachine(session: Session, caFile: string | undefined): Promise<readonly Check[]> {
  const { context } = session;
  const installation = await describeInstallation();
  return [
    ok('frontdesk', `frontdesk ${context.version} on ${context.platform}, from ${installation}`),
    ok('node', `Node ${runtimeFacts().nodeVersion}`),
    ...(await checkEnvironment(context, caFile)),
  ];
}
