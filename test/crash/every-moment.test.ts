import { describe, expect, it } from 'vitest';
import { chosenSeed, IS_LONG, SeededRandom } from '../support/seeded-random.ts';
import { inLanes } from './lanes.ts';
import { type Event, MOMENT_WRITES, type MomentEnd, raisedAt, someMoments } from './moments.ts';

/** So many moments of each write; all of them in the long form. */
const MOMENTS = IS_LONG ? Number.POSITIVE_INFINITY : 12;
const LANES = 4;
const seed = chosenSeed();

const saysNothing = ({ stderr }: MomentEnd) => /nothing was (?:sent|changed)/i.test(stderr);

/** What does not hold of a write in whose middle Ctrl-C came. */
function wrongAfterSignal(end: MomentEnd, rows: number): string[] {
  const { code, signal, posts, recorded, isHeard, isKept } = end;
  const isWhole = posts === rows;
  return [
    ...((isHeard ? signal === 'SIGINT' : code === 0) ? [] : ['it ends in another way']),
    ...(isWhole && saysNothing(end) ? ['it says that nothing was sent'] : []),
    ...(posts === 0 && !saysNothing(end) && !end.stderr.includes('"not_sent":')
      ? ['it does not say that nothing was sent']
      : []),
    ...(recorded.includes('unknown') ? ['the history does not know'] : []),
    ...(posts === 0 && isKept ? ['an empty file is left'] : []),
  ];
}

/** What does not hold of a write in whose middle an error was caught by nothing, with a stderr that nobody reads. */
function wrongAfterCrash({ code, posts, recorded, isHeard, isKept }: MomentEnd): string[] {
  const isUnknown = recorded.includes('unknown');
  return [
    ...((isHeard ? [1, 8] : [0]).includes(code ?? -1) ? [] : ['the exit code is another']),
    ...(isUnknown && code !== 8 ? ['what is unknown in the history is not in the exit code'] : []),
    ...(posts === 0 && isKept ? ['an empty file is left'] : []),
  ];
}

/** What holds of each. */
function wrongOfBoth({ late, posts, recorded }: MomentEnd): string[] {
  const said = recorded.filter((outcome) => outcome === 'applied').length;
  const sure = recorded.filter((outcome) => outcome === 'unknown').length + said;
  return [
    ...(late > 0 ? ['a request left afterwards'] : []),
    ...(said > posts ? ['the history has more than was sent'] : []),
    ...(sure < posts ? ['the history lacks what was sent'] : []),
  ];
}

describe.each<Event>(['SIGINT', 'crash'])(`%s at any continuation (FRONTDESK_CRASH_SEED=${seed})`, (event) => {
  it.each(Object.keys(MOMENT_WRITES))('of %s: nothing leaves afterwards, and what is said is so', async (name) => {
    const { count, posts: rows, ...whole } = await raisedAt(name, event, 0);
    expect(whole).toMatchObject({ code: 0, isHeard: false, recorded: Array(rows).fill('applied') });
    const moments = someMoments(count, MOMENTS, new SeededRandom(seed));
    const wrong: string[] = [];
    await inLanes(LANES, async (number) => {
      const moment = moments[number - 1];
      if (moment === undefined) return false;
      const end = await raisedAt(name, event, moment);
      const found = [...wrongOfBoth(end), ...(event === 'crash' ? wrongAfterCrash(end) : wrongAfterSignal(end, rows))];
      if (found.length > 0) wrong.push(`moment ${moment}: ${found.join(', ')}: ${JSON.stringify(end)}`);
      return true;
    });
    expect(wrong).toEqual([]);
  });
});
