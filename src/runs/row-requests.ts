import { Failure, type Notice, warning } from '../base/failure.ts';
import { isJsonObject } from '../base/json/value.ts';
import type { Ports, Session } from '../command/session.ts';
import { eachRow, type Row } from '../input/rows/row.ts';
import { failedCall } from '../records/row-outcome.ts';
import { ROW_COLUMNS } from '../records/row-result.ts';
import type { Column } from '../screen/column.ts';
import { widthOf } from '../screen/text.ts';
import { isOnceOnly, type Operation } from '../service/api/operation.ts';
import type { CallInput, CallPolicy, CallResult } from '../service/http/call.ts';
import { type AttemptPorts, attempt, notRepeated, standsAgainst } from '../writes/attempt.ts';
import { printDryRun } from '../writes/dry-run.ts';
import { type Held, readingOf, type Write } from '../writes/judge.ts';
import { NOTHING, type OpenBefore } from '../writes/open-guard.ts';
import { callService, cardRead, transmit } from '../writes/resource.ts';
import type { RowReply } from './row-reply.ts';
import type { RowSlot } from './run-task.ts';

export function callOf(operation: Operation, row: Row): CallInput {
  return { operation, params: row.params, query: {}, body: row.body };
}

/** The change that a row wants. `shown`: the card's status, if a question showed it. */
export function writeOf(operation: Operation, row: Row, shown?: string): Write {
  const { id, expects, skipIf, before, about, drift } = row;
  const planned = drift === 'checked' ? { before, about } : undefined;
  return { call: callOf(operation, row), id, expects, skipIf, planned, shown };
}

export async function readRowCard(
  session: Ports,
  policy: CallPolicy,
  { params }: Row,
  { pacer, stopping, abort }: RowSlot,
) {
  return callService(session, cardRead(params['cardId'] ?? ''), { policy, listener: {}, pacer, stopping, abort });
}

/** What is known of rows besides their content. */
export interface RowKnowledge {
  readonly open?: ((row: Row) => OpenBefore | Promise<OpenBefore>) | undefined;
  readonly stillOpen?: (before: OpenBefore) => readonly Notice[];
  /** Takes the name of a row that must not be sent twice. */
  readonly claim?: ((row: Row, isResend: boolean) => Promise<Held | undefined>) | undefined;
  /** Looks for later changes before an unknown row is sent again. */
  readonly later?: ((row: Row) => Promise<Held | undefined>) | undefined;
  readonly forbidden?: (write: Write) => Promise<string | undefined>;
  readonly onOtherBalance?: (text: string) => Promise<void>;
  /** The card status that the question showed, by row. */
  readonly shown?: ReadonlyMap<number, string> | undefined;
}

/** Reads one row. */
export function makeRowReader(session: Ports, operation: Operation, policy: CallPolicy) {
  return (row: Row, { pacer, stopping, abort }: RowSlot): Promise<RowReply> =>
    transmit(session, callOf(operation, row), { policy, pacer, stopping, abort });
}

/** CANCELLED as soon as the run stops: whether another process lives can take seconds to see, and no row begins any more. */
function unlessStopping<Result>(work: Promise<Result>, stopping: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Failure('CANCELLED', 'the run was stopped'));
    stopping.addEventListener('abort', stop);
    work.then(resolve, reject).finally(() => stopping.removeEventListener('abort', stop));
    if (stopping.aborted) stop();
  });
}

/** Sends one row: its run has decided, its pacer records it. */
export function makeRowSender(
  session: Ports,
  operation: Operation,
  policy: CallPolicy,
  { open, stillOpen, claim, later, forbidden, onOtherBalance, shown }: RowKnowledge = {},
) {
  return async (row: Row, slot: RowSlot): Promise<RowReply> => {
    const { pacer, stopping, abort } = slot;
    let before = NOTHING;
    const noted = (found: OpenBefore): OpenBefore => {
      before = found;
      return found;
    };
    const wanted = writeOf(operation, row, shown?.get(row.row));
    let notSentAgain: string | undefined;
    // One literal: a row that spreads an object into another takes longer for it than for its record.
    const ports: AttemptPorts<never> = {
      open:
        open &&
        (() => {
          const found = open(row);
          if (found instanceof Promise) return unlessStopping(found, stopping).then(noted);
          return noted(found);
        }),
      readCard: async () => readingOf(await readRowCard(session, policy, row, slot)),
      forbidden,
      onOtherBalance: async (text) => onOtherBalance?.(`row ${row.row}: the balance of card ${row.id} is ${text}`),
      send: async ({ call }) => {
        let held: Held | undefined;
        const look = claim ?? (slot.isResend === true ? later : undefined);
        slot.mayLeave =
          look &&
          (async () => {
            held = await unlessStopping(look(row, slot.isResend === true), stopping);
            return held === undefined;
          });
        const mayRepeat = async () => {
          notSentAgain = await standsAgainst(wanted, ports);
          return notSentAgain === undefined;
        };
        const result = await transmit(session, call, { policy, pacer, stopping, abort, mayRepeat });
        return held === undefined ? result : { kind: 'held', held };
      },
    };
    const attempted = await attempt<never>(wanted, ports);
    if (attempted.kind === 'no') return attempted.no;
    if (attempted.kind === 'skipped') return attempted;
    const again = notSentAgain === undefined ? [] : [notRepeated(wanted, notSentAgain)];
    const earlier = [...again, ...(stillOpen?.(before) ?? [])];
    // What holds it back may name what is open.
    if (attempted.kind === 'held') return { ...attempted, earlier: attempted.held.why === 'repeats' ? [] : earlier };
    const { result, write } = attempted;
    const { clientReference = write.seen?.clientReference, notices } = result.callOutcome;
    const isSuperseded = result.kind === 'answered' && !isOnceOnly(operation);
    const news = isSuperseded || earlier.length === 0 ? notices : [...notices, ...earlier];
    if (news === notices && clientReference === result.callOutcome.clientReference) return result;
    return { ...result, callOutcome: { ...result.callOutcome, clientReference, notices: news } };
  };
}

/**
 * Reads the card of a row with an unknown outcome: the status that the change aims at resolves it. A reissue stays
 * unknown, with what its card shows; a row that another process superseded while its card was read, without. Undefined
 * for operations without a card.
 */
export function makeReconciler(
  session: Ports & Partial<Pick<Session, 'notify'>>,
  operation: Operation,
  policy: CallPolicy,
  isSuperseded?: (row: Row) => boolean,
) {
  const cardCheck = operation.effect.kind === 'write' ? operation.effect.cardCheck : 'none';
  if (cardCheck === 'none') return undefined;
  return async (row: Row, slot: RowSlot): Promise<CallResult> => {
    const read = await readRowCard(session, policy, row, slot);
    if (read.kind === 'failed') return read;
    if (isSuperseded?.(row) === true) {
      const message = `row ${row.row}: what card ${row.id} shows is not recorded, because a later change superseded the row while the card was read`;
      await session.notify?.(warning('NOT_RECORDED', message));
      return failedCall(new Failure('OUTCOME_UNKNOWN', message, { details: { outcome: 'unknown' } }));
    }
    const status = isJsonObject(read.resource) ? read.resource.get('status') : undefined;
    if ('resolvedBy' in cardCheck && status === cardCheck.resolvedBy) return read;
    const message = `${operation.verbPhrase} ${row.id ?? ''}: the card reads ${String(status)}`;
    const details = { outcome: 'unknown', observed: new Map([['status', status ?? null]]) } as const;
    return failedCall(new Failure('OUTCOME_UNKNOWN', message, { details }));
  };
}

/** The ID in the response is a column only if no later read shows it. */
export function runColumns({ effect }: Operation): readonly Column[] {
  if (effect.kind === 'write' && effect.resultId !== undefined) return ROW_COLUMNS;
  return ROW_COLUMNS.map((column) => (column.name === 'resultId' ? { ...column, wide: true } : column));
}

async function printChanges({ context, output }: Session, operation: Operation, rows: AsyncIterable<readonly Row[]>) {
  const { changeLines } = await import('./plan/plan-row-lines.ts');
  const style = { ...output, width: widthOf(context.stdout) ?? 80 };
  let headed = 0;
  for await (const some of rows) {
    const lines = changeLines(some, operation.command, { statusHeader: '' }, style).slice(headed);
    headed = operation.family === 'cards' ? 1 : 0;
    await context.stdout.write(lines.map((line) => `${line}\n`).join(''));
  }
}

/** `--dry-run`: on a terminal what changes, elsewhere the requests of the rows. */
export async function printDryRunRows(session: Session, operation: Operation, batches: AsyncIterable<readonly Row[]>) {
  if (session.isPage() && !session.common.verbose) return printChanges(session, operation, batches);
  const calls = async function* () {
    for await (const row of eachRow(batches)) yield callOf(operation, row);
  };
  return printDryRun(session, calls());
}
