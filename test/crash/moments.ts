import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { playService } from '../support/plain-service.ts';
import { CARDS_TOKEN, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, injecting, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID } from '../support/sample-card.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

/**
 * What happens at a moment of a write: Ctrl-C while stderr is read, or an error that nothing catches while the reader of
 * stderr stands still from then on.
 */
export type Event = 'SIGINT' | 'crash';

/**
 * Lets the event come right before the n-th continuation of a promise (0: never), if the program hears it by then. Writes
 * at the end how many continuations there were, and how many POSTs left after the event was heard.
 */
const AT_CONTINUATION = injecting(`
  import { createHook } from 'node:async_hooks';
  import { subscribe } from 'node:diagnostics_channel';
  import { constants, openSync, writeFileSync, writeSync } from 'node:fs';
  const { RAISE_AT, RAISE, STDERR_FIFO, FACTS } = process.env;
  const facts = { count: 0, isHeard: false, late: 0 };
  const fill = () => {
    const pipe = openSync(STDERR_FIFO, constants.O_WRONLY | constants.O_NONBLOCK);
    for (const size of [4096, 1]) try { for (;;) writeSync(pipe, Buffer.alloc(size)); } catch {}
  };
  const raise = () => {
    if (process.listenerCount(RAISE === 'crash' ? 'uncaughtException' : RAISE) === 0) return;
    if (RAISE === 'crash') {
      fill();
      Promise.reject(new Error('boom'));
    } else {
      process.emit(RAISE, RAISE);
      facts.isHeard = true;
    }
  };
  // The listeners of the program run in the same turn.
  process.on('uncaughtExceptionMonitor', () => { facts.isHeard = true; });
  subscribe('undici:client:sendHeaders', ({ request }) => {
    if (facts.isHeard && request.method === 'POST') facts.late += 1;
  });
  const promises = new Set();
  createHook({
    init(id, type) {
      if (type === 'PROMISE') promises.add(id);
    },
    before(id) {
      if (!promises.has(id)) return;
      facts.count += 1;
      if (facts.count === Number(RAISE_AT)) raise();
    },
  }).enable();
  process.on('exit', () => writeFileSync(FACTS, JSON.stringify(facts)));`);

const PROVISION = ['--client-device-id', 'd', '--client-wallet-provider', 'p', '--client-wallet-account-id', 'a'];

/** One command that writes; `token`: a command prints its token. */
export const MOMENT_WRITES: Readonly<Record<string, { readonly args: readonly string[]; readonly token?: true }>> = {
  'a block': { args: ['card', 'block', CARD_ID, '--yes', '--json'] },
  'a reissue with --expect': { args: ['card', 'reissue', CARD_ID, '--expect', 'status=ACTIVE', '--yes', '--json'] },
  'a provisioning into a file': {
    args: ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', ...PROVISION, '--out', 'answer.json', '--json'],
  },
  'a raw POST': { args: ['api', 'POST', '/v1/cards/import/rows', '--yes', '--json'] },
  'an event': { args: ['calendar', 'event', 'create', '--calendar', 'c', '--name', 'n', '--start', '2026-12-01'] },
  'a block whose token a command prints': { args: ['card', 'block', CARD_ID, '--yes', '--json'], token: true },
  'a run': { args: ['card', 'activate', CARD_ID, CARD_ID, CARD_ID, '--allow-duplicates', '--yes', '-o', 'ndjson'] },
};

/** How a write ended in whose middle something happened, and what is known of it on each side. */
export type MomentEnd = Awaited<ReturnType<typeof raisedAt>>;

interface Facts {
  /** Continuations of promises. */
  readonly count: number;
  /** Whether the program heard the event; it does not before it has begun and when it is about to end. */
  readonly isHeard: boolean;
  /** POSTs that left after the event was heard. */
  readonly late: number;
}

/** The outcomes in the history, newest first. */
async function recordedIn(home: Home, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { stdout } = await runFrontdesk(['history', '--json', '--query', '[].outcome'], { home, env });
  return JSON.parse(stdout) as string[];
}

/** Runs a write in whose middle the event comes, with a service that does what it is asked. */
export async function raisedAt(name: string, event: Event, moment: number) {
  const { args, token } = MOMENT_WRITES[name] ?? { args: [] };
  const home = createHome();
  const [facts, fifo] = [join(home.path, 'facts'), join(home.path, 'stderr')];
  const server = await startRecordingServer(playService());
  if (token) {
    const login = ['auth', 'login', '-p', 'x', '--family', 'cards', '--cards-url', server.url];
    await runFrontdesk([...login, '--token-command', `printf %s ${CARDS_TOKEN}`], { home });
  }
  const services = token ? {} : server.env;
  const env = {
    ...services,
    ...AT_CONTINUATION,
    RAISE_AT: String(moment),
    RAISE: event,
    STDERR_FIFO: fifo,
    FACTS: facts,
  };
  const stalled = { script: 'mkfifo "$STDERR_FIFO" && exec 3<>"$STDERR_FIFO" && exec "$@" 2>&3' };
  const { code, signal, stdout, stderr } = await runFrontdesk(args, {
    home,
    env,
    ...(event === 'crash' ? stalled : {}),
  });
  const end = {
    code,
    signal,
    stdout,
    stderr,
    ...(JSON.parse(readFileSync(facts, 'utf8')) as Facts),
    posts: server.lines.filter((line) => line.startsWith('POST')).length,
    recorded: await recordedIn(home, services),
    /** Whether there is a file of `--out`. */
    isKept: existsSync(join(home.path, 'work', 'answer.json')),
  };
  await server.stop();
  return end;
}

/** So many of the moments up to the last one, or all of them. */
export function someMoments(last: number, limit: number, random: SeededRandom): readonly number[] {
  const all = Array.from({ length: last }, (_, index) => index + 1);
  while (all.length > limit) all.splice(random.below(all.length), 1);
  return all;
}
