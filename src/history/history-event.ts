import * as z from 'zod/mini';
import type { Outcome } from '../failure.ts';

const OUTCOMES = [
  'applied',
  'confirmed_by_read',
  'rejected',
  'not_sent',
  'unknown',
] as const satisfies readonly Outcome[];

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

const endEvent = z.object({
  event: z.literal('end'),
  entry: z.string(),
  outcome: z.enum(OUTCOMES),
  httpStatus: z.optional(z.number()),
  requestId: z.optional(z.string()),
  durationMs: z.optional(z.number()),
  resultId: z.optional(z.string()),
});

const historyEvent = z.discriminatedUnion('event', [beginEvent, endEvent]);

/** A write is about to be sent: all that is known of it, and no body, no token. */
export type BeginEvent = z.infer<typeof beginEvent>;
/** How it ended. */
export type EndEvent = z.infer<typeof endEvent>;
/** One line of `history.jsonl`. */
export type HistoryEvent = BeginEvent | EndEvent;

/** The event in a line, or undefined: a line that was being written when its process died is no event. */
export function parseHistoryEvent(line: string): HistoryEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const parsed = historyEvent.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
