import { judgeHistory, type Verdict } from './history.ts';
import type { Deed, Input, Plan } from './plan.ts';
import type { Program } from './program.ts';

/** The first word of a breach says of which kind it is: `twice`, `lost`. */
const kindOf = (found: string): string => found.split(':', 1)[0] ?? '';

function withDeeds(plan: Plan, change: (deed: Deed) => Deed | undefined): Plan {
  const people = plan.people.map(({ machine, deeds }) => ({
    machine,
    deeds: deeds.flatMap((deed) => change(deed) ?? []),
  }));
  return { ...plan, people: people.filter(({ deeds }) => deeds.length > 0) };
}

/** Plans that are a little less, the greatest steps first. */
function* shorter(plan: Plan): Generator<Plan> {
  const { weather, people } = plan;
  const deeds = people.flatMap((person) => person.deeds);
  for (const person of people) yield { ...plan, people: people.filter((each) => each !== person) };
  for (const deed of deeds) yield withDeeds(plan, (each) => (each === deed ? undefined : each));
  if (weather.connectionShare > 0) yield { ...plan, weather: { ...weather, connectionShare: 0 } };
  if (weather.share > 0) yield { ...plan, weather: { ...weather, share: 0, fates: [] } };
  for (const deed of deeds) yield* calmer(plan, deed);
  yield* smaller(plan);
  for (const fate of weather.fates) {
    yield { ...plan, weather: { ...weather, fates: weather.fates.filter((each) => each !== fate) } };
  }
}

function* calmer(plan: Plan, deed: Deed): Generator<Plan> {
  const change = (instead: Partial<Deed>) =>
    withDeeds(plan, (each) => (each === deed ? ({ ...each, ...instead } as Deed) : each));
  for (const blow of deed.blows) yield change({ blows: deed.blows.filter((each) => each !== blow) });
  if (deed.isStderrStalled) yield change({ isStderrStalled: false });
}

function* smaller(plan: Plan): Generator<Plan> {
  for (const [run, input] of Object.entries(plan.inputs)) {
    const change = (instead: Partial<Input>) => ({
      ...plan,
      inputs: { ...plan.inputs, [run]: { ...input, ...instead } },
    });
    if (input.keys.length > 1) yield change({ keys: input.keys.slice(0, -1) });
    if (input.concurrency > 1) yield change({ concurrency: 1 });
  }
}

/** The same breach in a history that is as short as `tries` attempts make it. */
export async function shrink(verdict: Verdict, program: Program, tries = 200): Promise<Verdict> {
  const kind = kindOf(verdict.found[0] ?? '');
  let best = verdict;
  let left = tries;
  for (let isShorter = true; isShorter && left > 0; ) {
    isShorter = false;
    for (const plan of shorter(best.plan)) {
      left -= 1;
      const tried = await judgeHistory(plan, program);
      if (tried.found.some((found) => kindOf(found) === kind)) {
        best = tried;
        isShorter = true;
        break;
      }
      if (left === 0) break;
    }
  }
  return best;
}

/** What went wrong, and everything that led there. */
export function tellStory({ plan, found, story }: Verdict): string {
  const seed = `seed ${plan.seed}, made shorter (all of it: FRONTDESK_SIMULATE_SEED=${plan.seed} npm run test:simulate)`;
  return [`${seed}:`, ...found.map((each) => `* ${each}`), '', ...story, ''].join('\n');
}
