import * as z from 'zod/mini';
import { type CallOutcome, decodeOutcome, NO_OUTCOME } from '../call-outcome.ts';

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
  /** Base URL of the family, or `sandbox`. */
  url: z.optional(z.string()),
  /** The operation of the table, where the command does not say it: `card.provision.wallet_a`. */
  call: z.optional(z.string()),
  /** Names of the fields that an update sets, never their values. */
  fields: z.optional(z.array(z.string())),
  /** What stands for the body of an event: made with a secret of this user, so that it does not tell the body. */
  digest: z.optional(z.string()),
  /** The process that sends it: whether it may still end. */
  maker: z.optional(z.string()),
  /** Of the card as it was read before. */
  status: z.optional(z.string()),
  clientReference: z.optional(z.string()),
});

/** The members of the ending stand beside these. */
const endEvent = z.looseObject({ event: z.literal('end'), entry: z.string() });
const readEvent = z.looseObject({ event: z.literal('read'), entry: z.string(), time: z.string(), user: z.string() });
/** What a later event is about; older versions did not keep it. */
const ABOUT = { operation: z.optional(z.string()), id: z.optional(z.string()) };
const supersededEvent = z.object({
  event: z.literal('superseded'),
  entry: z.string(),
  ...ABOUT,
  time: z.string(),
  by: z.string(),
});
const resolvedEvent = z.object({
  event: z.literal('resolved'),
  entry: z.string(),
  ...ABOUT,
  time: z.string(),
  by: z.string(),
  as: z.enum(['applied', 'not_applied']),
  note: z.optional(z.string()),
  resultId: z.optional(z.string()),
});
const SOME_EVENT = z.discriminatedUnion('event', [beginEvent, endEvent, readEvent, supersededEvent, resolvedEvent]);

/** A write is about to be sent: all that is known of it, and no body, no token. */
export type BeginEvent = z.infer<typeof beginEvent>;
/** A later event of the same write. What it is about is in those of newer versions alone. */
type Later = Pick<BeginEvent, 'entry'> &
  Partial<Pick<BeginEvent, 'operation' | 'id'>> & { readonly ending: CallOutcome };
/** How it ended. */
type EndEvent = Later & Partial<Pick<BeginEvent, 'time'>> & { readonly event: 'end' };
/** The card was read after a write of unknown outcome: what is known since, and who looked when. */
export type ReadEvent = Later & Pick<BeginEvent, 'time' | 'user'> & { readonly event: 'read' };
/** A later write, `by` its entry, took the place of one whose outcome is unknown. */
type SupersededEvent = z.infer<typeof supersededEvent>;
/** What a person (`by`) found out elsewhere about a write whose outcome is unknown. */
export type ResolvedEvent = z.infer<typeof resolvedEvent>;
/** What happens to a write itself. */
type WriteEvent = BeginEvent | EndEvent | ReadEvent;
/** One line of `history.jsonl`. */
export type HistoryEvent = WriteEvent | SupersededEvent | ResolvedEvent;

/** Why a write of unknown outcome is open no more. */
export interface Closing {
  readonly supersededBy?: string | undefined;
  readonly resolved?: Omit<ResolvedEvent, 'event' | 'entry' | 'operation' | 'id'> | undefined;
}

/** What closed a write, of its events in the order in which they were written. */
export function closingOf(events: readonly HistoryEvent[]): Closing {
  const superseded = events.find((event) => event.event === 'superseded');
  const last = events.findLast((event) => event.event === 'resolved');
  if (last === undefined) return { supersededBy: superseded?.by };
  const { event: _event, entry: _entry, operation: _operation, id: _id, ...resolved } = last;
  return { supersededBy: superseded?.by, resolved };
}

/** One write, single or a row of a run; `entry` of a row is `<run>:<row>`. A write without an end is `unknown`. */
export interface HistoryEntry extends Omit<BeginEvent, 'event'>, Closing {
  readonly ending: CallOutcome;
  readonly run: string | undefined;
  /** The read that `ending` comes from, and what was known before it. */
  readonly read?: (Pick<ReadEvent, 'time' | 'user'> & { readonly before: CallOutcome }) | undefined;
}

const NO_END: CallOutcome = { ...NO_OUTCOME, outcome: 'unknown' };

/** A single write of its events, in the order in which they were written. */
export function entryOf(begin: BeginEvent, others: readonly HistoryEvent[]): HistoryEntry {
  const { event: _event, ...begun } = begin;
  const last = others.findLast((other) => 'ending' in other && other.ending.clientReference !== undefined);
  const clientReference = last !== undefined && 'ending' in last ? last.ending.clientReference : begin.clientReference;
  const facts = { ...begun, ...closingOf(others), clientReference };
  const before = others.findLast((other) => other.event === 'end')?.ending ?? NO_END;
  const reads = others.filter((other) => other.event === 'read');
  const read = reads.find(({ ending }) => ending.outcome !== 'unknown') ?? reads.at(-1);
  // The write's own answer, when it came after all, is worth more than what a look at the card showed.
  if (read === undefined || before.outcome !== 'unknown') return { ...facts, ending: before, run: undefined };
  const { time, user, ending } = read;
  return { ...facts, ending, run: undefined, read: { time, user, before } };
}

/** `host[:port]`, as single writes are recorded; a run keeps the whole address. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

/**
 * An event as a line, with its newline. What the service said stays out: it may name a customer, and these files are
 * kept for long.
 */
export function printHistoryEvent(event: HistoryEvent): string {
  if (!('ending' in event)) return `${JSON.stringify(event)}\n`;
  const { ending, ...facts } = event;
  const { message, repeated, notices, ...known } = ending;
  return `${JSON.stringify({ ...facts, ...known, notices: notices.length === 0 ? undefined : notices })}\n`;
}

/** Whether a line is whole, for what goes by its beginning alone: a kill or a full disk in a write leaves half of one. */
export function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** The event in a line, or undefined: a line that was being written when its process died is no event. */
export function parseHistoryEvent(line: string): HistoryEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { data: known } = SOME_EVENT.safeParse(value);
  if (known === undefined || (known.event !== 'end' && known.event !== 'read')) return known;
  const ending = decodeOutcome(known);
  if (ending === undefined) return undefined;
  const { event, entry } = known;
  return event === 'end' ? { event, entry, ending } : { event, entry, time: known.time, user: known.user, ending };
}

/**
 * How many entries are kept back, and read on, for events that stand out of order: a prune carries over what was
 * written while it replaced the file, after what was already written to the new one, and the clocks of several
 * machines differ.
 */
export const DISORDER = 2048;

/** How every version begins the line of an event. */
const HEAD = /^\{"event":"(begin|end|read|superseded|resolved)","entry":"([^"\\]+)"/;

/** One write of the history as the lines it has there. */
export interface EntryLines {
  readonly entry: string;
  readonly begin: string;
  /** Ends and reads, oldest first. */
  readonly others: readonly string[];
}

/** Puts the lines of each entry together while the file is read from its end; an entry that is there twice is one. */
export class EventWindow {
  readonly #deliver: (lines: EntryLines) => boolean;
  readonly #begun = new Map<string, { readonly begin: string; readonly newestFirst: string[] }>();
  /** Ends whose beginning was not met yet: of the writes that were under way at one time. */
  readonly #ends = new Map<string, string[]>();

  /** `deliver` is handed the newest entry first and returns true when it wants no more. */
  constructor(deliver: (lines: EntryLines) => boolean) {
    this.#deliver = deliver;
  }

  /** Takes the next line further back. Returns true when no more are wanted. */
  take(line: string): boolean {
    const [, event, entry] = HEAD.exec(line) ?? [];
    if (entry === undefined) return false;
    const begun = this.#begun.get(entry);
    if (event !== 'begin') {
      const others = begun?.newestFirst ?? this.#ends.get(entry);
      if (others === undefined) this.#ends.set(entry, [line]);
      else others.push(line);
      return false;
    }
    if (begun !== undefined) return false;
    this.#begun.set(entry, { begin: line, newestFirst: this.#ends.get(entry) ?? [] });
    this.#ends.delete(entry);
    return this.#begun.size > DISORDER && this.#deliverNext();
  }

  /** The beginning of the file is reached: what was kept back is delivered. */
  finish(): void {
    while (this.#begun.size > 0 && !this.#deliverNext());
  }

  #deliverNext(): boolean {
    for (const [entry, { begin, newestFirst }] of this.#begun) {
      this.#begun.delete(entry);
      return this.#deliver({ entry, begin, others: newestFirst.reverse() });
    }
    return true;
  }
}
