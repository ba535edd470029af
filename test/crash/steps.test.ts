import { describe, expect, it } from 'vitest';
import { type Remains, sweepCrashPoints } from './crash-points.ts';
import type { Deed } from './crashing-run.ts';
import { BUILT_PROGRAM, type CrashStep } from './program.ts';
import { chosenSeed, IS_LONG } from './seeded-random.ts';
import { WRITES, type WriteName } from './writes.ts';

const LIMIT_MS = 60 * 60_000;
const REMAINS: readonly Remains[] = ['all', 'torn', 'nothing'];
const seed = chosenSeed();

interface Case {
  readonly deed: Deed;
  readonly name: WriteName;
  readonly scope: CrashStep['scope'];
  /** By `plan apply`, which is done again after the kill. */
  readonly asPlan?: boolean;
}

const DYING: Readonly<Record<Deed, string>> = {
  begin: 'the process that begins it',
  resume: 'the one that goes on with it',
  resend: 'the one that sends unknown rows again',
  reconcile: 'the one that reads unknown rows back',
};

const SHORT: readonly Case[] = [
  { deed: 'begin', name: 'eventCreate', scope: 'journal' },
  { deed: 'resume', name: 'activate', scope: 'journal' },
  { deed: 'begin', name: 'activate', scope: 'journal', asPlan: true },
];

const LONG: readonly Case[] = [
  { deed: 'begin', name: 'activate', scope: 'journal' },
  { deed: 'begin', name: 'reissue', scope: 'journal' },
  { deed: 'begin', name: 'eventCreate', scope: 'journal' },
  { deed: 'begin', name: 'subscriberChanges', scope: 'all' },
  { deed: 'begin', name: 'reissue', scope: 'journal', asPlan: true },
  { deed: 'begin', name: 'subscriberChanges', scope: 'all', asPlan: true },
  { deed: 'resume', name: 'block', scope: 'journal', asPlan: true },
  { deed: 'resume', name: 'activate', scope: 'journal' },
  { deed: 'resume', name: 'eventCreate', scope: 'journal' },
  { deed: 'resume', name: 'subscriberChanges', scope: 'all' },
  { deed: 'resend', name: 'reissue', scope: 'journal' },
  { deed: 'resend', name: 'subscriberUpdate', scope: 'all' },
  { deed: 'reconcile', name: 'block', scope: 'all' },
];

/** At each step of the journal in the long form, all that a crash can leave there; else one of them in turn. */
function remainsAt(at: number, { scope }: Case): readonly Remains[] {
  return IS_LONG && scope === 'journal' ? REMAINS : REMAINS.slice(at % 3, (at % 3) + 1);
}

describe(`a run that crashes at each step of its journal (K1, K2, K3; FRONTDESK_CRASH_SEED=${seed})`, () => {
  const cases = (IS_LONG ? LONG : SHORT).map((one) => ({
    ...one,
    dying: `${DYING[one.deed]}${one.asPlan === true ? ' by plan apply' : ''}`,
  }));

  it.each(cases)('loses no $name and does none twice untold when $dying dies', { timeout: LIMIT_MS }, async (one) => {
    const report = await sweepCrashPoints({
      settings: {
        program: BUILT_PROGRAM,
        write: WRITES[one.name],
        rows: 4,
        concurrency: 2,
        ...(one.asPlan === true ? { asPlan: true } : {}),
      },
      deed: one.deed,
      scope: one.scope,
      seed,
      remainsAt: (at) => remainsAt(at, one),
    });
    const { points, kills, unknown, breaches } = report;
    const counts = `${points} points, ${kills} kills, ${unknown} unknown, ${breaches.length} breaches`;
    process.stdout.write(`${one.deed} ${one.name}, steps of ${one.scope}: ${counts}\n`);
    expect(breaches).toEqual([]);
    // A sweep that ends early would prove nothing.
    expect(points).toBeGreaterThan(15);
  });
});
