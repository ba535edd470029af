import { type Operation, sensitiveOf } from '../api/operation.ts';
import { outcomeOfFailure, referenceAt, statusAt } from '../call-outcome.ts';
import type { CallCommand, CallGiven } from '../command/command.ts';
import { GRACE_MS, StreamFailure } from '../context.ts';
import { cancelledExitCode, Failure, warning, withSentence } from '../failure.ts';
import type { WriteIntent } from '../history/record.ts';
import type { Answer, CallResult } from '../http/call.ts';
import { subjectOf } from '../http/facts.ts';
import { hideMembers } from '../http/mask.ts';
import { isJson } from '../output/options.ts';
import { safeText, sentenceCase } from '../output/text.ts';
import type { Printer, Service, Session } from '../session.ts';
import {
  type CardBefore,
  checkExpectations,
  confirmMade,
  confirmSingle,
  describeBefore,
  readCardBefore,
  recheckCard,
} from './confirm.ts';
import { noteUncompared, printDryRun } from './dry-run.ts';
import { dropReadersLater, type Interrupt, keepToOutcome, openInterrupt } from './interrupt.ts';
import { closeSuperseded, digesterOf, fieldsOf, openBefore, openText, refuseOpen, sayOpen } from './open-guard.ts';
import type { SingleCall } from './read-call.ts';
import { answerColumns, takeAnswer, viewOf } from './resource.ts';
import {
  answeredFailure,
  givesSecrets,
  openSecretAnswer,
  placeOfSecrets,
  refuseNullDevice,
  type SecretAnswer,
} from './secret-answer.ts';
import { askReason, guardWrite, notConfirmed, refuseReadOnly, requirePerson, whereText } from './write-guards.ts';

/** Sends a change between its two records in the history. `open` takes over what may end it: signals, or a client. */
export async function recordedCall(
  session: Session,
  service: Service,
  single: SingleCall & { readonly open?: () => Interrupt; readonly secret?: SecretAnswer },
): Promise<CallResult> {
  const { call, open, secret } = single;
  const recorder = await session.recorder();
  const begunMs = session.context.clock.now();
  const intent = await intentOf(session, service, single);
  let isInFlight = false;
  let isUnknown = false;
  // Before its beginning is recorded: a signal may not leave a record without an end.
  const interrupt = open?.() ?? openSignals(session, { isInFlight: () => isInFlight, isUnknown: () => isUnknown });
  const send = async (): Promise<CallResult> => {
    const entry = await untilAbort(recorder.begin(intent), interrupt.abort, subjectOf(call));
    const result = await service.client.call(call, {
      policy: session.policy,
      listener: {
        ...session.listener,
        ...(secret === undefined ? {} : { onSuccess: secret.onSuccess }),
        onSend: () => {
          isInFlight = true;
        },
        onRetry: (retry) => {
          isInFlight = false;
          session.listener.onRetry?.(retry);
        },
      },
      abort: interrupt.abort,
      stopping: interrupt.stopping,
      keepsLongError: session.caller !== 'mcp',
    });
    isInFlight = false;
    isUnknown = result.callOutcome.outcome === 'unknown';
    // First, whatever comes of it: a response that is given once still needs its place.
    const [recorded] = await Promise.allSettled([recorder.end(entry, result.callOutcome)]);
    reportEnd(recorded, await secret?.take(result), result);
    if (result.kind === 'answered') await closeSuperseded(session, { ...call, entry, begunMs });
    return result;
  };
  try {
    return await session.underWay(send(), ({ callOutcome }) => callOutcome.outcome === 'unknown');
  } finally {
    interrupt.release();
  }
}

/** Waits for the record of a beginning, but no longer than a signal allows: CANCELLED on a disk that does not respond. */
function untilAbort(beginning: Promise<string>, abort: AbortSignal, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    beginning.then(resolve, reject);
    abort.addEventListener('abort', () => {
      const details = { outcome: 'not_sent' } as const;
      reject(Failure.unsent('CANCELLED', `cancelled: ${what}`, { details, exitCode: cancelledExitCode(abort.reason) }));
    });
  });
}

/** Throws the failure of the record of a change's end, or of the place of its response. */
function reportEnd(
  recorded: PromiseSettledResult<void>,
  taken: Awaited<ReturnType<SecretAnswer['take']>> | undefined,
  result: CallResult,
): void {
  const { where = '', failure } = taken ?? {};
  if (recorded.status === 'fulfilled') {
    if (failure !== undefined) throw failure;
    return;
  }
  const error: unknown = recorded.reason;
  if (!(error instanceof Failure)) throw error;
  // An unknown outcome counts more than a record that could not be written: scripts look for 8.
  if (result.kind === 'failed' && result.callOutcome.outcome === 'unknown') {
    const { message, hints, details: known } = failure ?? result.failure;
    const lost = `${message.replace(/\.$/, '')}. The end of its record could not be written: ${error.message}`;
    const details = { ...result.failure.details, ...known };
    throw new Failure('OUTCOME_UNKNOWN', lost, { hints, details, cause: error });
  }
  if (where === '') throw error;
  const { hints, details, cause } = error;
  throw new Failure(error.code, withSentence(error.message, where), { hints, details, cause });
}

/** Hears signals during a change, and says on stderr what it waits for. */
function openSignals(
  session: Session,
  { isInFlight, isUnknown }: Readonly<Record<'isInFlight' | 'isUnknown', () => boolean>>,
): Interrupt {
  // The desk continues after a change, and handles signals itself.
  if (session.caller !== 'desk') keepToOutcome(session, isUnknown);
  return openInterrupt(session.context, () => {
    const message = isInFlight()
      ? `the request was already sent. Waiting up to ${GRACE_MS / 1000} s for the response (Ctrl-C again to stop)`
      : 'stopping';
    void session.notify(warning('INTERRUPTED', message));
    if (session.caller !== 'desk') void dropReadersLater(session.context);
  });
}

/** Prints the result of a change that WAS applied. If that fails, the message must say so. */
export async function printApplied(session: Printer, single: SingleCall, answer: Answer, print: () => Promise<void>) {
  try {
    await print();
  } catch (error) {
    const applied = `${subjectOf(single.call)}: this change WAS applied, but`;
    const { outcome, resultId } = answer.callOutcome;
    const details = { outcome: outcome ?? 'applied', id: single.id, resultId };
    // The query does not fit the response. The change was applied.
    if (error instanceof Failure) throw answeredFailure(`${applied} ${error.message}`, details, error);
    if (!(error instanceof StreamFailure)) throw error;
    const result = resultId === undefined ? '' : `. The ID in the response is ${resultId}`;
    // The reader of a pipe went away: the change still ends by its outcome.
    if (error.errno === 'EPIPE') {
      return session.notify(warning('OUTPUT_LOST', `${applied} the reader of the result was gone${result}`));
    }
    const lost = `its result could not be written to stdout: ${error.reason}${result}`;
    throw answeredFailure(`${applied} ${lost}`, details, error);
  }
}

/** The call with the card before it, for comparison if the outcome is unknown. */
function withBefore(single: SingleCall, before: CardBefore, wasAsked: boolean): SingleCall {
  const seen = seenIn(before);
  if (seen?.status === undefined) return single;
  const when = wasAsked ? 'before you confirmed' : 'before it was sent';
  return { ...single, seen, call: { ...single.call, before: { status: seen.status, when } } };
}

/** In a terminal, one line after the result says what was done. */
async function sayDone(session: Session, { call, id }: SingleCall, { callOutcome }: Answer): Promise<void> {
  const { outcome, resultId } = callOutcome;
  const { stderr } = session.context;
  const { effect } = call.operation;
  if (!stderr.isTerminal || session.common.quiet || effect.kind !== 'write' || session.caller === 'desk') return;
  const isOther = resultId !== undefined && resultId.toLowerCase() !== id?.toLowerCase();
  const what = isOther ? `: the new ${call.operation.object} is ${safeText(resultId)}` : ` ${safeText(id ?? '')}`;
  const how = outcome === 'confirmed_by_read' ? ' (confirmed by checking the card)' : '';
  await stderr.write(`${effect.done}${what}${how}\n`);
}

/** Shows the card before secrets are asked for. */
async function showCard(session: Session, { call }: SingleCall): Promise<CardBefore> {
  const card = await readCardBefore(session, call, false);
  await session.context.stderr.write(await describeBefore(session, card));
  return card;
}

async function confirmSending(session: Session, service: Service, { call }: SingleCall): Promise<void> {
  const subject = subjectOf(call);
  const isYes = await session.prompt.confirm(`${sentenceCase(subject)}${whereText(session, service)}?`);
  if (!isYes) throw notConfirmed(subject);
}

/** Compares a confirmed change with the card as it is now, and returns it. If it is not sent, the history says so. */
export async function stillAsShown(session: Session, service: Service, single: SingleCall, shown: CardBefore) {
  const seen = seenIn(shown);
  try {
    await recheckCard(session, single, shown);
    return { ...single, seen };
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'INTERNAL') throw error;
    const recorder = await session.recorder();
    const callOutcome = outcomeOfFailure(error.with({ outcome: 'not_sent', attempts: 0 }));
    await recorder.begin(await intentOf(session, service, { ...single, seen }), callOutcome);
    throw error;
  }
}

/** What the history keeps of a read before a change. */
function seenIn(before: CardBefore): SingleCall['seen'] {
  if (!('card' in before)) return undefined;
  return { status: statusAt(before.card), clientReference: referenceAt(before.card) };
}

async function intentOf(session: Session, service: Service, single: SingleCall): Promise<WriteIntent> {
  const { call, id, reason, seen } = single;
  const { operation } = call;
  return {
    operation: operation.command,
    id,
    reason,
    profile: session.profile.name,
    host: service.host,
    url: session.placeOf(operation.family),
    call: operation.name,
    fields: fieldsOf(call)?.slice(),
    digest: (await digesterOf(session, operation))?.(call.body),
    ...seen,
  };
}

/** What a change asks: where to put secrets, after showing what it makes, or with the card. */
function questionsOf(session: Session, operation: Operation) {
  const { effect } = operation;
  const isAsked = effect.kind === 'write' && !session.common.yes;
  const asksHere = isAsked && effect.asksOnTerminal === true && session.prompt.available;
  const needsAnswer = isAsked && (effect.confirm || session.caller === 'desk');
  return { asksFirst: isAsked && givesSecrets(operation) && session.prompt.available, asksHere, needsAnswer };
}

/** One change, from the guards to the printed response. Returns the exit code. */
export async function runWrite(session: Session, command: CallCommand, { options }: CallGiven, single: SingleCall) {
  const { operation } = single.call;
  refuseReadOnly(session);
  let checked = await askReason(session, single);
  guardWrite(session, operation, { kind: 'one', reason: checked.reason });
  if (session.common.dryRun) {
    await noteUncompared(session, checked.expectations);
    await printDryRun(session, [checked.call]);
    return 0;
  }
  if (givesSecrets(operation) && options.out === undefined) refuseNullDevice(session, checked);
  const { asksFirst, asksHere, needsAnswer } = questionsOf(session, operation);
  const open = await openBefore(session, checked.call);
  if (!asksFirst && !asksHere && !needsAnswer) refuseOpen(open, checked.call, options.again === true);
  else if (session.prompt.available && !needsAnswer) await sayOpen(session, open);
  const hit = asksFirst ? await showCard(session, checked) : undefined;
  const path = givesSecrets(operation) ? await placeOfSecrets(session, checked, options.out) : undefined;
  const { output } = session;
  if (needsAnswer) requirePerson(session, subjectOf(checked.call));
  const service = await session.service(operation.family);
  if (needsAnswer || checked.expectations.length > 0) {
    const card = await readCardBefore(session, checked.call, checked.expectations.length > 0);
    checkExpectations(checked, card);
    if (needsAnswer) {
      checked = await confirmSingle(session, service, checked, card, openText(session, open));
      checked = await stillAsShown(session, service, checked, card);
    }
    checked = withBefore(checked, card, needsAnswer);
  }
  if (hit !== undefined) {
    await confirmSending(session, service, checked);
    checked = await stillAsShown(session, service, checked, hit);
  }
  if (asksHere) await confirmMade(session, service, checked);
  const hidden = path === undefined ? [] : sensitiveOf(operation).filter((name) => output.hideSensitive.includes(name));
  const columns = answerColumns(command, operation);
  // With --out only the file has the secrets. The renderer hides the rest.
  const print = (answer: Answer) => {
    const resource = hideMembers(answer.resource, isJson(output.format) ? hidden : []);
    return session.print({ kind: 'resource', resource, columns, ...viewOf(command) });
  };
  if (givesSecrets(operation)) await writeSecret(session, service, checked, path, print);
  else {
    const result = await takeAnswer(session, await recordedCall(session, service, checked));
    await printApplied(session, checked, result, () => print(result));
    await sayDone(session, checked, result);
  }
  return 0;
}

/** One change whose response is given once: it is kept, whatever happens to history and stdout. */
export async function writeSecret(
  session: Session,
  service: Service,
  single: SingleCall,
  path: string | undefined,
  print: (answer: Answer) => Promise<void>,
): Promise<void> {
  const secret = await openSecretAnswer(session, single, path, print);
  try {
    const recorded = await recordedCall(session, service, { ...single, secret });
    await sayDone(session, single, await takeAnswer(session, recorded));
  } finally {
    await secret.discard();
  }
}
