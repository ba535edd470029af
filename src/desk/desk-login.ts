import type { PromptPort } from '../base/context.ts';
import { lockPorts } from '../base/files/lock-ports.ts';
import { askToken } from '../cli/commands/auth/login.ts';
import { keychainRequest } from '../cli/credential-request.ts';
import type { Session } from '../command/session.ts';
import { keepInKeychain } from '../profile/credentials/keychain.ts';
import { environmentToken } from '../profile/credentials/resolve.ts';
import { readCredentials } from '../profile/credentials/store.ts';
import { storeCredential } from '../profile/credentials/store-change.ts';

/** How the profile keeps its card token; undefined: it has none. */
async function keptAs(session: Session) {
  const { origin } = await session.service('cards');
  const entries = await readCredentials(session.credentialPlace()).catch(() => []);
  const { name } = session.selectedProfile();
  return entries.find((entry) => entry.profile === name && entry.family === 'cards' && entry.origin === origin)?.kind;
}

/** Can a token be given at the desk? Not if the environment or a token command gives it. */
export async function canLogIn(session: Session): Promise<boolean> {
  if (session.selectedProfile().isSandbox || environmentToken(session.context.env, 'cards') !== undefined) return false;
  return (await keptAs(session)) !== 'command';
}

/** Asks for a token. Keeps it like the profile's own, else for this session (false). */
export async function logIn(session: Session, prompt: PromptPort): Promise<boolean> {
  const service = await session.service('cards');
  const value = await askToken(session, prompt, 'cards', service.host);
  const { name } = session.selectedProfile();
  const kind = await keptAs(session);
  const place = { profile: name, family: 'cards', origin: service.origin } as const;
  if (kind === 'keychain') await keepInKeychain(keychainRequest(session, place), value);
  if (kind === 'token') {
    const entry = { ...place, kind, value };
    await storeCredential({ ...session.credentialPlace(), ...lockPorts(session) }, entry);
  }
  service.useToken(value);
  return kind === 'token' || kind === 'keychain';
}
