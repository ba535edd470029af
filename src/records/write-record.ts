import * as z from 'zod/mini';
import { ifPossible } from '../base/files/io-failure.ts';
import { CARD_ID } from '../service/api/field.ts';
import { operationOfWrite } from '../service/api/operations.ts';
import { type CallOutcome, decodeOutcome, NO_OUTCOME } from '../service/call-outcome.ts';
import type { StoredRow } from './journal/entry.ts';
import { openKey } from './stored/open-folder.ts';
import type { RunHeader } from './stored/run-folder.ts';

/** What a user (`by`) found out about an unknown outcome. */
const resolution = z.object({
  time: z.string(),
  by: z.string(),
  as: z.enum(['applied', 'not_applied']),
  note: z.optional(z.string()),
  resultId: z.optional(z.string()),
});

/** Why an unknown outcome is no longer open. */
export const closing = z.object({ supersededBy: z.optional(z.string()), resolved: z.optional(resolution) });

const record = z.looseObject({
  /** When the line was written. Lines of one file are in this order. */
  at: z.string(),
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
  /** How long its retries and attempts may take, by its options. */
  takesMs: z.optional(z.number()),
  /** Of the card as read before. */
  status: z.optional(z.string()),
  clientReference: z.optional(z.string()),
  ...closing.shape,
  /** The read that the outcome comes from, and what was known before. */
  read: z.optional(z.object({ time: z.string(), user: z.string(), before: z.looseObject({}) })),
});

type Known = z.infer<typeof record>;

/** What a change is, before it is sent. Everything known of it, without body and token. */
export type Begin = Pick<
  Known,
  | 'entry'
  | 'time'
  | 'user'
  | 'profile'
  | 'host'
  | 'operation'
  | 'id'
  | 'reason'
  | 'url'
  | 'call'
  | 'fields'
  | 'digest'
  | 'maker'
  | 'takesMs'
  | 'status'
  | 'clientReference'
>;
export type Closing = z.infer<typeof closing>;
export type Resolution = z.infer<typeof resolution>;

/** One change, single or a row of a run, whose `entry` is `<run>:<row>`. Without an end it is `unknown`. */
export interface HistoryEntry extends Begin, Closing {
  readonly callOutcome: CallOutcome;
  readonly run: string | undefined;
  /** The read that `callOutcome` comes from, and what was known before. */
  readonly read?: { readonly time: string; readonly user: string; readonly before: CallOutcome } | undefined;
}

/** A change that has begun and not ended. */
export const NO_END: CallOutcome = { ...NO_OUTCOME, outcome: 'unknown' };

/** An outcome as it is kept, without words of the service, which may name a customer: these files are kept for long. */
function storedOutcome({ message, repeated, notices, ...known }: CallOutcome): object {
  return { ...known, notices: notices.length === 0 ? undefined : notices };
}

/** What happened to a change, as the audit log says it. */
export type WriteEvent = { readonly event: 'begin' | 'end' | 'read' | 'superseded' | 'resolved' } & Partial<Begin> &
  Pick<Begin, 'entry'> & { readonly callOutcome?: CallOutcome };

/** An event as a line of the audit log. */
export function printEvent({ callOutcome, ...facts }: WriteEvent): string {
  return `${JSON.stringify({ ...facts, ...(callOutcome && storedOutcome(callOutcome)) })}\n`;
}

/** A change as a line: of the ledger once it has ended, of its own file before. `at`: now. */
export function printRecord(
  { callOutcome, run: _, read, ...facts }: Begin & Partial<HistoryEntry>,
  at: string,
): string {
  const before = read && { ...read, before: storedOutcome(read.before) };
  const { entry, ...rest } = facts;
  const clientReference = callOutcome?.clientReference ?? facts.clientReference;
  return `${JSON.stringify({ at, entry, ...rest, ...(callOutcome && storedOutcome(callOutcome)), clientReference, read: before })}\n`;
}

/** The change of a line; undefined for a line that was cut. `isEnded`: it says how the change ended. */
export function parseRecord(line: string): (HistoryEntry & { readonly isEnded: boolean }) | undefined {
  const { data } = record.safeParse(ifPossible(() => JSON.parse(line)));
  if (data === undefined) return undefined;
  const { at: _, entry, time, user, profile, host, operation, id, reason, url, call, fields, digest, maker } = data;
  const { takesMs, status, clientReference, supersededBy, resolved, read } = data;
  const begun = { entry, time, user, profile, host, operation, id, reason, url, call, fields, digest, maker, takesMs };
  const callOutcome = decodeOutcome(data);
  const before = read && decodeOutcome(read.before);
  return {
    ...begun,
    status,
    clientReference: clientReference ?? callOutcome?.clientReference,
    supersededBy,
    resolved,
    callOutcome: callOutcome ?? NO_END,
    run: undefined,
    read: read === undefined || before === undefined ? undefined : { time: read.time, user: read.user, before },
    isEnded: callOutcome !== undefined,
  };
}

/** 2: the outcome is known; 1: it is not, and the entry is closed; 0: it is open. */
function knowledgeOf(line: string): number {
  const record = parseRecord(line);
  if (record === undefined) return 0;
  return record.callOutcome.outcome === 'unknown' ? Number(isClosed(record)) : 2;
}

/**
 * Which of two lines about one entry counts: the one that knows more, since one machine may close what another ends,
 * and their clocks differ; else the later one.
 */
export function lineThatCounts(one: string, other: string): string {
  const difference = knowledgeOf(one) - knowledgeOf(other);
  return difference > 0 || (difference === 0 && one > other) ? one : other;
}

/** Is a change closed although its outcome is unknown? A card check says nothing about it then. */
export function isClosed({ supersededBy, resolved }: Closing): boolean {
  return supersededBy !== undefined || resolved !== undefined;
}

/** A line that says what closed an entry, or what a read showed. */
export const CLOSED_LINE = /"(?:supersededBy|resolved|read)":/;

/** How every line begins. */
export const RECORD_HEAD = /^\{"at":"([^"]+)","entry":"([^"\\]+)"/;

/** `host[:port]`, as recorded for single changes. A run keeps the whole address. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

type RowFacts = Pick<StoredRow, 'row' | 'id' | 'reason' | 'fields' | 'digest' | 'timeMs' | 'callOutcome'>;

export function entryOfRow(
  { user, profile, operation, run, host: url, startedAt }: RunHeader,
  { row, id, reason, fields, digest, timeMs, callOutcome }: RowFacts,
): HistoryEntry {
  const time = timeMs === undefined ? startedAt : new Date(timeMs).toISOString();
  const begun = { entry: `${run}:${row}`, time, user, profile, host: hostOf(url), url, operation, id, reason };
  return { ...begun, fields: fields?.slice(), digest, clientReference: callOutcome.clientReference, callOutcome, run };
}

/** A decoded segment of a path. One that is no percent-encoding stays. */
function decoded(segment: string): string {
  return ifPossible(() => decodeURIComponent(segment)) ?? segment;
}

/** Operation in the table and ID of a recorded change, of a card in lower case. A raw call has its path. */
export function subjectOfWrite({ operation, id, call }: Pick<Begin, 'operation' | 'id' | 'call'>) {
  const row = operationOfWrite({ call, operation });
  const isCard = row === undefined ? operation.startsWith('card.') : row.family === 'cards';
  const subject = id === '' ? undefined : id;
  return { row, subject: isCard ? subject?.toLowerCase() : subject };
}

export type About = Pick<Begin, 'entry' | 'operation' | 'id' | 'call' | 'url' | 'digest'>;

/** What a change is about, as names of files have it: a card in any case, or the body of an event. */
export function keyOfWrite(begun: Omit<About, 'entry'>): string {
  return openKey(begun.url ?? '', begun.digest ?? subjectOfWrite(begun).subject ?? '');
}

/** The ID that is looked for: `wantedId`. */
export type WantedId = ReturnType<typeof wantedId>;

/** 8 or more characters of a card ID, but not all, without dashes. */
const PART = /^[0-9a-f]{8,31}$/;

/** Is it the beginning of a card ID, of at least 8 characters? */
export function isPartOfCardId(text: string): boolean {
  return PART.test(text.toLowerCase().replaceAll('-', ''));
}

/** Finds any operation's ID exactly, and a card's in any case, also by its beginning. `cardIds`: those of more cards. */
export function wantedId(text: string, cardIds: readonly string[] = []) {
  const more = cardIds.map((id) => id.toLowerCase());
  const lower = text.toLowerCase();
  const digits = lower.replaceAll('-', '');
  const isCard = CARD_ID.test(text);
  const isPart = isPartOfCardId(text);
  const fitOf = (id: string) => {
    if (id === text || (isCard && id.toLowerCase() === lower) || more.includes(id.toLowerCase())) return 'exact';
    const begins = isPart && CARD_ID.test(id) && id.toLowerCase().replaceAll('-', '').startsWith(digits);
    return begins ? 'part' : undefined;
  };
  const own = isPart ? [digits.slice(0, 8)] : [JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  const spellings = [...own, ...more];
  return {
    /** Matches the lines of every entry that fits, so that others need not be parsed. */
    pattern: new RegExp(spellings.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'i'),
    /** How well the best of these IDs fits. */
    fitOf(...ids: readonly (string | undefined)[]) {
      // A raw call (`frontdesk api`) has its method and path instead of an ID.
      const texts = ids.flatMap((id = '') => [
        id,
        ...(id.startsWith('POST /') ? id.slice(5).split('/').map(decoded) : []),
      ]);
      const fits = texts.map(fitOf);
      return (['exact', 'part'] as const).find((fit) => fits.includes(fit));
    },
  };
}
