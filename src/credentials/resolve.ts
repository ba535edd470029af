import { type Family, familyAdjective } from '../api/operation.ts';
import type { ClockPort } from '../context.ts';
import { Failure, type Notice, warning } from '../failure.ts';
import type { CredentialPort } from '../http/call.ts';
import { ExpiryGuard } from './expiry-guard.ts';
import { fixedSource, storedSource, type TokenSource } from './source.ts';
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

/** Names of the variables that carry the tokens. */
export const TOKEN_VARIABLES = { cards: 'FRONTDESK_CARDS_TOKEN', calendar: 'FRONTDESK_CALENDAR_TOKEN' } as const;

/** How messages call the environment as the place of a family's token. */
export function environmentName(family: Family): string {
  return `environment (${TOKEN_VARIABLES[family]})`;
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
export function freshTokenHint(request: CredentialRequest): string {
  const isFromEnvironment = environmentToken(request.env, request.family) !== undefined;
  return isFromEnvironment ? `put a fresh token into ${TOKEN_VARIABLES[request.family]}` : loginHint(request);
}

function loginHint({ profile, family, isInteractive }: CredentialRequest): string {
  const login = `frontdesk auth login -p ${profile} --family ${family}`;
  return isInteractive
    ? `log in with: ${login}`
    : `set ${TOKEN_VARIABLES[family]}, or log in with: ${login} --token-stdin`;
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
  const { env, family } = request;
  const fromEnvironment = environmentToken(env, family);
  if (fromEnvironment !== undefined) {
    return fixedSource(environmentName(family), fromEnvironment, TOKEN_VARIABLES[family]);
  }
  const entries = await request.stored();
  const entry = findStored(entries, request);
  if (entry === undefined) throw noCredential(request, ofProfile(entries, request)?.origin);
  const { platform, onNotice, commandTimeoutMs = 60_000 } = request;
  return storedSource({ entry, env, platform, onNotice, commandTimeoutMs });
}

/**
 * The credential of one family for one origin, looked up in this order: environment, then the profile's own. Nothing is
 * read, run or checked before the first token is asked for; then AUTH when there is none (or only one that
 * belongs to another origin), when a card token says that it is expired, when the file is unsafe or the
 * token command fails, and USAGE for a token that is no visible ASCII.
 */
export class Credential implements CredentialPort {
  source: string;
  readonly #request: CredentialRequest;
  readonly #guard: ExpiryGuard;
  #opening: Promise<TokenSource> | undefined;
  #renewalFailed = false;

  constructor(request: CredentialRequest) {
    const isFromEnvironment = environmentToken(request.env, request.family) !== undefined;
    this.source = isFromEnvironment ? environmentName(request.family) : `profile ${request.profile}`;
    this.#request = request;
    this.#guard = new ExpiryGuard({ ...request, hint: freshTokenHint(request) });
  }

  async token(abort?: AbortSignal): Promise<string> {
    for (;;) {
      const opened = this.#open();
      const used = this.#opening;
      try {
        const found = await (await opened).token(abort);
        this.#guard.check(found, this.source);
        return found;
      } catch (error) {
        if (this.#request.isLasting !== true) throw error;
        this.#forget(used);
        // A call that was ended took along the command that this one waited for too.
        const isOfAnother = error instanceof Failure && error.code === 'CANCELLED' && abort?.aborted !== true;
        if (!isOfAnother) throw error;
      }
    }
  }

  async renew(refused: string, abort?: AbortSignal): Promise<string | undefined> {
    const fresh = await this.#tryRenewal(refused, abort);
    return fresh === undefined || this.#guard.isExpired(fresh) ? undefined : fresh;
  }

  /** Remaining life by the token's own word, in milliseconds (negative: expired); undefined: not known. */
  async remainingMs(): Promise<number | undefined> {
    return this.#guard.remainingMs(await (await this.#open()).token());
  }

  async #open(): Promise<TokenSource> {
    this.#opening ??= chooseSource(this.#request);
    const opened = await this.#opening;
    this.source = opened.name;
    return opened;
  }

  #forget(used: Promise<TokenSource> | undefined): void {
    if (this.#opening === used) this.#opening = undefined;
  }

  /** Looks for the credential anew, unless another call has done so since this token was given. */
  async #lookAnew(refused: string, abort: AbortSignal | undefined): Promise<string | undefined> {
    const used = this.#opening;
    const known = await this.token(abort);
    if (known !== refused) return known;
    this.#forget(used);
    const fresh = await this.token(abort);
    if (fresh !== refused) return fresh;
    // There may have been a login before the next call.
    this.#opening = undefined;
    return undefined;
  }

  /** The 401 stays what the caller reports; why no other token could be had is worth one warning beside it. */
  async #tryRenewal(refused: string, abort: AbortSignal | undefined): Promise<string | undefined> {
    const { isLasting, onNotice } = this.#request;
    try {
      return await (isLasting === true ? this.#lookAnew(refused, abort) : (await this.#open()).renew(refused, abort));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (!this.#renewalFailed) onNotice(warning('TOKEN_NOT_RENEWED', error.message));
      this.#renewalFailed = true;
      return undefined;
    }
  }
}
