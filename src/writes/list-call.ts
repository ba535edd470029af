import { Failure, warning } from '../base/failure.ts';
import type { JsonValue } from '../base/json/value.ts';
import type { CallCommand, CallValues } from '../command/command.ts';
import type { Session } from '../command/session.ts';
import { plural } from '../screen/text.ts';
import { DEFAULT_LIST_LIMIT, entriesOf, mergeLists } from '../service/api/calendar.ts';
import type { Operation } from '../service/api/operation.ts';
import type { SingleCall } from './read-call.ts';
import { readResource } from './resource.ts';

/** Does a list have exactly as many entries as were asked for? Then there may be more. */
export function isFullList(document: JsonValue, limit: number): boolean {
  return entriesOf(document).length === limit;
}

/** `limitName`: what the caller may raise. */
export function fullListText(operation: Operation, limit: number, limitName: string): string {
  const more = limit < 100 ? `. ${limitName} takes up to 100` : '';
  return `there may be more than ${plural(limit, operation.lists ?? 'entry')}, and the service documents no paging${more}`;
}

/** Lists subscribers. A full list is a warning (15 with --require-complete): further pages are not documented. */
export async function runList(session: Session, command: CallCommand, { options }: CallValues, single: SingleCall) {
  const { call } = single;
  const limit = Number(call.query['limit'] ?? DEFAULT_LIST_LIMIT);
  const halves: JsonValue[] = [];
  const wanted = options.active === 'all' ? ['true', 'false'] : [call.query['active']];
  for (const active of wanted) {
    const query = { ...call.query, ...(active === undefined ? {} : { active }) };
    halves.push(await readResource(session, { ...call, query }));
  }
  const document = mergeLists(halves);
  await session.print({ kind: 'list', document, rows: entriesOf(document), columns: command.columns });
  if (!halves.some((half) => isFullList(half, limit))) return 0;
  const message = fullListText(call.operation, limit, '--limit');
  if (options.requireComplete === true) throw new Failure('PARTIAL', message, { details: { id: single.id } });
  await session.notify(warning('MAY_BE_INCOMPLETE', message));
  return 0;
}
