import { expect, it } from 'vitest';
import { Failure } from '../../../../../src/base/failure.ts';
import { parseJson } from '../../../../../src/base/json/parse.ts';
import { waitForCard } from '../../../../../src/cli/commands/card/wait.ts';
import type { Session } from '../../../../../src/command/session.ts';
import type { CallResult } from '../../../../../src/service/http/call.ts';
import { FakeClock } from '../../../runs/fakes.ts';

const ID = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';

const ACTIVE = { kind: 'answered', resource: parseJson(`{"cardId":"${ID}","status":"ACTIVE"}`) };

/** A wait of 70 s for a card to be BLOCKED, which is read every 25 s, and what it says. */
function waitFor(clock: FakeClock, read: () => object, env: Readonly<Record<string, string>>, isTerminal: boolean) {
  const said: string[] = [];
  const draw = async (text: string) => {
    const line = text.split('\r')[1]?.trimEnd();
    if (line) said.push(`${clock.ms / 1000} s, drawn: ${line}`);
  };
  // Of a session a wait uses these members, and of an answer its resource.
  const session = {
    context: { clock, env, stderr: { isTerminal, columns: 80, write: draw } },
    common: {},
    output: { unicode: true },
    policy: { timeoutMs: 30_000, retries: 0, retryMaxTimeMs: 60_000 },
    listener: {},
    service: async () => ({ client: { call: async () => read() as CallResult } }),
    notify: async ({ message }: { message: string }) => void said.push(`${clock.ms / 1000} s: ${message}`),
  } as unknown as Session;
  const times = { timeout: { text: '70s', ms: 70_000 }, interval: { text: '25s', ms: 25_000 } };
  return { said, end: waitForCard(session, { cardId: ID, status: ['BLOCKED'], ...times }) };
}

it.each([
  [0, [0, 25]],
  [40_000, [0, 40]],
])('a card is read again when the service asked for it, not before a read is due: %i ms', async (pauseMs, at) => {
  const clock = new FakeClock();
  const reads: number[] = [];
  const details = { http: { status: 429 }, retryAt: new Date(clock.now() + pauseMs).toISOString() };
  const read = () => {
    if (reads.push(clock.ms / 1000) === 1) return { kind: 'failed', failure: new Failure('BUSY', 'busy', { details }) };
    return { ...ACTIVE, resource: parseJson(`{"cardId":"${ID}","status":"BLOCKED"}`) };
  };
  expect(await waitFor(clock, read, {}, false).end).toMatchObject({ kind: 'answered' });
  expect(reads).toEqual(at);
});

/** What a person reads of a wait for a card that stays ACTIVE. */
async function toldAt(env: Readonly<Record<string, string>>, isTerminal = true): Promise<string[]> {
  const { said, end } = waitFor(new FakeClock(), () => ACTIVE, env, isTerminal);
  await expect(end).rejects.toMatchObject({ code: 'TIMEOUT' });
  return said;
}

it('card wait in accessible mode prints the wait at once and every 30 s', async () => {
  expect(await toldAt({ FRONTDESK_ACCESSIBLE: '1' })).toEqual([
    `0 s: card ${ID}: waiting for BLOCKED (1 min 10 s left)`,
    `0 s: card ${ID} is ACTIVE, waiting for BLOCKED`,
    `30 s: card ${ID} is ACTIVE, waiting for BLOCKED (40 s left)`,
    `60 s: card ${ID} is ACTIVE, waiting for BLOCKED (10 s left)`,
  ]);
});

it('elsewhere a terminal has one line that is drawn over', async () => {
  expect(await toldAt({ TERM: 'xterm' })).toEqual([
    '0 s, drawn: 1 min 10 s left: waiting for BLOCKED',
    '0 s, drawn: 1 min 10 s left: the card is ACTIVE, waiting for BLOCKED',
    '25 s, drawn: 45 s left: the card is ACTIVE, waiting for BLOCKED',
    '50 s, drawn: 20 s left: the card is ACTIVE, waiting for BLOCKED',
  ]);
});
