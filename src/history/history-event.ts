import type { FileHandle } from 'node:fs/promises';
import * as z from 'zod/mini';
import { CARD_ID } from '../api/field.ts';
import { matchPath } from '../api/operation.ts';
import { ALL_OPERATIONS, operationsOf } from '../api/operations.ts';
import { type CallOutcome, decodeOutcome, NO_OUTCOME } from '../call-outcome.ts';
import { ifPossible } from '../files/io-failure.ts';
import type { StoredRow } from '../run/journal/entry.ts';
import type { RunHeader } from '../run/stored/run-folder.ts';
import { readLinesBack } from './history-file.ts';

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
  /** The operation of the table if the command does not say it: `card.provision.wallet_a`. */
  call: z.optional(z.string()),
  /** Names of the fields that an update sets, never their values. */
  fields: z.optional(z.array(z.string())),
  /** Digest of the body of an event, keyed with a secret of this user, so that it does not reveal the body. */
  digest: z.optional(z.string()),
  /** The process that sends it, which may still record the end. */
  maker: z.optional(z.string()),
  /** Of the card as read before. */
  status: z.optional(z.string()),
  clientReference: z.optional(z.string()),
});

/** The members of the call outcome follow. */
const endEvent = z.looseObject({ event: z.literal('end'), entry: z.string() });
const readEvent = z.looseObject({ event: z.literal('read'), entry: z.string(), time: z.string(), user: z.string() });
/** What a later event is about. Missing in older versions. */
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

/** A change is about to be sent. Everything known of it, without body and token. */
export type BeginEvent = z.infer<typeof beginEvent>;
/** A later event of the same change. Only newer versions say what it is about. */
type Later = Pick<BeginEvent, 'entry'> &
  Partial<Pick<BeginEvent, 'operation' | 'id'>> & { readonly callOutcome: CallOutcome };
/** How the change ended. */
type EndEvent = Later & Partial<Pick<BeginEvent, 'time'>> & { readonly event: 'end' };
/** The card was read after an unknown outcome: what is known since, and who read it when. */
export type ReadEvent = Later & Pick<BeginEvent, 'time' | 'user'> & { readonly event: 'read' };
/** A later change, `by` its entry, superseded one with an unknown outcome. */
type SupersededEvent = z.infer<typeof supersededEvent>;
/** What a user (`by`) found out about an unknown outcome. */
export type ResolvedEvent = z.infer<typeof resolvedEvent>;
/** What happens to a change itself. */
type WriteEvent = BeginEvent | EndEvent | ReadEvent;
/** One line of `history.jsonl`. */
export type HistoryEvent = WriteEvent | SupersededEvent | ResolvedEvent;

/** Why an unknown outcome is no longer open. */
export interface Closing {
  readonly supersededBy?: string | undefined;
  readonly resolved?: Omit<ResolvedEvent, 'event' | 'entry' | 'operation' | 'id'> | undefined;
}

/** What closed a change, from its events in order. */
export function closingOf(events: readonly HistoryEvent[]): Closing {
  const superseded = events.find((event) => event.event === 'superseded');
  const last = events.findLast((event) => event.event === 'resolved');
  if (last === undefined) return { supersededBy: superseded?.by };
  const { event: _event, entry: _entry, operation: _operation, id: _id, ...resolved } = last;
  return { supersededBy: superseded?.by, resolved };
}

/** One change, single or a row of a run, whose `entry` is `<run>:<row>`. Without an end it is `unknown`. */
export interface HistoryEntry extends Omit<BeginEvent, 'event'>, Closing {
  readonly callOutcome: CallOutcome;
  readonly run: string | undefined;
  /** The read that `callOutcome` comes from, and what was known before. */
  readonly read?: (Pick<ReadEvent, 'time' | 'user'> & { readonly before: CallOutcome }) | undefined;
}

const NO_END: CallOutcome = { ...NO_OUTCOME, outcome: 'unknown' };

/** A single change from its events in order. */
export function entryOf(begin: BeginEvent, others: readonly HistoryEvent[]): HistoryEntry {
  const { event: _event, ...begun } = begin;
  const outcomes = others.flatMap((other) => ('callOutcome' in other ? [other.callOutcome] : []));
  const { clientReference } = outcomes.findLast((each) => each.clientReference !== undefined) ?? begin;
  const facts = { ...begun, ...closingOf(others), clientReference };
  const before = others.findLast((other) => other.event === 'end')?.callOutcome ?? NO_END;
  const reads = others.filter((other) => other.event === 'read');
  const read = reads.find(({ callOutcome }) => callOutcome.outcome !== 'unknown') ?? reads.at(-1);
  // The service's own response counts more than a card check.
  if (read === undefined || before.outcome !== 'unknown') return { ...facts, callOutcome: before, run: undefined };
  const { time, user, callOutcome } = read;
  return { ...facts, callOutcome, run: undefined, read: { time, user, before } };
}

/** `host[:port]`, as recorded for single changes. A run keeps the whole address. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

/** A row of a run as an entry. */
export function entryOfRow(
  { user, profile, operation, run, host: url, startedAt }: RunHeader,
  { row, id, reason, fields, digest, timeMs, callOutcome }: StoredRow,
): HistoryEntry {
  const time = timeMs === undefined ? startedAt : new Date(timeMs).toISOString();
  const begun = { entry: `${run}:${row}`, time, user, profile, host: hostOf(url), url, operation, id, reason };
  return { ...begun, fields: fields?.slice(), digest, clientReference: callOutcome.clientReference, callOutcome, run };
}

/** An event as a line, without words of the service, which may name a customer: these files are kept for long. */
export function printHistoryEvent(event: HistoryEvent): string {
  if (!('callOutcome' in event)) return `${JSON.stringify(event)}\n`;
  const { callOutcome, ...facts } = event;
  const { message, repeated, notices, ...known } = callOutcome;
  return `${JSON.stringify({ ...facts, ...known, notices: notices.length === 0 ? undefined : notices })}\n`;
}

/** Is the line whole? A kill or a full disk leaves half of one, whose beginning is not enough. */
export function isWhole(line: string): boolean {
  return ifPossible(() => JSON.parse(line)) !== undefined;
}

/** The event of a line; undefined for a line that was cut. */
export function parseHistoryEvent(line: string): HistoryEvent | undefined {
  const { data: known } = SOME_EVENT.safeParse(ifPossible(() => JSON.parse(line)));
  if (known === undefined || (known.event !== 'end' && known.event !== 'read')) return known;
  const callOutcome = decodeOutcome(known);
  if (callOutcome === undefined) return undefined;
  const { event, entry } = known;
  if (event === 'end') return { event, entry, callOutcome };
  return { event, entry, time: known.time, user: known.user, callOutcome };
}

/** Entries that are held back for late events: a prune appends some after newer lines, and clocks differ. */
export const DISORDER = 2048;

/** How every version begins the line of an event. */
export const EVENT_HEAD = /^\{"event":"(begin|end|read|superseded|resolved)","entry":"([^"\\]+)"/;

/** The lines of one change. */
export interface EntryLines {
  readonly entry: string;
  readonly begin: string;
  /** Ends and reads, oldest first. */
  readonly others: readonly string[];
}

/**
 * Passes the entries of the history to `visit`, newest first, until it returns true: the lines of each are grouped while
 * the file is read from its end. A duplicate counts once. Rejects with the system's error.
 */
export async function readEntriesBack(file: FileHandle, visit: (lines: EntryLines) => boolean): Promise<void> {
  const begun = new Map<string, { readonly begin: string; readonly newestFirst: string[] }>();
  /** Ends whose beginning was not met yet. */
  const ends = new Map<string, string[]>();
  const deliverNext = (): boolean => {
    for (const [entry, { begin, newestFirst }] of begun) {
      begun.delete(entry);
      return visit({ entry, begin, others: newestFirst.reverse() });
    }
    return true;
  };
  let isDone = false;
  await readLinesBack(file, (line) => {
    const [, event, entry] = EVENT_HEAD.exec(line) ?? [];
    if (entry === undefined) return false;
    const known = begun.get(entry);
    if (event !== 'begin') {
      const others = known?.newestFirst ?? ends.get(entry);
      if (others === undefined) ends.set(entry, [line]);
      else others.push(line);
    } else if (known === undefined) {
      begun.set(entry, { begin: line, newestFirst: ends.get(entry) ?? [] });
      ends.delete(entry);
      isDone = begun.size > DISORDER && deliverNext();
    }
    return isDone;
  });
  // The beginning of the file is reached.
  while (!isDone && begun.size > 0) isDone = deliverNext();
}

/** A decoded segment of a path. One that is no percent-encoding stays. */
function decoded(segment: string): string {
  return ifPossible(() => decodeURIComponent(segment)) ?? segment;
}

/** Operation in the table and ID of a recorded change, of a card in lower case. A raw call is read by its path. */
export function subjectOfWrite({ operation, id = '', call }: Pick<BeginEvent, 'operation' | 'id' | 'call'>) {
  const [ofCommand, other] = operationsOf(operation);
  let row = ALL_OPERATIONS.find(({ name }) => name === call) ?? (other === undefined ? ofCommand : undefined);
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

/** The ID that is looked for: `wantedId`. */
export type WantedId = ReturnType<typeof wantedId>;

/** 8 or more characters of a card ID, but not all, without dashes. */
const PART = /^[0-9a-f]{8,31}$/;

/** Is it the beginning of a card ID, of at least 8 characters? */
export function isPartOfCardId(text: string): boolean {
  return PART.test(text.toLowerCase().replaceAll('-', ''));
}

/** Finds any operation's ID exactly, and a card's in any case, also by its beginning. */
export function wantedId(text: string) {
  const lower = text.toLowerCase();
  const digits = lower.replaceAll('-', '');
  const isCard = CARD_ID.test(text);
  const isPart = isPartOfCardId(text);
  const fitOf = (id: string) => {
    if (id === text || (isCard && id.toLowerCase() === lower)) return 'exact';
    const begins = isPart && CARD_ID.test(id) && id.toLowerCase().replaceAll('-', '').startsWith(digits);
    return begins ? 'part' : undefined;
  };
  const spellings = isPart ? [digits.slice(0, 8)] : [JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  return {
    /** Matches the lines of every entry that fits, so that others need not be parsed. */
    pattern: new RegExp(spellings.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'i'),
    /** How well the best of these IDs fits. */
    fitOf(...ids: readonly (string | undefined)[]) {
      // A raw call (`frontdesk api`) has its path instead of an ID.
      const texts = ids.flatMap((id = '') => [id, ...(id.startsWith('/') ? id.split('/').map(decoded) : [])]);
      const fits = texts.map(fitOf);
      return (['exact', 'part'] as const).find((fit) => fits.includes(fit));
    },
  };
}
