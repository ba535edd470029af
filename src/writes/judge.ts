import { Failure, type FailureCode } from '../base/failure.ts';
import { sameDecimal } from '../base/json/decimal.ts';
import { outside } from '../base/json/outside-text.ts';
import { printJson } from '../base/json/print.ts';
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue, textAt } from '../base/json/value.ts';
import { unmetExpectation } from '../input/expect.ts';
import type { Expectation, Row, Skip } from '../input/rows/row.ts';
import type { SentElsewhere } from '../records/once.ts';
import { openWriteOf } from '../records/open-files.ts';
import type { WriteIntent } from '../records/record.ts';
import type { Since } from '../records/sent-since.ts';
import type { CallOutcome } from '../service/call-outcome.ts';
import type { CallInput, CallResult } from '../service/http/call.ts';
import { subjectOf } from '../service/http/facts.ts';
import { NOTHING, type OpenBefore, repeatNext, repeatText, sentText } from './open-guard.ts';

/** A change that is wanted, and on which conditions. */
export interface Write {
  readonly call: CallInput;
  readonly id: string | undefined;
  readonly reason?: string | undefined;
  readonly expects: readonly Expectation[];
  /** Several must all hold. The change is left out then. */
  readonly skipIf?: readonly Skip[] | undefined;
  /** What was read of the card when it was planned. */
  readonly planned?: Pick<Row, 'before' | 'about'> | undefined;
  /** The status that a question showed, and the entries of open writes that it named. */
  readonly shown?: string | undefined;
  readonly named?: readonly string[] | undefined;
  /** Where the records ended then. */
  readonly since?: Since | undefined;
  /** The card must be read, whatever is asked of it: it is planned. */
  readonly mustRead?: boolean | undefined;
  /** Sent although the same is open or was sent. */
  readonly isAgain?: boolean | undefined;
  /** What a read of the card before showed of it, for the records. */
  readonly seen?: Pick<WriteIntent, 'status' | 'clientReference'> | undefined;
}

/** A read of the card before a change. */
export type CardReading = { readonly callOutcome?: CallOutcome } & (
  | { readonly card: JsonObject }
  | { readonly failure: Failure }
);

/** Why a change is not sent. */
export type Held =
  | { readonly why: 'repeats'; readonly before: OpenBefore }
  | { readonly why: 'records'; readonly failure: Failure }
  | { readonly why: 'unread'; readonly failure: Failure; readonly callOutcome?: CallOutcome | undefined }
  | { readonly why: 'planned' | 'expected' | 'shown'; readonly text: string; readonly card?: JsonObject };

export type Judgement = 'go' | { readonly skipped: JsonObject } | { readonly held: Held };

/** Does the change need a read of its card that succeeds? */
export function needsCard({ expects, skipIf = [], planned, shown, mustRead }: Write): boolean {
  return mustRead === true || expects.length > 0 || skipIf.length > 0 || planned !== undefined || shown !== undefined;
}

interface ReadFailure {
  /** The change would meet it too: it is not sent, whether it needs the card or not. */
  readonly isFatal?: true;
  /** It may pass: a resume tries the row again. */
  readonly passes?: true;
  /** It is about more than the card: a plan ends with this code. */
  readonly isGeneral?: true;
  /** Its words say why the change was not sent. */
  readonly saysAll?: true;
}

/** What the failure of a read means for the change of its card. */
const READ_FAILURES: Readonly<Partial<Record<FailureCode, ReadFailure>>> = {
  AUTH: { isFatal: true, isGeneral: true },
  CANCELLED: { isFatal: true, isGeneral: true, saysAll: true },
  FORBIDDEN: { isFatal: true },
  NOT_FOUND: { isFatal: true, saysAll: true },
  PRECONDITION: { saysAll: true },
  BAD_REPLY: { passes: true },
  BUSY: { passes: true },
  USAGE: { isGeneral: true },
  UNREACHABLE: { isGeneral: true },
  LOCAL_IO: { isGeneral: true },
  INTERNAL: { isGeneral: true },
};

/** THE rule of what stands against a change, as its card is now. `reading`: undefined if the card was not read. */
export function judge(write: Write, reading: CardReading | undefined): Judgement {
  if (reading === undefined) return 'go';
  if ('failure' in reading) {
    const { failure, callOutcome } = reading;
    return needsCard(write) || READ_FAILURES[failure.code]?.isFatal
      ? { held: { why: 'unread', failure, callOutcome } }
      : 'go';
  }
  const { card } = reading;
  const drift = write.planned && changeSince(write.planned, card);
  if (drift !== undefined) return { held: { why: 'planned', text: drift, card } };
  const unmet = unmetExpectation(card, write.expects);
  if (unmet !== undefined) return { held: { why: 'expected', text: unmet, card } };
  if (skipText(write, card) !== undefined) return { skipped: card };
  const changed = changedSinceShown(write.shown, card);
  return changed === undefined ? 'go' : { held: { why: 'shown', text: changed, card } };
}

/** What stands against a change in the records. */
export function judgeRecords({ isAgain, named = [] }: Write, before: OpenBefore): Held | undefined {
  if (before.unread !== undefined) return { why: 'records', failure: before.unread };
  const isNews = ({ entry }: { readonly entry: string }) => !named.includes(entry);
  const [repeated, same] = [before.repeated.filter(isNews), before.same.filter(isNews)];
  if (isAgain === true || repeated.length + same.length === 0) return undefined;
  return { why: 'repeats', before: { ...before, repeated, same } };
}

/** Another process, window or answer was first. */
export function heldBy({ entry, isOpen }: SentElsewhere): Held {
  const before = isOpen ? { ...NOTHING, repeated: [openWriteOf(entry)] } : { ...NOTHING, same: [entry] };
  return { why: 'repeats', before };
}

/** May the same change be sent later, as it is? */
export function isForNow(held: Held): boolean {
  if (held.why === 'unread') return READ_FAILURES[held.failure.code]?.passes === true;
  if (held.why !== 'repeats') return held.why === 'records';
  const { repeated, same } = held.before;
  // What was done stays so, and a resume would hold the row back again.
  return repeated.length > 0 || same.some(({ callOutcome }) => callOutcome.outcome === 'unknown');
}

const HINTS = {
  expected: ['check that this is the right card'],
  shown: ['check the card, then decide again'],
  planned: [],
};

/** Why a change is not sent, without what it was. */
export function reasonOf({ planned, since, named }: Write, held: Held): Failure {
  if (held.why === 'records') return held.failure;
  if (held.why === 'repeats') {
    const { repeated, same } = held.before;
    const [open, sent] = [repeated.at(-1), same.at(-1)];
    const hints = [repeatNext(open, sent), { do: 'set an option', words: 'add --again to send it anyway' }] as const;
    const what = open === undefined ? sentText(sent) : repeatText(open);
    const isNamed = sent !== undefined && named?.includes(sent.entry) === true;
    const news = isNamed ? 'Since the question it was resolved as applied' : 'The question did not name it';
    const when = since === undefined ? '' : `. ${news}`;
    return new Failure('PRECONDITION', `${what}${when}, and this would make a second one`, { hints });
  }
  if (held.why !== 'unread') return new Failure('PRECONDITION', held.text, { hints: HINTS[held.why] });
  const { failure } = held;
  if (planned === undefined || READ_FAILURES[failure.code]?.isGeneral) return failure;
  const { problem, hints, details } = failure;
  return new Failure('PRECONDITION', `the card cannot be compared with the plan: ${problem}`, { hints, details });
}

export function heldFailure(write: Write, held: Held): Failure {
  const reason = reasonOf(write, held);
  const { code, problem, hints, exitCode, attempted } = reason;
  const isOfRead = held.why === 'unread' && attempted !== undefined && !READ_FAILURES[code]?.saysAll;
  const why = held.why === 'unread' ? problem : reason.statement;
  return Failure.unsent(code, isOfRead ? `the card could not be read: ${problem}` : why, {
    attempted: subjectOf(write.call),
    hints,
    exitCode,
    screen: reason.screen,
    details: { ...reason.details, id: write.id ?? reason.details.id, outcome: 'not_sent' },
    cause: reason,
  });
}

/** Why `--skip-if` leaves a change out: `the card is BLOCKED already`; undefined if it does not. */
export function skipText({ skipIf = [] }: Write, card: JsonObject): string | undefined {
  const found = skipIf.map(({ field, values }) => {
    const value = values.find((each) => unmetExpectation(card, [{ field, value: each }]) === undefined);
    if (value === undefined) return undefined;
    return `${field === 'status' ? 'the card' : `its ${outside(field)}`} is ${outside(value)}`;
  });
  return found.length === 0 || found.includes(undefined) ? undefined : `${found.join(' and ')} already`;
}

/** The message if a card has another status than the question showed; undefined if not. */
function changedSinceShown(shown: string | undefined, card: JsonValue): string | undefined {
  const found = textAt(card, 'status');
  if (shown === undefined || found === shown) return undefined;
  return `the card changed before you answered: its status was ${outside(shown)}, and is ${found === undefined ? 'not there' : outside(found)}`;
}

function wordsOf(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  return outside(typeof value === 'string' ? value : printJson(value));
}

/** What of a card differs from the plan: `status is BLOCKED, was ACTIVE when planned`; undefined if nothing. */
function changeSince({ before, about }: Pick<Row, 'before' | 'about'>, card: JsonValue): string | undefined {
  const reference = ['clientReference'];
  const planned = new Map([...(before ?? []), ...pickMembers(about ?? null, reference)]);
  const now = new Map([...comparedMembers(card), ...pickMembers(card, reference)]);
  const names = new Set([...planned.keys(), ...now.keys()]);
  const changes = [...names].flatMap((name) => {
    const [then, current] = [planned.get(name), now.get(name)];
    const isSame = then !== undefined && current !== undefined && printJson(then) === printJson(current);
    return isSame ? [] : [`${name} is ${wordsOf(current)}, was ${wordsOf(then)} when planned`];
  });
  return changes.length === 0 ? undefined : changes.join('; ');
}

/** A changed balance, which holds nothing back: `5.00, was 10.00 when planned`. */
export function otherBalance({ planned }: Write, reading: CardReading | undefined): string | undefined {
  if (planned === undefined || reading === undefined || 'failure' in reading) return undefined;
  const [then, now] = [planned.about?.get('currentBalance'), reading.card.get('currentBalance')];
  if (then instanceof JsonNumber && now instanceof JsonNumber && sameDecimal(then.text, now.text)) return undefined;
  return then === now ? undefined : `${wordsOf(now)}, was ${wordsOf(then)} when planned`;
}

/** The members of a card that a planned change is compared by, digits and keys as sent. */
function comparedMembers(card: JsonValue): JsonObject {
  return pickMembers(card, ['status', 'updatedAt']);
}

/** What is shown and kept of a card before a change: what is compared again, and what identifies it. */
export function knownOf(card: JsonValue): Pick<Row, 'before' | 'about'> {
  return { before: comparedMembers(card), about: pickMembers(card, ['clientReference', 'currentBalance']) };
}

function pickMembers(value: JsonValue, names: readonly string[]): JsonObject {
  return new Map(isJsonObject(value) ? [...value].filter(([name]) => names.includes(name)) : []);
}

export function readingOf(result: CallResult): CardReading {
  const { callOutcome } = result;
  if (result.kind === 'failed') return { failure: result.failure, callOutcome };
  return { card: isJsonObject(result.resource) ? result.resource : new Map(), callOutcome };
}
