import { isUpdate, type Operation } from '../../api/operation.ts';
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

/** USAGE for a run that cannot be taken back at all. */
function refuseOthers(header: RunHeader, operation: Operation): void {
  if (!isUpdate(operation)) {
    throw Failure.unsent('USAGE', `run ${header.run} is of ${operation.command}, and there is no way back from that`);
  }
  const knowsOld = header.inputFormat === 'plan' || typeof header.options['changedFrom'] === 'string';
  if (!knowsOld) throw notCompared(header);
}

function notCompared({ run }: RunHeader): Failure {
  return Failure.unsent('USAGE', `run ${run} was not made with --changed-from, so the old values are not known`);
}

/** A row that may have changed something, and the fields of which it is not known what they were. */
interface Reversal {
  readonly row: Row;
  readonly lost: readonly string[];
}

async function* reversalsOf(session: Session, run: StoredRun): AsyncGenerator<Reversal> {
  const rows = eachRow(rowsOfRun(session, run));
  try {
    for await (const { row } of run.results(rows, { outcomes: TO_REVERT })) {
      yield { row, lost: [...(row.body?.keys() ?? [])].filter((name) => row.before?.get(name) === undefined) };
    }
  } finally {
    await run.close();
  }
}

/** Says on stderr, as of failed rows, that a row cannot be put back. */
async function reportLost(session: Session, { row: { row, id }, lost }: Reversal): Promise<void> {
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
  refuseOthers(header, operationOfRun(header));
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
    let lost = 0;
    for await (const reversal of reversalsOf(session, stored)) {
      const { row, id, body, before } = reversal.row;
      if (reversal.lost.length === 0) {
        const old = new Map([...(body?.keys() ?? [])].map((field) => [field, before?.get(field) ?? null]));
        await add({ row, id, body: old, before: body, drift: 'unchecked' });
      } else {
        lost += 1;
        if (lost <= MAX_TOLD) await reportLost(session, reversal);
      }
    }
    if (lost <= MAX_TOLD) return true;
    const message = `and ${groupThousands(lost - MAX_TOLD)} more rows are not in the plan for that reason`;
    await session.notify(warning('NOT_REVERTED', message));
    return true;
  });
  if (all < header.rows) {
    const message = `${plural(header.rows - all, 'row was', 'rows were')} left out: nothing of theirs was applied`;
    await session.notify(note('LEFT_OUT', message));
  }
  return rows < all ? FAILURES.PARTIAL.exitCode : 0;
}
