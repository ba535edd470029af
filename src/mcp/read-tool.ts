import type { CallToolResult } from '@modelcontextprotocol/server';
import { CARD_STATUSES } from '../api/card.ts';
import { OPERATIONS } from '../api/operations.ts';
import { DEFAULT_LIST_LIMIT } from '../api/subscriber.ts';
import { isFullList } from '../engine/list-call.ts';
import { type Notice, OUTCOMES, usageFailure, warning } from '../failure.ts';
import { type Unread, unreadFailure } from '../files/io-failure.ts';
import type { CallResult } from '../http/call.ts';
import { fromPlain } from '../json/plain.ts';
import type { JsonValue } from '../json/value.ts';
import { plural } from '../output/safe-text.ts';
import { listRuns } from '../run/run-list.ts';
import { RUN_STATES } from '../run/run-state.ts';
import type { Session } from '../session.ts';
import { answered, found } from './results.ts';
import { ArgumentReader, type Arguments, readCall } from './tool-arguments.ts';
import type { ToolSpec } from './tools.ts';

/** One call of a reading tool. */
export interface ReadRequest {
  readonly tool: ToolSpec;
  readonly args: Arguments;
  /** Aborted: nobody waits for it any more. */
  readonly stop: AbortSignal;
  /** What the session warned of meanwhile. */
  readonly warnings: Notice[];
}

const MOST_ROWS = 1000;

function ports(session: Session) {
  const { clock } = session.context;
  return { stateDir: session.stateDir(), clock };
}

async function readOperation(session: Session, request: ReadRequest): Promise<CallToolResult> {
  const { tool, args, stop, warnings } = request;
  if (tool.operation === undefined) throw new Error(`${tool.name} calls no operation`);
  const { call, warnings: suspicious } = readCall(tool.operation, tool, args);
  for (const message of suspicious) warnings.push(warning('SUSPICIOUS_ID', message));
  const service = await session.service(call.operation.family);
  const result: CallResult = await service.client.call(call, {
    policy: session.policy,
    listener: session.listener,
    stop,
  });
  if (result.kind === 'failed') throw result.failure;
  if (call.operation.query !== null) {
    const limit = Number(call.query['limit'] ?? DEFAULT_LIST_LIMIT);
    const message = `there may be more than ${limit}, and there is no way to page through them`;
    if (isFullList(result.resource, limit)) warnings.push(warning('MAY_BE_INCOMPLETE', message));
  }
  return answered(result, warnings);
}

async function waitForStatus(session: Session, { args, stop, warnings }: ReadRequest): Promise<CallToolResult> {
  const { waitForCard } = await import('../local/card-wait.ts');
  const { checkValues } = await import('../input/check-values.ts');
  const reader = new ArgumentReader(args);
  const cardId = args['cardId'];
  reader.add(checkValues(OPERATIONS.cardGet, { params: { cardId } }).faults);
  reader.required('status');
  const status = reader.choices('status', CARD_STATUSES) ?? [];
  const seconds = reader.wholeNumber('timeoutSeconds', { max: 300, otherwise: 60 });
  reader.finish(['cardId', 'status', 'timeoutSeconds']);
  const noLine = { show: async () => undefined, clear: async () => undefined };
  const times = {
    timeout: { text: `${seconds}s`, ms: seconds * 1000 },
    interval: { text: '2s', ms: 2000 },
  };
  return answered(await waitForCard(session, { cardId: String(cardId), status, ...times, stop }, noLine), warnings);
}

async function listHistory(session: Session, { args, warnings }: ReadRequest): Promise<CallToolResult> {
  const reader = new ArgumentReader(args);
  const sinceMs = reader.since('since', session.context.clock.now());
  const id = reader.text('id');
  const outcome = reader.choice('outcome', OUTCOMES);
  const limit = reader.wholeNumber('limit', { max: MOST_ROWS, otherwise: 50 });
  if (id === '') reader.add([{ where: 'id', problem: 'is empty' }]);
  reader.finish(['since', 'id', 'outcome', 'limit']);
  const { readHistory } = await import('../history/read.ts');
  const { historyJson } = await import('../history/entry-table.ts');
  const { entries, unread } = await readHistory(session.stateDir(), { sinceMs, id, outcome, limit });
  if (entries.length === 0 && id !== undefined) (await import('../local/history.ts')).refuseHeldId(id, 'id');
  const left = unreadFailure('run', unread);
  if (left !== undefined) warnings.push(warning('RUN_UNREADABLE', left.message));
  return found(entries.map(historyJson), warnings);
}

async function listRunsOf(session: Session, { args, warnings }: ReadRequest): Promise<CallToolResult> {
  const reader = new ArgumentReader(args);
  const state = reader.choice('state', RUN_STATES);
  const limit = reader.wholeNumber('limit', { max: MOST_ROWS, otherwise: 50 });
  reader.finish(['state', 'limit']);
  const unread: Unread = new Map();
  const all = await listRuns(ports(session), unread);
  const left = unreadFailure('run', unread);
  if (left !== undefined) warnings.push(warning('RUN_UNREADABLE', left.message));
  const runs = all.filter((run) => state === undefined || run.state === state);
  return found(
    runs.slice(0, limit).map(({ source: _, ...run }) => fromPlain(run)),
    warnings,
  );
}

/** The rows are collected and not printed: the writer of rows is ours. */
async function resultsOfRun(session: Session, { args, warnings }: ReadRequest): Promise<CallToolResult> {
  const reader = new ArgumentReader(args);
  reader.required('run');
  const run = reader.text('run');
  const outcomes = reader.choices('outcome', OUTCOMES);
  const limit = reader.wholeNumber('limit', { max: MOST_ROWS, otherwise: 100 });
  reader.finish(['run', 'outcome', 'limit']);
  if (run === undefined || run === '') throw usageFailure([{ where: 'run', problem: 'is empty' }]);
  const { printRunResults } = await import('../engine/run/run-results.ts');
  const rows: JsonValue[] = [];
  let left = 0;
  const row = async (value: JsonValue) => {
    if (rows.length < limit) rows.push(value);
    else left += 1;
  };
  const rowStream = { row, flush: async () => undefined, close: async () => undefined };
  const collecting: Session = { ...session, openRows: async () => rowStream };
  await printRunResults(collecting, [run], outcomes === undefined ? undefined : new Set(outcomes), false);
  if (left > 0) warnings.push(warning('MORE_ROWS', `${plural(left, 'more row')} not shown`));
  return found(rows, warnings);
}

const READERS: Readonly<Record<string, typeof readOperation>> = {
  card_wait: waitForStatus,
  history_list: listHistory,
  runs_list: listRunsOf,
  run_results: resultsOfRun,
};

/** Runs a tool that changes nothing. */
export function runReadTool(session: Session, request: ReadRequest): Promise<CallToolResult> {
  return (READERS[request.tool.name] ?? readOperation)(session, request);
}
