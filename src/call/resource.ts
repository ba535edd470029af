import { Card } from '../api/card.ts';
import { type Operation, sensitiveOf } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { type CallCommand, operationOf } from '../command/command.ts';
import type { Answer, CallInput, CallOptions, CallResult } from '../http/call.ts';
import type { JsonValue } from '../json/value.ts';
import type { Column } from '../output/column.ts';
import type { Ports, Printer, Session } from '../session.ts';

/** The read of a card. */
export function cardRead(cardId: string): CallInput {
  return { operation: OPERATIONS.cardGet, params: { cardId }, query: {}, body: undefined };
}

/** Makes one call. Returns how it ended. */
export async function callService(session: Ports, call: CallInput, more: Partial<CallOptions> = {}) {
  const { client } = await session.service(call.operation.family);
  const { policy, listener } = session;
  return client.call(call, { policy, listener, ...more });
}

/** The answer of a call, after reporting its notices. Throws its failure. */
export async function takeAnswer(session: Printer, result: CallResult): Promise<Answer> {
  if (result.kind === 'failed') throw result.failure;
  for (const notice of result.callOutcome.notices) await session.notify(notice);
  return result;
}

/** Makes one read. Returns its resource. */
export async function readResource(session: Session, call: CallInput): Promise<JsonValue> {
  return (await takeAnswer(session, await callService(session, call, { keepsLongError: true }))).resource;
}

/** How a terminal shows a command's resource: what is given once is never cut. */
export function viewOf(command: CallCommand): { readonly view?: 'card' | 'whole' } {
  const operation = operationOf(command);
  if (sensitiveOf(operation).length > 0) return { view: 'whole' };
  return operation.response === Card ? { view: 'card' } : {};
}

/** The columns of this operation's response; of a choice of operations those of all. */
export function answerColumns(command: CallCommand, operation: Operation): readonly Column[] {
  return command.columns.filter((column) => column.name in operation.response.properties);
}
