import type { Context } from '../../base/context.ts';
import { Failure, type Hint, warning } from '../../base/failure.ts';
import { type Family, familyAdjective } from '../../service/api/operation.ts';
import { TOKEN_VARIABLES } from '../resolve.ts';
import { Credential, type CredentialOptions, once, type TokenSource } from './credential.ts';
import type { CredentialEntry } from './store.ts';
import { checkTokenText, readTokenFile } from './token.ts';
import { runTokenCommand } from './token-command.ts';

export interface CredentialRequest
  extends Omit<CredentialOptions, 'hints' | 'choose'>,
    Pick<Context, 'env' | 'platform'> {
  /** Where the requests go: scheme://host[:port]. */
  readonly origin: string;
  /** Name of the profile. The sandbox has its own tokens and never comes here. */
  readonly profile: string;
  /** The stored entries, asked for only if the environment has no token. */
  readonly stored: () => Promise<readonly CredentialEntry[]>;
  /** The user is at the terminal, so the hint names another way to log in. */
  readonly isInteractive: boolean;
  /** Limit of the token command; 60 s unless a test says otherwise. */
  readonly commandTimeoutMs?: number;
}

/** The environment's token; an empty variable counts as unset. */
export function environmentToken(env: Context['env'], family: Family): string | undefined {
  return env[TOKEN_VARIABLES[family]] || undefined;
}

type Place = Pick<CredentialRequest, 'profile' | 'family' | 'origin'>;

/** The profile's credential for this family and origin. It is never used for another origin. */
export function findStored(entries: readonly CredentialEntry[], place: Place): CredentialEntry | undefined {
  const own = ofProfile(entries, place);
  return own?.origin === place.origin ? own : undefined;
}

function ofProfile(entries: readonly CredentialEntry[], { profile, family }: Place): CredentialEntry | undefined {
  return entries.find((entry) => entry.profile === profile && entry.family === family);
}

/** What to do about a token that is no longer valid. */
export function freshTokenHint(request: CredentialRequest): Hint {
  const isFromEnvironment = environmentToken(request.env, request.family) !== undefined;
  return isFromEnvironment ? `put a new token into ${TOKEN_VARIABLES[request.family]}` : loginHint(request);
}

function loginHint({ profile, family, isInteractive }: CredentialRequest): Hint {
  if (isInteractive) return { do: 'log in', profile, family };
  return { do: 'log in without a terminal', words: `set ${TOKEN_VARIABLES[family]}, or log in`, profile, family };
}

function noCredential(request: CredentialRequest, otherOrigin: string | undefined): Failure {
  const { profile, family, origin } = request;
  const message =
    otherOrigin === undefined
      ? `there is no ${familyAdjective(family)} credential for ${origin} (profile ${profile})`
      : `the stored ${familyAdjective(family)} credential of profile ${profile} belongs to ${otherOrigin} and is not sent to ${origin}`;
  return Failure.unsent('AUTH', message, { hints: [loginHint(request)] });
}

function environmentSource(family: Family, text: string): TokenSource {
  const variable = TOKEN_VARIABLES[family];
  return {
    name: `environment (${variable})`,
    what: `the ${familyAdjective(family)} token of the environment (${variable})`,
    words: `the token in ${variable}`,
    remedy: `put a valid token into ${variable}`,
    token: once(async () => checkTokenText(text, variable)),
  };
}

/** The source of a stored credential's token. Nothing is read or run before it is asked for. */
function storedSource({ kind, family, profile, value }: CredentialEntry, request: CredentialRequest): TokenSource {
  const named = (name: string) => ({ name, what: `the ${familyAdjective(family)} token of ${name}` });
  if (kind === 'token') {
    const where = `the stored ${familyAdjective(family)} credential of profile ${profile}`;
    return {
      ...named(`profile ${profile}`),
      words: `the stored login of ${profile}`,
      remedy: { do: 'log in', words: 'log in again', profile, family },
      token: once(async () => checkTokenText(value, where)),
    };
  }
  if (kind === 'keychain') {
    return {
      ...named('the keychain'),
      name: 'keychain',
      words: `the token of profile ${profile} in the keychain`,
      remedy: { do: 'log in with the keychain', words: 'log in again', profile, family },
      token: once(async (abort) => (await import('./keychain.ts')).readKeychain({ ...request, abort })),
    };
  }
  const what = `the ${familyAdjective(family)} token command of profile ${profile}`;
  const { env, commandTimeoutMs: timeoutMs = 60_000 } = request;
  const run = (abort: AbortSignal | undefined) => runTokenCommand({ command: value, what, env, timeoutMs, abort });
  const name = kind === 'command' ? `token command of profile ${profile}` : `token file ${value}`;
  return {
    ...named(name),
    words: `the credential of profile ${profile} (${name})`,
    remedy: `check what the ${name} gives`,
    token: kind === 'command' ? once(run) : readAtEachUse(value, request),
  };
}

/** Read at each use, so that a secret that is rotated during a long run is noticed. */
function readAtEachUse(path: string, { platform, onNotice }: CredentialRequest): TokenSource['token'] {
  let warned = false;
  return async () => {
    const { token, isWorldReadable } = await readTokenFile(path, 'the token file', platform);
    const message = `every user of this machine can read the token file ${path}`;
    if (isWorldReadable && !warned) onNotice(warning('TOKEN_FILE_WORLD_READABLE', message));
    warned ||= isWorldReadable;
    return token;
  };
}

async function chooseSource(request: CredentialRequest): Promise<TokenSource> {
  const fromEnvironment = environmentToken(request.env, request.family);
  if (fromEnvironment !== undefined) return environmentSource(request.family, fromEnvironment);
  const entries = await request.stored();
  const entry = findStored(entries, request);
  if (entry === undefined) throw noCredential(request, ofProfile(entries, request)?.origin);
  return storedSource(entry, request);
}

/**
 * The credential of one family for one origin: from the environment, else the profile's own. Its tokens fail with AUTH
 * if there is none (or only one for another origin), a card token has expired, the file is unsafe or the token command
 * fails, and with USAGE if it is not visible ASCII.
 */
export function openCredential(request: CredentialRequest): Credential {
  const hints = [freshTokenHint(request), 'if this clock is wrong, add --ignore-expiry'];
  return new Credential({ ...request, hints, choose: () => chooseSource(request) });
}
