import { DEFAULT_LIST_LIMIT, entriesOf, mergeLists } from '../api/calendar.ts';
import type { CallCommand, CallGiven } from '../command/command.ts';
import { Failure, warning } from '../failure.ts';
import type { JsonValue } from '../json/value.ts';
import { plural } from '../output/text.ts';
import type { Session } from '../session.ts';
import type { SingleCall } from './read-call.ts';
import { readResource } from './resource.ts';

/** Does a list have exactly as many entries as were asked for? Then there may be more. */
export function isFullList(document: JsonValue, limit: number): boolean {
  return entriesOf(document).length === limit;
}

/** Lists subscribers. A full list is a warning (15 with --require-complete): further pages are not documented. */
export async function runList(session: Session, command: CallCommand, { options }: CallGiven, single: SingleCall) {
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
  const message = `there may be more than ${plural(limit, call.operation.lists ?? 'entry')}, and the service documents no paging${
    limit < 100 ? '. --limit takes up to 100' : ''
  }`;
  if (options.requireComplete === true) throw new Failure('PARTIAL', message, { details: { id: single.id } });
  await session.notify(warning('MAY_BE_INCOMPLETE', message));
  return 0;
}
