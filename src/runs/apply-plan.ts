import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Failure, usageFailure } from '../base/failure.ts';
import { ignoreErrors } from '../base/files/io-failure.ts';
import { unsent } from '../command/faults.ts';
import { refuseRunPrinting } from '../command/printing.ts';
import type { Service, Session } from '../command/session.ts';
import type { CallOptions } from '../input/options/call-options.ts';
import { quotePath } from '../input/values.ts';
import { canBeNamed, placeOfUrl } from '../profile/resolve.ts';
import { SANDBOX } from '../profile/settings.ts';
import { hasAnyRecord } from '../records/ledger.ts';
import { type RunHeader, readRunHeader, runFolder } from '../records/stored/run-folder.ts';
import { type ActiveRun, spoolPath } from '../records/stored/run-store.ts';
import { breakMessage, plural } from '../screen/text.ts';
import { targetStatus } from '../service/api/operation.ts';
import { OPERATIONS } from '../service/api/operations.ts';
import { confirmSending } from '../writes/confirm.ts';
import { notConfirmed, refuseReadOnly, requirePerson, whereText } from '../writes/write-guards.ts';
import { compareTokenLife, dangersOf } from './confirm-bulk.ts';
import { begin, executeRun, type Prepared } from './execute-run.ts';
import { sayOpenRows, sayOrRefuseSameInput } from './open-rows.ts';
import { PLAN_SHAPE, planRunName } from './plan/plan-file.ts';
import { readPlanRows } from './plan/read-plan.ts';
import { planState, readPlan, writePlanView } from './plan-review.ts';
import { runColumns } from './row-requests.ts';
import { openFailed, portsOf, type Run, startRun } from './run.ts';
import { reasonCheck, storeOptions } from './run-input.ts';

/** A plan that was read, with what applying needs to know of its rows. */
type LoadedPlan = Awaited<ReturnType<typeof loadPlan>>;

/** Copies a plan while reading it, because the file may change meanwhile. */
async function loadPlan(session: Session, path: string, copy: string) {
  let reasonProblem: string | undefined;
  let hasUncellable = false;
  const plan = await readPlan(session, path, {
    copyTo: copy,
    async onRows(rows, operation) {
      // CSV cannot hold null or the empty text, which is read as omitted.
      hasUncellable ||= rows.some(({ row }) => [...(row.body?.values() ?? [])].some((value) => (value ?? '') === ''));
      const problems = (await reasonCheck(session, operation)?.(rows)) ?? [];
      const at = problems.findIndex((problem) => problem !== undefined);
      if (at >= 0) reasonProblem ??= `line ${rows[at]?.line}: reason: ${problems[at]?.problem}`;
    },
  });
  return { ...plan, path, copy, hasUncellable, reasonProblem };
}

/** Refuses a plan that cannot be applied here and now. A plan that was begun does not expire. */
function refusePlan(session: Session, plan: LoadedPlan, isBegun: boolean): void {
  const { header, path, reasonProblem } = plan;
  const profile = session.selectedProfile();
  const url = session.baseUrl(plan.operation.family);
  // The sandbox's URL has no port, so a profile could have the same.
  if (placeOfUrl(url) !== placeOfUrl(header.url) || profile.isSandbox !== (header.profile === SANDBOX)) {
    const message = `plan ${header.plan} is for ${header.url} (profile ${header.profile}), and profile ${profile.name} leads to ${url}`;
    // The profile was changed or removed, or the environment gives another URL.
    const isThere = canBeNamed(header.profile, session.settings(), session.context.env);
    const hint =
      profile.name === header.profile || !isThere
        ? `profile ${header.profile} led to ${header.url} when the plan was made. Make the plan again for ${url}`
        : ({ do: 'apply it with the profile that it was made with', about: path, profile: header.profile } as const);
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
  throw Failure.unsent('USAGE', `${quotePath(path)}: ${reasonProblem}`, { hints });
}

async function confirmPlan(
  session: Session,
  plan: LoadedPlan,
  status: Awaited<ReturnType<typeof planState>>,
  service: Service,
): Promise<void> {
  if (session.common.yes) return;
  const { header, operation, copy, survey, path } = plan;
  const { stderr } = session.context;
  const rows = plural(header.rows, 'row');
  requirePerson(session, `apply plan ${header.plan} (${rows})`, 'add --yes to apply it without a prompt');
  await sayOpenRows(session, operation, readPlanRows(copy));
  await writePlanView(session, stderr, path, { header, ...status, survey });
  const already = survey.kinds.get(targetStatus(operation) ?? '') ?? 0;
  const dangers = dangersOf(operation, { already, count: header.rows, isPlan: true }, session.output);
  const lines = dangers.flatMap((line) => breakMessage(line, stderr.columns));
  if (lines.length > 0) await stderr.write(`\n${lines.join('\n')}\n`);
  const what = `${operation.verb} ${plural(header.rows, operation.object)}${whereText(session, service)}`;
  const question = `Apply plan ${header.plan}: ${what}?`;
  if (!(await confirmSending(session, question))) throw notConfirmed(`apply plan ${header.plan}`);
}

/** USAGE if the file of `--failed` could not hold what the plan has. */
function refuseFailedName(path: string | undefined, { hasUncellable }: LoadedPlan): void {
  if (path === undefined || !hasUncellable || /[^/\\]\.(?:ndjson|jsonl|json)$/i.test(path)) return;
  throw usageFailure(
    [{ where: '--failed', problem: 'the plan has an empty text or null, which CSV cannot tell from not given' }],
    ['give it a name that ends in .ndjson'],
  );
}

/** Keeps the plan as a run: a resume verifies it anew. */
function keepPlan(
  session: Session,
  { header, operation, sha256, rowsSha256, copy, columns, lastRow, path }: LoadedPlan,
  begun: RunHeader | undefined,
  options: CallOptions,
): Promise<ActiveRun> {
  return startRun(session, {
    name: planRunName(header.plan),
    operation: header.operation,
    // A plan belongs to a service. Another profile for it resumes the run, which keeps its own profile name.
    profile: begun?.profile,
    host: session.placeOf(operation.family),
    inputSha256: sha256,
    rowsSha256,
    inputFormat: 'plan',
    spool: copy,
    stored: { sha256, shape: PLAN_SHAPE, columns: [...columns] },
    rows: header.rows,
    inputRows: lastRow,
    options: {
      ...storeOptions({ csvRaw: session.output.csvRaw }, options),
      source: basename(path),
    },
  });
}

/**
 * Refuses (17) events off a terminal in a state folder without any record: a job that lost the folder of its earlier
 * attempt would create all of them again.
 */
async function refuseUnknownPast({ prompt, stateDir }: Session, { header, operation }: LoadedPlan): Promise<void> {
  if (operation !== OPERATIONS.eventCreate || prompt.available || (await hasAnyRecord(stateDir()))) return;
  const problem = `the state folder ${stateDir()} has no record of any change, so an earlier attempt would not be known`;
  throw Failure.unsent('PRECONDITION', `could not apply plan ${header.plan}: ${problem}`, {
    hints: ['keep the state folder of the earlier attempt (FRONTDESK_STATE_DIR), or add --again if there was none'],
    details: { outcome: 'not_sent' },
  });
}

async function prepare(session: Session, options: CallOptions, plan: LoadedPlan): Promise<Prepared> {
  const { header, operation } = plan;
  const folder = runFolder(session.stateDir(), planRunName(header.plan));
  const begun = await readRunHeader(folder);
  if (begun !== undefined && begun.inputSha256 !== plan.sha256) {
    const message = `run ${begun.run} applied another plan, whose hash begins with the same ${header.plan}`;
    throw Failure.unsent('USAGE', message, { hints: ['make the plan again'] });
  }
  refusePlan(session, plan, begun !== undefined);
  const columns = runColumns(operation);
  await refuseRunPrinting(session.output, columns);
  const isAgain = options.again === true;
  const run: Run = {
    operation,
    rows: () => readPlanRows(plan.copy),
    rowCount: header.rows,
    pace: options,
    again: isAgain,
    columns,
    left: { source: basename(plan.path) },
  };
  return {
    run,
    scope: { kind: 'plan' },
    nothing: 'the plan has no rows',
    async ask(service) {
      const status = await planState(session, plan);
      // A plan is never resent, so nothing is sent for an unsettled run either.
      const isFinished = status.state === 'finished' || status.state === 'unsettled';
      if (begun === undefined) {
        const { rowsSha256 } = plan;
        await sayOrRefuseSameInput(session, { operation, rowsSha256, shard: null, name: undefined, isAgain });
        if (!isAgain) await refuseUnknownPast(session, plan);
      }
      // In a terminal, a finished plan is shown again without a question: nothing is sent.
      if (!isFinished || !session.prompt.available) await confirmPlan(session, plan, status, service);
      // It may have expired while the question stood.
      if (!isFinished) refusePlan(session, plan, begun !== undefined);
      if (!isFinished) await compareTokenLife(session, service, header.rows, options.rate);
      return undefined;
    },
    openFailed() {
      const { failed } = options;
      refuseFailedName(failed, plan);
      const { csvRaw } = session.output;
      const rows = { inputFormat: 'plan', columns: plan.columns, shape: PLAN_SHAPE, csvRaw, isStored: true };
      return openFailed(session, failed, rows);
    },
    keep: () => keepPlan(session, plan, begun, options),
  };
}

/** `plan apply`: sends exactly the rows of a plan as a run of its name, or resumes that run. Returns the exit code. */
export async function applyPlan(session: Session, options: CallOptions, path: string): Promise<number> {
  const copy = await spoolPath(portsOf(session));
  // Gone once the plan was kept as a run.
  const drop = () => ignoreErrors(rm(copy, { force: true }));
  const forget = session.dropAtSignal(drop);
  const prepared = async () => prepare(session, options, await loadPlan(session, path, copy));
  try {
    const begun = await unsent(prepared().then((plan) => begin(session, plan)));
    return typeof begun === 'number' ? begun : await executeRun(session, begun);
  } finally {
    forget();
    await drop();
  }
}
