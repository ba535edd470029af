import type { ClockPort } from '../../src/base/context.ts';
import type { Session } from '../../src/command/session.ts';
import { NO_RECORD } from '../../src/records/record.ts';
import type { CallPolicy } from '../../src/service/http/call.ts';
import { createHttpClient } from '../../src/service/http/ongoing-call.ts';
import { parseBaseUrl } from '../../src/service/wire/base-url.ts';
import { createTransport } from '../../src/service/wire/transport.ts';

/** A session over one address with a clock of the test's own; it has what the tools of an assistant use of one. */
export function toolSession(url: string, clock: ClockPort, policy: CallPolicy): Session {
  const parsed = parseBaseUrl(url);
  if (parsed.kind === 'bad') throw new Error(parsed.problem);
  const { baseUrl } = parsed;
  const transport = createTransport({ baseUrl, clock });
  const client = createHttpClient({
    baseUrl,
    credential: { token: async () => 'token-of-the-session', renew: async () => undefined },
    clock,
    random: () => 0,
    version: '1.2.3',
    profile: 'demo',
    namedProfile: undefined,
    stoppedBy: () => undefined,
    transport,
  });
  const session: Partial<Session> = {
    // The tools look at the clock and the version alone.
    context: { clock, version: '1.2.3', env: {} } as Session['context'],
    common: { quiet: true },
    output: { mask: (text: string) => text } as Session['output'],
    policy,
    selectedProfile: () => ({ name: 'demo', isSandbox: false, readOnly: false, namedBy: '--profile' }) as never,
    prompt: { available: false } as Session['prompt'],
    listener: {},
    // Only these of a service are looked at.
    service: async () => ({ client, host: 'stage' }) as Awaited<ReturnType<Session['service']>>,
    keepsHistory: false,
    places: { configDir: undefined, stateDir: undefined },
    placeOf: () => url,
    permitWrites: () => undefined,
    recorder: async () => NO_RECORD,
    notify: async () => undefined,
    underWay: (write) => write,
    close: () => transport.close(),
  };
  // What is missing, the tools that a test calls do not touch.
  return session as Session;
}
