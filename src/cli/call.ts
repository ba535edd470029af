import { collect, Failure, type Fault, usageFailure } from '../base/failure.ts';
import { type CallCommand, type CallValues, isBulk } from '../command/command.ts';
import { joinFailures, refuseOtherCount, unsent } from '../command/faults.ts';
import type { Session } from '../command/session.ts';
import { BULK_ONLY_OPTIONS } from '../input/options/call-options.ts';
import { isWrite } from '../service/api/operation.ts';
import { OPERATIONS } from '../service/api/operations.ts';
import { readSingleCall, type SingleCall } from '../writes/read-call.ts';
import { readResource, viewOf } from '../writes/resource.ts';

function misplacedOptions({ typed, faults }: CallValues): readonly Fault[] {
  // One ID is an input of one row.
  const misplaced = BULK_ONLY_OPTIONS.filter(({ long }) => long !== 'expect-rows' && typed.has(long));
  return misplaced
    .map(({ long }) => ({ where: `--${long}`, problem: 'needs several IDs or --from' }))
    .filter(({ where }) => !faults.some((fault) => fault.where === where));
}

/** Without the name of the input, which has a fault, nothing else of the call can be judged. */
function isInputUnnamed({ typed, options }: CallValues): boolean {
  return typed.has('from') && options.from === undefined;
}

/** Reports what is wrong with the common options, and with the call itself as far as it is known. */
async function refuse(session: Session, command: CallCommand, values: CallValues): Promise<never> {
  const failures = [...session.faults];
  if (isInputUnnamed(values))
    throw joinFailures([...failures, ...(values.faults.length > 0 ? [usageFailure(values.faults)] : [])]);
  await collect(failures, async () => {
    if (isBulk(command, values)) return (await import('../runs/bulk.ts')).checkBulk(session, command, values);
    const misplaced = misplacedOptions(values);
    if (misplaced.length > 0) failures.push(usageFailure(misplaced));
    await readSingleCall(session, command, values);
  });
  throw joinFailures(failures);
}

/** Runs a command that is one operation of the service, once or over many rows. Returns the exit code. */
export async function runCall(session: Session, command: CallCommand, values: CallValues): Promise<number> {
  if (session.faults.length > 0 || isInputUnnamed(values)) return refuse(session, command, values);
  if (isBulk(command, values)) {
    const { runBulk } = await import('../runs/bulk.ts');
    return runBulk(session, command, values);
  }
  if (misplacedOptions(values).length > 0) return refuse(session, command, values);
  if (values.typed.has('plan')) {
    return (await import('../runs/make-plan.ts')).planSingle(session, command, values);
  }
  if (!command.writes) return runSingle(session, command, values);
  return unsent(runSingle(session, command, values));
}

async function runSingle(session: Session, command: CallCommand, values: CallValues): Promise<number> {
  const complete = session.prompt.available
    ? await (await import('../writes/ask/ask-missing.ts')).askMissing(session, command, values)
    : values;
  const single = await readSingleCall(session, command, complete);
  refuseOtherCount(values.options.expectRows, 1);
  for (const each of single.warnings) await session.notify(each);
  try {
    return await perform(session, command, values, single);
  } catch (error) {
    if (!(error instanceof Failure) || single.id === undefined) throw error;
    throw error.with({ id: error.details.id ?? single.id });
  }
}

async function perform(
  session: Session,
  command: CallCommand,
  values: CallValues,
  single: SingleCall,
): Promise<number> {
  if (isWrite(single.call.operation)) {
    const { runWrite } = await import('../writes/write-call.ts');
    return runWrite(session, command, values, single);
  }
  if (single.call.operation.query !== null) {
    const { runList } = await import('../writes/list-call.ts');
    return runList(session, command, values, single);
  }
  const resource = await readResource(session, single.call);
  let beside = 0;
  if (session.isForPeople() && command.operation === OPERATIONS.cardGet) {
    const { openBefore, sayOpen } = await import('../writes/open-guard.ts');
    const before = await openBefore(session, single.call);
    beside = await sayOpen(session, before, true);
    if (before.open.length > 0) session.nameNoCommands();
  }
  await session.print({ kind: 'resource', resource, columns: command.columns, beside, ...viewOf(command) });
  return 0;
}
