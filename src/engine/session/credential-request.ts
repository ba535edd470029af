import type { Family } from '../../api/operation.ts';
import type { CredentialRequest } from '../../credentials/resolve.ts';
import type { CredentialEntry } from '../../credentials/store.ts';
import type { Session } from '../../session.ts';

/** Loaded here only: a job with its tokens in the environment has no use for it. */
export async function storedCredentials({ context, places }: Session): Promise<readonly CredentialEntry[]> {
  const { readCredentials } = await import('../../credentials/store.ts');
  return readCredentials({ configDir: places.configDir, platform: context.platform });
}

/** The credential of a session for one family, as a call looks for it. */
export function credentialRequest(session: Session, family: Family, origin: string): CredentialRequest {
  const { env, platform, clock } = session.context;
  return {
    family,
    origin,
    profile: session.profile.name,
    env,
    platform,
    clock,
    stored: () => storedCredentials(session),
    ignoreExpiry: session.common.ignoreExpiry === true,
    isInteractive: session.prompt.available,
    onNotice: (notice) => void session.notify(notice),
  };
}
