import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { IS_LONG } from '../../crash/seeded-random.ts';
import { playService } from '../../support/plain-service.ts';
import { CARDS_TOKEN, startRecordingServer } from '../../support/recording-server.ts';
import { createHome, injecting, runFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID } from '../../support/sample-card.ts';

// A signal may come between any two continuations of a write. Whatever is said then, and whatever the exit code, holds
// against what the service saw.

/** Raises SIGINT right before the n-th continuation (0: never), and writes at the end how many there were. */
const AT_CONTINUATION = injecting(`
  import { createHook } from 'node:async_hooks';
  import { writeFileSync } from 'node:fs';
  const at = Number(process.env.RAISE_AT);
  let count = 0;
  createHook({
    init() {},
    before() {
      count += 1;
      if (count === at) process.emit('SIGINT', 'SIGINT');
    },
  }).enable();
  process.on('exit', () => writeFileSync(process.env.COUNT_FILE, String(count)));`);

/** So many moments of each write are tried, at even distances; all of them in the long form. */
const MOMENTS = IS_LONG ? Number.POSITIVE_INFINITY : 6;

const SECRET = { encryptedPaymentInstrument: 'secret-of-the-wallet' };

async function raisedAt(args: readonly string[], moment: number, asksCommand: boolean) {
  const home = createHome();
  const countFile = join(home.path, 'count');
  const server = await startRecordingServer(
    playService(({ url }) => (url.includes('/provision/') ? { body: SECRET } : undefined)),
  );
  if (asksCommand) {
    const login = ['auth', 'login', '-p', 'x', '--family', 'cards', '--cards-url', server.url];
    await runFrontdesk([...login, '--token-command', `printf %s ${CARDS_TOKEN}`], { home });
  }
  const env = asksCommand ? {} : server.env;
  const all = { ...env, ...AT_CONTINUATION, RAISE_AT: String(moment), COUNT_FILE: countFile };
  const result = await runFrontdesk(args, { home, env: all });
  return { ...result, count: Number(readFileSync(countFile, 'utf8')), posts: server.lines.filter(isPost).length };
}

const isPost = (line: string) => line.startsWith('POST');

function momentsOf(count: number): readonly number[] {
  const step = Math.max(1, Math.floor(count / MOMENTS));
  return Array.from({ length: Math.floor(count / step) }, (_, index) => 1 + Math.floor(step / 2) + index * step);
}

const PROVISION = ['--client-device-id', 'd', '--client-wallet-provider', 'p', '--client-wallet-account-id', 'a'];

const RUN = ['card', 'activate', CARD_ID, CARD_ID, CARD_ID, '--allow-duplicates', '--yes', '-o', 'ndjson'];

it.each<[string, readonly string[], boolean]>([
  ['of a block', ['card', 'block', CARD_ID, '--yes', '--json'], false],
  ['of a reissue', ['card', 'reissue', CARD_ID, '--yes', '--json'], false],
  ['of a provisioning', ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', ...PROVISION, '--json'], false],
  ['of a raw write', ['api', 'POST', `/v1/cards/${CARD_ID}/activate`, '--yes'], false],
  ['of a write whose token a command prints', ['card', 'block', CARD_ID, '--yes', '--json'], true],
])(
  'a signal at any continuation of %s says what the service received',
  async (_, args, asksCommand) => {
    const { count, ...whole } = await raisedAt(args, 0, asksCommand);
    expect(whole).toMatchObject({ code: 0, posts: 1 });
    for (const moment of momentsOf(count)) {
      const { code, posts, stderr } = await raisedAt(args, moment, asksCommand);
      // 130 and the words are said of a write that never left, and of no other.
      expect({ moment, code, isSaid: /nothing was (?:sent|changed)/i.test(stderr) }).toEqual({
        moment,
        code: posts === 0 ? 130 : 0,
        isSaid: posts === 0,
      });
    }
  },
  600_000,
);

it('a signal at any continuation of a run says what the service received', async () => {
  const { count } = await raisedAt(RUN, 0, false);
  for (const moment of momentsOf(count)) {
    const { code, posts, stdout } = await raisedAt(RUN, moment, false);
    const sent = stdout.split('"outcome":"applied"').length - 1;
    expect({ moment, sent, code: [0, 130].includes(code ?? -1) }).toEqual({ moment, sent: posts, code: true });
  }
}, 600_000);
