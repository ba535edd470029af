import { CARD_STATUSES } from '../api/card.ts';
import type { Operation } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { cardActivate } from '../commands/card/activate.ts';
import { cardBlock } from '../commands/card/block.ts';
import { cardReissue } from '../commands/card/reissue.ts';
import { type CallCommand, operationOf } from '../commands/command.ts';
import { type PromptPort, type SignalPort, signalWords } from '../context.ts';
import { QuestionLeft } from '../engine/asking.ts';
import { runCall } from '../engine/call.ts';
import type { OpenSession } from '../engine/open-session.ts';
import { CANCELLED_EXIT_CODES, FAILURES, Failure, type Outcome } from '../failure.ts';
import { readCardId } from '../input/card-id.ts';
import { checkFields } from '../input/check-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../json/value.ts';
import { runWait } from '../local/card-wait.ts';
import { printHistory } from '../local/history.ts';
import { cardViewWithin } from '../output/card-view.ts';
import { breakLine } from '../output/line-break.ts';
import type { Session } from '../session.ts';
import { changeText, recentText, summaryText, unknownText } from './desk-text.ts';
import type { IdleTimer } from './idle-timer.ts';
import type { Sitting } from './sitting.ts';

/** Commands of the menu that write, in its order. */
export const WRITES: Readonly<Record<string, CallCommand>> = {
  activate: cardActivate,
  block: cardBlock,
  reissue: cardReissue,
};

const MENU = [
  { value: 'look', text: 'Look again' },
  ...Object.keys(WRITES).map((verb) => ({ value: verb, text: `${verb.charAt(0).toUpperCase()}${verb.slice(1)}` })),
  { value: 'wait', text: 'Wait for a status' },
  { value: 'history', text: 'History of this card' },
  { value: 'another', text: 'Another card' },
  { value: 'leave', text: 'Leave' },
];

const LEAVE_WORDS = ['q', 'quit', 'exit', 'leave'];

/** Signals of one command, all of whose listeners go when it has ended: a sitting outlives its writes. */
function signalsOfCommand(signals: SignalPort): SignalPort & { release(): void } {
  const stops: (() => void)[] = [];
  return {
    received: signals.received,
    onSignal(listener) {
      const stop = signals.onSignal(listener);
      stops.push(stop);
      return stop;
    },
    release() {
      for (const stop of stops) stop();
    },
  };
}

/** A question that is left by Ctrl-C goes one step back; by anything else the desk is left. */
function isStepBack(error: unknown): boolean {
  return error instanceof QuestionLeft && error.by === 'ctrl_c';
}

/** One sitting: card after card, until somebody leaves. Nothing is decided here: writes go the way of their commands. */
export class Desk {
  readonly #session: OpenSession;
  readonly #prompt: PromptPort;
  readonly #where: string;
  readonly #sitting: Sitting;

  constructor(session: OpenSession, idle: IdleTimer, known: { readonly where: string; readonly sitting: Sitting }) {
    this.#session = session;
    this.#where = known.where;
    this.#sitting = known.sitting;
    const prompt = session.promptUntil(idle.signal);
    const input = () => session.context.terminal().input;
    this.#prompt = {
      available: prompt.available,
      text: (...asked) => idle.during(input(), () => prompt.text(...asked)),
      secret: (...asked) => idle.during(input(), () => prompt.secret(...asked)),
      confirm: (question) => idle.during(input(), () => prompt.confirm(question)),
      choose: (...asked) => idle.during(input(), () => prompt.choose(...asked)),
    };
  }

  /** Answers the exit code. Throws what ends a program: a signal, a bug, a stream that cannot be written. */
  async run(): Promise<number> {
    try {
      for (;;) {
        const cardId = await this.#askCard();
        if (cardId === undefined || (await this.#serve(cardId)) === 'leave') break;
      }
    } catch (error) {
      if (!(error instanceof QuestionLeft) || (error.by !== 'end' && error.by !== 'leave')) throw this.#ended(error);
      if (error.by === 'leave') await this.#write('Nobody pressed a key for a while, so the desk is left.\n');
    }
    const { profile } = this.#session;
    await this.#write(summaryText(this.#sitting, profile.namedBy === undefined ? '' : ` -p ${profile.name}`));
    return this.#sitting.unknown.length > 0 ? FAILURES.OUTCOME_UNKNOWN.exitCode : 0;
  }

  /** A signal ends with its own code, which says that nothing is unknown; with something unknown it cannot. */
  #ended(error: unknown): unknown {
    if (!(error instanceof Failure) || error.code !== 'CANCELLED' || this.#sitting.unknown.length === 0) return error;
    return new Failure('OUTCOME_UNKNOWN', `${error.message}; ${unknownText(this.#sitting)}`, {
      hints: ['see `frontdesk history --outcome unknown`'],
      cause: error,
    });
  }

  /** The card to serve next; undefined: leave. */
  async #askCard(): Promise<string | undefined> {
    const { recent } = this.#sitting;
    await this.#write(`\n${recentText(recent, this.#width)}`);
    const chosen = (text: string) => recent[/^[1-9]$/.test(text.trim()) ? Number(text) - 1 : -1]?.cardId;
    const idOf = (text: string) => {
      const read = readCardId(text);
      return chosen(text) ?? (read.kind === 'holds' ? read.id : text.trim());
    };
    const isLeave = (text: string) => LEAVE_WORDS.includes(text.trim().toLowerCase());
    const check = (text: string) => {
      if (isLeave(text)) return true;
      if (text.trim() === '') return 'paste a card id, or type the number of a recent card; q leaves';
      const [fault] = checkFields(OPERATIONS.cardGet.params, { cardId: idOf(text) }, (name) => name);
      return fault === undefined ? true : fault.problem;
    };
    try {
      const answer = await this.#prompt.text(this.#question('Card id'), check, (text) =>
        isLeave(text) ? text : idOf(text),
      );
      return isLeave(answer) ? undefined : idOf(answer);
    } catch (error) {
      if (isStepBack(error)) return undefined;
      throw error;
    }
  }

  #question(subject: string): string {
    const unknown = unknownText(this.#sitting);
    return `${subject} (${this.#where}${unknown === '' ? '' : `; ${unknown}`})`;
  }

  async #serve(cardId: string): Promise<'leave' | 'another'> {
    let card = await this.#look(cardId);
    for (;;) {
      let choice: string;
      try {
        choice = await this.#prompt.choose(this.#question(`Card ${cardId.slice(0, 8)}`), MENU);
      } catch (error) {
        if (isStepBack(error)) return 'another';
        throw error;
      }
      if (choice === 'leave' || choice === 'another') return choice;
      card = await this.#do(choice, cardId, card);
    }
  }

  /** Does what was chosen; answers the card as it was last seen. */
  async #do(choice: string, cardId: string, card: JsonObject | undefined): Promise<JsonObject | undefined> {
    const command = WRITES[choice];
    if (command !== undefined) return this.#writeCard(command, cardId, card);
    if (choice === 'history') await this.#try(() => this.#history(cardId));
    else if (choice === 'wait') await this.#try(() => this.#wait(cardId));
    else return this.#look(cardId);
    return card;
  }

  /** Shows the card. A failure is reported, and the menu offers to look again. */
  async #look(cardId: string): Promise<JsonObject | undefined> {
    return this.#try(async () => {
      const card = await this.#read(cardId);
      if (!isJsonObject(card)) throw new Failure('BAD_REPLY', `card ${cardId}: the answer is not a card`);
      await this.#show(card);
      for (const done of this.#sitting.saw(cardId, card)) {
        await this.#write(`The ${done.replaceAll('.', ' ')} that was unknown shows now: it happened.\n`);
      }
      return card;
    });
  }

  /** The card in what the terminal has beside the menu: nothing of it may scroll away. */
  async #show(card: JsonObject): Promise<void> {
    const { context, output } = this.#session;
    const { output: terminal } = context.terminal();
    const rows = 'rows' in terminal && typeof terminal.rows === 'number' ? terminal.rows : 24;
    const style = { width: this.#width, colour: output.colour, unicode: output.unicode, now: context.clock.now() };
    await context.stdout.write(`\n${cardViewWithin(card, style, rows - MENU.length - 5)}\n`);
  }

  async #read(cardId: string): Promise<JsonValue> {
    const { context, policy, listener } = this.#session;
    const stop = new AbortController();
    const release = context.signals.onSignal((signal) => stop.abort(signal));
    try {
      const service = await this.#session.service('cards');
      const call = { operation: OPERATIONS.cardGet, params: { cardId }, query: {}, body: undefined };
      const result = await service.client.call(call, { policy, listener, stop: stop.signal });
      if (result.kind === 'failed') throw result.failure;
      for (const notice of result.ending.notices) await this.#session.notify(notice);
      return result.resource;
    } finally {
      release();
    }
  }

  async #writeCard(command: CallCommand, cardId: string, before: JsonObject | undefined) {
    const operation = operationOf(command);
    const outcome = await this.#ending(operation, cardId, (session) =>
      runCall(session, command, { words: [cardId], options: new Map() }),
    );
    if (outcome === undefined) return before;
    this.#sitting.ended(operation, cardId, outcome);
    const after = await this.#look(cardId);
    if (after !== undefined) await this.#write(changeText(before, after));
    return after ?? before;
  }

  /** Runs a write as its command would, and reports a failure; undefined: it was not begun, or given up at a question. */
  async #ending(
    operation: Operation,
    cardId: string,
    run: (session: OpenSession) => Promise<unknown>,
  ): Promise<Outcome | undefined> {
    const signals = signalsOfCommand(this.#session.context.signals);
    let outcome: Outcome | undefined = 'applied';
    try {
      await run(this.#sessionOf(operation, signals));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error instanceof QuestionLeft && !isStepBack(error)) throw error;
      outcome = error.details.outcome;
      if (outcome === 'unknown') this.#sitting.ended(operation, cardId, outcome);
      await this.#report(error.with({ operation: operation.command }));
      if (outcome === 'not_sent') outcome = undefined;
    } finally {
      signals.release();
    }
    // Ctrl-C ends a write by its outcome, and the sitting goes on; the other signals end both.
    const ended = this.#session.context.signals.received.find((signal) => signal !== 'SIGINT');
    if (ended === undefined) return outcome;
    throw new Failure('CANCELLED', `cancelled by ${signalWords(ended)}`, { exitCode: CANCELLED_EXIT_CODES[ended] });
  }

  /** The session as a command sees it: its questions are the desk's, and what it prints is shown by the next look. */
  #sessionOf(operation: Operation, signals: SignalPort): OpenSession {
    const context = Object.create(this.#session.context, { signals: { value: signals } });
    const print: Session['print'] = async (result) => {
      if (operation.effect.kind !== 'write' || result.kind !== 'resource') return;
      const made = textAt(result.resource, 'cardId');
      if (operation.effect.resultId === 'cardId' && made !== undefined) this.#sitting.made(made);
    };
    // What is not replaced here is reached through the prototype, which is a session.
    return Object.create(this.#session, {
      context: { value: context },
      operation: { value: operation.command },
      prompt: { value: this.#prompt },
      print: { value: print },
    }) as OpenSession;
  }

  async #history(cardId: string): Promise<void> {
    await printHistory(this.#session, { id: cardId, limit: 20 });
  }

  async #wait(cardId: string): Promise<void> {
    const statuses = CARD_STATUSES.map((status) => ({ value: status, text: status }));
    const status = await this.#prompt.choose('Which status is waited for?', statuses);
    const times = { timeout: { text: '60s', ms: 60_000 }, interval: { text: '2s', ms: 2000 } };
    await runWait(this.#session, { cardId, status: [status], ...times });
  }

  /** Reports a failure and stays; what leaves the desk passes. */
  async #try<Value>(act: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'INTERNAL') throw error;
      if (error instanceof QuestionLeft && !isStepBack(error)) throw error;
      if (error.code === 'CANCELLED' && error.exitCode !== CANCELLED_EXIT_CODES.SIGINT) throw error;
      await this.#report(error);
      return undefined;
    }
  }

  async #report(failure: Failure): Promise<void> {
    await this.#session.report(failure);
    if (failure.code !== 'AUTH') return;
    await this.#write('Log in in another window, then choose Look again: this sitting goes on.\n');
  }

  get #width(): number {
    return this.#session.context.stderr.columns ?? 80;
  }

  async #write(text: string): Promise<void> {
    const lines = text.split('\n').flatMap((line) => breakLine(line, this.#width));
    await this.#session.context.stderr.write(lines.join('\n'));
  }
}
