import { type Notice, warning } from '../base/failure.ts';
import { type JsonObject, textAt } from '../base/json/value.ts';
import { referenceAt, statusAt } from '../service/call-outcome.ts';
import type { CallResult } from '../service/http/call.ts';
import { subjectOf } from '../service/http/facts.ts';
import {
  type CardReading,
  type Held,
  judge,
  judgeRecords,
  needsCard,
  otherBalance,
  reasonOf,
  skipText,
  type Write,
} from './judge.ts';
import { NOTHING, type OpenBefore } from './open-guard.ts';

/** What is shown for a decision. */
export interface Facts {
  readonly write: Write;
  readonly open: OpenBefore;
  /** Undefined: the card was not read. */
  readonly reading: CardReading | undefined;
}

/** How a change reaches the world. Each is a small function. */
export interface AttemptPorts<No> {
  /** What stands against it in the records; absent: nothing can. */
  readonly open?: ((write: Write) => OpenBefore | Promise<OpenBefore>) | undefined;
  readCard(write: Write): Promise<CardReading>;
  /** Who decides, told of open writes, and of the card if `seesCard`; absent: it was decided before. */
  readonly decide?:
    | { readonly seesCard: boolean; ask(facts: Facts): Promise<{ readonly yes: Write } | { readonly no: No }> }
    | undefined;
  /** Sends it between its two records. */
  send(write: Write): Promise<CallResult | { readonly kind: 'held'; readonly held: Held }>;
  /** Records a change that was decided, and is not sent after all. */
  withdraw?(write: Write, held: Held): Promise<void>;
  /** What the profile has by now against one that waited. */
  readonly forbidden?: ((write: Write) => Promise<string | undefined>) | undefined;
  /** The balance of a planned card is another one. */
  onOtherBalance?(text: string): Promise<void>;
}

/** A change that is not sent, because of its card or the records. */
export type NotSent =
  | { readonly kind: 'held'; readonly write: Write; readonly held: Held }
  | { readonly kind: 'skipped'; readonly write: Write; readonly card: JsonObject };

/** How it ended. Nobody prints here. */
export type Attempted<No = never> =
  | { readonly kind: 'ended'; readonly write: Write; readonly result: CallResult; readonly open: OpenBefore }
  | NotSent
  | { readonly kind: 'no'; readonly no: No };

/** THE way of a change that its guards let pass. What was shown is what is sent, or nothing is. */
export async function attempt<No = never>(wanted: Write, ports: AttemptPorts<No>): Promise<Attempted<No>> {
  const { decide } = ports;
  let facts = await consider(wanted, ports, decide);
  let wasDecided = wanted.shown !== undefined;
  if (facts.notSent === undefined && decide !== undefined) {
    const decision = await decide.ask(facts);
    if ('no' in decision) return { kind: 'no', no: decision.no };
    wasDecided = true;
    facts = await consider(asShown(decision.yes, facts), ports);
  }
  const { write, reading, notSent, open } = facts;
  if (notSent !== undefined) {
    // The records say what was decided, and that it came to nothing.
    if (notSent.kind === 'held' && wasDecided) await ports.withdraw?.(notSent.write, notSent.held);
    return notSent;
  }
  const balance = otherBalance(write, reading);
  if (balance !== undefined) await ports.onOtherBalance?.(balance);
  // A row of a run has none, and is copied for nothing.
  const { since = open.since } = write;
  const result = await ports.send(since === write.since ? write : { ...write, since });
  if (result.kind !== 'held') return { kind: 'ended', write, result, open };
  if (wasDecided) await ports.withdraw?.(write, result.held);
  return { kind: 'held', write, held: result.held };
}

/** What stands against a change. `for`: who learns of open writes. A plan goes this far. */
export async function consider(
  wanted: Write,
  { open, readCard }: Pick<AttemptPorts<never>, 'open' | 'readCard'>,
  decide?: { readonly seesCard: boolean },
): Promise<Facts & { readonly notSent: NotSent | undefined }> {
  const found = open?.(wanted) ?? NOTHING;
  const before = found instanceof Promise ? await found : found;
  const held = judgeRecords(decide === undefined ? wanted : { ...wanted, named: entriesOf(before) }, before);
  if (held !== undefined) {
    return { write: wanted, open: before, reading: undefined, notSent: { kind: 'held', write: wanted, held } };
  }
  const reading = decide?.seesCard === true || needsCard(wanted) ? await readCard(wanted) : undefined;
  const write = withSeen(wanted, reading, decide === undefined ? 'before it was sent' : 'before you confirmed');
  return { write, open: before, reading, notSent: notSentBy(write, reading) };
}

/** Why a change may not be sent again after a wait, as profile, records and card are now; undefined: it may. */
export async function standsAgainst(
  write: Write,
  ports: Pick<AttemptPorts<never>, 'open' | 'readCard' | 'forbidden'>,
  /** Its own entry, which is open. */
  entry?: string,
): Promise<string | undefined> {
  const forbidden = await ports.forbidden?.(write);
  if (forbidden !== undefined) return forbidden;
  const named = entry === undefined ? write.named : [...(write.named ?? []), entry];
  const { notSent } = await consider({ ...write, named }, ports);
  if (notSent === undefined) return undefined;
  return notSent.kind === 'held' ? reasonOf(write, notSent.held).problem : skipText(write, notSent.card);
}

/** What is said of one that was not. */
export function notRepeated({ call }: Write, why: string): Notice {
  return warning('NOT_REPEATED', `${subjectOf(call)}: it was not sent again, because ${why}`);
}

function notSentBy(write: Write, reading: CardReading | undefined): NotSent | undefined {
  const judged = judge(write, reading);
  if (judged === 'go') return undefined;
  return 'held' in judged
    ? { kind: 'held', write, held: judged.held }
    : { kind: 'skipped', write, card: judged.skipped };
}

function entriesOf({ repeated, same }: OpenBefore): readonly string[] {
  return [...repeated, ...same].map(({ entry }) => entry);
}

/** The change as somebody decided it, who was shown these facts. */
export function asShown(write: Write, { reading, open }: Facts): Write {
  const shown = reading !== undefined && 'card' in reading ? textAt(reading.card, 'status') : undefined;
  return { ...write, shown, named: entriesOf(open), since: open.since };
}

/** The change with what was first read of its card, for the records and for comparison if its outcome is unknown. */
function withSeen(write: Write, reading: CardReading | undefined, when: string): Write {
  if (write.seen !== undefined || reading === undefined || 'failure' in reading) return write;
  const status = statusAt(reading.card);
  const seen = { status, clientReference: referenceAt(reading.card) };
  return { ...write, seen, call: status === undefined ? write.call : { ...write.call, before: { status, when } } };
}
