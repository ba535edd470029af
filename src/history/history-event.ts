import * as z from 'zod/mini';
import { decodeEnding, type Ending } from '../ending.ts';

const beginEvent = z.object({
  event: z.literal('begin'),
  entry: z.string(),
  time: z.string(),
  user: z.string(),
  profile: z.string(),
  host: z.string(),
  operation: z.string(),
  id: z.optional(z.string()),
  reason: z.optional(z.string()),
});

/** The members of the ending stand beside these. */
const endEvent = z.looseObject({ event: z.literal('end'), entry: z.string() });

/** A write is about to be sent: all that is known of it, and no body, no token. */
export type BeginEvent = z.infer<typeof beginEvent>;
/** How it ended. */
export interface EndEvent {
  readonly event: 'end';
  readonly entry: string;
  readonly ending: Ending;
}
/** One line of `history.jsonl`. */
export type HistoryEvent = BeginEvent | EndEvent;

/** One write, single or a row of a run; `entry` of a row is `<run>:<row>`. A write without an end is `unknown`. */
export interface HistoryEntry extends Omit<BeginEvent, 'event'> {
  readonly ending: Ending;
  /** Name of the run it was a row of. */
  readonly run: string | undefined;
}

/**
 * An event as a line, with its newline; one of a run's row names the run. What the service said stays out: it may
 * name a customer, and these files are kept for long.
 */
export function printHistoryEvent(event: HistoryEvent & { readonly run?: string }): string {
  if (event.event === 'begin') return `${JSON.stringify(event)}\n`;
  const { entry, run } = event;
  const { message, notices, ...ending } = event.ending;
  const known = { ...ending, notices: notices.length === 0 ? undefined : notices };
  return `${JSON.stringify({ event: 'end', entry, ...known, run })}\n`;
}

/** The event in a line, or undefined: a line that was being written when its process died is no event. */
export function parseHistoryEvent(line: string): HistoryEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const begin = beginEvent.safeParse(value);
  if (begin.success) return begin.data;
  const end = endEvent.safeParse(value);
  const ending = end.success ? decodeEnding(end.data) : undefined;
  return end.success && ending !== undefined ? { event: 'end', entry: end.data.entry, ending } : undefined;
}
