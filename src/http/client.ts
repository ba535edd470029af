import type { HttpClient, Site } from './call.ts';
import { OngoingCall } from './ongoing-call.ts';
import { Sender } from './sender.ts';

/**
 * One family of the service at one address with one credential. `call` makes the attempts, waits, read-backs
 * and the one token renewal of a call, and answers how it ended: it throws only for bugs.
 */
export function createHttpClient(site: Site): HttpClient {
  const sender = new Sender(site);
  return {
    call: (input, options) => new OngoingCall(sender, input, options).run(),
  };
}
