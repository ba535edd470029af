import type { Session } from '../command/session.ts';
import type { KeychainRequest } from '../profile/credentials/keychain.ts';
import type { CredentialRequest } from '../profile/credentials/resolve.ts';
import type { CredentialEntry } from '../profile/credentials/store.ts';
import type { Family } from '../service/api/operation.ts';

/** Loaded only here: a job with its tokens in the environment needs no store. */
export async function storedCredentials({ context, places }: Session): Promise<readonly CredentialEntry[]> {
  const { readCredentials } = await import('../profile/credentials/store.ts');
  return readCredentials({ configDir: places.configDir, platform: context.platform });
}

export function credentialRequest(session: Session, family: Family, origin: string): CredentialRequest {
  const { env, platform, clock } = session.context;
  return {
    family,
    origin,
    profile: session.selectedProfile().name,
    env,
    platform,
    clock,
    stored: () => storedCredentials(session),
    ignoreExpiry: session.common.ignoreExpiry === true,
    isInteractive: session.prompt.available,
    onNotice: (notice) => void session.notify(notice),
  };
}

type Place = Pick<CredentialEntry, 'profile' | 'family' | 'origin'>;

/** The request for a token in the system's own store. */
export function keychainRequest(
  { context, prompt, notify }: Session,
  { profile, family, origin }: Place,
): KeychainRequest {
  const { env, platform } = context;
  const isInteractive = prompt.available;
  return { profile, family, origin, env, platform, isInteractive, onNotice: (notice) => void notify(notice) };
}

/** Deletes a credential's token from the system's store, if it is there. AUTH if it may still be there. */
export async function deleteKept(session: Session, entry: CredentialEntry): Promise<void> {
  if (entry.kind !== 'keychain') return;
  const { deleteFromKeychain } = await import('../profile/credentials/keychain.ts');
  await deleteFromKeychain(keychainRequest(session, entry));
}

/** Removes the credentials of a profile, or of one family: first what could not be found again without its entry. */
export async function forgetCredentials(
  session: Session,
  which: { readonly profile: string; readonly family?: Family | undefined },
): Promise<readonly CredentialEntry[]> {
  const { removeCredentials } = await import('../profile/credentials/store-change.ts');
  for (const entry of await storedCredentials(session)) {
    const isMeant = entry.profile === which.profile && (which.family ?? entry.family) === entry.family;
    if (isMeant) await deleteKept(session, entry);
  }
  return removeCredentials(session.credentialPlace(), which);
}
