import { FAILURES, Failure, note, OUTCOMES, type Outcome, warning } from '../base/failure.ts';
import { outside } from '../base/json/outside-text.ts';
import type { Session } from '../command/session.ts';
import { eachRow, type Row } from '../input/rows/row.ts';
import { isImplied } from '../profile/resolve.ts';
import { SANDBOX, SANDBOX_URL } from '../profile/settings.ts';
import { type RunHeader, requireRun } from '../records/stored/run-folder.ts';
import { showRun } from '../records/stored/run-list.ts';
import { StoredRun } from '../records/stored/stored-run.ts';
import type { HistoryEntry } from '../records/write-record.ts';
import { commandWords, peopleTime } from '../screen/people-text.ts';
import { groupThousands, plural } from '../screen/text.ts';
import { isUpdate } from '../service/api/operation.ts';
import { laterWrites } from './later-writes.ts';
import { type PlanOptions, writePlan } from './make-plan.ts';
import { portsOf } from './run.ts';
import { MAY_BE_APPLIED, operationOfRun, rowsOfRun } from './run-input.ts';

/** Most rows that are reported one by one. */
const MAX_TOLD = 100;
/** Most rows without an effect that are named. */
const MAX_NAMED = 20;

function notCompared({ run }: RunHeader): Failure {
  return Failure.unsent('USAGE', `run ${run} was not made with --changed-from, so the old values are not known`);
}

/** Rows that changed nothing, by outcome. */
const NOT_APPLIED: ReadonlySet<Outcome> = new Set(OUTCOMES.filter((outcome) => !MAY_BE_APPLIED.has(outcome)));

/** The first rows of a run that changed nothing, by number and ID. */
async function unappliedRows(run: StoredRun): Promise<string> {
  const named: string[] = [];
  try {
    for await (const { row } of run.results(eachRow(rowsOfRun(run)), { outcomes: NOT_APPLIED })) {
      if (named.length === MAX_NAMED) return `${named.join(', ')}, …`;
      named.push(`row ${row.row} (${outside(row.id ?? '')})`);
    }
  } finally {
    await run.close();
  }
  return named.join(', ');
}

/** Each row that may have changed something, its fields with unknown old values, and a later change. */
async function* reversalsOf(run: StoredRun, later: ReadonlyMap<string, HistoryEntry>) {
  try {
    for await (const { row, callOutcome } of run.results(eachRow(rowsOfRun(run)), { outcomes: MAY_BE_APPLIED })) {
      const lost = [...(row.body?.keys() ?? [])].filter((name) => row.before?.get(name) === undefined);
      const write = later.get(row.id ?? '');
      const isLater = write !== undefined && Date.parse(write.time) >= (callOutcome.sentAtMs ?? 0);
      yield { row, lost, write: isLater ? write : undefined };
    }
  } finally {
    await run.close();
  }
}

/** Reports on stderr that a row is not restored, like a failed row. */
async function reportLost(
  session: Session,
  { row, id }: Row,
  lost: readonly string[],
  write: HistoryEntry | undefined,
): Promise<void> {
  const { operation } = session;
  const why =
    write === undefined
      ? `the older file does not say what ${lost.join(', ')} was`
      : `it was changed again on ${peopleTime(write.time)} (entry ${write.entry}), and old values would undo that`;
  const message = `${id ?? ''} is not in the plan: ${why}`;
  await session.report(new Failure('PARTIAL', message, { details: { operation, row, id } }));
}

/**
 * `runs revert`: writes a plan that restores the old cells of a `--changed-from` run, for rows that were or may have
 * been applied. Sends nothing. Returns the exit code: 15 if some old values are not known.
 */
export async function revertRun(session: Session, plan: PlanOptions, name: string): Promise<number> {
  const run = await requireRun(session.stateDir(), name);
  const { header } = run;
  const operation = operationOfRun(header);
  if (!isUpdate(operation)) {
    throw Failure.unsent(
      'USAGE',
      `could not revert run ${header.run}: ${commandWords(operation.command)} cannot be undone`,
    );
  }
  const mayKnowOld = header.inputFormat === 'plan' || typeof header.options['changedFrom'] === 'string';
  if (!mayKnowOld) throw notCompared(header);
  if ((await showRun(portsOf(session), header.run)).state === 'running') {
    throw Failure.unsent('USAGE', `run ${header.run} is running`, { hints: ['wait until it has exited'] });
  }
  const stored = await StoredRun.readWhole(run);
  const later = await laterWrites(session, stored);
  // Line 1 of a plan has the number of rows, so they are counted first.
  let [all, rows, knowsOld] = [0, 0, false];
  for await (const { row, lost, write } of reversalsOf(stored, later)) {
    all += 1;
    if (lost.length === 0 && write === undefined) rows += 1;
    knowsOld ||= row.before !== undefined;
  }
  if (all > 0 && !knowsOld) throw notCompared(header);
  const url = header.profile === SANDBOX ? SANDBOX_URL : header.host;
  const about = { operation: header.operation, url, profile: header.profile, rows, unchanged: 0, skipped: 0 };
  // The plan is applied with the profile of the run, not with the current one.
  const isUnnamed = isImplied(header.profile, session.settings(), session.context.env);
  const profile = isUnnamed ? undefined : header.profile;
  await writePlan(session, { ...plan, profile }, about, async (add) => {
    let told = 0;
    for await (const { row: planned, lost, write } of reversalsOf(stored, later)) {
      const { row, id, body, before } = planned;
      if (lost.length === 0 && write === undefined) {
        const old = new Map([...(body?.keys() ?? [])].map((field) => [field, before?.get(field) ?? null]));
        await add({ row, id, body: old, before: body, drift: 'unchecked' });
      } else {
        told += 1;
        if (told <= MAX_TOLD) await reportLost(session, planned, lost, write);
      }
    }
    if (told > MAX_TOLD) {
      const message = `and ${groupThousands(told - MAX_TOLD)} more rows are not in the plan for that reason`;
      await session.notify(warning('NOT_REVERTED', message));
    }
    return true;
  });
  if (all < header.rows) {
    const left = `${plural(header.rows - all, 'row')} left out, because nothing was applied`;
    const message = `${left}: ${await unappliedRows(stored)}`;
    await session.notify(note('LEFT_OUT', message));
  }
  return rows < all ? FAILURES.PARTIAL.exitCode : 0;
}
