import { Card } from '../api/card.ts';
import type { Operation } from '../api/operation.ts';
import { type CallCommand, operationOf } from '../commands/command.ts';
import type { CallInput } from '../http/call.ts';
import type { JsonValue } from '../json/value.ts';
import type { Column } from '../output/column.ts';
import type { Session } from '../session.ts';

/** One read; its notices are reported, its failure thrown. */
export async function readResource(session: Session, call: CallInput): Promise<JsonValue> {
  const service = await session.service(call.operation.family);
  const result = await service.client.call(call, { policy: session.policy, listener: session.listener });
  if (result.kind === 'failed') throw result.failure;
  for (const notice of result.ending.notices) await session.notify(notice);
  return result.resource;
}

/** How people see one resource of a command on a terminal. */
export function viewOf(command: CallCommand): { readonly view?: 'card' } {
  return operationOf(command).response === Card ? { view: 'card' } : {};
}

/** The columns that the answer of this operation can have: a choice of operations has those of all. */
export function columnsOf(command: CallCommand, operation: Operation): readonly Column[] {
  return command.columns.filter((column) => column.name in operation.response.properties);
}
