import { note } from '../base/failure.ts';
import type { JsonValue } from '../base/json/value.ts';
import { type CallState, stoppedWrites } from '../command/call-state.ts';
import type { Service, Session } from '../command/session.ts';
import type { Credential } from '../profile/credentials/credential.ts';
import { environmentToken, findStored, openCredential } from '../profile/credentials/resolve.ts';
import { namedProfile, resolveTarget, TOKEN_VARIABLES, URL_VARIABLES } from '../profile/resolve.ts';
import { type Family, familyAdjective, isWrite, type Operation } from '../service/api/operation.ts';
import type { CallListener, CredentialPort, HttpClient } from '../service/http/call.ts';
import { hostOf } from '../service/http/facts.ts';
import type { TokenMask } from '../service/http/mask.ts';
import { createHttpClient } from '../service/http/ongoing-call.ts';
import { type BaseUrl, chooseProxy, readBaseUrl } from '../service/wire/base-url.ts';
import { lazyTransport } from '../service/wire/lazy-transport.ts';
import type { WaitDisplay } from '../writes/ask/wait-display.ts';
import { credentialRequest, storedCredentials } from './credential-request.ts';

export interface ServiceOptions {
  /** Gets every token, so that none is ever printed. */
  readonly mask: TokenMask;
  trustPems(): Promise<readonly string[]>;
  readonly display: Pick<WaitDisplay, 'waiting' | 'clear'>;
  readonly state: Pick<CallState, 'isCrashing'>;
  /** The process serves call after call: the credential is looked up again whenever one is refused. */
  readonly isLasting: boolean;
  /** No other family was opened before. */
  readonly isFirst: boolean;
  isPermitted(operation: Operation): boolean;
  /** The service sent this resource; absent: no card is remembered. */
  saw?: ((operation: Operation, resource: JsonValue) => void) | undefined;
}

/** A service, and how to close its sandbox. Connections close with the process, which is faster. */
export type OpenService = Service & { close(): Promise<void> };

interface Address {
  readonly base: BaseUrl;
  /** The environment variable that set it; undefined: the profile did. */
  readonly urlVariable?: string | undefined;
  readonly credential: CredentialPort & Partial<Pick<Service, 'remainingMs'> & Pick<Credential, 'use'>>;
  close?(): Promise<void>;
}

/** The sandbox of this process, on loopback. No token of the environment reaches it. */
async function sandboxAddress(session: Session, family: Family, isFirst: boolean): Promise<Address> {
  const { openSandbox } = await import('../sandbox/open.ts');
  const { context, places } = session;
  const server = await openSandbox(places.stateDir, context);
  if (isFirst) await session.notify(note('SANDBOX', 'this is the sandbox. No real cards or calendars are affected'));
  const token = family === 'cards' ? server.cardsToken : server.calendarToken;
  return {
    base: readBaseUrl(server.url),
    credential: { token: async () => token, renew: async () => undefined },
    close: () => server.close(),
  };
}

/** With --verbose: reports a token of the environment that replaces a stored one (docs/faults.md C3). */
async function reportOverride(session: Session, family: Family, origin: string): Promise<void> {
  const { context, common } = session;
  const profile = session.selectedProfile();
  if (common.verbose !== true || environmentToken(context.env, family) === undefined) return;
  // A store that cannot be read is not used either.
  const entries = await storedCredentials(session).catch(() => []);
  if (findStored(entries, { profile: profile.name, family, origin }) === undefined) return;
  await session.notify(
    note(
      'TOKEN_OVERRIDDEN',
      `the ${familyAdjective(family)} token of the environment (${TOKEN_VARIABLES[family]}) is used, not the stored one of profile ${profile.name}`,
    ),
  );
}

async function profileAddress(session: Session, family: Family, isLasting: boolean): Promise<Address> {
  const { base, source } = resolveTarget(session.selectedProfile(), family);
  await reportOverride(session, family, base.origin);
  return {
    base,
    urlVariable: source === 'environment' ? URL_VARIABLES[family] : undefined,
    credential: openCredential({ ...credentialRequest(session, family, base.origin), isLasting }),
  };
}

/** The credential, with its tokens passed to the mask. Reading one may ask the user, so nothing is drawn meanwhile. */
function watched(
  credential: CredentialPort,
  { mask, display }: ServiceOptions,
  listener: () => CallListener | undefined,
): CredentialPort {
  const reading = async <Token extends string | undefined>(read: () => Promise<Token>): Promise<Token> => {
    display.clear();
    const token = await read();
    if (token !== undefined) mask.add(token);
    display.waiting(listener());
    return token;
  };
  return {
    get source() {
      return credential.source;
    },
    token: (stop) => reading(() => credential.token(stop)),
    renew: (refused, stop) => reading(() => credential.renew(refused, stop)),
  };
}

/** Opens one family of the service. Makes no request, and reads no token yet. */
export async function openService(session: Session, family: Family, options: ServiceOptions): Promise<OpenService> {
  const { context } = session;
  const profile = session.selectedProfile();
  const address = await (profile.isSandbox
    ? sandboxAddress(session, family, options.isFirst)
    : profileAddress(session, family, options.isLasting));
  const { base } = address;
  const { clock } = context;
  const trustPems = await options.trustPems();
  // Of the calls in progress, the latest last.
  const listeners: (CallListener | undefined)[] = [];
  const stoppedBy = () => stoppedWrites(context, options.state);
  const client = createHttpClient({
    baseUrl: base,
    credential: watched(address.credential, options, () => listeners.at(-1)),
    clock,
    random: context.random,
    version: context.version,
    transport: lazyTransport({
      baseUrl: base,
      clock,
      proxy: chooseProxy(base, context.env),
      trustPems,
      isStopped: () => stoppedBy() !== undefined,
    }),
    stoppedBy,
    profile: profile.name,
    namedProfile: namedProfile(profile),
    urlVariable: address.urlVariable,
  });
  const call: HttpClient['call'] = async (input, callOptions) => {
    const { listener } = callOptions;
    // A new way to a change that forgets the guards sends nothing.
    if (isWrite(input.operation) && !options.isPermitted(input.operation)) {
      throw new Error('a write that passed no guard');
    }
    listeners.push(listener);
    try {
      const result = await client.call(input, callOptions);
      if (result.kind === 'answered') options.saw?.(input.operation, result.resource);
      return result;
    } finally {
      listeners.splice(listeners.lastIndexOf(listener), 1);
      if (listeners.length === 0) options.display.clear();
    }
  };
  return {
    client: { call },
    url: base.origin + base.pathPrefix,
    origin: base.origin,
    // The sandbox has another port each time, so records name the sandbox.
    host: profile.isSandbox ? 'sandbox' : hostOf({ baseUrl: base }),
    remainingMs: async () => address.credential.remainingMs?.(),
    useToken: (token) => address.credential.use?.(token),
    checkCredential: async () => options.mask.add(await address.credential.token()),
    close: async () => address.close?.(),
  };
}
