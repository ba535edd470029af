import { systemClock, systemEnvironment, systemRandom } from '../process/system.ts';
import { openClient } from './client.ts';
import { checkOptions } from './options.ts';
import type { Client, ClientOptions } from './types.ts';

declare const FRONTDESK_VERSION: string;

/**
 * A client of the service: the retries, checks and outcomes of the commands, without their settings, history and
 * environment. Nothing is sent, read or asked for before the first call. Throws a TypeError that names an invalid
 * option.
 */
export function createClient(options: ClientOptions): Client {
  return openClient(checkOptions(options, systemEnvironment()), {
    clock: systemClock,
    random: systemRandom,
    version: typeof FRONTDESK_VERSION === 'string' ? FRONTDESK_VERSION : '0.0.0-dev',
  });
}
