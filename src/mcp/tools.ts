import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { type Failure, note, OUTCOMES, warning } from '../base/failure.ts';
import { unreadFailure } from '../base/files/io-failure.ts';
import { fromPlain, type JsonValue } from '../base/json/value.ts';
import { HISTORY_FILTER, matchingWrites, olderChanges } from '../cli/commands/history/list.ts';
import { RUN_STATES } from '../records/stored/run-entry.ts';
import { plural } from '../screen/text.ts';
import { CARD_STATUSES } from '../service/api/card.ts';
import { isWrite, type Operation } from '../service/api/operation.ts';
import { OPERATIONS } from '../service/api/operations.ts';
import { answered, found } from './results.ts';
import { type CallWords, local, type ReadRequest, type ReadTool, reading, type WriteTool, writing } from './tool.ts';

const LIMIT = { kind: 'count', max: 1000, text: 'at most that many' } as const;

function warnOfUnread(failure: Failure | undefined, warnings: ReadRequest['warnings']): void {
  if (failure !== undefined) warnings.push(warning('RUN_UNREADABLE', failure.ofRead().message));
}

const CARD_WAIT = local('card_wait', {
  title: 'Wait for the status of a card',
  description:
    'Reads a card until it has one of the given statuses, and returns the card. If the time is up first, that is an error.',
  args: {
    cardId: { kind: 'cardId', required: true, text: 'the card' },
    status: { kind: 'choices', choices: CARD_STATUSES, required: true, text: 'any of these' },
    timeoutSeconds: { kind: 'count', max: 300, default: '60', text: 'how long to wait' },
  },
  async run(session, { cardId, status, timeoutSeconds }, { abort, warnings }) {
    const { waitForCard } = await import('../cli/commands/card/wait.ts');
    const timeout = { text: `${timeoutSeconds}s`, ms: timeoutSeconds * 1000 };
    const times = { timeout, timeoutName: 'timeoutSeconds', interval: { text: '2s', ms: 2000 } };
    return answered(await waitForCard(session, { cardId, status, ...times, abort }), warnings);
  },
});

const CARD_FIND = local('card_find', {
  title: 'Find a card by its order number',
  description:
    'Finds cards that this machine has read or changed, by client reference (order number) or the beginning of an ID. Sends nothing, so a status may be old: `seenAt` says of when it is.',
  args: { text: { kind: 'text', required: true, text: 'client reference or card ID, or its beginning' } },
  async run(session, { text }, { warnings }) {
    const { findRemembered } = await import('../cli/commands/card/find.ts');
    const { rows, notes, failure } = findRemembered(session, text);
    if (failure !== undefined) throw failure;
    warnings.push(...notes);
    return found(rows, warnings);
  },
});

const HISTORY_LIST = local('history_list', {
  title: 'List changes made from this machine',
  description: 'Lists changes made from this machine, newest first.',
  args: { ...HISTORY_FILTER, limit: { ...LIMIT, default: '50' } },
  async run(session, values, { warnings }) {
    const { rows, hasOlder, noMatch, unread, failure } = await matchingWrites(session, values, '');
    if (failure !== undefined) throw failure;
    if (noMatch !== undefined) warnings.push(note('NO_MATCH', noMatch));
    if (hasOlder) warnings.push(olderChanges('limit'));
    warnOfUnread(unreadFailure('run', unread), warnings);
    return found(rows, warnings);
  },
});

const RUNS_LIST = local('runs_list', {
  title: 'List bulk runs',
  description: 'Lists the bulk runs stored on this machine, newest first.',
  args: {
    state: { kind: 'choice', choices: RUN_STATES, text: 'only runs in this state' },
    limit: { ...LIMIT, default: '50' },
  },
  async run(session, { state, limit }, { warnings }) {
    const { matchingRuns } = await import('../cli/commands/runs/list.ts');
    const { runs, left, failure } = await matchingRuns(session, { state, limit }, 'limit');
    warnings.push(...left);
    warnOfUnread(failure, warnings);
    const shown = runs.map(({ source: _, ...run }) => fromPlain(run));
    return found(shown, warnings);
  },
});

const RUN_RESULTS = local('run_results', {
  title: 'Show the rows of a run',
  description: 'Gives the rows of a run with their outcomes, in input order.',
  args: {
    run: { kind: 'text', required: true, text: 'id of the run' },
    outcome: { kind: 'choices', choices: OUTCOMES, text: 'only rows with this outcome' },
    limit: { ...LIMIT, default: '100' },
  },
  async run(session, { run, outcome, limit }, { warnings }) {
    const { printRunResults } = await import('../cli/commands/runs/results.ts');
    const rows: JsonValue[] = [];
    let left = 0;
    const row = async (value: JsonValue) => {
      if (rows.length < limit) rows.push(value);
      else left += 1;
    };
    // The rows are collected and not printed.
    const rowStream = { row, flush: async () => undefined, close: async () => undefined };
    const outcomes = outcome === undefined ? undefined : new Set(outcome);
    await printRunResults(session, [run], { outcomes, asInput: false }, async () => rowStream);
    if (left > 0) warnings.push(warning('MORE_ROWS', `${plural(left, 'more row')} not shown`));
    return found(rows, warnings);
  },
});

/** The descriptions of the operations that assistants get: all but those that return secrets. */
const CALL_WORDS: Readonly<Record<Exclude<keyof typeof OPERATIONS, `cardProvision${string}`>, CallWords>> = {
  cardGet: {
    title: 'Show a gift card',
    description: 'Reads one gift card: status, balances, expiry, metadata, transactions. Amounts have no currency.',
  },
  subscribersList: {
    title: 'List subscribers of a calendar',
    description:
      'Lists the subscribers of a calendar, active ones unless `active` is false. The service documents no paging past 100.',
  },
  cardActivate: { title: 'Activate a gift card', description: 'Activates one gift card.' },
  cardBlock: { title: 'Block a gift card', description: 'Blocks one gift card. This cannot be undone.' },
  cardReissue: {
    title: 'Reissue a gift card',
    description:
      'Reissues one gift card. A second reissue may create a second live card. `resultId` is the card in the response.',
  },
  calendarUpdate: {
    title: 'Change a calendar',
    description:
      'Changes the given fields of a calendar. The service does not document what happens to omitted fields.',
  },
  eventCreate: {
    title: 'Create events',
    description:
      'Creates an event in a calendar. Dates are ISO 8601 and sent as given. A second request may create a second event.',
  },
  subscriberUpdate: {
    title: 'Change a subscriber',
    description:
      'Changes the given fields of a subscriber. The service does not document what happens to omitted fields.',
  },
};

function callsThat(write: boolean): readonly (readonly [Operation, CallWords])[] {
  return Object.entries(CALL_WORDS).flatMap(([name, words]) => {
    // The descriptions have only names of the table of operations.
    const operation: Operation = OPERATIONS[name as keyof typeof OPERATIONS];
    return isWrite(operation) === write ? [[operation, words] as const] : [];
  });
}

const READS = callsThat(false).map(([operation, words]) => reading(operation, words));

export const READ_TOOLS: readonly ReadTool[] = [
  ...READS.toSpliced(1, 0, CARD_WAIT, CARD_FIND),
  HISTORY_LIST,
  RUNS_LIST,
  RUN_RESULTS,
];

/** How a client may treat a tool, from the effect of its operation. */
export function annotationsOf(tool: ReadTool | WriteTool): ToolAnnotations {
  const { title } = tool;
  const effect = 'operation' in tool ? tool.operation.effect : undefined;
  if (effect?.kind !== 'write') return { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  return {
    title,
    readOnlyHint: false,
    // Whatever asks on a terminal for every single call, or overwrites.
    destructiveHint: effect.confirm || effect.isUpdate === true,
    // A second one makes something anew.
    idempotentHint: effect.second === undefined,
  };
}

/** Tools that change something at the service, listed only if writes are allowed. */
export const WRITE_TOOLS: readonly WriteTool[] = callsThat(true).map(([operation, words]) => writing(operation, words));
