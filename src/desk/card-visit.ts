import type { Choice, ScreenAbove } from '../base/context.ts';
import { Failure } from '../base/failure.ts';
import { textAt } from '../base/json/value.ts';
import { runCall } from '../cli/call.ts';
import { waitForCard } from '../cli/commands/card/wait.ts';
import { historyResult } from '../cli/commands/history/list.ts';
import { resolveEntry } from '../cli/commands/history/resolve.ts';
import { CARD_ID_COLUMNS, judgeId } from '../input/values.ts';
import { cardDetails } from '../screen/card-view.ts';
import type { ViewStyle } from '../screen/options.ts';
import { shortEntry } from '../screen/people-text.ts';
import { renderResult } from '../screen/render.ts';
import { sentenceCase } from '../screen/text.ts';
import { CARD_STATUSES } from '../service/api/card.ts';
import { nounOf, type Operation, resolvedBy, targetStatus } from '../service/api/operation.ts';
import { CARD_ACTIONS } from '../service/api/operations.ts';
import { PromptAborted } from '../writes/ask/prompt-context.ts';
import { requireAnswer } from '../writes/resource.ts';
import { CardAtHand } from './card-at-hand.ts';
import type { Desk } from './desk.ts';
import { changedNothing, type DeskWrite, keyOf, writeOf } from './desk-log.ts';
import { logIn } from './desk-login.ts';
import { cancelledBy, isStepBack, waitingAtDesk } from './desk-session.ts';
import { clockTime, screenText, verdictLines } from './screen.ts';

function actionAt(entry: string): Operation | undefined {
  return CARD_ACTIONS.find(({ verb }) => verb === entry);
}

/** Each entry keeps its number, whatever else is offered. */
const MENU: readonly Choice[] = [
  { value: 'look', text: 'Look again' },
  { value: 'details', text: 'All details' },
  ...CARD_ACTIONS.map(({ verb }) => ({ value: verb, text: sentenceCase(verb) })),
  { value: 'wait', text: 'Wait for a status' },
  { value: 'history', text: 'History of this card' },
  { value: 'another', text: 'Another card' },
  { value: 'leave', text: 'Leave' },
  { value: 'resolve', text: 'Resolve an open write' },
  { value: 'login', text: 'Log in' },
].map((entry, at) => ({ ...entry, number: at + 1 }));

/** Failures after which another read of the card would meet the same. */
const NOT_CHECKED_AFTER = new Set(['UNREACHABLE', 'AUTH', 'LOCAL_IO', 'USAGE', 'FORBIDDEN']);
const PAGE_PROMPT_ROWS = 2;

/** One card at the desk, until another card is wanted. */
export class CardVisit {
  readonly #desk: Desk;
  readonly #hand: CardAtHand;

  constructor(desk: Desk, cardId: string) {
    this.#desk = desk;
    this.#hand = new CardAtHand(desk, cardId);
  }

  /** Returns `leave`, `another`, or the ID of the card that was given at the menu. */
  async serve(): Promise<string> {
    if (!(await this.#hand.check())) return 'another';
    for (;;) {
      let choice: string;
      try {
        choice = await this.#choose();
      } catch (error) {
        if (!isStepBack(error)) throw error;
        choice = 'another';
      }
      this.#desk.messages = [];
      const act = this.#actOf(choice);
      const next = act === undefined && choice !== 'another' ? await this.#desk.meant(choice) : choice;
      if (act !== undefined) await act();
      else if (next !== undefined) return next;
    }
  }

  #actOf(choice: string): (() => Promise<unknown>) | undefined {
    const write = actionAt(choice);
    if (write !== undefined) return () => this.#write(write);
    if (choice === 'look') return () => this.#look();
    const acts: Readonly<Record<string, () => Promise<void>>> = {
      details: () => this.#details(),
      history: () => this.#history(),
      wait: () => this.#wait(),
      resolve: () => this.#resolve(),
      login: () => this.#logIn(),
    };
    const act = acts[choice];
    const refused = async (error: unknown) => {
      throw error instanceof Failure ? await this.#hand.refused(error) : error;
    };
    return act && (() => this.#desk.attempt(() => act().catch(refused)));
  }

  get #style(): ViewStyle {
    const { context, output } = this.#desk.session;
    const { colour, unicode, isAccessible } = output;
    return { colour, unicode, isAccessible, width: context.stderr.columns ?? 80, now: context.clock.now() };
  }

  #choose(): Promise<string> {
    const { cardId, reading } = this.#hand.seen;
    // A paste at the menu is the ID of a card, or nothing.
    const orText = (text: string, isPasted: boolean) => (isPasted ? judgeId(text, '') : this.#desk.judge(text));
    const name = `Card ${cardId.slice(0, 8)}${reading === 'not found' ? ', not found' : ''}`;
    return this.#desk.prompt.choose(this.#desk.question(name), this.#entries(), {
      orText,
      above: this.#above(' (2 = All details)'),
    });
  }

  #entries(): readonly Choice[] {
    const { card, reading } = this.#hand.seen;
    const status = textAt(card, 'status');
    const offered: Readonly<Record<string, boolean>> = {
      details: card !== undefined,
      wait: reading !== 'not found',
      resolve: this.#hand.open.some(({ entry }) => entry !== ''),
      login: this.#hand.needsLogin,
    };
    return MENU.flatMap((entry) => {
      const write = actionAt(entry.value);
      if (write === undefined) return offered[entry.value] === false ? [] : [entry];
      if (!this.#desk.mayWrite || reading !== 'read') return [];
      return [status === targetStatus(write) ? { ...entry, remark: 'already' } : entry];
    });
  }

  /** The card and the verdict, above each question about it. `more`: what of the menu shows the rest of the card. */
  #above(more = ''): ScreenAbove {
    return (room) => {
      const { log, messages: found } = this.#desk;
      const style = this.#style;
      const { cardId, card } = this.#hand.seen;
      const about = { cardId, status: textAt(card, 'status'), open: this.#hand.open, last: log.lastOf(cardId) };
      const text = screenText(this.#hand.seen, log.known(cardId), found, verdictLines(about, style), style, room, more);
      return room === undefined ? `\n${text}` : text;
    };
  }

  async #write(operation: Operation): Promise<void> {
    const { session, writing, log } = this.#desk;
    const command = await this.#desk.options.commandOf(operation);
    const { cardId, card } = this.#hand.seen;
    const status = textAt(card, 'status');
    const { received } = session.context.signals;
    const writtenBefore = log.writes.length;
    session.forgiveSignals();
    let failure: Failure | undefined;
    const openBefore = this.#hand.open;
    try {
      await session.renewProfile();
      // Another window may have reissued it since it was drawn.
      await this.#hand.findReplacements();
      await runCall(writing, command, { words: [cardId], options: {}, typed: new Set(), faults: [] });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error instanceof PromptAborted && !error.isStepBack) throw error;
      failure = await this.#hand.refused(error.with({ operation: operation.command }));
    }
    await this.#desk.record();
    const signal = received.find((name) => name !== 'SIGINT');
    if (signal !== undefined) throw cancelledBy(signal);
    const write = log.writes.slice(writtenBefore).at(-1);
    const { effect } = operation;
    if (write === undefined && failure?.code === 'CANCELLED' && effect.kind === 'write') {
      // A no says nothing of the same change that was done before, or may have been.
      const last = log.lastOf(cardId);
      const isSecond = (last?.operation === operation && !changedNothing(last)) || status === targetStatus(operation);
      this.#desk.tell(`Not ${effect.done.toLowerCase()}${isSecond ? ' again' : ''}. Nothing was sent.`);
    }
    await this.#after(write, failure, openBefore);
  }

  /** Reports how a change ended, and reads the current card. `before`: what was open before it. */
  async #after(write: DeskWrite | undefined, failure: Failure | undefined, before: readonly DeskWrite[]) {
    if (write === undefined) {
      if (failure !== undefined && failure.code !== 'CANCELLED') this.#desk.say(failure);
      return;
    }
    const isUnknown = write.callOutcome?.outcome === 'unknown';
    if (isUnknown) this.#desk.tell(unknownText(write));
    else if (failure !== undefined) this.#desk.sayWhy(failure);
    else for (const text of doneTexts(write, before, this.#style.now)) this.#desk.tell(text);
    if (failure !== undefined && !isUnknown && NOT_CHECKED_AFTER.has(failure.code)) return;
    const newCard = write.callOutcome?.resultId;
    if (newCard !== undefined && keyOf(newCard) !== keyOf(write.cardId)) {
      this.#hand.seen = { cardId: newCard, card: undefined, reading: 'not read', replaces: write.cardId };
    }
    await this.#hand.check(true);
  }

  /** Reads the card anew, and whether its profile allows changes. */
  async #look(): Promise<void> {
    await this.#desk.attempt(() => this.#desk.session.renewProfile());
    await this.#hand.check();
  }

  async #details(): Promise<void> {
    const { card } = this.#hand.seen;
    if (card === undefined) return;
    await this.#page(
      cardDetails(card, { ...this.#style, colour: false })
        .trimEnd()
        .split('\n'),
    );
  }

  async #history(): Promise<void> {
    const { session } = this.#desk;
    const { result, failure } = await historyResult(session, { id: this.#hand.seen.cardId, limit: 20 });
    let text = '';
    const write = async (part: string | Uint8Array) => {
      text += part;
    };
    await renderResult(result, session.output, { isTerminal: true, columns: session.context.stderr.columns, write });
    // The table fits the screen, and its colors would count as columns.
    await this.#page(text.trimEnd().split('\n'));
    if (failure !== undefined) throw failure;
  }

  /** Shows lines page by page if the next screen would remove them. */
  async #page(lines: readonly string[]): Promise<void> {
    const { prompt, redraws, session } = this.#desk;
    if (!redraws) return session.context.stderr.write(`\n${lines.join('\n')}\n`);
    for (let at = 0; at < lines.length; ) {
      const end = at + Math.max(3, (session.context.stderr.rows ?? 24) - PAGE_PROMPT_ROWS);
      const page = lines.slice(at, end);
      const what =
        end < lines.length ? `Enter shows ${lines.length - end} more lines, Esc goes back` : 'Enter goes back';
      await prompt.text(what, () => true, { above: () => `${page.join('\n')}\n` });
      at = end;
    }
  }

  async #wait(): Promise<void> {
    const { prompt, session } = this.#desk;
    const now = textAt(this.#hand.seen.card, 'status');
    const statuses = CARD_STATUSES.filter((status) => status !== now).map((status) => ({
      value: status,
      text: status,
    }));
    const above = this.#above();
    const status = await prompt.choose('Which status do you want to wait for?', statuses, { above });
    const times = { timeout: { text: '60s', ms: 60_000 }, interval: { text: '2s', ms: 2000 } };
    const { cardId } = this.#hand.seen;
    const answer = await waitingAtDesk(session, this.#desk.pasted, (abort) =>
      waitForCard(session, { cardId, status: [status], ...times, abort }),
    );
    await this.#hand.saw((await requireAnswer(session, answer)).resource, { status }, false);
  }

  async #resolve(): Promise<void> {
    const { prompt, session, log } = this.#desk;
    const open = this.#hand.open.filter(({ entry }) => entry !== '').toReversed();
    const { now } = this.#style;
    const choices = open.map(({ entry, operation, timeMs }) => ({
      value: entry,
      text: `${nounOf(operation)} of ${clockTime(timeMs, now)}`,
      remark: `entry ${shortEntry(entry)}`,
    }));
    const above = this.#above();
    const entry = open.length === 1 ? open[0]?.entry : await prompt.choose('Which write?', choices, { above });
    const write = open.find((each) => each.entry === entry);
    if (write === undefined) return;
    const choicesOfEnd = [
      { value: 'applied', text: 'It was applied' },
      { value: 'not_applied', text: 'Not applied' },
    ];
    const question = `What did you find out about the ${nounOf(write.operation)} of ${clockTime(write.timeMs, now)}?`;
    const as = (await prompt.choose(question, choicesOfEnd, { above })) === 'applied' ? 'applied' : 'not_applied';
    const { effect } = write.operation;
    const asksId = as === 'applied' && effect.kind === 'write' && effect.resultId !== undefined;
    const judge = (text: string) => (text === '' ? true : judgeId(text));
    const how = { above, room: CARD_ID_COLUMNS };
    const resultId = asksId ? await prompt.text('ID of the new card (Enter = not known)', judge, how) : '';
    const note = await prompt.text('Note (Enter = none)', () => true, { above });
    const found = { ...(note === '' ? {} : { note }), ...(resultId === '' ? {} : { resultId }) };
    const entryNow = await resolveEntry(session, write.entry, { as, ...found });
    const resolved = writeOf(entryNow);
    if (resolved !== undefined) log.learned(resolved, textAt(this.#hand.seen.card, 'status'));
    this.#hand.open = await this.#hand.openNow();
    // The verdict is about the change that is still open.
    if (this.#hand.open.length > 0)
      this.#desk.tell(`Recorded: the ${nounOf(write.operation)} was ${as === 'applied' ? 'applied' : 'not applied'}.`);
    await this.#desk.record();
    await this.#hand.findReplacements();
  }

  async #logIn(): Promise<void> {
    const isStored = await logIn(this.#desk.session, this.#desk.prompt);
    this.#desk.tell(
      isStored ? 'The token is stored.' : 'This token is used until you leave the desk, and is not stored.',
    );
    this.#hand.needsLogin = false;
    await this.#hand.check();
  }
}

function unknownText({ operation }: DeskWrite): string {
  const noun = nounOf(operation);
  const again =
    resolvedBy(operation) === undefined
      ? `A second ${noun} may make a second card.`
      : `A second ${noun} sets the same status again, and takes the place of this one.`;
  return `The ${noun} may still take effect: the service documents no time limit. ${again}`;
}

/** What the user must know of a change that was done: what it supersedes, and what helps if it was the wrong card. */
function doneTexts({ operation, entry }: DeskWrite, before: readonly DeskWrite[], now: number): readonly string[] {
  if (resolvedBy(operation) === undefined) {
    const first = before.findLast((write) => write.operation.name === operation.name);
    if (first === undefined) return [];
    return [
      `The first ${nounOf(operation)}, of ${clockTime(first.timeMs, now)}, is still open. It may have made a card too.`,
    ];
  }
  const superseded = before.findLast((write) => resolvedBy(write.operation) !== undefined);
  const name = entry === '' ? 'the time of this block' : `history entry ${shortEntry(entry)} of this block`;
  const texts = [
    superseded &&
      `It takes the place of the ${nounOf(superseded.operation)} of ${clockTime(superseded.timeMs, now)}, whose outcome is unknown.`,
    nounOf(operation) === 'block' &&
      `Wrong card? No command undoes a block. A reissue gives its owner a new card: check the balance, tell your lead, and name ${name}.`,
  ];
  return texts.filter((text) => typeof text === 'string');
}
