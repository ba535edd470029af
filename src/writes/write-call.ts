import { StreamFailure, signalWords } from '../base/context.ts';
import { CANCELLED_EXIT_CODES, Failure, note, warning } from '../base/failure.ts';
import { outside } from '../base/json/outside-text.ts';
import type { CallCommand, CallValues } from '../command/command.ts';
import type { Printer, Session } from '../command/session.ts';
import { givesSecrets, isOnceOnly, type Operation } from '../service/api/operation.ts';
import type { Answer } from '../service/http/call.ts';
import { subjectOf } from '../service/http/facts.ts';
import { hideMembers } from '../service/http/mask.ts';
import { type AttemptPorts, attempt, type Facts } from './attempt.ts';
import type { Question } from './confirm.ts';
import { appliedFailure, singlePorts } from './deliver.ts';
import { heldFailure, skipText, type Write } from './judge.ts';
import { NOTHING, stillOpen } from './open-guard.ts';
import type { SingleCall } from './read-call.ts';
import { answerColumns, requireAnswer, viewOf } from './resource.ts';
import { askReason, guardWrite, notConfirmed, refuseReadOnly, requirePerson } from './write-guards.ts';

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
function isShownAlready(session: Session, { call }: Write): boolean {
  return session.isPage() && session.caller !== 'desk' && call.operation.family === 'cards';
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

/** What a change has to ask. */
function questionOf(session: Session, operation: Operation): Question {
  const { effect } = operation;
  if (effect.kind !== 'write' || session.common.yes) return 'none';
  if (effect.confirm || session.caller === 'desk') return 'card';
  if (!session.prompt.available) return 'none';
  if (givesSecrets(operation)) return 'secrets';
  return effect.asksOnTerminal === true ? 'fields' : 'none';
}

/** The question as the port of `attempt`. */
function decisionOf(session: Session, { call }: Write, question: Question, placeSecrets = async () => {}) {
  if (question === 'none') return undefined;
  if (question === 'card') requirePerson(session, subjectOf(call));
  return {
    seesCard: question !== 'fields',
    async ask(facts: Facts) {
      const { confirmWrite } = await import('./confirm.ts');
      const yes = await confirmWrite(session, question, facts, placeSecrets);
      return yes === undefined ? { no: notConfirmed(subjectOf(call)) } : { yes };
    },
  };
}

/** The way of a single change. Throws what failed, once the user knows which earlier ones of the same are open. */
export async function attemptOne<No>(session: Session, wanted: Write, ports: AttemptPorts<No>) {
  let before = NOTHING;
  const open = async (write: Write) => {
    before = (await ports.open?.(write)) ?? NOTHING;
    return before;
  };
  try {
    const attempted = await attempt(wanted, { ...ports, open });
    if (attempted.kind === 'held') {
      // It names what is open.
      if (attempted.held.why === 'repeats') before = NOTHING;
      throw heldFailure(attempted.write, attempted.held);
    }
    if (attempted.kind !== 'ended') return attempted;
    if (attempted.result.kind === 'failed') throw attempted.result.failure;
    return { ...attempted, result: attempted.result };
  } catch (error) {
    // The desk shows them above its menu.
    if (session.caller === 'desk' || !(error instanceof Failure)) throw error;
    const earlier = stillOpen(session, wanted.call.operation, before);
    for (const notice of earlier) await session.notify(notice);
    // A second one would be no repeat: what is open is resolved first.
    const isSecond = earlier.length > 0 && isOnceOnly(wanted.call.operation);
    const hints = error.hints.filter((hint) => !isSecond || typeof hint === 'string' || hint.do !== 'repeat');
    throw error.beside(earlier).but({ hints });
  }
}

type AttemptedOne = Awaited<ReturnType<typeof attemptOne<Failure>>>;

/** A single change that was answered, and its answer after reporting its notices; throws the failure of any other. */
export async function requireEnd(session: Printer, attempted: AttemptedOne) {
  if (attempted.kind === 'no') throw attempted.no;
  if (attempted.kind === 'skipped') throw new Error('not asked for');
  return { ...attempted, answer: await requireAnswer(session, attempted.result) };
}

/** Says the ID of what was made where no record keeps it and only a part of the response was printed. */
async function sayNewId(
  { keepsHistory, output, notify }: Session,
  { callOutcome: { resultId } }: Answer,
): Promise<void> {
  const isPart = output.columns !== undefined || output.query !== undefined;
  if (keepsHistory || !isPart || resultId === undefined) return;
  await notify(warning('NEW_ID', `The ID in the response is ${outside(resultId)}, and no record keeps it`));
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
  const view = { columns: answerColumns(command, operation), ...viewOf(command) };
  const print = ({ resource }: Answer, hidden: readonly string[] = []) =>
    session.print({ kind: 'resource', resource: hideMembers(resource, hidden), ...view });
  const secret = givesSecrets(operation)
    ? (await import('./secret-answer.ts')).secretDelivery(session, wanted, options.out, print)
    : undefined;
  const question = questionOf(session, operation);
  const decide = decisionOf(session, wanted, question, secret?.place);
  if (decide === undefined) await secret?.place();
  const attempted = await attemptOne(session, wanted, { ...singlePorts(session), decide, ...secret });
  if (attempted.kind === 'skipped') {
    await session.print({ kind: 'resource', resource: attempted.card, ...view });
    await session.notify(note('SKIPPED', `Not sent: ${skipText(attempted.write, attempted.card)}`));
    return 0;
  }
  const { write, answer, open } = await requireEnd(session, attempted);
  if (question === 'card' && isShownAlready(session, write)) {
    const { doneText } = await import('./done.ts');
    const { stdout } = session.context;
    await printApplied(session, write, answer, () => stdout.write(doneText(session, write, answer, stdout.columns)));
  } else {
    // What is given once is printed with its record.
    if (secret === undefined) await printApplied(session, write, answer, () => print(answer));
    await sayDone(session, write, answer);
  }
  await sayNewId(session, answer);
  if (isOnceOnly(operation)) for (const notice of stillOpen(session, operation, open)) await session.notify(notice);
  endIfSignalled(session, write, answer);
  return 0;
}
