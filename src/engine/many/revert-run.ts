import { isUpdate, type Operation } from '../../api/operation.ts';
import { FAILURES, Failure, note, type Outcome, warning } from '../../failure.ts';
import type { Row } from '../../input/records/interpret.ts';
import { eachRow } from '../../input/records/rows.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { renderFailure } from '../../output/failure-text.ts';
import { groupThousands, plural } from '../../output/safe-text.ts';
import type { RowResult } from '../../run/row-outcome.ts';
import { requireRun } from '../../run/run-folder.ts';
import type { RunHeader } from '../../run/run-header.ts';
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

/** What is to become of one row of a run that is taken back. */
type Reversal =
  | { readonly kind: 'revert'; readonly row: Row; readonly old: JsonObject }
  | { readonly kind: 'lost'; readonly row: Row; readonly fields: readonly string[] }
  | { readonly kind: 'left_out' };

function reversalOf({ row, ending }: RowResult<Row>): Reversal {
  const { outcome } = ending;
  if (outcome === null || !TO_REVERT.has(outcome)) return { kind: 'left_out' };
  const old = new Map<string, JsonValue>();
  const lost: string[] = [];
  for (const name of row.body?.keys() ?? []) {
    const value = row.before?.get(name);
    if (value === undefined) lost.push(name);
    else old.set(name, value);
  }
  return lost.length > 0 ? { kind: 'lost', row, fields: lost } : { kind: 'revert', row, old };
}

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

async function count(reversals: AsyncIterable<Reversal>) {
  let [all, rows, leftOut, knowsOld] = [0, 0, 0, false];
  for await (const reversal of reversals) {
    all += 1;
    if (reversal.kind === 'revert') rows += 1;
    if (reversal.kind === 'left_out') leftOut += 1;
    else knowsOld ||= reversal.row.before !== undefined;
  }
  return { rows, leftOut, knowsOld: knowsOld || all === leftOut };
}

/** The rows of a run that can not be put back, said on stderr as failed rows are. */
class LostRows {
  count = 0;
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async add({ row, id }: Row, fields: readonly string[]): Promise<void> {
    this.count += 1;
    if (this.count > MAX_TOLD) return;
    const { output, context } = this.#session;
    const message = `row ${row}: ${id ?? ''} is not in the plan: the older file does not say what ${fields.join(', ')} was`;
    const failure = new Failure('PARTIAL', message, { details: { operation: this.#session.operation, row, id } });
    await context.stderr.write(renderFailure(failure, output.format, { debug: false, mask: output.mask }));
  }

  async finish(): Promise<void> {
    if (this.count <= MAX_TOLD) return;
    const message = `and ${groupThousands(this.count - MAX_TOLD)} more rows are not in the plan for that reason`;
    await this.#session.notify(warning('NOT_REVERTED', message));
  }
}

/**
 * `runs revert`: a plan that puts the old cells of a `--changed-from` run back, for rows that were or may have been
 * applied. Sends nothing. Answers the exit code: 15 when old values of some rows are not known.
 */
export async function revertRun(session: Session, plan: PlanOptions, name: string): Promise<number> {
  const run = await requireRun(session.stateDir(), name);
  const { header } = run;
  const operation = operationOfRun(header);
  refuseOthers(header, operation);
  if ((await showRun(portsOf(session), header.run)).state === 'running') {
    throw Failure.unsent('USAGE', `run ${header.run} is running`, {
      hints: ['wait until it has ended'],
    });
  }
  const stored = await StoredRun.readWhole(run);
  async function* reversals(): AsyncGenerator<Reversal> {
    const rows = eachRow(rowsOfRun(session, stored, { keepsOldCells: true }));
    try {
      for await (const result of stored.results(rows)) yield reversalOf(result);
    } finally {
      await stored.close();
    }
  }
  // Line 1 of a plan says how many rows follow, so they are counted first.
  const { rows, leftOut, knowsOld } = await count(reversals());
  if (!knowsOld) throw notCompared(header);
  const url = header.profile === SANDBOX ? SANDBOX_URL : header.host;
  const about = { operation: header.operation, url, profile: header.profile, rows, unchanged: 0 };
  const lost = new LostRows(session);
  // The plan is applied with the profile of the run, whichever is in use.
  const command = header.profile === 'default' ? 'frontdesk' : `frontdesk -p ${header.profile}`;
  await writePlan(session, plan, about, { command }, async (add) => {
    for await (const reversal of reversals()) {
      if (reversal.kind === 'lost') await lost.add(reversal.row, reversal.fields);
      if (reversal.kind !== 'revert') continue;
      const { row, id, body } = reversal.row;
      await add({ row, id, body: reversal.old, before: body, drift: 'unchecked' });
    }
    await lost.finish();
    return true;
  });
  if (leftOut > 0) {
    const message = `${plural(leftOut, 'row was', 'rows were')} left out: nothing of theirs was applied`;
    await session.notify(note('LEFT_OUT', message));
  }
  return lost.count > 0 ? FAILURES.PARTIAL.exitCode : 0;
}
