import type { Context } from '../../base/context.ts';
import { usageFailure } from '../../base/failure.ts';
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

/** This process and its environment. `caFile`: the certificates that calls would trust. */
export async function checkMachine(session: Session, caFile: string | undefined): Promise<readonly Check[]> {
  const { context } = session;
  const { program = 'a file that is no longer there', nodeVersion } = runtimeFacts();
  return [
    ok('frontdesk', `frontdesk ${context.version} on ${context.platform}, from ${program}`),
    ok('node', `Node ${nodeVersion}`),
    ...(await checkEnvironment(context, caFile)),
  ];
}
