import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/base/failure.ts';
import { requireRun } from '../../../src/records/stored/run-folder.ts';
import { showRun } from '../../../src/records/stored/run-list.ts';
import { type ActiveRun, beginRun, resumeRun } from '../../../src/records/stored/run-store.ts';
import { StoredRun } from '../../../src/records/stored/stored-run.ts';
import { runRows } from '../../../src/runs/row-runner.ts';
import { outcomeAfter } from '../../../src/service/call-outcome.ts';
import type { CallResult } from '../../../src/service/http/call.ts';
import { temporaryFolder } from '../base/files/place.ts';
import { answered, failed, planOf, rejected, runPlan, runPorts, unknown, unreachable } from '../runs/fakes.ts';

/** How one attempt ends. */
const ENDS = {
  applied: () => answered(),
  rejected: () => rejected(409, 'CARD_BLOCKED'),
  not_sent: () => unreachable(),
  unknown: () => unknown(),
} as const satisfies Partial<Record<Outcome, () => CallResult>>;
type End = keyof typeof ENDS;

/** One process: sends the only row if it has to, and sends it again although it is unknown. */
async function attempt(active: ActiveRun, end: End) {
  let requests = 0;
  const plan = planOf(
    1,
    async (_row, slot) => {
      if (end !== 'not_sent' && !(await slot.pacer.admit('send'))) return failed('CANCELLED', { outcome: 'not_sent' });
      if (end !== 'not_sent') {
        requests += 1;
        slot.pacer.leaves?.();
      }
      return end === 'not_sent' ? failed('UNREACHABLE', { outcome: 'not_sent', attempts: 0 }) : ENDS[end]();
    },
    { journal: active.journal, unknownRows: 'resend' },
  );
  const report = await runRows(plan);
  await active.close();
  const [printed] = plan.printed;
  return { requests, report, printed };
}

/** What the row is after these attempts: undefined where a further one is not made. */
const EXPECTED: readonly (readonly [readonly End[], Outcome, number, number])[] = [
  [['unknown', 'rejected'], 'unknown', 8, 2],
  [['unknown', 'not_sent'], 'unknown', 8, 1],
  [['unknown', 'unknown'], 'unknown', 8, 2],
  [['unknown', 'applied'], 'applied', 0, 2],
  [['not_sent', 'rejected'], 'rejected', 15, 1],
  [['not_sent', 'unknown'], 'unknown', 8, 1],
  [['not_sent', 'applied'], 'applied', 0, 1],
  [['rejected', 'applied'], 'rejected', 15, 1],
  [['applied', 'rejected'], 'applied', 0, 1],
  [['unknown', 'rejected', 'applied'], 'applied', 0, 3],
  [['unknown', 'not_sent', 'rejected'], 'unknown', 8, 2],
  [['not_sent', 'unknown', 'not_sent'], 'unknown', 8, 1],
  [['unknown', 'applied', 'rejected'], 'applied', 0, 2],
];

it.each(EXPECTED)(
  'a row with several attempts: %j is %s, exit %i, after %i requests',
  async (ends, outcome, exitCode, requests) => {
    const stateDir = temporaryFolder();
    const begun = await beginRun(runPorts(stateDir), runPlan({ name: 'may', rows: 1, inputRows: 1 }));
    let [last, sent] = [await attempt(begun, ends[0] ?? 'applied'), 0];
    sent += last.requests;
    for (const end of ends.slice(1)) {
      last = await attempt(await resumeRun(runPorts(stateDir), 'may'), end);
      sent += last.requests;
    }
    expect(sent).toBe(requests);
    expect(last.printed?.callOutcome).toMatchObject({ outcome, attempts: requests });
    expect(last.report).toMatchObject({ exitCode, tally: { requests: last.requests } });
    const stored = await StoredRun.readWhole(await requireRun(stateDir, 'may'));
    expect(stored.entry(1).callOutcome).toMatchObject({ outcome, attempts: requests });
    expect(stored.outcomes()).toEqual({ [outcome]: 1 });
    const results = [];
    for await (const result of stored.results(oneRow())) results.push(result);
    await stored.close();
    expect(results[0]?.failure?.message).toBe(await replayed(stateDir));
    expect((await showRun(runPorts(stateDir), 'may')).outcomes).toEqual({ [outcome]: 1 });
  },
);

async function* oneRow() {
  yield { row: 1, id: 'card-1' };
}

/** What a resume that sends nothing says of the row. */
async function replayed(stateDir: string): Promise<string | undefined> {
  const active = await resumeRun(runPorts(stateDir), 'may');
  const plan = planOf(1, async () => failed('INTERNAL'), { journal: active.journal });
  await runRows(plan);
  await active.close();
  return plan.printed[0]?.failure?.message;
}

it.each<[boolean, Outcome, Outcome]>([
  [true, 'rejected', 'unknown'],
  [true, 'not_sent', 'unknown'],
  [true, 'unknown', 'unknown'],
  [true, 'applied', 'applied'],
  [true, 'confirmed_by_read', 'confirmed_by_read'],
  [false, 'rejected', 'rejected'],
  [false, 'not_sent', 'not_sent'],
])('after a send that may have been applied (%s), %s counts as %s', (mayBeApplied, latest, outcome) => {
  expect(outcomeAfter(mayBeApplied, latest)).toBe(outcome);
});
