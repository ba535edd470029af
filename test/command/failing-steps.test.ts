import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listMessages } from '../../build/messages.ts';
import { CLAIM_LIKE, CLAIMS, NO_CLAIMS } from '../simulate/claims.ts';
import { faultsOf, liesOf, loadCases } from '../simulate/every-step.ts';
import { byCommand, codesOf, publishedOf } from '../simulate/provocations.ts';
import { play } from '../simulate/stage.ts';

/** Steps that fail in each call; test/simulate lets each of them fail in each way. */
const SAMPLE = 6;

const { program, cases } = await loadCases();

describe('where a step on the disk fails', () => {
  it('what a command says is what happened', { timeout: 900_000 }, async () => {
    const lies: string[] = [];
    for (const [at, each] of cases.entries()) {
      const faults = faultsOf(each);
      const stride = Math.max(1, Math.floor(faults.length / SAMPLE));
      for (const fault of faults.filter((_, index) => index % stride === at % stride)) {
        lies.push(...liesOf(each, await play(program, each.place, each.call, fault), fault));
      }
    }
    expect(lies).toEqual([]);
  });
});

describe('a signal while a change is under way, and nobody reads stdout', () => {
  it.each([
    ['card block: a card', 0],
    ['card block: a card, and no answer at all', 8],
    ['card provision: into a file', 16],
  ])('%s ends by its outcome (%i), no later than 6 s after the signal', async (name, code) => {
    const found = cases.find((each) => each.name === name);
    if (found === undefined) throw new Error(name);
    const { place, call } = found;
    const played = await play(program, place, { ...call, signal: 'SIGINT', isStalled: true });
    expect(played.code, played.stderr).toBe(code);
    expect(played.after.atMs - place.atMs).toBeLessThan(500 + 6000 + 1001);
  });
});

describe('the exit codes that a command publishes', () => {
  it('are those that it can be brought to end with, and no other', { timeout: 900_000 }, async () => {
    const found: Record<string, unknown> = {};
    const published: Record<string, unknown> = {};
    for (const [words, own] of byCommand(cases)) {
      found[words] = await codesOf(program, own, true);
      published[words] = publishedOf(own);
    }
    expect(found).toEqual(published);
  });
});

describe('a sentence about what was sent, saved or changed', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const claiming = listMessages(root).filter(({ text }) => CLAIM_LIKE.test(text));

  it('is found in the messages', () => {
    expect(claiming.length).toBeGreaterThan(20);
  });

  it('is one that is held against what happened, or no such claim', () => {
    const known = [...CLAIMS.map(({ words }) => words), ...NO_CLAIMS];
    expect(claiming.filter(({ text }) => !known.some((words) => words.test(text)))).toEqual([]);
  });
});
