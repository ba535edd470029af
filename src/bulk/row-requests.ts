import type { Operation } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { changedSinceShown } from '../call/confirm.ts';
import { describeCall, printDryRun, requestText } from '../call/dry-run.ts';
import { outcomeOfFailure, referenceAt } from '../call-outcome.ts';
import { Failure, type FailureCode } from '../failure.ts';
import type { CallInput, CallPolicy, CallResult } from '../http/call.ts';
import { subjectOf } from '../http/facts.ts';
import { unmetExpectation } from '../input/expect.ts';
import { sameDecimal } from '../json/decimal.ts';
import { printJson } from '../json/print.ts';
import { fromPlain, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import type { Column } from '../output/column.ts';
import { eachRow, type Row } from '../rows/row.ts';
import { failedCall } from '../run/row-outcome.ts';
import { ROW_COLUMNS } from '../run/row-result.ts';
import type { RowSlot } from '../run/run-task.ts';
import type { Service, Session } from '../session.ts';

/** One row as a call. */
export function callOf(operation: Operation, row: Row): CallInput {
  return { operation, params: row.params, query: {}, body: row.body };
}

/** The result of a row that was not sent because of its card read. */
function heldBack(
  row: Row,
  operation: Operation,
  failure: Failure,
  callOutcome = outcomeOfFailure(failure, { message: failure.message }),
): CallResult {
  const { code, hints, exitCode, details } = failure;
  const more = { hints, exitCode, details: { ...details, outcome: 'not_sent', attempts: 0 }, cause: failure } as const;
  return {
    kind: 'failed',
    // Times and attempts are those of the read, which is no attempt of the row.
    callOutcome: { ...callOutcome, code, outcome: 'not_sent', attempts: 0, sentAtMs: undefined, durationMs: undefined },
    failure: Failure.unsent(code, `could not ${subjectOf(callOf(operation, row))}: ${failure.message}`, more),
  };
}

/** Reads the card of a row at the pace of its run. */
export function readCard(service: Service, policy: CallPolicy, row: Row, slot: RowSlot): Promise<CallResult> {
  const call = { operation: OPERATIONS.cardGet, params: row.params, query: {}, body: undefined };
  return service.client.call(call, { policy, pacer: slot.pacer, stopping: slot.stopping, abort: slot.abort });
}

/** What is known of rows besides their content. */
export interface RowKnowledge {
  readonly openProblem?: ((row: Row) => Promise<string | undefined>) | undefined;
  readonly onOtherBalance?: (text: string) => Promise<void>;
  /** The card status that the question showed, by row. */
  readonly shown?: ReadonlyMap<number, string> | undefined;
}

/** Sends one row, after comparing its card with what the row expects and what the question showed. */
export function makeRowSender(
  service: Service,
  operation: Operation,
  policy: CallPolicy,
  { openProblem, onOtherBalance = async () => undefined, shown }: RowKnowledge = {},
) {
  const send = async (row: Row, slot: RowSlot): Promise<CallResult> => {
    const open = openProblem && (await openProblem(row));
    if (open !== undefined) {
      // Held back for now: once the open write is closed, a resume sends it.
      const cause = new Failure('BUSY', 'the same write is open');
      return heldBack(row, operation, new Failure('PRECONDITION', open, { cause }));
    }
    const { pacer, stopping, abort } = slot;
    return service.client.call(callOf(operation, row), { policy, pacer, stopping, abort });
  };
  const compareAndSend = async (row: Row, slot: RowSlot): Promise<CallResult> => {
    const isPlanned = row.drift === 'checked';
    const read = await readCard(service, policy, row, slot);
    if (read.kind === 'failed') {
      return heldBack(row, operation, isPlanned ? uncomparable(read.failure) : read.failure, read.callOutcome);
    }
    const problem =
      (isPlanned ? changeSince(row, read.resource) : undefined) ??
      unmetBy(read.resource, row) ??
      changedSinceShown(shown?.get(row.row), read.resource);
    if (problem !== undefined) return heldBack(row, operation, new Failure('PRECONDITION', problem));
    const balance = isPlanned ? otherBalance(row, read.resource) : undefined;
    if (balance !== undefined) await onOtherBalance(`row ${row.row}: the balance of card ${row.id} is ${balance}`);
    const result = await send(row, slot);
    const { clientReference = referenceAt(read.resource) } = result.callOutcome;
    return { ...result, callOutcome: { ...result.callOutcome, clientReference } };
  };
  return (row: Row, slot: RowSlot): Promise<CallResult> =>
    row.drift === 'checked' || row.expects.length > 0 || shown?.has(row.row) === true
      ? compareAndSend(row, slot)
      : send(row, slot);
}

/** What of a card differs from what its row expects. */
export function unmetBy(card: JsonValue, { expects }: Row): string | undefined {
  return unmetExpectation(isJsonObject(card) ? card : new Map(), expects);
}

/** Failures of the late read that are not about the card. */
const NOT_OF_THE_CARD: readonly FailureCode[] = ['AUTH', 'USAGE', 'UNREACHABLE', 'CANCELLED', 'LOCAL_IO', 'INTERNAL'];

/** A card that cannot be read cannot be compared: its row is held back. */
function uncomparable(failure: Failure): Failure {
  const { code, message, hints, details } = failure;
  if (NOT_OF_THE_CARD.includes(code)) return failure;
  const problem = `the card cannot be compared with the plan: ${message}`;
  return new Failure('PRECONDITION', problem, { hints, details, cause: failure });
}

function wordsOf(value: JsonValue | undefined): string {
  return value === undefined ? 'absent' : typeof value === 'string' ? value : printJson(value);
}

/** What of a card differs from the plan: `status is BLOCKED, was ACTIVE when planned`; undefined if nothing. */
function changeSince({ before, about }: Row, card: JsonValue): string | undefined {
  const reference = ['clientReference'];
  const planned = new Map([...(before ?? []), ...pickMembers(about ?? null, reference)]);
  const now = new Map([...comparedMembers(card), ...pickMembers(card, reference)]);
  const names = new Set([...planned.keys(), ...now.keys()]);
  const changes = [...names].flatMap((name) => {
    const [then, current] = [planned.get(name), now.get(name)];
    const isSame = then !== undefined && current !== undefined && printJson(then) === printJson(current);
    return isSame ? [] : [`${name} is ${wordsOf(current)}, was ${wordsOf(then)} when planned`];
  });
  return changes.length === 0 ? undefined : changes.join('; ');
}

/** A changed balance: `5.00, was 10.00 when planned`. */
function otherBalance({ about }: Row, card: JsonValue): string | undefined {
  const [then, now] = [about?.get('currentBalance'), isJsonObject(card) ? card.get('currentBalance') : undefined];
  if (then instanceof JsonNumber && now instanceof JsonNumber && sameDecimal(then.text, now.text)) return undefined;
  return then === now ? undefined : `${wordsOf(now)}, was ${wordsOf(then)} when planned`;
}

/** The members of a card that a planned change is compared by, digits and keys as sent. */
export function comparedMembers(card: JsonValue): JsonObject {
  return pickMembers(card, ['status', 'updatedAt']);
}

/** The named members of an object, as they are. */
export function pickMembers(value: JsonValue, names: readonly string[]): JsonObject {
  return new Map(isJsonObject(value) ? [...value].filter(([name]) => names.includes(name)) : []);
}

/**
 * Reads the card of a row with an unknown outcome: the status that the change aims at resolves it. A reissue stays
 * unknown, with what its card shows. Undefined for operations without a card.
 */
export function makeReconciler(service: Service, operation: Operation, policy: CallPolicy) {
  const readBack = operation.effect.kind === 'write' ? operation.effect.readBack : 'none';
  if (readBack === 'none') return undefined;
  return async (row: Row, slot: RowSlot): Promise<CallResult> => {
    const read = await readCard(service, policy, row, slot);
    if (read.kind === 'failed') return read;
    const status = isJsonObject(read.resource) ? read.resource.get('status') : undefined;
    if ('settledBy' in readBack && status === readBack.settledBy) return read;
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

/** One write per item takes longer than making the item. */
const PIECE_LENGTH = 65_536;

/** Prints a JSON document whose last member is a list of any length, written as it comes. */
export async function printLongDocument(
  { stdout }: Session['context'],
  head: JsonObject,
  name: string,
  items: AsyncIterable<JsonValue>,
): Promise<void> {
  let text = `${printJson(head, { indent: 2 }).slice(0, -2)},\n  "${name}": [`;
  let separator = '';
  for await (const item of items) {
    text += `${separator}\n    ${printJson(item, { indent: 2 }).replaceAll('\n', '\n    ')}`;
    separator = ',';
    if (text.length < PIECE_LENGTH) continue;
    await stdout.write(text);
    text = '';
  }
  await stdout.write(`${text}${separator === '' ? '' : '\n  '}]\n}\n`);
}

/** `--dry-run`: the requests of rows as they come; where one value is asked for (--query, ndjson) they are collected. */
export async function printDryRunRows(session: Session, operation: Operation, batches: AsyncIterable<readonly Row[]>) {
  const { output, context } = session;
  const calls = async function* () {
    for await (const row of eachRow(batches)) yield callOf(operation, row);
  };
  if (output.query !== undefined || output.format === 'ndjson') {
    const all: CallInput[] = [];
    for await (const call of calls()) all.push(call);
    return printDryRun(session, all);
  }
  if (output.format === 'json') {
    const requests = async function* () {
      for await (const call of calls()) yield fromPlain(describeCall(session, call));
    };
    return printLongDocument(context, new Map([['dryRun', true]]), 'requests', requests());
  }
  let separator = '';
  for await (const call of calls()) {
    await context.stdout.write(`${separator}${requestText(describeCall(session, call))}\n`);
    separator = '\n';
  }
}
