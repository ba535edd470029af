import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { OPERATIONS } from '../api/operations.ts';
import { CARD_WAIT, HISTORY_LIST, RUN_RESULTS, RUNS_LIST } from './local-tools.ts';
import { type ReadTool, reading, type WriteTool, writing } from './tool.ts';

/** Tools that change nothing, in the order in which they are listed. */
export const READ_TOOLS: readonly ReadTool[] = [
  reading(OPERATIONS.cardGet, 'card_get', {
    title: 'Show a gift card',
    description: 'Reads one gift card: status, balances, expiry, metadata, transactions. Amounts have no currency.',
  }),
  CARD_WAIT,
  reading(OPERATIONS.subscribersList, 'subscribers_list', {
    title: 'List subscribers of a calendar',
    description:
      'Lists the subscribers of a calendar, active ones unless `active` is false. There is no way to page through more than 100.',
    idName: 'calendarId',
  }),
  HISTORY_LIST,
  RUNS_LIST,
  RUN_RESULTS,
];

/** How a client may treat a tool, read from the effect of its operation. */
export function annotationsOf(tool: ReadTool | WriteTool): ToolAnnotations {
  const { title } = tool;
  const effect = 'operation' in tool ? tool.operation.effect : undefined;
  if (effect?.kind !== 'write') return { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  return {
    title,
    readOnlyHint: false,
    // What is asked about on a terminal, for every single call.
    destructiveHint: effect.confirm,
    // An answer that can be had nowhere else is about something that each call makes anew.
    idempotentHint: effect.resultId === undefined,
  };
}

/** Tools that change something at the service; listed only where writes are allowed. */
export const WRITE_TOOLS: readonly WriteTool[] = [
  writing(OPERATIONS.cardActivate, 'card_activate', {
    title: 'Activate a gift card',
    description: 'Activates one gift card.',
  }),
  writing(OPERATIONS.cardBlock, 'card_block', {
    title: 'Block a gift card',
    description: 'Blocks one gift card. There is no way back.',
  }),
  writing(OPERATIONS.cardReissue, 'card_reissue', {
    title: 'Reissue a gift card',
    description:
      'Reissues one gift card; a second reissue may make a second live card. `resultId` is the card in the answer.',
  }),
  writing(OPERATIONS.calendarUpdate, 'calendar_update', {
    title: 'Change a calendar',
    description: 'Changes the given fields of a calendar; others are left as they are.',
    idName: 'calendarId',
  }),
  writing(OPERATIONS.eventCreate, 'event_create', {
    title: 'Create an event',
    description:
      'Creates an event in a calendar. Dates are ISO 8601 and sent as given. A repeat creates a second event.',
  }),
  writing(OPERATIONS.subscriberUpdate, 'subscriber_update', {
    title: 'Change a subscriber',
    description: 'Changes the given fields of a subscriber; others are left as they are.',
    idName: 'subscriberId',
  }),
];
