import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { cardId, cardNumber, idLines, playService } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome } from '../support/run-frontdesk.ts';
import { chosenSeed, IS_LONG, SeededRandom } from '../support/seeded-random.ts';
import { inLanes } from './lanes.ts';
import { startProgram } from './program.ts';

/** So many calls of each write; all of them in the long form. */
const CALLS = IS_LONG ? Number.POSITIVE_INFINITY : 12;
const LANES = 4;
const ROWS = 3;
const seed = chosenSeed();

/** So many of the calls up to the last one, or all of them. */
function someCalls(last: number, random: SeededRandom): readonly number[] {
  const all = Array.from({ length: last }, (_, index) => index + 1);
  while (all.length > CALLS) all.splice(random.below(all.length), 1);
  return all;
}

const FAIL_AT = fileURLToPath(new URL('../support/fail-at.cjs', import.meta.url));
const ONE = ['card', 'reissue', cardId(1), '--yes', '--json'];
const RUN = ['card', 'reissue', '--from', 'ids.txt', '--yes', '-o', 'ndjson'];

/** Reissues that are killed before that call of the file system (0: never) below a folder, looked up, resumed, and done again. */
async function killedAt(args: readonly string[], below: string, call: number) {
  const home = createHome();
  writeFileSync(join(home.path, 'work', 'ids.txt'), idLines(ROWS));
  const server = await startRecordingServer(playService());
  const count = join(home.path, 'count');
  const start = (words: readonly string[], more = {}) => startProgram(words, home, { ...server.env, ...more }).ended;
  const sent = () => {
    const cards = server.requests.filter(({ method }) => method === 'POST').map(cardNumber);
    return Array.from({ length: ROWS }, (_, index) => cards.filter((card) => card === index + 1).length);
  };
  const known = async () => {
    const entries = JSON.parse((await start(['history', '--json'])).stdout) as { id: string; outcome: string }[];
    return Array.from({ length: ROWS }, (_, index) => entries.find(({ id }) => id === cardId(index + 1))?.outcome);
  };
  const kill = { FAIL_AT: String(call), FAIL_WITH: 'KILL', FAIL_BELOW: join(home.stateDir, below), FAIL_COUNT: count };
  // Below a folder of few files: where one of them is opened.
  const only = below === '' ? '' : 'open';
  const { signal } = await start(args, { NODE_OPTIONS: `--require=${FAIL_AT}`, FAIL_ONLY: only, ...kill });
  const killed = { sent: sent(), known: await known() };
  const resume = args === RUN ? await start(['runs', 'resume', '--last', '-o', 'ndjson']) : undefined;
  const resumed = { sent: sent(), known: await known() };
  await start(args);
  const again = sent();
  await server.stop();
  const calls = signal === null ? Number(readFileSync(count, 'utf8')) : undefined;
  return { calls, killed, isResumed: resume !== undefined && !resume.stderr.includes('no run yet'), resumed, again };
}

type Killed = Awaited<ReturnType<typeof killedAt>>;

function wrongOf({ killed, isResumed, resumed, again }: Killed, row: number, isOne: boolean): readonly string[] {
  const isKnown = (outcome: string | undefined) => outcome === 'applied' || outcome === 'unknown';
  const [first = 0, second = 0, third = 0] = [killed.sent[row], resumed.sent[row], again[row]];
  const outcome = resumed.known[row];
  // A single reissue that is known to be done is done again if it is asked for again.
  const mayRepeat = isOne && outcome === 'applied';
  return [
    ...(first > 0 && !isKnown(killed.known[row]) ? ['what was sent is forgotten'] : []),
    ...(second > 1 ? ['the resume sends it twice'] : []),
    ...(isResumed && !isKnown(outcome) ? ['the resume does not go on'] : []),
    ...(second > 0 && third > second && !mayRepeat ? ['it is sent again'] : []),
  ];
}

it.each([
  ['one reissue', ONE, ''],
  ['a run of three reissues', RUN, ''],
  ['the names by which its rows are found again', RUN, 'sent'],
])(
  `P9 kill -9 before any call of the file system, of %s: nothing is forgotten, or sent twice (FRONTDESK_CRASH_SEED=${seed})`,
  async (_, args, below) => {
    const calls = someCalls((await killedAt(args, below, 0)).calls ?? 0, new SeededRandom(seed));
    expect(calls).not.toEqual([]);
    const wrong: string[] = [];
    await inLanes(LANES, async (number) => {
      const call = calls[number - 1];
      if (call === undefined) return false;
      const end = await killedAt(args, below, call);
      for (let row = 0; row < ROWS; row += 1) {
        const found = wrongOf(end, row, args === ONE);
        if (found.length > 0) wrong.push(`call ${call}, row ${row + 1}: ${found.join(', ')}`);
      }
      return true;
    });
    expect(wrong).toEqual([]);
  },
);
