import type { Family } from '../../api/operation.ts';
import type { CredentialRequest } from '../../credentials/resolve.ts';
import type { CredentialEntry } from '../../credentials/store.ts';
import type { Session } from '../../session.ts';

/** Loaded only here: a job with its tokens in the environment needs no store. */
export async function storedCredentials({ context, places }: Session): Promise<readonly CredentialEntry[]> {
  const { readCredentials } = await import('../../credentials/store.ts');
  return readCredentials({ configDir: places.configDir, platform: context.platform });
}

/** The request for a session's credential of one family. */
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
