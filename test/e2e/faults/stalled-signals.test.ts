import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { json, type RecordedRequest, startFaultServer } from '../../support/fault-server.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

const PROGRAM =
  process.env['FRONTDESK_TEST_PROGRAM'] ?? fileURLToPath(new URL('../../../bin/frontdesk.js', import.meta.url));
const CARDS = Array.from({ length: 30 }, (_, index) => CARD_ID.slice(0, -2) + String(index + 10));

interface End {
  /** The signal that ended it. */
  readonly ended: NodeJS.Signals | null;
  readonly posts: number;
  readonly history: string;
}

/**
 * Runs the words with a stderr that is a full pipe nobody reads. One signal comes while the first read of a card waits for its
 * answer, which comes right after it: what follows is the program's own. (Two signals sent at once may arrive as one.)
 */
async function interrupted(words: readonly string[], signal: NodeJS.Signals): Promise<End> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-stalled-'));
  const kill = { now: (): void => undefined };
  const idOf = ({ target }: RecordedRequest) => target.split('/')[3] ?? '';
  const server = await startFaultServer({
    route: (request) => ({
      applies: request.method === 'POST',
      onRequest: (socket, asked) => {
        if (asked.method === 'GET') kill.now();
        json(200, cardText('ACTIVE', idOf(asked))).onRequest?.(socket, asked);
      },
    }),
  });
  try {
    writeFileSync(join(folder, 'cards.txt'), `${CARDS.join('\n')}\n`);
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      FRONTDESK_CONFIG_DIR: join(folder, 'config'),
      FRONTDESK_STATE_DIR: join(folder, 'state'),
      FRONTDESK_CARDS_URL: server.url,
      FRONTDESK_CARDS_TOKEN: 'token-of-the-test',
      NODE: process.execPath,
      PROGRAM,
    };
    // The shell gives way to the program, whose stderr is then full before its first word.
    const script = 'mkfifo full && exec 3<>full && head -c 65536 /dev/zero >&3 && exec "$NODE" "$PROGRAM" "$@" 2>&3';
    const child = spawn('bash', ['-c', script, 'bash', ...words], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.resume();
    kill.now = () => {
      kill.now = () => undefined;
      child.kill(signal);
    };
    const ended = await new Promise<NodeJS.Signals | null>((resolve) => {
      child.once('close', (_, by) => resolve(by));
    });
    const { stdout: history } = spawnSync(process.execPath, [PROGRAM, 'history', '--json', '--query', '[].outcome'], {
      env,
      encoding: 'utf8',
    });
    return { ended, posts: server.requests.filter(({ method }) => method === 'POST').length, history };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const GUARD = ['--expect', 'status=ACTIVE', '--yes', '--retries', '0'];

test.concurrent.each([
  ['a block', ['card', 'block', CARD_ID, ...GUARD], 'SIGINT'],
  ['a reissue', ['card', 'reissue', CARD_ID, ...GUARD], 'SIGHUP'],
  ['a run of many rows', ['card', 'activate', '--from', 'cards.txt', ...GUARD], 'SIGTERM'],
] as const)(
  '%s that gets a signal while stderr is not read sends nothing afterwards (%s)',
  async (_, words, signal) => {
    const end = await interrupted(words, signal);
    expect([end.ended, end.posts]).toEqual([signal, 0]);
    expect(end.history).not.toContain('applied');
  },
);
