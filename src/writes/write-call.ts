import { StreamFailure, signalWords } from '../base/context.ts';
import { CANCELLED_EXIT_CODES, Failure, note, warning } from '../base/failure.ts';
import { hintText } from '../base/next-step.ts';
import type { CallCommand, CallValues } from '../command/command.ts';
import type { Printer, Session } from '../command/session.ts';
import { peopleTime } from '../screen/people-text.ts';
import { sentenceCase } from '../screen/text.ts';
import { givesSecrets, nounOf } from '../service/api/operation.ts';
import type { Answer } from '../service/http/call.ts';
import { subjectOf } from '../service/http/facts.ts';
import { hideMembers } from '../service/http/mask.ts';
import { type Attempted, type AttemptPorts, attempt, type Facts } from './attempt.ts';
import { appliedFailure, singlePorts } from './deliver.ts';
import { heldFailure, skipText, type Write } from './judge.ts';
import { recordStep, sayOpen } from './open-guard.ts';
import type { SingleCall } from './read-call.ts';
import { answerColumns, requireAnswer, viewOf } from './resource.ts';
import { askReason, guardWrite, notConfirmed, refuseReadOnly, requirePerson, whereText } from './write-guards.ts';

/** Prints the result of a change that WAS applied. If that fails, the message must say so. */
export async function printApplied(session: Printer, write: Write, answer: Answer, print: () => Promise<void>) {
  try {
    await print();
  } catch (error) {
    const attempted = subjectOf(write.call);
    const { outcome, resultId } = answer.callOutcome;
    const details = { outcome: outcome ?? 'applied', id: write.id, resultId };
    if (!(error instanceof StreamFailure)) throw error;
    // The reader of a pipe went away: the change still ends by its outcome.
    const isGone = error.errno === 'EPIPE';
    const problem = isGone
      ? 'the reader of the result was gone'
      : `its result could not be written to stdout: ${error.reason}`;
    const also = resultId === undefined ? [] : [{ kind: 'result', id: resultId } as const];
    const failure = appliedFailure(attempted, problem, { details, also, cause: error });
    if (!isGone) throw failure;
    return session.notify(warning('OUTPUT_LOST', failure.message));
  }
}

/** In a terminal, the last lines say how a change ended. */
async function sayDone(session: Session, write: Write, answer: Answer): Promise<void> {
  const { stderr } = session.context;
  const isSilent = !stderr.isTerminal || session.common.quiet || session.caller === 'desk';
  if (!isSilent) await stderr.write((await import('./done.ts')).doneText(session, write, answer, stderr.columns));
}

/** Does a short answer suffice, because the question showed the card on this terminal? */
function isShownAlready({ context, output }: Session, { call }: Write): boolean {
  const isPage = output.format === 'table' && output.columns === undefined && output.query === undefined;
  return isPage && context.stdout.isTerminal && call.operation.family === 'cards';
}

/** CANCELLED for a change that was applied after a signal had come: only an end by the signal stops a loop of the shell. */
function endIfSignalled({ context, caller }: Session, { call, id }: Write, { callOutcome }: Answer): void {
  const [signal] = context.signals.received;
  if (signal === undefined || caller === 'desk') return;
  const { outcome, resultId } = callOutcome;
  throw new Failure('CANCELLED', `${subjectOf(call)}: this change WAS applied (${signalWords(signal)} came too late)`, {
    details: { outcome: outcome ?? 'applied', id, resultId },
    exitCode: CANCELLED_EXIT_CODES[signal],
  });
}

/** Asks on a terminal where secrets go, below the card, and whether to have them made. */
async function confirmSecrets(session: Session, { write, reading, open }: Facts, place: () => Promise<void>) {
  const { dangerText, describeBefore, secondOf } = await import('./confirm.ts');
  const { stderr } = session.context;
  const { call } = write;
  await sayOpen(session, open);
  if (reading !== undefined) await stderr.write(await describeBefore(session, reading));
  await place();
  await stderr.write(dangerText(session, secondOf(call.operation, open)));
  const service = await session.service(call.operation.family);
  return session.prompt.confirm(`${sentenceCase(subjectOf(call))}${whereText(session, service)}?`);
}

/** Who decides about a single change; undefined: it was decided by `--yes`, or asks nobody. */
function decisionOf(
  session: Session,
  { call }: Write,
  placeSecrets: (() => Promise<void>) | undefined,
): AttemptPorts<Failure>['decide'] {
  const { effect } = call.operation;
  if (effect.kind !== 'write' || session.common.yes) return undefined;
  const no = { no: notConfirmed(subjectOf(call)) };
  const load = () => import('./confirm.ts');
  if (effect.confirm || session.caller === 'desk') {
    requirePerson(session, subjectOf(call));
    return {
      seesCard: true,
      async ask({ write, reading, open }) {
        if (reading === undefined) throw new Error('a question without a look at the card');
        const yes = await (await load()).confirmSingle(session, { write, reading, open });
        return yes === undefined ? no : { yes };
      },
    };
  }
  if (!session.prompt.available) return undefined;
  if (placeSecrets !== undefined) {
    return {
      seesCard: true,
      ask: async (facts) => ((await confirmSecrets(session, facts, placeSecrets)) ? { yes: facts.write } : no),
    };
  }
  if (effect.asksOnTerminal !== true) return undefined;
  return {
    seesCard: false,
    async ask(facts) {
      await sayOpen(session, facts.open);
      return (await (await load()).confirmMade(session, facts)) ? { yes: facts.write } : no;
    },
  };
}

/** How a single change ended, for its caller: the answer, or the failure. */
export async function answerOf(session: Printer, attempted: Attempted<Failure>): Promise<Answer> {
  if (attempted.kind === 'ended') return requireAnswer(session, attempted.result);
  if (attempted.kind === 'no') throw attempted.no;
  if (attempted.kind === 'held') throw heldFailure(attempted.write, attempted.held);
  throw new Error('not asked for');
}

/** One change, from the guards to the printed response. Returns the exit code. */
export async function runWrite(session: Session, command: CallCommand, { options }: CallValues, single: SingleCall) {
  const { operation } = single.call;
  refuseReadOnly(session);
  const wanted = await askReason(session, single);
  guardWrite(session, operation, { kind: 'one', reason: wanted.reason });
  if (session.common.dryRun) {
    const { noteUncompared, printDryRun } = await import('./dry-run.ts');
    await noteUncompared(session, wanted);
    await printDryRun(session, [wanted.call]);
    return 0;
  }
  const columns = answerColumns(command, operation);
  const print = ({ resource }: Answer, hidden: readonly string[] = []) =>
    session.print({ kind: 'resource', resource: hideMembers(resource, hidden), columns, ...viewOf(command) });
  const secret = givesSecrets(operation)
    ? (await import('./secret-answer.ts')).secretDelivery(session, wanted, options.out, print)
    : undefined;
  const decide = decisionOf(session, wanted, secret?.place);
  if (decide === undefined) await secret?.place();
  const attempted = await attempt(wanted, { ...singlePorts(session), decide, ...secret });
  if (attempted.kind === 'skipped') {
    await session.print({ kind: 'resource', resource: attempted.card, columns, ...viewOf(command) });
    await session.notify(note('SKIPPED', `Not sent: ${skipText(attempted.write, attempted.card)}`));
    return 0;
  }
  const answer = await answerOf(session, attempted);
  const write = attempted.kind === 'ended' ? attempted.write : wanted;
  const isShort = decide?.seesCard === true && session.caller !== 'desk' && isShownAlready(session, write);
  if (isShort && secret === undefined) {
    const { doneText } = await import('./done.ts');
    const { stdout } = session.context;
    await printApplied(session, write, answer, () => stdout.write(doneText(session, write, answer, stdout.columns)));
  } else {
    if (secret === undefined) await printApplied(session, write, answer, () => print(answer));
    await sayDone(session, write, answer);
  }
  if (attempted.kind === 'ended') {
    for (const { entry, time } of attempted.open.repeated) {
      const step = sentenceCase(hintText(recordStep(session, wanted.call.operation, entry)));
      const first = `the first ${nounOf(wanted.call.operation)}, of ${peopleTime(time)}, is still open`;
      await session.notify(warning('STILL_OPEN', `${first}. ${step}`));
    }
  }
  endIfSignalled(session, write, answer);
  return 0;
}
