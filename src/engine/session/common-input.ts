import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { CommonOptions } from '../../options/common.ts';
import type { CommonInput } from '../../session.ts';

/** The switches that every command has. */
export function readCommon({ env }: Context, given: CommonOptions): CommonInput {
  return {
    profile: given.profile,
    quiet: given.quiet === true,
    verbose: given.verbose === true,
    dryRun: given.dryRun === true,
    yes: given.yes === true,
    history: given.noHistory !== true && ['', '0'].includes(env['FRONTDESK_NO_HISTORY'] ?? ''),
    ignoreExpiry: given.ignoreExpiry === true,
    caFile: caFileOf(given, env),
  };
}

/** Whether borders and marks beyond ASCII can be shown. */
export function isUtf8({ env, platform }: Context): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '');
  return platform === 'win32' || platform === 'darwin' || /utf-?8/i.test(locale ?? '');
}

/** An empty variable counts as one that is not set. */
function caFileOf({ caFile }: CommonOptions, env: Context['env']): CommonInput['caFile'] {
  if (caFile !== undefined) return { path: caFile, where: '--ca-file' };
  const path = env['FRONTDESK_CA_FILE'] ?? '';
  return path === '' ? undefined : { path, where: 'FRONTDESK_CA_FILE' };
}

/** USAGE when Node is told to accept any certificate: the token was sent to one that had expired (measured). */
export function refuseDisabledTls(env: Readonly<Record<string, string | undefined>>): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw Failure.unsent('USAGE', 'NODE_TLS_REJECT_UNAUTHORIZED=0 switches the verification of certificates off', {
    hints: ['unset NODE_TLS_REJECT_UNAUTHORIZED; to trust a certificate of your own use --ca-file <pem>'],
  });
}
