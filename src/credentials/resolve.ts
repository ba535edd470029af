import { type Family, familyAdjective } from '../api/operation.ts';
import type { ClockPort } from '../context.ts';
import { Failure, type Hint, type Notice } from '../failure.ts';
import { Credential, type TokenSource } from './credential.ts';
import { environmentSource, storedSource, TOKEN_VARIABLES } from './source.ts';
import type { CredentialEntry } from './store.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Which credential a call looks for, and where. */
export interface CredentialRequest {
  readonly family: Family;
  /** Where the requests go: scheme://host[:port]. */
  readonly origin: string;
  /** Name of the profile; the sandbox has tokens of its own and never comes here. */
  readonly profile: string;
  readonly env: Env;
  readonly platform: string;
  readonly clock: ClockPort;
  /** The stored entries; asked for only when the environment has no token. */
  readonly stored: () => Promise<readonly CredentialEntry[]>;
  readonly ignoreExpiry: boolean;
  /** A person is at the terminal: decides which way to log in the hint names. */
  readonly isInteractive: boolean;
  /** One process serves call after call: a credential that was refused is looked for anew. */
  readonly isLasting?: boolean;
  readonly onNotice: (notice: Notice) => void;
  /** Limit of the token command; 60 s unless a test says otherwise. */
  readonly commandTimeoutMs?: number;
}

/** The environment's token, as it is; an empty variable counts as one that is not set. */
export function environmentToken(env: Env, family: Family): string | undefined {
  return env[TOKEN_VARIABLES[family]] || undefined;
}

type Place = Pick<CredentialRequest, 'profile' | 'family' | 'origin'>;

/** What the profile has for this family and this origin. A credential never leaves the origin it was given for. */
export function findStored(entries: readonly CredentialEntry[], place: Place): CredentialEntry | undefined {
  const own = ofProfile(entries, place);
  return own?.origin === place.origin ? own : undefined;
}

function ofProfile(entries: readonly CredentialEntry[], { profile, family }: Place): CredentialEntry | undefined {
  return entries.find((entry) => entry.profile === profile && entry.family === family);
}

/** What to do about a token that is no good any more. */
export function freshTokenHint(request: CredentialRequest): Hint {
  const isFromEnvironment = environmentToken(request.env, request.family) !== undefined;
  return isFromEnvironment ? `put a fresh token into ${TOKEN_VARIABLES[request.family]}` : loginHint(request);
}

function loginHint({ profile, family, isInteractive }: CredentialRequest): Hint {
  const login = `frontdesk auth login -p ${profile} --family ${family}`;
  const text = isInteractive
    ? `log in with: ${login}`
    : `set ${TOKEN_VARIABLES[family]}, or log in with: ${login} --token-stdin`;
  return { text };
}

function noCredential(request: CredentialRequest, otherOrigin: string | undefined): Failure {
  const { profile, family, origin } = request;
  const message =
    otherOrigin === undefined
      ? `there is no ${familyAdjective(family)} credential for ${origin} (profile ${profile})`
      : `the stored ${familyAdjective(family)} credential of profile ${profile} belongs to ${otherOrigin} and is not sent to ${origin}`;
  return Failure.unsent('AUTH', message, { hints: [loginHint(request)] });
}

async function chooseSource(request: CredentialRequest): Promise<TokenSource> {
  const { family, platform, env, onNotice, commandTimeoutMs = 60_000 } = request;
  const fromEnvironment = environmentToken(env, family);
  if (fromEnvironment !== undefined) return environmentSource(family, fromEnvironment);
  const entries = await request.stored();
  const entry = findStored(entries, request);
  if (entry === undefined) throw noCredential(request, ofProfile(entries, request)?.origin);
  return storedSource({ entry, env, platform, onNotice, commandTimeoutMs });
}

/**
 * The credential of one family for one origin, looked up in this order: environment, then the profile's own. Its
 * tokens end with AUTH when there is none (or only one that belongs to another origin), when a card token says that it
 * is expired, when the file is unsafe or the token command fails, and with USAGE for one that is no visible ASCII.
 */
export function openCredential(request: CredentialRequest): Credential {
  const hints = [freshTokenHint(request), { text: 'if this clock is wrong, add --ignore-expiry' }];
  return new Credential({ ...request, hints, choose: () => chooseSource(request) });
}
