import { type Family, idParamOf, isOnceOnly, isUpdate, isWrite, type Operation, settledBy } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import { Failure, warning, withSentence } from '../failure.ts';
import { hostOf } from '../history/history-event.ts';
import type { OpenRecords } from '../history/open-index.ts';
import type { OpenWrite, SentEvent } from '../history/open-index-file.ts';
import type { CallInput } from '../http/call.ts';
import { subjectOf } from '../http/facts.ts';
import { printJson } from '../json/print.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';
import { commandWords, localTime, shortEntry } from '../output/people-text.ts';
import { breakLine, safeText } from '../output/text.ts';
import type { Ports, Printer, Profiled, Session } from '../session.ts';

export type OpenCall = Pick<CallInput, 'operation' | 'params' | 'body'>;

/** The fields that an update sets; undefined for other changes. */
export function fieldsOf({ operation, body }: Pick<OpenCall, 'operation' | 'body'>): readonly string[] | undefined {
  return isUpdate(operation) && isJsonObject(body) ? [...body.keys()] : undefined;
}

/** What is open here, without the rows of `ownRun`; undefined: no record is kept. Rejects with LOCAL_IO or AUTH. */
export async function openRecords(session: Session, ownRun?: string): Promise<OpenRecords | undefined> {
  const { stateDir } = session.places;
  if (!session.keepsHistory || stateDir === undefined) return undefined;
  const { readOpenWrites } = await import('../history/open-index.ts');
  const { clock, pid } = session.context;
  return readOpenWrites({ stateDir, clock, pid, ownRun });
}

/** The open writes of the operation's family at this session's base URL, in any profile; `open`: oldest first. */
export function openAt(session: Profiled, { open }: Pick<OpenRecords, 'open'>, { family }: Operation) {
  const place = session.placeOf(family);
  const found = new Map<string, OpenWrite[]>();
  for (const each of open) {
    const key = each.digest ?? each.subject;
    if (key === undefined || familyOf(each) !== family || !isAtSame(each, place)) continue;
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
  readonly same: readonly SentEvent[];
}

const NOTHING: OpenBefore = { open: [], repeated: [], same: [] };

type Digester = (body: JsonValue | undefined) => string;

/** The digest of an event, in any order of members; undefined: none is kept. Rejects with LOCAL_IO. */
export async function digesterOf(session: Session, operation: Operation): Promise<Digester | undefined> {
  const { stateDir } = session.places;
  const isEvent = isWrite(operation) && idParamOf(operation) === undefined;
  if (!isEvent || !session.keepsHistory || stateDir === undefined) return undefined;
  const { openDigester } = await import('../history/keyed-digest.ts');
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

/** The open writes to a call's subject. LOCAL_IO or AUTH if the call needs records that cannot be read. */
export async function openBefore(session: Session, call: OpenCall): Promise<OpenBefore> {
  const { operation } = call;
  try {
    const records = await openRecords(session);
    if (records === undefined) return NOTHING;
    const digest = (await digesterOf(session, operation))?.(call.body);
    const subject = { id: Object.values(call.params)[0], digest };
    const found = openAt(session, records, operation);
    const open = found.to(subject);
    const url = session.placeOf(operation.family);
    const sent = digest === undefined ? [] : [...records.sent, ...(await records.sentRows(digest))];
    // The records have those of the last day that were not refused.
    const same = sent.filter(
      (each) =>
        each.digest === digest &&
        each.url === url &&
        each.profile === session.profile.name &&
        !open.some(({ entry }) => entry === each.entry),
    );
    return { open, repeated: found.repeatedBy(operation, subject), same };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (needsRecords(operation, error)) throw error.asUnsent().with({ outcome: 'not_sent' });
    await sayUnread(session, error);
    return NOTHING;
  }
}

/** Warns that the open writes are not known here. */
export function sayUnread(session: Printer, failure: Failure): Promise<void> {
  const message = withSentence(failure.asSilent().message, 'whether an earlier change is open is not known');
  return session.notify(warning('OPEN_UNREAD', message));
}

/** An open write in a line: what, when, the entry, what is known. `entryOf`: how the entry is named. */
export function openLine(open: OpenWrite, entryOf: (entry: string) => string = (entry) => entry): string {
  const { operation, time, entry, profile } = open;
  const place = `entry ${safeText(entryOf(entry))}, profile ${safeText(profile)}`;
  const what = `${safeText(commandWords(operation))} of ${localTime(time)} (${place})`;
  return `NOT KNOWN whether it was done: ${what}, ${whatIsKnown(open)}`;
}

/** What a question says first: what is open, and what was sent already. Programs get whole names of entries. */
export function openLines({ open, same }: OpenBefore, entryOf?: (entry: string) => string): readonly string[] {
  return [
    ...open.map((each) => openLine(each, entryOf)),
    ...same.map(
      ({ time, entry }) =>
        `The same event was sent at ${localTime(time)} (entry ${safeText(entryOf?.(entry) ?? entry)})`,
    ),
  ];
}

/** Says on stderr what is open, before a question or a card. */
export async function sayOpen(session: Session, before: OpenBefore): Promise<void> {
  const text = openText(session, before);
  if (text !== '') await session.context.stderr.write(text);
}

/** The same as a text, with line ends. */
export function openText({ context: { stderr } }: Session, before: OpenBefore): string {
  const lines = openLines(before, shortEntry).flatMap((line) => breakLine(`  ${line}`, stderr.columns));
  return lines.map((line) => `${line}\n`).join('');
}

/** Why the same change is not sent: nothing shows that the first was not done. */
export function repeatText({ entry, time, operation }: OpenWrite): string {
  return `the same ${safeText(commandWords(operation))} of ${localTime(time)} is open (entry ${safeText(entry)}), and this would make a second one`;
}

/** Refuses (17) a change that would repeat an open one without a question, unless `--again`. */
export function refuseOpen({ repeated, same }: OpenBefore, call: CallInput, isAgain: boolean): void {
  const [open, event] = [repeated.at(-1), same.at(-1)];
  if (isAgain || (open ?? event) === undefined) return;
  const said =
    open === undefined
      ? `the same event was sent at ${localTime(event?.time ?? '')} (entry ${safeText(event?.entry ?? '')}), and this would make a second one`
      : repeatText(open);
  const next =
    open === undefined
      ? `see how it ended: frontdesk history show ${safeText(event?.entry ?? '')}`
      : `record what you found out with: frontdesk history resolve ${safeText(open.entry)} --as <applied|not_applied>`;
  throw Failure.unsent('PRECONDITION', `could not ${subjectOf(call)}: ${said}`, {
    hints: [next, 'add --again to send it anyway'],
    details: { outcome: 'not_sent' },
  });
}

interface Done extends OpenCall {
  readonly entry: string;
  /** When it began, in milliseconds since 1970. Later changes are not superseded. */
  readonly begunMs: number;
}

/** Which of these open writes a change supersedes. */
export function placeTakenBy(open: readonly OpenWrite[], { entry, begunMs, ...call }: Done): readonly OpenWrite[] {
  const earlier = open.filter((each) => each.entry !== entry && Date.parse(each.time) <= begunMs);
  return supersededBy(earlier, call.operation, fieldsOf(call) ?? []);
}

/** Records that the change `by` superseded these. Rejects with LOCAL_IO. */
export async function recordSuperseded(session: Ports, closed: readonly OpenWrite[], by: string): Promise<void> {
  if (closed.length === 0) return;
  const about = closed.map(({ entry, operation, subject }) => ({ entry, operation, id: subject }));
  await (await session.recorder()).supersede(about, by);
}

/** Records what a change superseded, and returns the names. It was done, so a failure is only reported. */
export async function closeSuperseded(session: Session, done: Done): Promise<readonly string[]> {
  if (isOnceOnly(done.operation)) return [];
  try {
    const records = await openRecords(session);
    if (records === undefined) return [];
    const open = openAt(session, records, done.operation).to({ id: Object.values(done.params)[0] });
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

function isAtSame({ url, host, profile }: OpenWrite, place: string): boolean {
  if (url !== undefined) return url === place;
  // Version 0.1.0 kept the host alone.
  return place === 'sandbox' ? profile === 'sandbox' : host === hostOf(place);
}

function familyOf({ call, operation }: OpenWrite): Family | undefined {
  return ALL_OPERATIONS.find(({ command, name }) => name === call || command === operation)?.family;
}

/** Those that a change supersedes once it is done: activations and blocks, and updates of no other fields. */
function supersededBy(open: readonly OpenWrite[], operation: Operation, fields: readonly string[]) {
  if (settledBy(operation) !== undefined) return open.filter(({ call }) => STATUS_WRITES.has(call ?? ''));
  if (!isUpdate(operation)) return [];
  const isCovered = ({ fields: set }: OpenWrite) => set?.every((field) => fields.includes(field)) === true;
  return open.filter((each) => each.call === operation.name && isCovered(each));
}

const STATUS_WRITES = new Set(ALL_OPERATIONS.filter((row) => settledBy(row) !== undefined).map(({ name }) => name));

/** What is known of an open write besides its request: `HTTP 500 was returned, the card read ACTIVE then`. */
function whatIsKnown({ httpStatus, observedStatus }: OpenWrite): string {
  const response = httpStatus === undefined ? 'no response is recorded' : `HTTP ${httpStatus} was returned`;
  return observedStatus === undefined ? response : `${response}, the card read ${safeText(observedStatus)} then`;
}
