import type { JsonValue } from '../json/value.ts';
import type { Column } from '../output/column.ts';
import type { Session } from '../session.ts';

/** Whether a person reads the result, and is told what an empty list means. */
export function isForPeople({ output, context }: Session): boolean {
  return output.format === 'table' && context.stdout.isTerminal;
}

/**
 * Prints a list of what this machine keeps. On a terminal an empty one is a sentence that says what would fill it;
 * everywhere else it is an empty list.
 */
export async function printList(
  session: Session,
  list: { readonly document: JsonValue; readonly rows: readonly JsonValue[]; readonly columns: readonly Column[] },
  whenEmpty: string,
): Promise<void> {
  if (list.rows.length > 0 || !isForPeople(session)) return session.print({ kind: 'list', ...list });
  return session.print({ kind: 'text', text: whenEmpty, json: list.document });
}
