import { expect, test } from 'vitest';
import { chosenSeed, SeededRandom } from '../../crash/seeded-random.ts';
import type { Behavior, RecordedRequest } from '../../support/fault-server.ts';
import { startFrontdesk } from '../../support/run-frontdesk.ts';
import { answerAsService, IS_LONG, onStage, type Stage } from './stage.ts';

/** Moments at which each operation is interrupted: 200 in the long form. */
const MOMENTS = IS_LONG ? 200 : 4;
const AT_ONCE = 4;

function cardId(index: number): string {
  return `7c0e1111-2222-3333-4444-${String(index).padStart(12, '0')}`;
}

/** Each operation, called so that its requests can be told from those of every other call by `mark`. */
const OPERATIONS: readonly (readonly [name: string, call: (index: number) => { args: string[]; mark: string }])[] = [
  ['card activate', (index) => ({ args: ['card', 'activate', cardId(index)], mark: cardId(index) })],
  ['card block', (index) => ({ args: ['card', 'block', cardId(index), '--yes'], mark: cardId(index) })],
  ['card reissue', (index) => ({ args: ['card', 'reissue', cardId(index), '--yes'], mark: cardId(index) })],
  [
    'card provision',
    (index) => ({
      args: ['card', 'provision', cardId(index), '--wallet', 'wallet_a', '--show-sensitive'],
      mark: cardId(index),
    }),
  ],
  [
    'calendar update',
    (index) => ({ args: ['calendar', 'update', `cal_${index}.`, '--name', 'n'], mark: `cal_${index}.` }),
  ],
  [
    'calendar subscribers update',
    (index) => ({
      args: ['calendar', 'subscribers', 'update', `sub_${index}.`, '--email', 'e'],
      mark: `sub_${index}.`,
    }),
  ],
  [
    'calendar event create',
    (index) => ({
      args: ['calendar', 'event', 'create', '--calendar', 'c', '--start', '2027-01-01', '--name', `event_${index}.`],
      mark: `event_${index}.`,
    }),
  ],
  [
    'card activate over rows',
    (index) => ({ args: ['card', 'activate', '--yes', cardId(index), cardId(index + 500_000)], mark: cardId(index) }),
  ],
];

/** Answers like the service, after up to 60 ms, so that there are moments of every kind. */
function answerLater(request: RecordedRequest, count: number): Behavior {
  const answer = answerAsService(request);
  return {
    applies: true,
    onRequest: (socket, asked) => void setTimeout(() => answer.onRequest?.(socket, asked), (count * 37) % 60),
  };
}

interface Interrupted {
  readonly afterMs: number;
  readonly code: number | NodeJS.Signals | null;
  readonly wasSeen: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

async function interrupt(stage: Stage, call: { args: string[]; mark: string }, afterMs: number): Promise<Interrupted> {
  const running = startFrontdesk(call.args, { home: stage.home, env: stage.env });
  const timer = setTimeout(() => running.child.kill('SIGINT'), afterMs);
  const { code, signal, stdout, stderr } = await running.result;
  clearTimeout(timer);
  const wasSeen = stage.server.requests.some(
    ({ method, target, body }) => method === 'POST' && (target.includes(call.mark) || body.includes(call.mark)),
  );
  return { afterMs, code: code ?? signal, wasSeen, stdout, stderr };
}

test.for(OPERATIONS)(
  'P6 P7 %s at a random moment ends by the signal, and says so if the service received it',
  { timeout: 600_000 },
  ([, call]) =>
    onStage(
      async (stage) => {
        const { elapsedMs } = await stage.run(call(0).args);
        const seed = chosenSeed();
        const random = new SeededRandom(seed);
        const moments = Array.from({ length: MOMENTS }, (_, index) => ({
          index: index + 1,
          afterMs: ((index + random.next()) / MOMENTS) * elapsedMs * 1.2,
        }));
        const told = `FRONTDESK_CRASH_SEED=${seed}`;
        const results: Interrupted[] = [];
        await Promise.all(
          Array.from({ length: AT_ONCE }, async () => {
            for (let next = moments.shift(); next !== undefined; next = moments.shift()) {
              results.push(await interrupt(stage, call(next.index), next.afterMs));
            }
          }),
        );
        expect(results, told).toHaveLength(MOMENTS);
        expect(
          results.filter(
            (end) => end.code === 'SIGINT' && end.wasSeen && !/applied/.test(end.stderr) && end.stdout === '',
          ),
          told,
        ).toEqual([]);
        expect(
          results.filter(({ code, wasSeen }) => code !== 'SIGINT' && !wasSeen),
          told,
        ).toEqual([]);
        expect(
          results.filter(({ code }) => code !== 'SIGINT' && code !== 0),
          told,
        ).toEqual([]);
        const untrue = results.filter(({ wasSeen, stderr }) => wasSeen && /nothing was (?:sent|changed)/i.test(stderr));
        expect(untrue, told).toEqual([]);
      },
      { route: answerLater },
    ),
);
