import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serve } from '../../support/recording-server.ts';
import { createHome, runFrontdesk, STALLED, startFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

const CARDS = Array.from({ length: 30 }, (_, index) => CARD_ID.slice(0, -2) + String(index + 10));
const GUARD = ['--expect', 'status=ACTIVE', '--yes', '--retries', '0'];

// One signal comes while the first read of a card waits for its answer, which comes right after it: what follows is the
// program's own. (Two signals sent at once may arrive as one.)
test.concurrent.each([
  ['a block', ['card', 'block', CARD_ID, ...GUARD], 'SIGINT'],
  ['a reissue', ['card', 'reissue', CARD_ID, ...GUARD], 'SIGHUP'],
  ['a run of many rows', ['card', 'activate', '--from', 'cards.txt', ...GUARD], 'SIGTERM'],
] as const)(
  '%s that gets a signal while stderr is not read sends nothing afterwards (%s)',
  async (_, words, signal) => {
    const home = createHome();
    writeFileSync(join(home.path, 'work', 'cards.txt'), `${CARDS.join('\n')}\n`);
    const server = await serve(({ method, url }) => {
      if (method === 'GET' && server.requests.length === 1) running.child.kill(signal);
      return { body: cardText('ACTIVE', url.split('/')[3]) };
    });
    const running = startFrontdesk(words, { home, env: server.env, script: STALLED });
    expect((await running.result).signal).toBe(signal);
    expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
    const history = await runFrontdesk(['history', '--json', '--query', '[].outcome'], { home });
    expect(history.stdout).not.toContain('applied');
  },
);
