import { describe, expect, it } from 'vitest';
import {
  type Behavior,
  closeAfterRequest,
  closeOnAccept,
  counted,
  earlyReply,
  type FaultServer,
  json,
  resetAfterHeaders,
  resetAfterRequest,
  resetOnAccept,
  silence,
  startFaultServer,
} from '../support/fault-server.ts';
import { numberOf, SeededRandom } from '../support/seeded-random.ts';
import { answerWith, card, clientOf, damaged, inTurn, PLAY_NAMES, type Play, playOf } from './stage.ts';

/**
 * Goals G4 and G5: a service that did what was asked, at whatever stage it then failed, is never told as one that
 * did not; and a write that nobody may repeat reaches it once. The service's own count is the judge.
 */

const SEED = numberOf('FRONTDESK_FUZZ_SEED', 20_261_120);
const COUNT = numberOf('FRONTDESK_FUZZ_RUNS', 2000);
const AT_A_TIME = 16;

const WRITES = PLAY_NAMES.filter((name) => playOf(name, 0).operation.effect.kind === 'write');
const origin = `(seed ${SEED}, repeat with FRONTDESK_FUZZ_SEED=${SEED})`;

/** Trouble before, while and after the service does what it is asked. */
function trouble(play: Play, seeded: SeededRandom): Behavior {
  switch (seeded.below(12)) {
    case 0:
      return resetOnAccept();
    case 1:
      return closeOnAccept();
    case 2:
      return counted(resetAfterHeaders(), seeded.chance(0.5));
    case 3:
      return earlyReply(seeded.pick([401, 413, 429, 503]), '{}');
    case 4:
      return counted(resetAfterRequest(), seeded.chance(0.7));
    case 5:
      return counted(closeAfterRequest(), seeded.chance(0.7));
    case 6:
      return counted(silence(), seeded.chance(0.7));
    case 7:
      return counted(
        json(seeded.pick([500, 502, 503, 504, 599]), '{"errorCode":"E","message":"m"}'),
        seeded.chance(0.7),
      );
    case 8:
      return counted(json(503, '{}', { 'Retry-After': '1' }), seeded.chance(0.7));
    case 9:
      return json(seeded.pick([400, 401, 403, 404, 408, 409, 422, 429]), '{}');
    default:
      return answerWith(okay(damaged(play, seeded)), true);
  }
}

/** A refusal of a service that did it is a lie that no client can see through: those are made good. */
function okay(answer: ReturnType<typeof damaged>): ReturnType<typeof damaged> {
  const text = answer.bytes.toString('latin1').replace(/HTTP\/1\.1 (?:3|4)\d\d/g, 'HTTP/1.1 500');
  return { ...answer, bytes: Buffer.from(text, 'latin1') };
}

interface End {
  readonly code: number;
  readonly outcome: string;
  readonly applied: number;
}

async function serve(play: Play, seeded: SeededRandom): Promise<FaultServer> {
  const script = Array.from({ length: 1 + seeded.below(3) }, () => trouble(play, seeded));
  const cardId = play.input.params['cardId'] ?? '';
  return startFaultServer({
    script,
    route: (request) => {
      if (request.method !== 'GET') return undefined;
      const status = seeded.pick(['ACTIVE', 'BLOCKED', 'REISSUED', 'EXPIRED']);
      return counted(seeded.chance(0.7) ? json(200, card(cardId, status)) : resetAfterRequest(), false);
    },
  });
}

async function playOne(index: number): Promise<End> {
  const seeded = new SeededRandom(SEED + index);
  const play = playOf(seeded.pick(WRITES), index);
  const server = await serve(play, seeded);
  const { client, close } = clientOf(server.url, () => 0);
  const policy = { timeoutMs: 250, retries: 2, retryMaxTimeMs: 60_000 };
  const result = await client.call(play.input, { policy });
  await close();
  const applied = server.applications();
  await server.close();
  const code = result.kind === 'answered' ? 0 : result.failure.exitCode;
  const outcome = result.callOutcome.outcome ?? 'none';
  const where = `run ${index} of ${play.name} ${origin}`;
  if (applied > 0) {
    expect([0, 8], where).toContain(code);
    expect(['applied', 'confirmed_by_read', 'unknown'], where).toContain(outcome);
  }
  const { effect } = play.operation;
  if (effect.kind === 'write' && effect.unavailable === 'never') expect(applied, where).toBeLessThanOrEqual(1);
  return { code, outcome, applied };
}

describe(`trouble at a random stage ${origin}`, () => {
  it(`a change that the service made is never reported as not sent or rejected, in ${COUNT} runs with trouble at a random stage`, async () => {
    const ends: End[] = [];
    await inTurn(COUNT, AT_A_TIME, async (index) => void ends.push(await playOne(index)));
    const share = (test: (end: End) => boolean) => ends.filter(test).length / COUNT;
    // A run in which nothing was ever done, or nothing ever refused, would prove nothing.
    expect(share((end) => end.applied > 0)).toBeGreaterThan(0.3);
    expect(share((end) => end.outcome === 'unknown')).toBeGreaterThan(0.2);
    expect(share((end) => end.outcome === 'rejected')).toBeGreaterThan(0.02);
  });
});
