import { describe, expect, it } from 'vitest';
import { faultsOf, liesOf, loadCases } from './every-step.ts';
import { byCommand, codesOf, publishedOf } from './provocations.ts';
import { play } from './stage.ts';

const { program, cases } = await loadCases();

describe('the exit codes that a command publishes', () => {
  it('are all that it can be brought to end with', async () => {
    for (const [words, own] of byCommand(cases)) {
      expect([words, await codesOf(program, own, false)]).toEqual([words, publishedOf(own)]);
    }
  });
});

describe('each step of each command on the disk fails, alone and with all that come after it', () => {
  it('and what is said is what happened', async () => {
    const lies: string[] = [];
    let plays = 0;
    for (const each of cases) {
      for (const fault of faultsOf(each)) {
        const played = await play(program, each.place, each.call, fault);
        plays += 1;
        lies.push(...liesOf(each, played, fault));
      }
    }
    process.stdout.write(`${cases.length} calls, ${plays} steps that failed\n`);
    expect(lies).toEqual([]);
  });
});
