import { isWrite } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { askMissing } from '../ask/ask-missing.ts';
import { readSingleCall, type SingleCall } from '../call/read-call.ts';
import { readResource, viewOf } from '../call/resource.ts';
import { type CallCommand, type CallGiven, isBulk } from '../command/command.ts';
import { joinFailures, refuseOtherCount, unsent } from '../command/faults.ts';
import { Failure, type Fault, usageFailure } from '../failure.ts';
import { BULK_ONLY_OPTIONS } from '../options/call-options.ts';
import { collect } from '../output/collect.ts';
import type { Session } from '../session.ts';

function misplacedOptions({ typed, faults }: CallGiven): readonly Fault[] {
  // One ID is an input of one row.
  const misplaced = BULK_ONLY_OPTIONS.filter(({ long }) => long !== 'expect-rows' && typed.has(long));
  return misplaced
    .map(({ long }) => ({ where: `--${long}`, problem: 'belongs to several ids or --from' }))
    .filter(({ where }) => !faults.some((fault) => fault.where === where));
}

/** Reports what is wrong with the common options, and with the call itself as far as it is known. */
async function refuse(session: Session, command: CallCommand, given: CallGiven): Promise<never> {
  const failures = [...session.faults];
  await collect(failures, async () => {
    if (isBulk(command, given)) return (await import('../bulk/bulk.ts')).checkBulk(session, command, given);
    const misplaced = misplacedOptions(given);
    if (misplaced.length > 0) failures.push(usageFailure(misplaced));
    await readSingleCall(session, command, given);
  });
  throw joinFailures(failures);
}

/** Runs a command that is one operation of the service, once or over many rows. Returns the exit code. */
export async function runCall(session: Session, command: CallCommand, given: CallGiven): Promise<number> {
  if (session.faults.length > 0) return refuse(session, command, given);
  if (isBulk(command, given)) {
    const { runBulk } = await import('../bulk/bulk.ts');
    return runBulk(session, command, given);
  }
  if (misplacedOptions(given).length > 0) return refuse(session, command, given);
  if (given.typed.has('plan')) {
    return (await import('../bulk/make-plan.ts')).planSingle(session, command, given);
  }
  if (!command.writes) return runSingle(session, command, given);
  return unsent(runSingle(session, command, given));
}

async function runSingle(session: Session, command: CallCommand, given: CallGiven): Promise<number> {
  const complete = session.prompt.available ? await askMissing(session, command, given) : given;
  const single = await readSingleCall(session, command, complete);
  refuseOtherCount(given.options.expectRows, 1);
  for (const each of single.warnings) await session.notify(each);
  try {
    return await perform(session, command, given, single);
  } catch (error) {
    if (!(error instanceof Failure) || single.id === undefined) throw error;
    throw error.with({ id: error.details.id ?? single.id });
  }
}

async function perform(session: Session, command: CallCommand, given: CallGiven, single: SingleCall): Promise<number> {
  if (isWrite(single.call.operation)) {
    const { runWrite } = await import('../call/write-call.ts');
    return runWrite(session, command, given, single);
  }
  if (single.call.operation.query !== null) {
    const { runList } = await import('../call/list-call.ts');
    return runList(session, command, given, single);
  }
  const resource = await readResource(session, single.call);
  if (session.isForPeople && command.operation === OPERATIONS.cardGet) {
    const { openBefore, sayOpen } = await import('../call/open-guard.ts');
    const before = await openBefore(session, single.call);
    await sayOpen(session, before);
    if (before.open.length > 0) session.nameNoCommands();
  }
  await session.print({ kind: 'resource', resource, columns: command.columns, ...viewOf(command) });
  return 0;
}
