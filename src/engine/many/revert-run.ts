import { isUpdate } from '../../api/operation.ts';
import { FAILURES, Failure, note, type Outcome, warning } from '../../failure.ts';
import type { Row } from '../../input/records/interpret.ts';
import { eachRow } from '../../input/records/rows.ts';
import { groupThousands, plural } from '../../output/safe-text.ts';
import { type RunHeader, requireRun } from '../../run/run-folder.ts';
import { showRun } from '../../run/run-list.ts';
import { StoredRun } from '../../run/stored-run.ts';
import type { Session } from '../../session.ts';
import { SANDBOX, SANDBOX_URL } from '../../settings/settings.ts';
import { type PlanOptions, writePlan } from './make-plan.ts';
import { portsOf } from './run.ts';
import { operationOfRun, rowsOfRun } from './run-input.ts';

/** Outcomes of rows that may have changed something. */
export const TO_REVERT: ReadonlySet<Outcome> = new Set(['applied', 'confirmed_by_read', 'unknown']);

/** So many rows without a way back are reported one by one. */
const MAX_TOLD = 100;

function notCompared({ run }: RunHeader): Failure {
  return Failure.unsent('USAGE', `run ${run} was not made with --changed-from, so the old values are not known`);
}

/** Each row that may have changed something, and the fields of which it is not known what they were. */
async function* reversalsOf(session: Session, run: StoredRun) {
  try {
    for await (const { row } of run.results(eachRow(rowsOfRun(session, run)), { outcomes: TO_REVERT })) {
      yield { row, lost: [...(row.body?.keys() ?? [])].filter((name) => row.before?.get(name) === undefined) };
    }
  } finally {
    await run.close();
  }
}

/** Says on stderr, as of failed rows, that a row cannot be put back. */
async function reportLost(session: Session, { row, id }: Row, lost: readonly string[]): Promise<void> {
  const { operation } = session;
  const message = `row ${row}: ${id ?? ''} is not in the plan: the older file does not say what ${lost.join(', ')} was`;
  await session.report(new Failure('PARTIAL', message, { details: { operation, row, id } }));
}

/**
 * `runs revert`: a plan that puts the old cells of a `--changed-from` run back, for rows that were or may have been
 * applied. Sends nothing. Answers the exit code: 15 when old values of some rows are not known.
 */
export async function revertRun(session: Session, plan: PlanOptions, name: string): Promise<number> {
  const run = await requireRun(session.stateDir(), name);
  const { header } = run;
  const operation = operationOfRun(header);
  if (!isUpdate(operation)) {
    throw Failure.unsent('USAGE', `run ${header.run} is of ${operation.command}, and there is no way back from that`);
  }
  const mayKnowOld = header.inputFormat === 'plan' || typeof header.options['changedFrom'] === 'string';
  if (!mayKnowOld) throw notCompared(header);
  if ((await showRun(portsOf(session), header.run)).state === 'running') {
    throw Failure.unsent('USAGE', `run ${header.run} is running`, { hints: ['wait until it has ended'] });
  }
  const stored = await StoredRun.readWhole(run);
  // Line 1 of a plan says how many rows follow, so they are counted first.
  let [all, rows, knowsOld] = [0, 0, false];
  for await (const { row, lost } of reversalsOf(session, stored)) {
    all += 1;
    if (lost.length === 0) rows += 1;
    knowsOld ||= row.before !== undefined;
  }
  if (all > 0 && !knowsOld) throw notCompared(header);
  const url = header.profile === SANDBOX ? SANDBOX_URL : header.host;
  const about = { operation: header.operation, url, profile: header.profile, rows, unchanged: 0 };
  // The plan is applied with the profile of the run, whichever is in use.
  const command = header.profile === 'default' ? 'frontdesk' : `frontdesk -p ${header.profile}`;
  await writePlan(session, plan, about, { command }, async (add) => {
    let told = 0;
    for await (const { row: planned, lost } of reversalsOf(session, stored)) {
      const { row, id, body, before } = planned;
      if (lost.length === 0) {
        const old = new Map([...(body?.keys() ?? [])].map((field) => [field, before?.get(field) ?? null]));
        await add({ row, id, body: old, before: body, drift: 'unchecked' });
      } else {
        told += 1;
        if (told <= MAX_TOLD) await reportLost(session, planned, lost);
      }
    }
    if (told > MAX_TOLD) {
      const message = `and ${groupThousands(told - MAX_TOLD)} more rows are not in the plan for that reason`;
      await session.notify(warning('NOT_REVERTED', message));
    }
    return true;
  });
  if (all < header.rows) {
    const message = `${plural(header.rows - all, 'row was', 'rows were')} left out: nothing of theirs was applied`;
    await session.notify(note('LEFT_OUT', message));
  }
  return rows < all ? FAILURES.PARTIAL.exitCode : 0;
}
