import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAILURES } from '../../src/base/failure.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../src/base/json/value.ts';
import { renderFailure, renderNotice } from '../../src/screen/failure-text.ts';
import type { Result } from '../../src/screen/options.ts';
import { renderResult } from '../../src/screen/render.ts';
import { isWrite } from '../../src/service/api/operation.ts';
import type { CallResult } from '../../src/service/http/call.ts';
import { checkStreams, meet } from '../e2e/faults/fault-run.ts';
import { type FaultServer, startFaultServer } from '../support/fault-server.ts';
import { numberOf, SeededRandom } from '../support/seeded-random.ts';
import { outputOptions, recordedOutput } from '../unit/screen/recorded-output.ts';
import { answerWith, card, clientOf, damaged, indexOf, inTurn, PLAY_NAMES, type Play, playOf } from './stage.ts';

/**
 * Goal G1: whatever a service answers, frontdesk ends in time, with an exit code of its table, without a stack
 * trace, and nothing that a terminal would obey reaches a stream. FRONTDESK_FUZZ_SEED repeats a run,
 * FRONTDESK_FUZZ_COUNT makes it longer, FRONTDESK_FUZZ_PROCESSES says how many of it start the built program.
 */

const SEED = numberOf('FRONTDESK_FUZZ_SEED', 20_261_120);
const COUNT = numberOf('FRONTDESK_FUZZ_COUNT', 5000);
const PROCESSES = numberOf('FRONTDESK_FUZZ_PROCESSES', Math.ceil(COUNT / 100));

const TIMEOUT_MS = 400;
const AT_A_TIME = 16;

let server: FaultServer;
let stage: ReturnType<typeof clientOf>;
const origin = () => `(seed ${SEED}, repeat with FRONTDESK_FUZZ_SEED=${SEED})`;

beforeAll(async () => {
  server = await startFaultServer({
    route: (request) => {
      const index = indexOf(request.target + request.body);
      const seeded = new SeededRandom(SEED + index);
      const play = playOf(seeded.pick(PLAY_NAMES), index);
      const answer = damaged(play, seeded);
      // A look at the card after a write meets trouble of its own.
      const isReadBack = request.method === 'GET' && play.operation.method === 'POST';
      if (!isReadBack) return answerWith(answer);
      const look = { ...play, good: card(play.input.params['cardId'] ?? '', seeded.pick(['ACTIVE', 'BLOCKED', 'X'])) };
      return answerWith(damaged(look, seeded));
    },
  });
  stage = clientOf(server.url, () => performance.now());
});
afterAll(async () => {
  await stage.close();
  await server.close();
});

const EXIT_CODES: readonly number[] = Object.values(FAILURES).map((row) => row.exitCode);

const PIPE = { argv: [], env: {}, stderr: { isTerminal: false, columns: undefined } };

function resultOf(play: Play, resource: JsonValue): Result {
  if (play.name !== 'subscribersList') {
    const view = play.operation.family === 'cards' ? ({ view: 'card' } as const) : {};
    return { kind: 'resource', resource, columns: play.columns, ...view };
  }
  const data = isJsonObject(resource) ? resource.get('data') : undefined;
  return { kind: 'list', document: resource, rows: isJsonArray(data) ? data : [], columns: play.columns };
}

async function shown(play: Play, result: CallResult, seeded: SeededRandom) {
  const format = seeded.pick(['table', 'json', 'ndjson', 'csv'] as const);
  if (result.kind === 'failed') {
    return { stdout: '', stderr: renderFailure(result.failure, format, PIPE), isData: false };
  }
  // Not every call has the columns of a terminal.
  const columns = seeded.chance(0.3) ? 40 + seeded.below(120) : undefined;
  const stdout = recordedOutput(columns);
  await renderResult(resultOf(play, result.resource), outputOptions({ format }), stdout);
  const text = stdout.text();
  if (format === 'json') JSON.parse(text);
  const lines = result.callOutcome.notices.map((notice) => renderNotice(notice, format, PIPE));
  // A cell of CSV is the text as it came, but on a terminal.
  return { stdout: text, stderr: lines.join(''), isData: format === 'csv' && columns === undefined };
}

async function playOne(index: number): Promise<string> {
  const seeded = new SeededRandom(SEED + index);
  const play = playOf(seeded.pick(PLAY_NAMES), index);
  const policy = { timeoutMs: TIMEOUT_MS, retries: 1, retryMaxTimeMs: 2 * TIMEOUT_MS };
  const result = await stage.client.call(play.input, { policy });
  // What the service said, by the same choices.
  const answer = damaged(play, seeded).bytes.toString('latin1');
  const { stdout, stderr, isData } = await shown(play, result, seeded);
  const outcome = result.callOutcome.outcome ?? 'read';
  const code = result.kind === 'answered' ? 0 : result.failure.exitCode;
  const where = `run ${index} of ${play.name} ${origin()}`;
  if (code !== 0) expect(EXIT_CODES, where).toContain(code);
  expect(code, where).not.toBe(1);
  // G4: the service did each change. A refusal of one that did is a lie that no client can see through.
  const ends = isWrite(play.operation) ? ['applied', 'confirmed_by_read', 'unknown'] : ['read'];
  if (!/HTTP\/1\.1 [34]\d\d/.test(answer)) expect(ends, where).toContain(outcome);
  checkStreams({ code: result.kind === 'answered' ? 0 : code, stdout, stderr }, isData ? 'bytes' : undefined);
  return `${code} ${outcome}`;
}

describe(`damaged answers ${origin()}`, () => {
  it(`${COUNT} damaged responses never break the client or the output`, async () => {
    const ends = new Map<string, number>();
    await inTurn(COUNT, AT_A_TIME, async (index) => {
      const end = await playOne(index);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    });
    // A run in which nothing ever got through, or everything did, would prove nothing.
    const share = (end: string) => (ends.get(end) ?? 0) / COUNT;
    expect(share('0 applied'), JSON.stringify([...ends])).toBeGreaterThan(0.05);
    expect(share('8 unknown'), JSON.stringify([...ends])).toBeGreaterThan(0.05);
    expect(share('10 read')).toBeGreaterThan(0.005);
  });

  it(`${PROCESSES} damaged responses never break the built program`, async () => {
    await inTurn(PROCESSES, 4, async (count) => {
      // Other runs than those above.
      const index = COUNT + count;
      const play = playOf(new SeededRandom(SEED + index).pick(PLAY_NAMES), index);
      const format = new SeededRandom(index).pick([['--json'], ['-o', 'ndjson'], ['-o', 'csv'], []]);
      const { code } = await meet(server, play.words, { format, attemptMs: 1500, budgetMs: 3000 });
      expect(code, `run ${index} of ${play.name} ${origin()}`).not.toBe(1);
    });
  });
});
