import { isWrite } from '../api/operation.ts';
import { type CallCommand, isMany } from '../commands/command.ts';
import { Failure, type Fault, usageFailure, warning } from '../failure.ts';
import { hasOption, type RawInput } from '../options/raw-input.ts';
import type { Session } from '../session.ts';
import { askMissing } from './ask-missing.ts';
import { collect, joinFailures, unsent } from './faults.ts';
import type { OpenSession } from './open-session.ts';
import { readSingleCall, type SingleCall } from './read-call.ts';
import { readResource, viewOf } from './resource.ts';

/** Options that only make sense for many rows: on a single call they would silently do nothing. */
const MANY_ONLY = [
  'from-format',
  'sheet',
  'ignore-columns',
  'expect-rows',
  'concurrency',
  'rate',
  'max-failures',
  'shard',
  'failed',
  'run',
  'changed-from',
  'empty-cells',
  'allow-duplicates',
  'reconcile',
  'resend-unknown',
];

function misplacedOptions(input: RawInput): readonly Fault[] {
  const faults: Fault[] = MANY_ONLY.filter((long) => hasOption(input, long)).map((long) => ({
    where: `--${long}`,
    problem: 'belongs to several ids or --from',
  }));
  if (hasOption(input, 'plan-expires') && !hasOption(input, 'plan')) {
    faults.push({ where: '--plan-expires', problem: 'belongs to --plan' });
  }
  return faults;
}

/** What is wrong with the common options, and with the call itself as far as it is known. */
async function refuse(session: OpenSession, command: CallCommand, input: RawInput): Promise<never> {
  const failures = [...session.faults];
  await collect(failures, async () => {
    if (isMany(command, input)) return (await import('./run/many.ts')).checkMany(session, command, input);
    const misplaced = misplacedOptions(input);
    if (misplaced.length > 0) failures.push(usageFailure(misplaced));
    await readSingleCall(session, command, input);
  });
  throw joinFailures(failures);
}

/** Runs a command that is one operation of the service: once, or over many rows. Answers the exit code. */
export async function runCall(session: OpenSession, command: CallCommand, input: RawInput): Promise<number> {
  if (session.faults.length > 0) return refuse(session, command, input);
  if (isMany(command, input)) {
    const { runMany } = await import('./run/many.ts');
    return runMany(session, command, input);
  }
  if (misplacedOptions(input).length > 0) return refuse(session, command, input);
  if (hasOption(input, 'plan')) {
    return (await import('./run/make-plan.ts')).planSingle(session, command, input);
  }
  if (!command.writes) return runSingle(session, command, input);
  return unsent(runSingle(session, command, input));
}

async function runSingle(session: Session, command: CallCommand, input: RawInput): Promise<number> {
  const complete = session.prompt.available ? await askMissing(session, command, input) : input;
  const single = await readSingleCall(session, command, complete);
  for (const message of single.warnings) await session.notify(warning('SUSPICIOUS_ID', message));
  try {
    return await perform(session, command, complete, single);
  } catch (error) {
    if (!(error instanceof Failure) || single.id === undefined) throw error;
    throw error.with({ id: error.details.id ?? single.id });
  }
}

async function perform(session: Session, command: CallCommand, input: RawInput, single: SingleCall): Promise<number> {
  if (isWrite(single.call.operation)) {
    const { runWrite } = await import('./write-call.ts');
    return runWrite(session, command, input, single);
  }
  if (single.call.operation.query !== null) {
    const { runList } = await import('./list-call.ts');
    return runList(session, command, input, single);
  }
  const resource = await readResource(session, single.call);
  await session.print({ kind: 'resource', resource, columns: command.columns, ...viewOf(command) });
  return 0;
}
