import { DEFAULT_LIST_LIMIT, entriesOf, mergeLists } from '../api/calendar.ts';
import { isFullList } from '../call/list-call.ts';
import { Failure, warning } from '../failure.ts';
import type { CallResult } from '../http/call.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import type { Column } from '../output/column.ts';
import { plural } from '../output/text.ts';
import type { Row } from '../rows/row.ts';
import type { RunTask } from '../run/run-task.ts';
import type { Service, Session } from '../session.ts';
import type { BulkCall } from './bulk-call.ts';
import { doRows } from './execute-run.ts';
import type { Run } from './run.ts';
import { type TakeRow, writeSummary } from './run-output.ts';

/** The only member of an entry that is not the service's: the calendar of its list. */
const CALENDAR: Column = { name: 'calendar', header: 'CALENDAR', keep: true };

/** The columns of the entries of several lists. */
export function listColumns(columns: readonly Column[]): readonly Column[] {
  return [CALENDAR, ...columns];
}

function withCalendar(entry: JsonValue, calendar: string): JsonObject {
  const members = isJsonObject(entry) ? [...entry].filter(([name]) => name !== CALENDAR.name) : [];
  return new Map<string, JsonValue>([[CALENDAR.name, calendar], ...members]);
}

/** Reads one list, or with `--active all` its two halves as one. `onFull`: there may be more. */
function listReader(
  session: Session,
  { operation }: Run,
  { client }: Service,
  { query, options }: BulkCall,
  onFull: () => void,
): RunTask<Row>['send'] {
  const { policy } = session;
  const limit = Number(query['limit'] ?? DEFAULT_LIST_LIMIT);
  const halves = options.active === 'all' ? [{ active: 'true' }, { active: 'false' }] : [{}];
  return async ({ params }, { pacer, stopping, abort }) => {
    const lists: JsonValue[] = [];
    let last: CallResult | undefined;
    for (const half of halves) {
      const call = { operation, params, query: { ...query, ...half }, body: undefined };
      last = await client.call(call, { policy, pacer, stopping, abort });
      if (last.kind === 'failed') return last;
      lists.push(last.resource);
    }
    if (last?.kind !== 'answered') throw new Error('a list without a response');
    if (lists.some((list) => isFullList(list, limit))) onFull();
    return { ...last, resource: mergeLists(lists) };
  };
}

/**
 * Lists of several calendars: in json an array of the Lists as sent, elsewhere their entries with the calendar. A list
 * that fails is reported like a failed row (15). Returns the exit code.
 */
export async function listBulk(session: Session, run: Run, call: BulkCall): Promise<number> {
  const service = await session.service(run.operation.family);
  const isWhole = session.output.format === 'json';
  const writer = await session.openRows(run.columns, run.rowCount);
  let full = 0;
  const send = listReader(session, run, service, call, () => {
    full += 1;
  });
  const take: TakeRow = async ({ row, resource = null }) => {
    if (isWhole) return writer.row(resource);
    for (const entry of entriesOf(resource)) await writer.row(withCalendar(entry, row.id ?? ''), row.row);
  };
  let report = await doRows(session, run, { isWrite: false, send, printing: { writer, take } });
  if (full > 0) {
    const message = `${full} of ${plural(run.rowCount, 'list')} may have more entries, and the service documents no paging`;
    const failure = new Failure('PARTIAL', message);
    const isRequired = call.options.requireComplete === true;
    await (isRequired ? session.report(failure) : session.notify(warning('MAY_BE_INCOMPLETE', message)));
    if (isRequired && report.exitCode === 0) report = { ...report, exitCode: failure.exitCode };
  }
  await writeSummary(session, run, report);
  return report.exitCode;
}
