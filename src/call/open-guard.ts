import { isUpdate, type Operation } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { Failure, warning } from '../failure.ts';
import type { OpenRecords } from '../history/open-index.ts';
import type { OpenWrite, SentEvent } from '../history/open-index-file.ts';
import {
  makesAnother,
  openTo,
  repeatedBy,
  sameEvents,
  supersededBy,
  type WriteTarget,
} from '../history/open-writes.ts';
import type { CallInput } from '../http/call.ts';
import { subjectOf } from '../http/facts.ts';
import { printJson } from '../json/print.ts';
import { isJsonObject } from '../json/value.ts';
import { breakLine } from '../output/line-break.ts';
import { commandWords, localTime } from '../output/people-text.ts';
import { safeText } from '../output/safe-text.ts';
import type { Session } from '../session.ts';

type OpenCall = Pick<CallInput, 'operation' | 'params' | 'body'>;

/** The names of the fields that an update sets: of other writes they do not matter. */
export function fieldsOf({ operation, body }: OpenCall): readonly string[] | undefined {
  return isUpdate(operation) && isJsonObject(body) ? [...body.keys()] : undefined;
}

/** What is open on this machine; undefined: no record is kept, so none is looked at. LOCAL_IO or AUTH. */
async function openRecords(session: Session): Promise<OpenRecords | undefined> {
  const { stateDir } = session.places;
  if (!session.keepsHistory || stateDir === undefined) return undefined;
  const { readOpenWrites } = await import('../history/open-index.ts');
  const { clock, pid } = session.context;
  return readOpenWrites({ stateDir, clock, pid });
}

function targetOf(session: Session, { operation, params }: OpenCall): WriteTarget {
  return { operation, subject: Object.values(params)[0], url: session.placeOf(operation.family) };
}

/** What is open of what a call is about, and which of that the call would repeat. */
export interface OpenBefore {
  /** Oldest first. */
  readonly open: readonly OpenWrite[];
  readonly repeated: readonly OpenWrite[];
  /** Events with the same body that may have been made. */
  readonly same: readonly (OpenWrite | SentEvent)[];
}

const NOTHING: OpenBefore = { open: [], repeated: [], same: [] };

/** What stands for the body of an event in the history; undefined for other operations, and where no record is kept. */
export async function digestOf(session: Session, { operation, body }: OpenCall): Promise<string | undefined> {
  const { stateDir } = session.places;
  if (operation.name !== OPERATIONS.eventCreate.name || !session.keepsHistory || stateDir === undefined)
    return undefined;
  const { keyedDigest } = await import('../history/keyed-digest.ts');
  return keyedDigest(stateDir, session.context.pid, printJson(body ?? null));
}

/**
 * Looks up the open writes to what a call is about. Where the records cannot be read, a write that makes another card
 * or event is refused (LOCAL_IO or AUTH), and others are told.
 */
export async function openBefore(session: Session, call: OpenCall): Promise<OpenBefore> {
  try {
    const records = await openRecords(session);
    if (records === undefined) return NOTHING;
    const target = targetOf(session, call);
    const digest = await digestOf(session, call);
    const { url } = target;
    const same = digest === undefined ? [] : sameEvents(records, { digest, url, profile: session.profile.name });
    return { open: openTo(records, target), repeated: repeatedBy(records, call.operation, target), same };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (makesAnother(call.operation)) throw error.asUnsent().with({ outcome: 'not_sent' });
    await session.notify(warning('OPEN_UNREAD', `${error.message}: whether an earlier write is open is not known`));
    return NOTHING;
  }
}

/** What, when, the entry and what is known: `card reissue of 2026-11-24 14:02:11 is open (entry …): HTTP 500, …`. */
function openLine({ operation, time, entry, httpStatus, observedStatus, profile }: OpenWrite): string {
  const known = [
    httpStatus === undefined ? 'no answer came' : `HTTP ${httpStatus} was answered`,
    ...(observedStatus === undefined ? [] : [`the card read ${safeText(observedStatus)} then`]),
  ];
  const what = `${safeText(commandWords(operation))} of ${localTime(time)} (entry ${safeText(entry)}, profile ${safeText(profile)})`;
  return `NOT KNOWN whether it was done: ${what}; ${known.join(', ')}`;
}

function sameLine({ time, entry }: SentEvent): string {
  return `The same event was sent at ${localTime(time)} (entry ${safeText(entry)})`;
}

/** What a question says first: what is open, and what was sent already. */
export function openLines({ open, same }: OpenBefore): readonly string[] {
  return [...open.map(openLine), ...same.map(sameLine)];
}

/** Says on stderr what is open, before a question. */
export async function sayOpen({ context: { stderr } }: Session, before: OpenBefore): Promise<void> {
  const lines = openLines(before).flatMap((line) => breakLine(`  ${line}`, stderr.columns));
  if (lines.length > 0) await stderr.write(`${lines.join('\n')}\n`);
}

/** PRECONDITION for a write that is open already: nothing shows that the first was not done. */
function openFailure(subject: string, write: OpenWrite): Failure {
  const { entry, time, operation } = write;
  const message = `${subject}: the same ${safeText(commandWords(operation))} of ${localTime(time)} is open (entry ${safeText(entry)}), and a second one would be made beside it`;
  return new Failure('PRECONDITION', message, {
    hints: [
      `record what you found out with: frontdesk history resolve ${safeText(entry)} --as <applied|not_applied>`,
      'add --again to send it all the same',
    ],
    details: { outcome: 'not_sent' },
  });
}

/** Tells of a row of a run why it is not sent: the same write is open. The run's own rows are its resume's concern. */
export async function openProblemOf(session: Session, operation: Operation, run: string | undefined) {
  if (!makesAnother(operation) || run === undefined) return undefined;
  const records = await openRecords(session);
  if (records === undefined) return undefined;
  const others = { ...records, open: records.open.filter(({ entry }) => !entry.startsWith(`${run}:`)) };
  return ({ params }: Pick<CallInput, 'params'>): string | undefined => {
    const [open] = repeatedBy(others, operation, targetOf(session, { operation, params, body: undefined }));
    return open === undefined ? undefined : `the same write of ${localTime(open.time)} is open (entry ${open.entry})`;
  };
}

/** Refuses (17) a write that would repeat an open one where nobody is asked, unless it is to be sent all the same. */
export function refuseOpen({ repeated, same }: OpenBefore, call: CallInput, isAgain: boolean): void {
  const newest = repeated.at(-1);
  const event = same.at(-1);
  if (event !== undefined && !isAgain) {
    const message = `${subjectOf(call)}: the same event was sent at ${localTime(event.time)} (entry ${safeText(event.entry)}), and a second one would be made beside it`;
    throw Failure.unsent('PRECONDITION', message, {
      hints: [
        `see how it ended: frontdesk history show ${safeText(event.entry)}`,
        'add --again to send it all the same',
      ],
      details: { outcome: 'not_sent' },
    });
  }
  if (newest !== undefined && !isAgain) throw openFailure(subjectOf(call), newest).asUnsent();
}

/**
 * Records that a write which was done took the place of the open ones that set the same. It was done whatever becomes
 * of that record, so a failure is told.
 */
export async function closeSuperseded(session: Session, call: OpenCall, by: string): Promise<void> {
  if (makesAnother(call.operation)) return;
  try {
    const records = await openRecords(session);
    if (records === undefined) return;
    const open = openTo(records, targetOf(session, call)).filter(({ entry }) => entry !== by);
    const closed = supersededBy(open, call.operation, fieldsOf(call) ?? []);
    if (closed.length === 0) return;
    const recorder = await session.recorder();
    await recorder.supersede(
      closed.map(({ entry }) => entry),
      by,
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await session.notify(warning('OPEN_UNREAD', error.message));
  }
}
