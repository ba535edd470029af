import { Failure } from '../base/failure.ts';
import { quoted } from '../base/json/outside-text.ts';
import { isJsonObject, type JsonValue, textAt } from '../base/json/value.ts';
import { referenceKey } from '../records/card-line.ts';
import { isForgotten } from '../records/open-files.ts';
import { readHistory, showHistory } from '../records/read.ts';
import type { HistoryEntry } from '../records/write-record.ts';
import { safeText } from '../screen/text.ts';
import { isResolvedAt } from '../service/api/operation.ts';
import { OPERATIONS, operationOfWrite } from '../service/api/operations.ts';
import type { Answer } from '../service/http/call.ts';
import { openBefore } from '../writes/open-guard.ts';
import { type CardCheck, cardCheckOf, recordResolved } from '../writes/resolve-write.ts';
import { callService, cardRead, requireAnswer } from '../writes/resource.ts';
import type { Desk } from './desk.ts';
import { type DeskWrite, isOpen, keyOf, writeOf } from './desk-log.ts';
import { canLogIn } from './desk-login.ts';
import { isStepBack, waitingAtDesk } from './desk-session.ts';
import type { Seen } from './screen.ts';

/** Changes and rows that are searched for a reissue. All of 400,000 take a second and a half at each first visit. */
const MOST_CHECKED = 20_000;

/** The card being served: what was read of it, and what the records know. */
export class CardAtHand {
  readonly #desk: Desk;
  seen: Seen;
  /** Open writes to the card, oldest first. */
  open: readonly DeskWrite[] = [];
  needsLogin = false;

  constructor(desk: Desk, cardId: string) {
    this.#desk = desk;
    this.seen = { cardId, card: undefined, reading: 'not read' };
  }

  /** Reads the records for a reissue that was made or resolved on this machine, in another window too. */
  async findReplacements(): Promise<void> {
    this.seen = { ...this.seen, ...(await this.#replacements()) };
  }

  /** The card that this one replaces, and its replacement. */
  async #replacements(): Promise<Pick<Seen, 'replaces' | 'replacedBy'>> {
    const { session, log } = this.#desk;
    const { stateDir } = session.places;
    const { cardId } = this.seen;
    const url = session.placeOf('cards');
    // An ID of another service, or of the sandbox before its reset, may be another card.
    const isWanted = (entry: HistoryEntry) =>
      entry.url === url && (stateDir === undefined || !isForgotten(stateDir, entry));
    const filter = { id: cardId, operation: OPERATIONS.cardReissue.command, limit: 20, most: MOST_CHECKED, isWanted };
    const page = stateDir === undefined ? undefined : await readHistory(stateDir, filter).catch(() => undefined);
    const writes = [...log.writes, ...(page?.entries ?? []).map(writeOf).filter((write) => write !== undefined)];
    const madeBy = ({ callOutcome, resolved }: DeskWrite) => callOutcome?.resultId ?? resolved?.resultId;
    const pairs = writes.map((write) => ({ write, old: write.cardId, made: madeBy(write) }));
    const isThis = (id: string | undefined) => id !== undefined && keyOf(id) === keyOf(cardId);
    const replaced = pairs.find(({ old, made }) => isThis(old) && made !== undefined && !isThis(made));
    // Made in another window since this desk was opened: the last that was sent about the card.
    if (replaced !== undefined && replaced.write.timeMs >= log.openedMs && !log.writes.includes(replaced.write))
      log.learned(replaced.write, textAt(this.seen.card, 'status'));
    return { replaces: pairs.find(({ old, made }) => isThis(made) && !isThis(old))?.old, replacedBy: replaced?.made };
  }

  /** Reads the card, and reports a failure. False after one step back. `isOwn`: the read that follows a change. */
  async check(isOwn = false): Promise<boolean> {
    let reading = 'not read' as Seen['reading'];
    let isLeft = false;
    const answer = await this.#desk.attempt(async () => {
      try {
        return await this.#read();
      } catch (error) {
        isLeft = isStepBack(error);
        if (!(error instanceof Failure)) throw error;
        if (error.code !== 'NOT_FOUND') throw await this.refused(error);
        reading = 'not found';
        // The screen names the card and the place. A 404 that is not the service's own says more.
        const { hints, screen } = error;
        throw screen === undefined
          ? error.but({ attempted: undefined })
          : new Failure('NOT_FOUND', 'no card has this ID', { hints });
      }
    });
    if (answer !== undefined) await this.saw(answer.resource, cardCheckOf(answer), isOwn);
    else {
      const card = reading === 'not found' ? undefined : this.seen.card;
      if (!isLeft) this.seen = { ...this.seen, card, reading };
      this.open = await this.openNow();
    }
    if (!isLeft) await Promise.all([this.#refresh(), this.findReplacements()]);
    return !isLeft;
  }

  /** The failure of a call. A refused credential puts `Log in` into the menu, if it can be given here, and says so. */
  async refused(failure: Failure): Promise<Failure> {
    if (failure.code !== 'AUTH') return failure;
    this.needsLogin = await canLogIn(this.#desk.session);
    return this.needsLogin ? failure.with({}, ['choose Log in', ...failure.hints]) : failure;
  }

  async #read(): Promise<Answer> {
    const { session } = this.#desk;
    const { cardId } = this.seen;
    const read = (abort: AbortSignal) => callService(session, cardRead(cardId), { abort });
    const answer = await requireAnswer(session, await waitingAtDesk(session, this.#desk.pasted, read));
    if (!isJsonObject(answer.resource)) throw new Failure('BAD_REPLY', `card ${cardId}: the answer is not a card`);
    return answer;
  }

  /** Takes in what a read showed, and records what it resolves like `history reconcile`. */
  async saw(resource: JsonValue, check: CardCheck, isOwn: boolean): Promise<void> {
    if (!isJsonObject(resource)) return;
    const { session, log } = this.#desk;
    // In the case that the service has.
    const cardId = textAt(resource, 'cardId') ?? this.seen.cardId;
    this.needsLogin = false;
    this.seen = { ...this.seen, cardId, card: resource, reading: 'read' };
    this.#compare(cardId, textAt(resource, 'clientReference') ?? '');
    log.saw(cardId, resource, isOwn);
    log.resolves(cardId, check.status);
    this.open = await this.openNow();
    if (!this.open.some(({ operation }) => isResolvedAt(operation, check.status))) return;
    const resolved = await this.#desk.attempt(() => recordResolved(session, cardId, check));
    for (const entry of resolved ?? []) {
      const write = writeOf(entry);
      if (write !== undefined) log.learned(write, check.status);
    }
    this.open = await this.openNow();
    await this.#desk.record();
  }

  /** Says if a card was found by another order number than it has: an export may name another customer's card. */
  #compare(cardId: string, reference: string): void {
    const { sought, log } = this.#desk;
    const was = (log.known(cardId) ?? (sought && keyOf(sought.cardId) === keyOf(cardId) ? sought : undefined))
      ?.reference;
    if (was === undefined || referenceKey(was) === referenceKey(reference)) return;
    const [old, now] = [was, reference].map((text) => quoted(safeText(text)));
    this.#desk.tell(`This machine knew this card by the reference ${old}. Its reference is ${now}.`);
  }

  /** The open writes to the card from the records, and unrecorded ones of this session, oldest first. */
  async openNow(): Promise<readonly DeskWrite[]> {
    const { session, log } = this.#desk;
    const { cardId } = this.seen;
    const { open } = await openBefore(session, cardRead(cardId));
    const recorded = open.flatMap((each): readonly DeskWrite[] => {
      const own = log.writes.find(({ entry }) => entry === each.entry);
      if (own !== undefined) return [own];
      const { entry, time, callOutcome } = each;
      const operation = operationOfWrite(each);
      return operation === undefined ? [] : [{ entry, operation, cardId, timeMs: Date.parse(time), callOutcome }];
    });
    const others = log.open.filter((write) => write.entry === '' && keyOf(write.cardId) === keyOf(cardId));
    return [...recorded, ...others].toSorted((one, other) => one.timeMs - other.timeMs);
  }

  /** What became known meanwhile of this session's changes: in another window, or by an earlier read. */
  async #refresh(): Promise<void> {
    const { session, log } = this.#desk;
    const { stateDir } = session.places;
    if (stateDir === undefined) return;
    for (const { entry, cardId } of log.open.filter(({ entry: name }) => name !== '')) {
      const known = await showHistory(stateDir, entry).catch(() => undefined);
      const write = known === undefined ? undefined : writeOf(known);
      if (write !== undefined && !isOpen(write)) log.learned(write, log.known(cardId)?.status);
    }
  }
}
