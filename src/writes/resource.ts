import type { JsonValue } from '../base/json/value.ts';
import { type CallCommand, operationOf } from '../command/command.ts';
import type { Ports, Printer, Session } from '../command/session.ts';
import type { Column } from '../screen/column.ts';
import { Card } from '../service/api/card.ts';
import { isWrite, type Operation, sensitiveOf } from '../service/api/operation.ts';
import { OPERATIONS } from '../service/api/operations.ts';
import type { Answer, CallInput, CallOptions, CallResult } from '../service/http/call.ts';

export function cardRead(cardId: string): CallInput {
  return { operation: OPERATIONS.cardGet, params: { cardId }, query: {}, body: undefined };
}

/** THE place where a call leaves: a read, or a change that `attempt` sends. */
export async function transmit(session: Ports, call: CallInput, options: CallOptions): Promise<CallResult> {
  const { client } = await session.service(call.operation.family);
  if (session.during === undefined) return await client.call(call, options);
  return session.during(call, options, (more) => client.call(call, more));
}

/** Makes one read. Returns how it ended. */
export async function callService(session: Ports, call: CallInput, more: Partial<CallOptions> = {}) {
  if (isWrite(call.operation)) throw new Error('a change that is sent as a read');
  const { policy, listener } = session;
  return transmit(session, call, { policy, listener, ...more });
}

/** The answer of a call, after reporting its notices. Throws its failure. */
export async function requireAnswer(session: Printer, result: CallResult): Promise<Answer> {
  if (result.kind === 'failed') throw result.failure;
  for (const notice of result.callOutcome.notices) await session.notify(notice);
  return result;
}

/** Makes one read. Returns its resource. */
export async function readResource(session: Session, call: CallInput): Promise<JsonValue> {
  return (await requireAnswer(session, await callService(session, call, { keepsLongError: true }))).resource;
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
