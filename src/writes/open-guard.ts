import { EARLIER_OPEN, Failure, type Notice, warning } from '../base/failure.ts';
import { ioFailure } from '../base/files/io-failure.ts';
import { outside } from '../base/json/outside-text.ts';
import { printJson } from '../base/json/print.ts';
import { isJsonObject, type JsonValue } from '../base/json/value.ts';
import { hintText, type NextStep } from '../base/next-step.ts';
import type { Ports, Printer, Profiled, Session } from '../command/session.ts';
import { namedProfile } from '../profile/resolve.ts';
import type { OpenWrite } from '../records/open-files.ts';
import type { OpenPorts } from '../records/open-rows.ts';
import type { Since } from '../records/sent-since.ts';
import { type HistoryEntry, keyOfWrite } from '../records/write-record.ts';
import { commandWords, peopleTime, shortEntry } from '../screen/people-text.ts';
import { breakLine, safeText, sentenceCase } from '../screen/text.ts';
import {
  idParamOf,
  isOnceOnly,
  isUpdate,
  isWrite,
  nounOf,
  type Operation,
  resolvedBy,
} from '../service/api/operation.ts';
import { ALL_OPERATIONS, operationOfWrite } from '../service/api/operations.ts';
import type { CallInput } from '../service/http/call.ts';

export type OpenCall = Pick<CallInput, 'operation' | 'params' | 'body'>;

/** The fields that an update sets; undefined for other changes. */
export function fieldsOf({ operation, body }: Pick<OpenCall, 'operation' | 'body'>): readonly string[] | undefined {
  return isUpdate(operation) && isJsonObject(body) ? [...body.keys()] : undefined;
}

/** What is open here, without the rows of `ownRun`; undefined: no record is kept. Rejects with LOCAL_IO or AUTH. */
export async function openWrites(
  session: Session,
  which: Pick<OpenPorts, 'ownRun' | 'key'> = {},
): Promise<readonly OpenWrite[] | undefined> {
  const { stateDir } = session.places;
  if (!session.keepsHistory || stateDir === undefined) return undefined;
  const { readOpenWrites } = await import('../records/open-files.ts');
  return readOpenWrites({ stateDir, clock: session.context.clock, ...which });
}

/** The open writes of the operation's family at this session's base URL, in any profile; `open`: oldest first. */
export function openAt(session: Profiled, open: readonly OpenWrite[], { family }: Operation) {
  const place = session.placeOf(family);
  const found = new Map<string, OpenWrite[]>();
  for (const each of open) {
    const key = each.digest ?? each.subject;
    if (key === undefined || operationOfWrite(each)?.family !== family || each.url !== place) continue;
    const others = found.get(key);
    if (others === undefined) found.set(key, [each]);
    else others.push(each);
  }
  /** Those to one card, calendar, subscriber or event, oldest first. */
  const to = ({ id, digest }: Subject): readonly OpenWrite[] => {
    const key = digest ?? (family === 'cards' ? id?.toLowerCase() : id);
    return (key === undefined ? undefined : found.get(key)) ?? [];
  };
  /** Those that the same change would repeat, if a second one makes a second card, wallet entry or event. */
  const repeatedBy = (operation: Operation, subject: Subject): readonly OpenWrite[] =>
    isOnceOnly(operation) ? to(subject).filter(({ call }) => call === operation.name) : [];
  return { isEmpty: found.size === 0, to, repeatedBy };
}

/** What is open of a call's subject, and which of that the call would repeat. */
export interface OpenBefore {
  /** Oldest first. */
  readonly open: readonly OpenWrite[];
  readonly repeated: readonly OpenWrite[];
  /** Events with the same body that were made lately. */
  readonly same: readonly HistoryEntry[];
  /** The records cannot be read, and the call needs them: it is not sent. */
  readonly unread?: Failure;
  /** Where the records ended then; undefined: the change may happen twice. */
  readonly since?: Since | undefined;
}

export const NOTHING: OpenBefore = { open: [], repeated: [], same: [] };

type Digester = (body: JsonValue | undefined) => string;

/** The digest of an event, in any order of members; undefined: none is kept. Rejects with LOCAL_IO. */
export async function digesterOf(session: Session, operation: Operation): Promise<Digester | undefined> {
  const { stateDir } = session.places;
  const isEvent = isWrite(operation) && idParamOf(operation) === undefined;
  if (!isEvent || !session.keepsHistory || stateDir === undefined) return undefined;
  const { openDigester } = await import('../records/keyed-digest.ts');
  const digest = await openDigester(stateDir, session.context.pid);
  const sorted = (body: JsonValue): JsonValue =>
    isJsonObject(body) ? new Map([...body].sort(([one], [other]) => (one < other ? -1 : 1))) : body;
  return (body) => digest(printJson(sorted(body ?? null)));
}

/**
 * A change that makes another card or event is not sent if the records cannot be read. No change is sent if others could
 * have changed them (AUTH), because its own record could not be kept there either.
 */
export function needsRecords(operation: Operation, { code }: Failure): boolean {
  return isOnceOnly(operation) || (code === 'AUTH' && operation.effect.kind === 'write');
}

/** What a call is about, as names of files have it. */
function keyOf(session: Profiled, { operation, params }: OpenCall, digest?: string): string {
  const id = Object.values(params)[0];
  const url = session.placeOf(operation.family);
  return keyOfWrite({ operation: operation.command, call: operation.name, id, url, digest });
}

/**
 * Where the records end now, before a change that must not happen twice is decided; undefined: others, or no record is
 * kept. Rejects with LOCAL_IO or AUTH.
 */
export async function recordsNow(session: Session, operation: Operation): Promise<Since | undefined> {
  const { stateDir } = session.places;
  if (!isOnceOnly(operation) || !session.keepsHistory || stateDir === undefined) return undefined;
  const { clock, startedMs = clock.now() } = session.context;
  // The process of a command began before its question. A desk and an assistant's server are older than theirs.
  const isOlder = session.caller === 'desk' || session.caller === 'mcp';
  const { sinceNow } = await import('../records/sent-since.ts');
  return sinceNow(stateDir, operation.command, isOlder ? clock.now() : startedMs).catch((error: unknown) => {
    throw ioFailure(`could not read the records of earlier changes (${stateDir})`, error, 'unsent');
  });
}

export async function openBefore(session: Session, call: OpenCall): Promise<OpenBefore> {
  const { operation } = call;
  try {
    const since = await recordsNow(session, operation);
    const digest = (await digesterOf(session, operation))?.(call.body);
    const all = await openWrites(session, { key: keyOf(session, call, digest) });
    if (all === undefined) return NOTHING;
    const subject = { id: Object.values(call.params)[0], digest };
    const found = openAt(session, all, operation);
    const open = found.to(subject);
    const url = session.placeOf(operation.family);
    const sent = digest === undefined ? [] : await eventsLike(session, digest, operation);
    const same = sent.filter(
      (each) =>
        each.url === url &&
        each.profile === session.selectedProfile().name &&
        !open.some(({ entry }) => entry === each.entry),
    );
    return { open, repeated: found.repeatedBy(operation, subject), same, since };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (needsRecords(operation, error)) return { ...NOTHING, unread: error.ofUnsent() };
    // A setting that is wrong refuses the call itself.
    if (error.code !== 'USAGE') await sayUnread(session, error);
    return NOTHING;
  }
}

/** The events of the last day with the same body that were not refused. */
async function eventsLike(session: Session, digest: string, { command }: Operation): Promise<readonly HistoryEntry[]> {
  const same = await import('../records/same-input.ts');
  return same.eventsLike({ stateDir: session.stateDir(), clock: session.context.clock }, digest, command);
}

/** Warns that the open writes are not known here. */
export function sayUnread(session: Printer, failure: Failure): Promise<void> {
  return session.notify(warning('OPEN_UNREAD', failure.but({ after: 'unopened' }).message));
}

/** An open write in a line: what, when, the entry, what is known. `entryOf`: how the entry is named. */
export function openLine(open: OpenWrite, entryOf: (entry: string) => string = (entry) => entry): string {
  const { operation, time, entry, profile } = open;
  const place = `entry ${safeText(entryOf(entry))}, profile ${outside(profile)}`;
  const what = `${safeText(commandWords(operation))} of ${peopleTime(time)} (${place})`;
  return `NOT KNOWN whether it was done: ${what}, ${whatIsKnown(open)}`;
}

/** What a question says first: what is open, and what was sent already. Programs get whole names of entries. */
export function openLines({ open, same }: OpenBefore, entryOf?: (entry: string) => string): readonly string[] {
  return [
    ...open.map((each) => openLine(each, entryOf)),
    ...same.map(
      ({ time, entry }) =>
        `The same event was sent at ${peopleTime(time)} (entry ${safeText(entryOf?.(entry) ?? entry)})`,
    ),
  ];
}

/** Says on stderr what is open, before a question or a card. Returns how many lines that takes. */
export async function sayOpen(session: Session, before: OpenBefore, isRead = false): Promise<number> {
  const newest = isRead ? before.open.at(-1) : undefined;
  const step = newest && recordStep(session, operationOfWrite(newest), newest.entry);
  const next = step && breakLine(`  ${sentenceCase(hintText(step))}`, session.context.stderr.columns);
  const text = openText(session, before) + (next === undefined ? '' : `${next.join('\n')}\n\n`);
  if (text !== '') await session.context.stderr.write(text);
  return text.split('\n').length - 1;
}

/** The same as a text, with line ends. */
export function openText({ context: { stderr } }: Session, before: OpenBefore): string {
  const lines = openLines(before, shortEntry).flatMap((line) => breakLine(`  ${safeText(line)}`, stderr.columns));
  return lines.map((line) => `${line}\n`).join('');
}

/** What else is open of the same kind, however this change ended: the first is open still. */
export function stillOpen(session: Session, operation: Operation, { open }: OpenBefore): readonly Notice[] {
  const [one, ...others] = open.filter(({ call }) => call === operation.name);
  if (one === undefined) return [];
  const first = `the first ${nounOf(operation)}, of ${peopleTime(one.time)}`;
  const isUnderWay = one.isInProgress === true;
  const isRefused = one.mayEndElsewhere === true && !session.prompt.available;
  const alone = isUnderWay || isRefused ? repeatNext(one, undefined) : recordStep(session, operation, one.entry);
  const [state, next]: readonly [string, NextStep] =
    others.length > 0
      ? [`and ${others.length} more are still open`, { do: 'list what is open' }]
      : [`is ${isUnderWay ? 'in progress' : 'still open'}`, alone];
  return [warning(EARLIER_OPEN, `${first}, ${state}. ${sentenceCase(hintText(next))}`)];
}

/** Why the same change is not sent: nothing shows that the first was not done. */
export function repeatText(open: OpenWrite): string {
  const { entry, time, operation, run } = open;
  const what = `the same ${safeText(commandWords(operation))}`;
  // Nobody knows yet which row of the run it is.
  if (entry === `${run}:0`) return `${what} is in progress in run ${safeText(run ?? '')}`;
  const elsewhere = open.mayEndElsewhere ? ', and may be in progress elsewhere' : '';
  const state = open.isInProgress ? 'in progress' : `open${elsewhere}`;
  return `${what} of ${peopleTime(time)} is ${state} (entry ${safeText(entry)})`;
}

/** The same of a change that was sent. */
export function sentText(sent: HistoryEntry | undefined): string {
  const { operation = '', time = '', entry = '' } = sent ?? {};
  const what = operation === 'calendar.event.create' ? 'event' : safeText(commandWords(operation));
  return `the same ${what} was sent at ${peopleTime(time)} (entry ${safeText(entry)})`;
}

/** How what is found out about an open write is recorded. Only a read of the card can do it by itself. */
export function recordStep(
  { selectedProfile, context }: Session,
  operation: Operation | undefined,
  entry: string,
): NextStep {
  const isRead = operation !== undefined && resolvedBy(operation) !== undefined && !entry.includes(':');
  return {
    do: isRead ? 'check it with' : 'record what you found out with',
    about: context.stderr.isTerminal ? shortEntry(entry) : entry,
    profile: namedProfile(selectedProfile()),
  };
}

/** What to do about either. */
export function repeatNext(open: OpenWrite | undefined, sent: HistoryEntry | undefined): NextStep {
  const { entry = sent?.entry ?? '', run } = open ?? {};
  if (entry === `${run}:0`) return { do: 'see how it ends', about: run };
  // What may end elsewhere cannot be resolved yet.
  const isToSee = open === undefined || open.isInProgress || open.mayEndElsewhere;
  return { do: isToSee ? 'see how it ended' : 'record what you found out with', about: entry };
}

interface Done extends OpenCall {
  readonly entry: string;
  /** When it began, in milliseconds since 1970. Later changes are not superseded. */
  readonly begunMs: number;
}

/** Which of these open writes a change supersedes. */
export function placeTakenBy(open: readonly OpenWrite[], { entry, begunMs, ...call }: Done): readonly OpenWrite[] {
  const earlier = open.filter((each) => each.entry !== entry && !each.isInProgress && Date.parse(each.time) <= begunMs);
  return supersededBy(earlier, call.operation, fieldsOf(call) ?? []);
}

/** Records that the change `by` superseded these. Rejects with LOCAL_IO. */
export async function recordSuperseded(session: Ports, closed: readonly OpenWrite[], by: string): Promise<void> {
  if (closed.length > 0) await (await session.recorder()).supersede(closed, by);
}

/** Records what a change superseded, and returns the names. It was done, so a failure is only reported. */
export async function closeSuperseded(session: Session, done: Done): Promise<readonly string[]> {
  if (isOnceOnly(done.operation)) return [];
  try {
    const all = await openWrites(session, { key: keyOf(session, done) });
    if (all === undefined) return [];
    const open = openAt(session, all, done.operation).to({ id: Object.values(done.params)[0] });
    const closed = placeTakenBy(open, done);
    await recordSuperseded(session, closed, done.entry);
    return closed.map(({ entry }) => entry);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await sayUnread(session, error);
    return [];
  }
}

/** What a change is about: the ID in its path, or the digest of an event's body. */
export interface Subject {
  readonly id?: string | undefined;
  readonly digest?: string | undefined;
}

/** Those that a change supersedes once it is done: activations and blocks, and updates of no other fields. */
function supersededBy(open: readonly OpenWrite[], operation: Operation, fields: readonly string[]) {
  if (resolvedBy(operation) !== undefined) return open.filter(({ call }) => STATUS_WRITES.has(call ?? ''));
  if (!isUpdate(operation)) return [];
  const isCovered = ({ fields: set }: OpenWrite) => set?.every((field) => fields.includes(field)) === true;
  return open.filter((each) => each.call === operation.name && isCovered(each));
}

const STATUS_WRITES = new Set(ALL_OPERATIONS.filter((row) => resolvedBy(row) !== undefined).map(({ name }) => name));

/** What is known of an open write besides its request: `HTTP 500 was returned, the card read ACTIVE then`. */
function whatIsKnown({ isInProgress, callOutcome: { httpStatus, observedStatus } }: OpenWrite): string {
  if (isInProgress) return 'it is in progress';
  const response = httpStatus === undefined ? 'no response is recorded' : `HTTP ${httpStatus} was returned`;
  return observedStatus === undefined ? response : `${response}, the card read ${outside(observedStatus)} then`;
}
