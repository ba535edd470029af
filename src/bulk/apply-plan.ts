import { readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  demandedApprovals,
  guardWrite,
  notConfirmed,
  refuseReadOnly,
  requirePerson,
  whereText,
} from '../call/write-guards.ts';
import { unsent } from '../command/faults.ts';
import { refuseRunPrinting } from '../command/printing.ts';
import { Failure, note, usageFailure, warning } from '../failure.ts';
import { writeFileAtomic } from '../files/atomic.ts';
import { ioFailure } from '../files/io-failure.ts';
import { shellQuote } from '../files/shell-quote.ts';
import { quoteValue } from '../input/quote-value.ts';
import type { CallOptions, PaceOptions } from '../options/call-options.ts';
import { commandWords } from '../output/people-text.ts';
import { plural, safeText } from '../output/safe-text.ts';
import { signaturePath } from '../plan/approvals.ts';
import { type Approval, planRunName } from '../plan/plan-file.ts';
import { readRows } from '../rows/row-reader.ts';
import { orDiscard } from '../run/failed-file.ts';
import { type RunHeader, readRunHeader, runFolder } from '../run/run-folder.ts';
import { type ActiveRun, spoolPath } from '../run/run-store.ts';
import type { Service, Session } from '../session.ts';
import { SANDBOX } from '../settings/settings.ts';
import { reasonCheck } from './bulk-call.ts';
import { compareTokenLife } from './confirm-bulk.ts';
import { executeRun } from './execute-run.ts';
import { sayOpenRows } from './open-rows.ts';
import { countApprovals, planState, readPlan, refuseOtherRows, writePlanView } from './plan-review.ts';
import { placeOf, printDryRunRows, runColumns } from './row-requests.ts';
import { openFailed, portsOf, type Run, startRun } from './run.ts';
import { rowsOfRun, storedOf, storeOptions } from './run-input.ts';
import { writeEmptySummary } from './run-output.ts';
import { sayOrRefuseSameInput } from './same-input.ts';

/** A plan that was read to its end, with what applying it wants to know of its rows. */
type LoadedPlan = Awaited<ReturnType<typeof loadPlan>>;

/** Copies a plan while it is read: a file may change meanwhile. */
async function loadPlan(session: Session, path: string, copy: string, rowsTo: string) {
  let reasonProblem: string | undefined;
  let hasUncellable = false;
  const plan = await readPlan(session, path, {
    copyTo: copy,
    rowsTo,
    async onRows(rows, operation) {
      // No CSV cell can hold null, or the empty text, which is read as not given.
      hasUncellable ||= rows.some(({ row }) => [...(row.body?.values() ?? [])].some((value) => (value ?? '') === ''));
      const problems = (await reasonCheck(session, operation)?.(rows)) ?? [];
      const at = problems.findIndex((problem) => problem !== undefined);
      if (at >= 0) reasonProblem ??= `line ${rows[at]?.record.line}: reason: ${problems[at]?.problem}`;
    },
  });
  return { ...plan, path, copy, rowsTo, hasUncellable, reasonProblem };
}

/** Refuses a plan that cannot be applied here and now. A run may always be ended: one that was begun does not expire. */
function refusePlan(session: Session, plan: LoadedPlan, isBegun: boolean): void {
  const { header, path, reasonProblem } = plan;
  const { profile } = session;
  const url = session.baseUrl(plan.operation.family);
  // The sandbox's URL has no port, so that a profile could have it too.
  if (url !== header.url || profile.isSandbox !== (header.profile === SANDBOX)) {
    const message = `plan ${header.plan} is for ${header.url} (profile ${header.profile}), and profile ${profile.name} leads to ${url}`;
    const command = `frontdesk -p ${shellQuote(header.profile)} plan apply ${shellQuote(path)}`;
    // A profile that was changed since, or the environment's URL, leads elsewhere under the same name.
    const hint =
      profile.name === header.profile
        ? `the profile led to ${header.url} when the plan was made; make the plan again for ${url}`
        : `apply it with the profile that it was made with: ${command}`;
    throw Failure.unsent('USAGE', message, { hints: [hint] });
  }
  if (!isBegun && session.context.clock.now() >= Date.parse(header.expiresAt)) {
    throw Failure.unsent('PRECONDITION', `plan ${header.plan} expired at ${header.expiresAt}`, {
      hints: ['make the plan again'],
    });
  }
  refuseReadOnly(session);
  if (reasonProblem === undefined) return;
  const hints = ['make the plan again with a reason that does'];
  throw Failure.unsent('USAGE', `${quoteValue(path)}: ${reasonProblem}`, { hints });
}

async function confirmPlan(
  session: Session,
  { header, operation, rowsTo, shape, survey, path }: LoadedPlan,
  status: Awaited<ReturnType<typeof planState>>,
  approvals: readonly Approval[],
  service: Service,
): Promise<void> {
  if (session.common.yes) return;
  const rows = plural(header.rows, 'row');
  requirePerson(session, `plan ${header.plan} of ${rows}`, 'add --yes to apply it without a question');
  await sayOpenRows(session, operation, readRows(rowsTo, shape));
  // Why others do not count was said before.
  const signatures = { approvals, uncounted: [], demanded: demandedApprovals(session.profile) };
  await writePlanView(session, session.context.stderr, path, { header, ...status, survey, ...signatures });
  const where = whereText(session, service);
  const question = `Apply plan ${header.plan}: ${safeText(commandWords(header.operation))} of ${rows}${where}?`;
  if (!(await session.prompt.confirm(question))) throw notConfirmed(`plan ${header.plan}`);
}

/** USAGE where the file of `--failed` could not hold what the plan has. */
function refuseFailedName(path: string | undefined, { hasUncellable }: LoadedPlan): void {
  if (path === undefined || !hasUncellable || /[^/\\]\.(?:ndjson|jsonl|json)$/i.test(path)) return;
  throw usageFailure(
    [{ where: '--failed', problem: 'the plan has an empty text or null, which CSV cannot tell from not given' }],
    ['give it a name that ends in .ndjson'],
  );
}

/** Begins the run, with the signatures that counted beside its copy of the plan: a resume verifies them anew. */
async function beginPlanRun(
  session: Session,
  plan: LoadedPlan,
  approved: readonly Approval[],
  begun: RunHeader | undefined,
  pace: PaceOptions,
): Promise<ActiveRun> {
  const { header, operation, sha256, rowsSha256, copy, rowsTo, lastRow, path } = plan;
  const run = await startRun(session, {
    name: planRunName(header.plan),
    operation: header.operation,
    // A plan is bound to a service; another profile that leads there goes on with the run, which keeps its name for it.
    profile: begun?.profile,
    host: placeOf(session, operation),
    inputSha256: sha256,
    rowsSha256,
    inputFormat: 'plan',
    spool: rowsTo,
    planSpool: copy,
    stored: storedOf(plan),
    rows: header.rows,
    inputRows: lastRow,
    options: {
      ...storeOptions({ csvRaw: session.output.csvRaw }, pace),
      approvedBy: approved.map(({ as, key }) => `${as} ${key}`),
      source: basename(path),
    },
  });
  try {
    for (const { as } of approved) {
      const by = { pid: session.context.pid, what: 'an approval of the run' };
      await writeFileAtomic(signaturePath(run.folder.plan, as), await readFile(signaturePath(path, as)), by);
    }
    return run;
  } catch (error) {
    await run.close();
    throw ioFailure(`the approvals of run ${run.header.run} could not be kept`, error, 'unsent');
  }
}

/** Everything up to the first request. Answers the exit code where there is nothing to send. */
async function beginPlan(session: Session, given: CallOptions, plan: LoadedPlan): Promise<Run | number> {
  const { header, operation } = plan;
  const folder = runFolder(session.stateDir(), planRunName(header.plan));
  const begun = await readRunHeader(folder);
  if (begun !== undefined && begun.inputSha256 !== plan.sha256) {
    const message = `run ${begun.run} applied another plan, whose hash begins with the same ${header.plan}`;
    throw Failure.unsent('USAGE', message, { hints: ['make the plan again'] });
  }
  // That of an earlier build, which kept no rows, is refused when it would be taken up.
  if (begun?.stored !== undefined) refuseOtherRows({ folder, header: begun }, plan);
  refusePlan(session, plan, begun !== undefined);
  const counted = session.common.dryRun ? undefined : await countApprovals(session, plan.path, plan.copy);
  const { approvals: approved = [], uncounted = [] } = counted ?? {};
  // What is missing is seen by why the others do not count.
  for (const { text, fix } of uncounted) {
    await session.notify(warning('NOT_COUNTED', fix === undefined ? text : `${text}; ${fix}`));
  }
  const columns = runColumns(operation);
  await refuseRunPrinting(session.output, columns);
  const { plan: name, rows } = header;
  guardWrite(session, operation, { kind: 'plan', plan: name, rows, approved: approved.length, path: plan.path });
  if (session.common.dryRun) {
    await printDryRunRows(session, operation, readRows(plan.rowsTo, plan.shape));
    return 0;
  }
  if (header.rows === 0) {
    await session.print({ kind: 'list', document: [], rows: [], columns });
    await session.notify(note('NOTHING_TO_DO', 'nothing to do: the plan has no rows'));
    await writeEmptySummary(session);
    return 0;
  }
  const status = await planState(session, plan);
  // A plan is never resent, so that nothing of an unsettled run is sent either.
  const isFinished = status.state === 'finished' || status.state === 'unsettled';
  const service = await session.service(operation.family);
  if (begun === undefined) {
    const { rowsSha256 } = plan;
    const isAgain = given.again === true;
    await sayOrRefuseSameInput(session, { operation, rowsSha256, shard: null, name: undefined, isAgain });
  }
  // On a terminal a plan that is done is shown again without a question: nothing is sent.
  if (!isFinished || !session.prompt.available) await confirmPlan(session, plan, status, approved, service);
  if (!isFinished) await compareTokenLife(session, service, header.rows, given.rate);
  refuseFailedName(given.failed, plan);
  const failedFile = await openFailed(session, given.failed, {
    inputFormat: 'plan',
    columns: plan.columns,
    shape: plan.shape,
    csvRaw: session.output.csvRaw,
    isKept: true,
  });
  const kept = await orDiscard(failedFile, beginPlanRun(session, plan, approved, begun, given));
  return {
    operation,
    rows: () => rowsOfRun(kept),
    rowCount: header.rows,
    pace: given,
    again: given.again === true,
    kept,
    unknownRows: 'leave',
    failedFile,
    columns,
  };
}

/**
 * `plan apply`: sends exactly the rows of a plan as a run that the plan names, so that applying it again goes on
 * with that run or shows its results. Answers the exit code.
 */
export async function applyPlan(session: Session, given: CallOptions, path: string): Promise<number> {
  const [copy, rowsTo] = [await spoolPath(portsOf(session)), await spoolPath(portsOf(session))];
  try {
    const begun = await unsent(loadPlan(session, path, copy, rowsTo).then((plan) => beginPlan(session, given, plan)));
    return typeof begun === 'number' ? begun : await executeRun(session, begun);
  } finally {
    for (const spool of [copy, rowsTo]) await rm(spool).catch(() => undefined);
  }
}
