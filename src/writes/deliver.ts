import { GRACE_MS, signalWords } from '../base/context.ts';
import { cancelledExitCode, Failure, type FailureDetails, warning } from '../base/failure.ts';
import type { Also } from '../base/failure-message.ts';
import type { Service, Session } from '../command/session.ts';
import { type KnownBefore, SentElsewhere } from '../records/once.ts';
import type { WriteIntent } from '../records/record.ts';
import { hostOf } from '../records/write-record.ts';
import { isOnceOnly } from '../service/api/operation.ts';
import { outcomeOfFailure } from '../service/call-outcome.ts';
import type { CallResult } from '../service/http/call.ts';
import { subjectOf } from '../service/http/facts.ts';
import { notRepeated, standsAgainst } from './attempt.ts';
import { dropReadersLater, type Interrupt, keepToOutcome, openInterrupt } from './interrupt.ts';
import { type CardReading, type Held, heldBy, heldFailure, readingOf, type Write } from './judge.ts';
import { closeSuperseded, digesterOf, fieldsOf, openBefore, recordStep } from './open-guard.ts';
import { callService, cardRead, transmit } from './resource.ts';
import { forbiddenNow } from './write-guards.ts';

/** Where the response to a change went: `is in secrets.json`. With a problem, it is not where it belongs. */
export interface SavedResponse {
  readonly where?: string | undefined;
  readonly problem?: string | undefined;
  readonly cause?: unknown;
}

/** The place of a response that is given once. */
interface SecretAnswer {
  /** Called with each 2xx body as it came. */
  onSuccess(body: readonly Uint8Array[]): void;
  /** Saves or shows the response. What fails is reported once the records have the change. */
  save(result: CallResult): Promise<SavedResponse>;
}

/** What a change came to when it was to leave: its response, or what others sent meanwhile. */
export type Delivered = CallResult | { readonly kind: 'held'; readonly held: Held };

/** Sends a change between its two records in the history. `open` takes over what may end it: signals, or a client. */
export async function deliver(
  session: Session,
  write: Write,
  { open, secret }: { readonly open?: () => Interrupt; readonly secret?: SecretAnswer | undefined } = {},
): Promise<Delivered> {
  const { call } = write;
  const service = await session.service(call.operation.family);
  const recorder = await session.recorder();
  const begunMs = session.context.clock.now();
  const intent = await intentOf(session, service, write);
  let isInFlight = false;
  let isUnknown = false;
  // Before its beginning is recorded: a signal may not leave a record without an end.
  const interrupt = open?.() ?? openSignals(session, { isInFlight: () => isInFlight, isUnknown: () => isUnknown });
  const send = async (): Promise<CallResult> => {
    const entry = await untilAbort(
      recorder.begin(intent, undefined, onceOf(session, write)),
      interrupt.abort,
      subjectOf(call),
    );
    let why: string | undefined;
    const result = await transmit(session, call, {
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
      mayRepeat: async () => {
        why = await standsAgainst(write, singlePorts(session), entry);
        return why === undefined;
      },
    });
    isInFlight = false;
    isUnknown = result.callOutcome.outcome === 'unknown';
    // First, whatever comes of it: a response that is given once still needs its place.
    const [recorded] = await Promise.allSettled([recorder.end(entry, result.callOutcome)]);
    const lost = recorded.status === 'rejected' ? recorded.reason : undefined;
    if (lost !== undefined && !(lost instanceof Failure)) throw lost;
    const failure = failureOfEnd(subjectOf(call), result, { lost, saved: await secret?.save(result) });
    if (failure !== undefined) throw failure;
    if (why !== undefined) await session.notify(notRepeated(write, why));
    if (result.kind === 'failed') return { ...result, failure: withSteps(session, result.failure, write, entry) };
    if (result.kind === 'answered') await closeSuperseded(session, { ...call, entry, begunMs });
    return result;
  };
  try {
    return await session.underWay(send(), ({ callOutcome }) => callOutcome.outcome === 'unknown');
  } catch (error) {
    if (!(error instanceof SentElsewhere)) throw error;
    return { kind: 'held', held: heldBy(error) };
  } finally {
    interrupt.release();
  }
}

/** The failure with how its card was before, and of an unknown one how to record what is found out. */
function withSteps(session: Session, failure: Failure, { call, seen }: Write, entry: string): Failure {
  const known = failure.with({ seen });
  if (failure.code !== 'OUTCOME_UNKNOWN' || entry === '') return known;
  return known.but({
    steps: [...failure.steps, { ...recordStep(session, call.operation, entry), words: 'Then record it' }],
  });
}

/** What is known of others when a change leaves that must not happen twice; undefined for others. */
function onceOf({ context }: Session, { call, isAgain, named, since }: Write): KnownBefore | undefined {
  if (!isOnceOnly(call.operation)) return undefined;
  return { isAgain, named, since: since ?? { ms: context.clock.now() } };
}

/** Waits for the record of a beginning, but no longer than a signal allows: CANCELLED on a disk that does not respond. */
function untilAbort(beginning: Promise<string>, abort: AbortSignal, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    beginning.then(resolve, reject);
    abort.addEventListener('abort', () => {
      const details = { outcome: 'not_sent' } as const;
      const exitCode = cancelledExitCode(abort.reason);
      reject(Failure.unsent('CANCELLED', '', { attempted: what, details, exitCode }));
    });
  });
}

/**
 * What must be said of a change that ended, besides its own failure: the record of its end, or the place of its response
 * was lost. An unknown outcome counts more than either, because scripts look for 8.
 */
export function failureOfEnd(
  attempted: string,
  result: Pick<CallResult, 'callOutcome'> & { readonly failure?: Failure },
  { lost, saved = {} }: { readonly lost: Failure | undefined; readonly saved?: SavedResponse | undefined },
): Failure | undefined {
  const { where, problem, cause } = saved;
  if (lost === undefined && problem === undefined) return undefined;
  const also: Also[] = [
    ...(where === undefined ? [] : [{ kind: 'response', where, problem } as const]),
    ...(lost === undefined ? [] : [{ kind: 'record', problem: lost.problem } as const]),
  ];
  const { failure, callOutcome } = result;
  const { outcome, resultId } = callOutcome;
  if (failure !== undefined && (outcome === 'unknown' || lost === undefined)) {
    return failure.but({ also, cause: lost ?? cause });
  }
  const ofRecord = lost?.but({ also: [...also.filter(({ kind }) => kind !== 'record'), ...lost.also] });
  if (problem === undefined || failure !== undefined) return ofRecord;
  const details = { ...lost?.details, outcome: outcome ?? 'applied', resultId };
  // The message says already why the response is not where it belongs.
  const places = also.map((each) => (each.kind === 'response' ? { ...each, problem: undefined } : each));
  return appliedFailure(attempted, problem, { details, also: places, cause: lost ?? cause });
}

/** Hears signals during a change, and says on stderr what it waits for. */
function openSignals(
  session: Session,
  { isInFlight, isUnknown }: Readonly<Record<'isInFlight' | 'isUnknown', () => boolean>>,
): Interrupt {
  // The desk continues after a change, and handles signals itself.
  if (session.caller !== 'desk') keepToOutcome(session, isUnknown);
  return openInterrupt(session.context, (signal) => {
    const message = isInFlight()
      ? `the request was already sent. Waiting up to ${GRACE_MS / 1000} s for the response (${signalWords(signal)} again to stop)`
      : 'stopping';
    void session.notify(warning('INTERRUPTED', message));
    if (session.caller !== 'desk') void dropReadersLater(session.context);
  });
}

async function intentOf(session: Session, service: Service, write: Write): Promise<WriteIntent> {
  const { call, id, reason, seen } = write;
  const { operation } = call;
  const { retryMaxTimeMs, timeoutMs } = session.policy;
  const url = session.placeOf(operation.family);
  // A reason that repeats a stored token is masked: so the token is read first. The call says why it cannot be.
  if (reason !== undefined) await service.checkCredential().catch(() => undefined);
  return {
    operation: operation.command,
    id,
    reason,
    profile: session.selectedProfile().name,
    host: hostOf(url),
    url,
    call: operation.name,
    fields: fieldsOf(call)?.slice(),
    digest: (await digesterOf(session, operation))?.(call.body),
    // The last attempt may begin when the time for retries is nearly over.
    takesMs: retryMaxTimeMs + timeoutMs,
    ...seen,
  };
}

const DO_NOT_REPEAT = { do: 'check what happened', words: 'do not run it again. See what happened' } as const;

/** LOCAL_IO for a change that was applied, and whose response could not be shown or saved. */
export function appliedFailure(
  attempted: string,
  problem: string,
  more: { readonly details: FailureDetails; readonly also?: readonly Also[]; readonly cause: unknown },
): Failure {
  const after = more.details.outcome === 'confirmed_by_read' ? 'confirmed' : 'applied';
  return new Failure('LOCAL_IO', problem, { attempted, after, hints: [DO_NOT_REPEAT], ...more });
}

/** Records a change that was confirmed, and is not sent after all. */
async function withdraw(session: Session, write: Write, held: Held): Promise<void> {
  const service = await session.service(write.call.operation.family);
  const callOutcome = outcomeOfFailure(heldFailure(write, held).with({ outcome: 'not_sent', attempts: 0 }));
  await (await session.recorder()).begin(await intentOf(session, service, write), callOutcome);
}

export async function readCard(session: Session, { call }: Pick<Write, 'call'>): Promise<CardReading> {
  return readingOf(await callService(session, cardRead(call.params['cardId'] ?? '')));
}

/** What every single change needs of a session; callers add who decides, and how it is sent. */
export function singlePorts(session: Session) {
  return {
    open: ({ call }: Write) => openBefore(session, call),
    readCard: (write: Write) => readCard(session, write),
    forbidden: (write: Write) => forbiddenNow(session, write),
    withdraw: (write: Write, held: Held) => withdraw(session, write, held),
    send: (write: Write) => deliver(session, write),
  };
}
