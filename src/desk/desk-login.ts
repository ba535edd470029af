import { askToken } from '../commands/auth/login.ts';
import type { PromptPort } from '../context.ts';
import { environmentToken } from '../credentials/resolve.ts';
import { readCredentials } from '../credentials/store.ts';
import { storeCredential } from '../credentials/store-change.ts';
import { lockPorts } from '../files/lock-ports.ts';
import type { Session } from '../session.ts';

/** How the profile keeps its card token; undefined: it has none. */
async function keptAs(session: Session) {
  const { origin } = await session.service('cards');
  const entries = await readCredentials(session.credentialPlace()).catch(() => []);
  const { name } = session.profile;
  return entries.find((entry) => entry.profile === name && entry.family === 'cards' && entry.origin === origin)?.kind;
}

/** Can a token be given at the desk? Not if the environment or a token command gives it. */
export async function canLogIn(session: Session): Promise<boolean> {
  if (session.profile.isSandbox || environmentToken(session.context.env, 'cards') !== undefined) return false;
  return (await keptAs(session)) !== 'command';
}

/** Asks for a token. Keeps it like the profile's own, else for this session (false). */
export async function logIn(session: Session, prompt: PromptPort): Promise<boolean> {
  const service = await session.service('cards');
  const value = await askToken(session, prompt, 'cards', service.host);
  const { name } = session.profile;
  const isKept = (await keptAs(session)) === 'token';
  if (isKept) {
    const entry = { profile: name, family: 'cards', origin: service.origin, kind: 'token', value } as const;
    await storeCredential({ ...session.credentialPlace(), ...lockPorts(session) }, entry);
  }
  service.useToken(value);
  return isKept;
}
