import { type Operation, sensitiveOf } from '../api/operation.ts';
import type { CallCommand } from '../commands/command.ts';
import { StreamFailure } from '../context.ts';
import { Failure, warning } from '../failure.ts';
import type { Answer, CallResult } from '../http/call.ts';
import { subjectOf } from '../http/facts.ts';
import { textAt } from '../json/value.ts';
import { lastValue, type RawInput } from '../options/raw-input.ts';
import { isJson } from '../output/options.ts';
import { safeText } from '../output/safe-text.ts';
import { hideMembers } from '../output/sensitive.ts';
import type { Service, Session } from '../session.ts';
import { type CardBefore, checkExpectations, confirmSingle, readCardBefore } from './confirm.ts';
import { noteUncompared, printDryRun } from './dry-run.ts';
import { GRACE_MS, type Interrupt, keepToOutcome, openInterrupt } from './interrupt.ts';
import type { SingleCall } from './read-call.ts';
import { columnsOf, viewOf } from './resource.ts';
import { createResultFile } from './result-file.ts';
import { askReason, guardWrite, refuseReadOnly, requirePerson } from './write-guards.ts';

/** Table and csv hide these by themselves, unless --show-sensitive. */
function isHiddenByOutput({ output }: Session, name: string): boolean {
  return !isJson(output.format) && output.hideSensitive.includes(name);
}

/** What ends a write that is under way, opened once its intent is on the disk. */
export type OpenInterrupt = (state: { readonly isInFlight: () => boolean }) => Interrupt;

/**
 * Sends a write between the two records of it in the history. `open` takes over what may end it: signals for a
 * command, its client for a call of an assistant.
 */
export async function recordedCall(
  session: Session,
  service: Service,
  { call, id, reason, open }: SingleCall & { readonly open?: OpenInterrupt },
): Promise<CallResult> {
  const recorder = await session.recorder();
  const entry = await recorder.begin({
    operation: call.operation.command,
    id,
    reason,
    profile: session.profile.name,
    host: service.host,
  });
  let isInFlight = false;
  const interrupt = (open ?? openSignals(session))({ isInFlight: () => isInFlight });
  try {
    const result = await service.client.call(call, {
      policy: session.policy,
      listener: {
        ...session.listener,
        onSend: () => {
          isInFlight = true;
        },
        onRetry: (retry) => {
          isInFlight = false;
          session.listener.onRetry?.(retry);
        },
      },
      stop: interrupt.stop,
      wrapUp: interrupt.wrapUp,
    });
    await recorder.end(entry, result.ending);
    return result;
  } finally {
    interrupt.release();
  }
}

/** Hears signals while a write is under way, and says on stderr what is being waited for. */
function openSignals(session: Session): OpenInterrupt {
  return ({ isInFlight }) => {
    keepToOutcome(session);
    return openInterrupt(session.context, () => {
      const message = isInFlight()
        ? `request already sent; waiting up to ${GRACE_MS / 1000} s for its answer (Ctrl-C again to stop)`
        : 'stopping';
      void session.notify(warning('INTERRUPTED', message));
    });
  };
}

/** Prints the result of a write that WAS applied; if it cannot be printed, that is what the person must hear. */
export async function printApplied(session: Session, single: SingleCall, answer: Answer, print: () => Promise<void>) {
  try {
    await print();
  } catch (error) {
    const what = subjectOf(single.call);
    // A query that does not fit the answer: nothing is wrong with the write.
    if (error instanceof Failure)
      throw appliedFailure(single, answer, `the ${what} WAS applied, but ${error.message}`, error);
    if (!(error instanceof StreamFailure)) throw error;
    const result = answer.ending.resultId === undefined ? '' : `; the id in the answer is ${answer.ending.resultId}`;
    // The reader of a pipe went away: the write still ends by its outcome.
    if (error.errno === 'EPIPE') {
      await session.notify(warning('OUTPUT_LOST', `the ${what} WAS applied, but nobody read the result${result}`));
      return;
    }
    const reason = error.errno === 'ENOSPC' ? 'no space left' : error.message;
    throw appliedFailure(
      single,
      answer,
      `the ${what} WAS applied, but stdout cannot be written: ${reason}${result}`,
      error,
    );
  }
}

/** The write is done, and its result could not be shown. */
function appliedFailure(single: SingleCall, answer: Answer, message: string, cause: unknown): Failure {
  return new Failure('LOCAL_IO', message, {
    hints: ['do not repeat it; see `frontdesk history`'],
    details: {
      outcome: answer.ending.outcome ?? 'applied',
      id: single.id,
      resultId: answer.ending.resultId,
    },
    cause,
  });
}

/** The call with what the card was before it, for comparing when its outcome is unknown. */
function withBefore(single: SingleCall, before: CardBefore, wasAsked: boolean): SingleCall {
  const status = 'card' in before ? textAt(before.card, 'status') : undefined;
  if (status === undefined) return single;
  const when = wasAsked ? 'before you confirmed' : 'before it was sent';
  return { ...single, call: { ...single.call, before: { status, when } } };
}

/** Before an answer is thrown away that can be had once: the person may still press Ctrl-C, or knows it at least. */
async function warnOfLoss(session: Session, operation: Operation, outPath: string | undefined): Promise<void> {
  const isLost = sensitiveOf(operation).some((name) => isHiddenByOutput(session, name));
  if (!isLost || outPath !== undefined) return;
  await session.notify(
    warning('SHOWN_ONCE', 'the answer is given once and hidden here: --out <file> keeps it, --show-sensitive shows it'),
  );
}

/** On a terminal, after the result: one line that says what was done. */
async function sayDone(session: Session, { call, id }: SingleCall, { ending }: Answer): Promise<void> {
  const { outcome, resultId } = ending;
  const { stderr } = session.context;
  const { effect } = call.operation;
  if (!stderr.isTerminal || session.common.quiet || effect.kind !== 'write' || session.isSitting === true) return;
  const noun = effect.resultId === 'cardId' ? 'card' : 'event';
  const isOther = resultId !== undefined && resultId.toLowerCase() !== id?.toLowerCase();
  const what = isOther ? `: the new ${noun} is ${safeText(resultId)}` : ` ${safeText(id ?? '')}`;
  const how = outcome === 'confirmed_by_read' ? ', as reading it back shows' : '';
  await stderr.write(`${effect.done}${what}${how}\n`);
}

/** One write, from the guards to the printed answer. Answers the exit code. */
export async function runWrite(
  session: Session,
  command: CallCommand,
  input: RawInput,
  single: SingleCall,
): Promise<number> {
  const { operation } = single.call;
  refuseReadOnly(session);
  let checked = await askReason(session, single);
  guardWrite(session, operation, { kind: 'one', reason: checked.reason });
  if (session.common.dryRun) {
    await noteUncompared(session, checked.expectations);
    await printDryRun(session, [checked.call]);
    return 0;
  }
  const asks = operation.effect.kind === 'write' && (operation.effect.confirm || session.isSitting === true);
  const needsAnswer = asks && !session.common.yes;
  if (needsAnswer) requirePerson(session, subjectOf(checked.call));
  const service = await session.service(operation.family);
  if (needsAnswer || checked.expectations.length > 0) {
    const card = await readCardBefore(session, checked, checked.expectations.length > 0);
    checkExpectations(checked, card);
    if (needsAnswer) checked = await confirmSingle(session, service, checked, card);
    checked = withBefore(checked, card, needsAnswer);
  }
  const outPath = lastValue(input, 'out');
  await warnOfLoss(session, operation, outPath);
  const file = outPath === undefined ? undefined : await createResultFile(outPath);
  let result: CallResult;
  try {
    result = await recordedCall(session, service, checked);
  } catch (error) {
    await file?.discard();
    throw error;
  }
  if (result.kind === 'failed') {
    await file?.discard();
    throw result.failure;
  }
  for (const notice of result.ending.notices) await session.notify(notice);
  await file?.keep(result.resource, subjectOf(checked.call));
  // With --out the secrets are in the file alone, in every format; what the renderer hides itself is not hidden twice.
  const leftToHide =
    file === undefined ? [] : sensitiveOf(operation).filter((name) => !isHiddenByOutput(session, name));
  const shown = hideMembers(result.resource, leftToHide);
  const columns = columnsOf(command, operation);
  await printApplied(session, checked, result, () =>
    session.print({ kind: 'resource', resource: shown, columns, ...viewOf(command) }),
  );
  await sayDone(session, checked, result);
  return 0;
}
