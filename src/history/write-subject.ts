import { matchPath, type Operation } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import type { BeginEvent } from './history-event.ts';

function callNamed(operation: string): Operation | undefined {
  const rows = ALL_OPERATIONS.filter(({ command }) => command === operation);
  return rows.length === 1 ? rows[0] : undefined;
}

/** A decoded segment of a path. One that is no percent-encoding stays. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Operation of the table and ID of a recorded change, of a card in lower case. A raw call is read by its path.
 * Undefined if it is not in the table, or has no ID.
 */
export function subjectOfWrite({ operation, id = '', call }: Pick<BeginEvent, 'operation' | 'id' | 'call'>): {
  readonly row: Operation | undefined;
  readonly subject: string | undefined;
} {
  let row = ALL_OPERATIONS.find(({ name }) => name === call) ?? callNamed(operation);
  let subject: string | undefined = id === '' ? undefined : id;
  if (operation === 'api') {
    subject = undefined;
    for (const known of ALL_OPERATIONS.filter(({ method }) => method === 'POST')) {
      const params = matchPath(known.path, id.split('/'));
      if (params === undefined) continue;
      row = known;
      subject = Object.values(params).map(decoded)[0];
    }
  }
  const isCard = row === undefined ? operation.startsWith('card.') : row.family === 'cards';
  return { row, subject: isCard ? subject?.toLowerCase() : subject };
}
