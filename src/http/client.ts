import type { ClockPort } from '../context.ts';
import type { BaseUrl } from '../wire/base-url.ts';
import type { Transport } from '../wire/exchange.ts';
import type { CredentialPort, HttpClient } from './call.ts';
import { OngoingCall } from './ongoing-call.ts';
import { Sender } from './sender.ts';

interface HttpClientOptions {
  readonly baseUrl: BaseUrl;
  readonly credential: CredentialPort;
  readonly clock: ClockPort;
  /** Uniform in [0, 1), for the jitter of waits. */
  readonly random: () => number;
  readonly version: string;
  readonly transport: Transport;
  /** Name of the profile, as messages show it; the library has none. */
  readonly profile?: string;
  /** What the command of a hint needs to reach the same profile: `-p demo`; empty when nothing is needed. */
  readonly profileFlag?: string;
  /** How the caller sets the time for all attempts together; `--retry-max-time`. */
  readonly limitName?: string;
  /** The variable of the environment that set the base URL, if one did. */
  readonly urlVariable?: string | undefined;
}

/**
 * One family of the service at one address with one credential. `call` makes the attempts, waits, read-backs
 * and the one token renewal of a call, and answers how it ended: it throws only for bugs.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { baseUrl, credential, clock, version, transport, profile } = options;
  const site = {
    baseUrl,
    profile,
    profileFlag: options.profileFlag ?? '',
    limitName: options.limitName ?? '--retry-max-time',
    urlVariable: options.urlVariable,
    // Known for certain only once a token was given.
    get credentialSource() {
      return credential.source;
    },
  };
  const sender = new Sender({ site, credential, clock, version, transport });
  return {
    call: (input, callOptions) => new OngoingCall(sender, options.random, input, callOptions).run(),
    close: () => transport.close(),
  };
}
