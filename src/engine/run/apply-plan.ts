import { readFile, rm } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Failure, note, usageFailure, warning } from '../../failure.ts';
import { writeFileAtomic } from '../../files/atomic.ts';
import { ioFailure } from '../../files/io-failure.ts';
import { shellQuote } from '../../files/shell-quote.ts';
import { quoteGiven } from '../../input/given.ts';
import { openInput } from '../../input/input-file.ts';
import { textAt } from '../../json/value.ts';
import type { CallOptions, PaceOptions } from '../../options/call-options.ts';
import { commandWords } from '../../output/people-text.ts';
import { plural, safeText } from '../../output/safe-text.ts';
import { signaturePath } from '../../plan/approvals.ts';
import { type Approval, type PlanHeader, planRunName } from '../../plan/plan-file.ts';
import type { PlannedRow } from '../../plan/plan-lines.ts';
import { plannedRows } from '../../plan/read-plan.ts';
import { type FailedFile, openFailedFile, orDiscard } from '../../run/failed-file.ts';
import { readRunHeader, runFolder } from '../../run/run-folder.ts';
import type { RunHeader } from '../../run/run-header.ts';
import { type ActiveRun, spoolPath } from '../../run/run-store.ts';
import type { Service, Session } from '../../session.ts';
import { SANDBOX } from '../../settings/settings.ts';
import { printDryRunRows } from '../dry-run.ts';
import { unsent } from '../faults.ts';
import { refuseRunPrinting } from '../printing.ts';
import { reasonProblems } from '../reason-rule.ts';
import {
  demandedApprovals,
  guardWrite,
  notConfirmed,
  refuseReadOnly,
  requirePerson,
  takesReason,
  whereText,
} from '../write-guards.ts';
import { compareTokenLife } from './confirm-many.ts';
import { type Execution, executeRun } from './execute-run.ts';
import { countApprovals } from './plan-approvals.ts';
import { PLAN_INPUT } from './run-input.ts';
import { storeOptions } from './run-options.ts';
import { writeEmptySummary } from './run-output.ts';
import { portsOf, startRun } from './run-ports.ts';
import { callOf, placeOf, runColumns } from './run-rows.ts';
import { planState } from './show-plan.ts';
import { type SurveyedPlan, surveyPlan, writePlanView } from './survey-plan.ts';

/** A plan that was read to its end, with what applying it wants to know of its rows. */
interface LoadedPlan extends SurveyedPlan {
  readonly path: string;
  /** Where its bytes were copied as they were read: a file may change meanwhile. */
  readonly copy: string;
  /** What the profile's `requireReason` has against the first row that it refuses. */
  readonly reasonProblem: string | undefined;
  /** A value that no CSV cell can hold: null, or the empty text, which is read as not given. */
  readonly hasUncellable: boolean;
}

const REASONS_AT_ONCE = 1000;

/** Copies a plan while it is verified. */
async function loadPlan(session: Session, path: string, copy: string): Promise<LoadedPlan> {
  let problem: string | undefined;
  let group: { reason: string | undefined; line: number }[] = [];
  let checked = Promise.resolve();
  const checkGroup = () => {
    const asked = group;
    group = [];
    checked = checked.then(async () => {
      const found = await reasonProblems(
        session.profile,
        asked.map(({ reason }) => reason),
      );
      const at = found.findIndex((text) => text !== undefined);
      if (at >= 0) problem ??= `line ${asked[at]?.line}: reason: ${found[at]}`;
    });
    // It is awaited once the plan is read.
    checked.catch(() => undefined);
  };
  let hasUncellable = false;
  const onRow = ({ body, line }: PlannedRow) => {
    for (const value of body?.values() ?? []) hasUncellable ||= value === null || value === '';
    if (problem !== undefined || session.profile.requireReason === undefined) return;
    group.push({ reason: textAt(body, 'reason'), line });
    if (group.length === REASONS_AT_ONCE) checkGroup();
  };
  const plan = await surveyPlan(session, path, { copyTo: copy, onRow });
  if (takesReason(plan.operation)) {
    checkGroup();
    await checked;
  }
  return { ...plan, path, copy, hasUncellable, reasonProblem: takesReason(plan.operation) ? problem : undefined };
}

/** USAGE when the profile leads elsewhere than the plan. */
function refuseOtherUrl(session: Session, { header, operation, path }: LoadedPlan): void {
  const { profile } = session;
  const url = session.baseUrl(operation.family);
  // The sandbox's URL has no port, so that a profile could have it too.
  if (url === header.url && profile.isSandbox === (header.profile === SANDBOX)) return;
  const message = `plan ${header.plan} is for ${header.url} (profile ${header.profile}), and profile ${profile.name} leads to ${url}; nothing was sent`;
  const command = `frontdesk -p ${shellQuote(header.profile)} plan apply ${shellQuote(path)}`;
  throw new Failure('USAGE', message, { hints: [`apply it with the profile that it was made with: ${command}`] });
}

function expired({ plan, expiresAt }: PlanHeader): Failure {
  return new Failure('PRECONDITION', `plan ${plan} expired at ${expiresAt}; nothing was sent`, {
    hints: ['make the plan again'],
    details: { outcome: 'not_sent' },
  });
}

/** The approvals that count; why the others do not is reported, or nobody would know what is missing. */
async function approvalsOf(session: Session, plan: LoadedPlan): Promise<readonly Approval[]> {
  const { approvals, uncounted } = await countApprovals(session, plan.path, plan.copy);
  for (const message of uncounted) {
    await session.notify(warning('NOT_COUNTED', `an approval does not count: ${message}`));
  }
  return approvals;
}

async function confirmPlan(
  session: Session,
  plan: LoadedPlan,
  status: Awaited<ReturnType<typeof planState>>,
  approvals: readonly Approval[],
  service: Service,
): Promise<void> {
  if (session.common.yes) return;
  const { header, survey } = plan;
  const rows = plural(header.rows, 'row');
  const hint = 'add --yes to apply it without a question; nothing was sent';
  requirePerson(session, `plan ${header.plan} of ${rows}`, hint);
  const { stderr } = session.context;
  await writePlanView(session, stderr, plan.path, {
    header,
    ...status,
    survey,
    approvals,
    // Why others do not count was said before.
    uncounted: [],
    demanded: demandedApprovals(session.profile),
  });
  const where = whereText(session, service);
  const question = `Apply plan ${header.plan}: ${safeText(commandWords(header.operation))} of ${rows}${where}?`;
  if (!(await session.prompt.confirm(question))) throw notConfirmed(`plan ${header.plan}`);
}

async function openFailed(
  session: Session,
  path: string | undefined,
  plan: LoadedPlan,
): Promise<FailedFile | undefined> {
  if (path === undefined) return undefined;
  const extension = extname(path).toLowerCase();
  if (plan.hasUncellable && extension !== '.ndjson' && extension !== '.jsonl' && extension !== '.json') {
    throw usageFailure(
      [{ where: '--failed', problem: 'the plan has an empty text or null, which CSV cannot tell from not given' }],
      ['give it a name that ends in .ndjson; nothing was sent'],
    );
  }
  const idParam = Object.keys(plan.operation.params.shape);
  return openFailedFile({
    path,
    inputFormat: 'ids',
    columns: [...idParam, ...plan.fields],
    csvRaw: session.output.csvRaw,
    isKept: true,
    pid: session.context.pid,
  });
}

function beginPlanRun(
  session: Session,
  { header, operation, fileSha256, copy, lastRow, path }: LoadedPlan,
  approved: readonly Approval[],
  begun: RunHeader | undefined,
  pace: PaceOptions,
): Promise<ActiveRun> {
  const plan = {
    name: planRunName(header.plan),
    operation: header.operation,
    // A plan is bound to a service; another profile that leads there goes on with the run, which keeps its name for it.
    profile: begun?.profile,
    host: placeOf(session, operation),
    inputSha256: fileSha256,
    inputFormat: PLAN_INPUT,
    spool: copy,
    rows: header.rows,
    inputRows: lastRow,
  };
  const approvedBy = approved.map(({ as, key }) => `${as} ${key}`);
  return startRun(session, plan, storeOptions({ csvRaw: session.output.csvRaw }, pace), {
    approvedBy,
    source: basename(path),
  });
}

/** The signatures that counted, beside the run's copy of the plan: a resume verifies them anew. */
async function keepSignatures(path: string, run: ActiveRun, approved: readonly Approval[], pid: number): Promise<void> {
  try {
    for (const { as } of approved) {
      const text = await readFile(signaturePath(path, as));
      await writeFileAtomic(signaturePath(run.folder.input, as), text, { pid, what: 'an approval of the run' });
    }
  } catch (error) {
    await run.close();
    throw ioFailure(`the approvals of run ${run.header.run} could not be kept`, error, 'nothing was sent');
  }
}

/** Everything up to the first request. Answers the exit code where there is nothing to send. */
async function beginPlan(session: Session, given: CallOptions, plan: LoadedPlan): Promise<Execution | number> {
  const { header, operation } = plan;
  const folder = runFolder(session.stateDir(), planRunName(header.plan));
  const begun = await readRunHeader(folder);
  refuseOtherUrl(session, plan);
  // A run may always be ended: one that was begun does not expire.
  if (begun === undefined && session.context.clock.now() >= Date.parse(header.expiresAt)) throw expired(header);
  refuseReadOnly(session);
  if (plan.reasonProblem !== undefined) {
    throw new Failure('USAGE', `${quoteGiven(plan.path)}: ${plan.reasonProblem}; nothing was sent`, {
      hints: ['make the plan again with a reason that does'],
    });
  }
  const approved = session.common.dryRun ? [] : await approvalsOf(session, plan);
  const columns = runColumns(operation);
  await refuseRunPrinting(session.output, columns);
  const { plan: name, rows } = header;
  guardWrite(session, operation, { kind: 'plan', plan: name, rows, approved: approved.length, path: plan.path });
  const rowsIn = (path: string) =>
    async function* () {
      const file = await openInput(path, session.context.stdin, '<file>');
      yield* plannedRows(file.bytes(), operation, `plan ${header.plan}`);
    };
  if (session.common.dryRun) {
    await printDryRunRows(session, rowsIn(plan.copy)(), (row) => callOf(operation, row));
    return 0;
  }
  if (header.rows === 0) {
    await session.print({ kind: 'list', document: [], rows: [], columns });
    await session.notify(note('NOTHING_TO_DO', 'nothing to do: the plan has no rows'));
    await writeEmptySummary(session);
    return 0;
  }
  const status = await planState(session, header);
  // A plan is never resent, so that nothing of an unsettled run is sent either.
  const isFinished = status.state === 'finished' || status.state === 'unsettled';
  const service = await session.service(operation.family);
  // On a terminal a plan that is done is shown again without a question: nothing is sent.
  if (!isFinished || !session.prompt.available) await confirmPlan(session, plan, status, approved, service);
  if (!isFinished) await compareTokenLife(session, service, header.rows, given.rate);
  const failedFile = await openFailed(session, given.failed, plan);
  const run = await orDiscard(failedFile, beginPlanRun(session, plan, approved, begun, given));
  await keepSignatures(plan.path, run, approved, session.context.pid);
  return {
    operation,
    service,
    rows: rowsIn(run.folder.input),
    rowCount: header.rows,
    pace: given,
    run,
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
  const copy = await spoolPath(portsOf(session));
  try {
    const begun = await unsent(loadPlan(session, path, copy).then((plan) => beginPlan(session, given, plan)));
    return typeof begun === 'number' ? begun : await executeRun(session, begun);
  } finally {
    await rm(copy, { force: true }).catch(() => undefined);
  }
}
