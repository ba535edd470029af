import { Failure } from '../failure.ts';

/**
 * USAGE when the environment tells Node to accept any certificate: a token would then be handed to whoever
 * answers (measured: an expired certificate was accepted and the token sent).
 */
export function refuseDisabledTls(env: Readonly<Record<string, string | undefined>>): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw new Failure(
    'USAGE',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 switches the verification of certificates off; nothing was sent',
    { hints: ['unset NODE_TLS_REJECT_UNAUTHORIZED; to trust a certificate of your own use --ca-file <pem>'] },
  );
}
