import { Card } from '../api/card.ts';
import type { Operation } from '../api/operation.ts';
import { type CallCommand, operationOf } from '../commands/command.ts';
import type { Column } from '../output/column.ts';

/** How people see one resource of a command on a terminal. */
export function viewOf(command: CallCommand): { readonly view?: 'card' } {
  return operationOf(command).response === Card ? { view: 'card' } : {};
}

/** The columns that the answer of this operation can have: a choice of operations has those of all. */
export function columnsOf(command: CallCommand, operation: Operation): readonly Column[] {
  return command.columns.filter((column) => column.name in operation.response.properties);
}
