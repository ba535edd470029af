import { expect, it } from 'vitest';
import { faultsOf, liesOf, loadCases } from './every-step.ts';
import { byCommand, codesOf, publishedOf } from './provocations.ts';
import { numberGiven } from './simulate.ts';
import { play } from './stage.ts';

/** CI tries one of so many parts of the steps, by its commit; alone, all of them. */
const PARTS = numberGiven('FRONTDESK_SIMULATE_PARTS') ?? 1;
const PART = (numberGiven('FRONTDESK_SIMULATE_SEED') ?? 0) % PARTS;

const { program, cases } = await loadCases();

it('a command ends with no exit code but those that it publishes, whatever happens to it', async () => {
  const [ended, published]: Record<string, readonly number[]>[] = [{}, {}];
  for (const [words, own] of byCommand(cases)) {
    Object.assign(ended ?? {}, { [words]: await codesOf(program, own) });
    Object.assign(published ?? {}, { [words]: publishedOf(own) });
  }
  expect(ended).toEqual(published);
});

it('C14 E20 where a step on the disk fails, alone or with all that follow, each command says what happened', async () => {
  const lies: string[] = [];
  let plays = 0;
  for (const each of cases) {
    for (const fault of faultsOf(each).filter((_, index) => index % PARTS === PART)) {
      const played = await play(program, each.place, each.call, fault);
      plays += 1;
      lies.push(...liesOf(each, played, fault));
    }
  }
  process.stdout.write(`${cases.length} calls, ${plays} steps that failed\n`);
  expect(lies).toEqual([]);
});
