import { CARD_STATUSES } from '../api/card.ts';
import { OPERATIONS } from '../api/operations.ts';
import { PromptAborted } from '../ask/prompt-context.ts';
import { callService, cardRead, takeAnswer } from '../call/resource.ts';
import { isReadOnly } from '../call/write-guards.ts';
import type { CallOutcome } from '../call-outcome.ts';
import { type CallCommand, operationOf } from '../command/command.ts';
import { idAlone } from '../command/read-given.ts';
import { command as cardActivate } from '../commands/card/activate.ts';
import { command as cardBlock } from '../commands/card/block.ts';
import { command as cardReissue } from '../commands/card/reissue.ts';
import { runWait } from '../commands/card/wait.ts';
import { printHistory } from '../commands/history/list.ts';
import { type PromptPort, type SignalName, signalWords } from '../context.ts';
import { environmentToken } from '../credentials/resolve.ts';
import { runCall } from '../engine/call.ts';
import { CANCELLED_EXIT_CODES, FAILURES, Failure } from '../failure.ts';
import type { Answer } from '../http/call.ts';
import { isJsonObject, type JsonObject, textAt } from '../json/value.ts';
import { cardViewWithin } from '../output/card-view.ts';
import { breakLine } from '../output/line-break.ts';
import type { Session } from '../session.ts';
import type { DeskLog } from './desk-log.ts';
import { type Ended, judgeId, NEXT, sessionOfWrite, waitingAtDesk } from './desk-session.ts';
import { outcomeText, recentText, summaryText, unknownText } from './desk-text.ts';

/** Commands of the menu that write, in its order. */
export const WRITES: Readonly<Record<string, CallCommand>> = {
  activate: cardActivate,
  block: cardBlock,
  reissue: cardReissue,
};

const MENU: readonly { readonly value: string; readonly text: string }[] = [
  { value: 'look', text: 'Look again' },
  ...Object.keys(WRITES).map((verb) => ({ value: verb, text: `${verb.charAt(0).toUpperCase()}${verb.slice(1)}` })),
  { value: 'wait', text: 'Wait for a status' },
  { value: 'history', text: 'History of this card' },
  { value: 'another', text: 'Another card' },
  { value: 'leave', text: 'Leave' },
];

const LEAVE_WORDS = ['q', 'quit', 'exit', 'leave'];

function cancelledBy(signal: SignalName): Failure {
  return new Failure('CANCELLED', `cancelled by ${signalWords(signal)}`, { exitCode: CANCELLED_EXIT_CODES[signal] });
}

/** The card at hand, as it was last seen; `isMissing`: the service says that there is none. */
interface Seen {
  readonly cardId: string;
  readonly card?: JsonObject | undefined;
  readonly isMissing?: boolean;
}

/** A question or a wait that is left by Esc or Ctrl-C goes one step back; by anything else the desk is left. */
function isStepBack(error: unknown): boolean {
  if (error instanceof PromptAborted) return error.isStepBack;
  return error instanceof Failure && error.code === 'CANCELLED' && error.exitCode === CANCELLED_EXIT_CODES.SIGINT;
}

/** Serves card after card until a person leaves. Nothing is decided here: writes go the way of their commands. */
export class Desk {
  readonly #session: Session;
  readonly #prompt: PromptPort;
  readonly #where: string;
  readonly #log: DeskLog;
  readonly #mayWrite: boolean;
  readonly #openedMs: number;

  constructor(session: Session, idleMs: number, where: string, log: DeskLog) {
    this.#session = session;
    this.#prompt = session.promptUntil(idleMs);
    this.#where = where;
    this.#log = log;
    this.#mayWrite = !isReadOnly(session);
    this.#openedMs = session.context.clock.now();
  }

  /** Returns the exit code. Throws what ends a program: a signal, a bug, a stream that cannot be written. */
  async run(): Promise<number> {
    const { context, profile } = this.#session;
    // Between a question and a wait Ctrl-C has no step to go back.
    const release = context.signals.onSignal((signal) => {
      if (signal === 'SIGINT') return;
      const failure = this.#ended(cancelledBy(signal));
      void this.#session.report(failure).then(() => context.exitNow(failure.exitCode));
    });
    try {
      let next: string | undefined;
      while (next !== 'leave') {
        const cardId: string | undefined = next === undefined || next === 'another' ? await this.#askCard() : next;
        next = cardId === undefined ? 'leave' : await this.#serve(cardId);
      }
    } catch (error) {
      if (!(error instanceof PromptAborted) || (error.by !== 'end' && error.by !== 'leave')) throw this.#ended(error);
      if (error.by === 'leave')
        await this.#write('No key was pressed for a while, so the desk has ended; nothing more was done.\n');
    } finally {
      release();
    }
    await this.#write(summaryText(this.#log, profile.namedBy === undefined ? '' : ` -p ${profile.name}`));
    return this.#log.unknown.length > 0 ? FAILURES.OUTCOME_UNKNOWN.exitCode : 0;
  }

  /** A signal ends with its own code, which says that nothing is unknown; with something unknown it cannot. */
  #ended<Thrown>(error: Thrown): Thrown | Failure {
    if (!(error instanceof Failure) || error.code !== 'CANCELLED' || this.#log.unknown.length === 0) return error;
    return new Failure('OUTCOME_UNKNOWN', `${error.message}; ${unknownText(this.#log)}`, {
      hints: ['see `frontdesk history --outcome unknown`'],
      cause: error,
    });
  }

  /** The card to serve next; undefined: leave. */
  async #askCard(): Promise<string | undefined> {
    const recent = this.#log.offered;
    await this.#write(`\n${recentText(recent, this.#width)}`);
    const chosen = (text: string) => recent[/^[1-9]$/.test(text.trim()) ? Number(text) - 1 : -1]?.cardId;
    const isLeave = (text: string) => LEAVE_WORDS.includes(text.trim().toLowerCase());
    const judge = (text: string) => {
      if (isLeave(text) || chosen(text) !== undefined) return true;
      const isEmpty = text.trim() === '';
      return judgeId(text, isEmpty ? 'paste a card id, or type the number of a recent card; q leaves' : undefined);
    };
    try {
      const show = (text: string) => chosen(text) ?? text;
      const answer = await this.#prompt.text(this.#question('Card id'), judge, { show, keepsAtEscape: true });
      return isLeave(answer) ? undefined : show(answer);
    } catch (error) {
      if (isStepBack(error)) return undefined;
      throw error;
    }
  }

  #question(subject: string): string {
    const unknown = unknownText(this.#log);
    return `${subject} (${this.#where}${unknown === '' ? '' : `; ${unknown}`})`;
  }

  /** Serves one card. Answers `leave`, `another`, or the id of the card that was given at the menu. */
  async #serve(cardId: string): Promise<string> {
    let seen = await this.#look(cardId);
    for (;;) {
      // What cannot be done is not offered.
      const mayWrite = this.#mayWrite && seen.isMissing !== true;
      const menu = MENU.filter(({ value }) => mayWrite || WRITES[value] === undefined);
      let choice: string;
      try {
        const orId = (text: string) => judgeId(text, 'choose an entry, or paste a card id');
        choice = await this.#prompt.choose(this.#question(`Card ${seen.cardId.slice(0, 8)}`), menu, orId);
      } catch (error) {
        if (isStepBack(error)) return 'another';
        throw error;
      }
      const write = WRITES[choice];
      if (write !== undefined) seen = await this.#writeCard(write, seen);
      else if (choice === 'history') await this.#try(() => printHistory(this.#session, { id: seen.cardId, limit: 20 }));
      else if (choice === 'wait') await this.#try(() => this.#wait(seen.cardId));
      else if (choice === 'look') seen = await this.#look(seen.cardId);
      else return choice;
    }
  }

  /** Shows the card. A failure is reported, and the menu offers to look again. */
  async #look(cardId: string): Promise<Seen> {
    let isMissing = false;
    const read = await this.#try(async () => {
      try {
        const { resource, ending } = await this.#read(cardId);
        if (!isJsonObject(resource)) throw new Failure('BAD_REPLY', `card ${cardId}: the answer is not a card`);
        return { card: resource, ending };
      } catch (error) {
        isMissing = error instanceof Failure && error.code === 'NOT_FOUND';
        throw error;
      }
    });
    if (read === undefined) return { cardId, isMissing };
    const { card, ending } = read;
    await this.#show(card);
    const settled = this.#log.saw(cardId, card);
    const earlier = this.#log.wasOpen(cardId) ? await this.#try(() => this.#settle(cardId, card, ending)) : [];
    for (const done of [...settled, ...(earlier ?? [])]) {
      await this.#write(`The outcome of the ${done.replaceAll('.', ' ')} is known now: it was done.\n`);
    }
    return { cardId, card };
  }

  /** The history records what a look settles, as `history reconcile` does. Returns the writes from before the desk was opened. */
  async #settle(cardId: string, card: JsonObject, { httpStatus, requestId }: CallOutcome): Promise<readonly string[]> {
    const { recordSettled } = await import('../call/settle.ts');
    const look = { status: textAt(card, 'status'), httpStatus, requestId };
    const entries = await recordSettled(this.#session, cardId, look);
    const earlier = entries.filter(({ time }) => Date.parse(time) < this.#openedMs);
    for (const { operation: command } of earlier) {
      const operation = Object.values(OPERATIONS).find((known) => known.command === command);
      if (operation !== undefined) this.#log.settledEarlier(operation, cardId);
    }
    return [...new Set(earlier.map(({ operation }) => operation))];
  }

  /** The card in what the terminal has beside the menu: nothing of it may scroll away. */
  async #show(card: JsonObject): Promise<void> {
    const { context, output } = this.#session;
    const { output: terminal } = context.terminal();
    const rows = 'rows' in terminal && typeof terminal.rows === 'number' ? terminal.rows : 24;
    const style = { ...output, width: this.#width, now: context.clock.now() };
    await context.stdout.write(`\n${cardViewWithin(card, style, rows - MENU.length - 5)}\n`);
  }

  async #read(cardId: string): Promise<Answer> {
    const read = (abort: AbortSignal) => callService(this.#session, cardRead(cardId), abort);
    return takeAnswer(this.#session, await waitingAtDesk(this.#session, read));
  }

  /** Writes, shows the card anew, and says last what became of the write. Returns the card that is at hand then. */
  async #writeCard(command: CallCommand, seen: Seen): Promise<Seen> {
    const operation = operationOf(command);
    const { cardId } = seen;
    const { outcome, made, failure } = await this.#ending(command, cardId);
    if (outcome === undefined) return seen;
    this.#log.ended(operation, cardId, outcome, made);
    const after = await this.#look(cardId);
    // It was said at once while it mattered; a refusal says what to do.
    if (outcome === 'rejected' && failure !== undefined) await this.#report(failure);
    const changes = { before: seen.card, after: after.card };
    const { output } = this.#session;
    await this.#write(outcomeText(this.#log, operation, { cardId, outcome, made }, changes, output));
    return made === undefined ? after : { cardId: made };
  }

  /** Runs a write as its command would, and reports what kept it from being sent, or what is unknown. */
  async #ending(command: CallCommand, cardId: string): Promise<Ended> {
    const operation = operationOf(command);
    const { context } = this.#session;
    const heardBefore = context.signals.received.length;
    this.#session.forgiveSignals();
    const ended: Ended = { outcome: 'applied' };
    try {
      await runCall(sessionOfWrite(this.#session, this.#prompt, operation, ended), command, idAlone(cardId));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error instanceof PromptAborted && !error.isStepBack) throw error;
      ended.failure = error.with({ operation: operation.command });
      const { outcome } = error.details;
      ended.outcome = outcome === 'not_sent' ? undefined : outcome;
      if (outcome === 'unknown') this.#log.ended(operation, cardId, outcome);
      if (outcome !== 'rejected') await this.#report(ended.failure);
    }
    // Ctrl-C ends a write by its outcome, and the desk goes on; a second one and the other signals end both.
    const heard = context.signals.received.slice(heardBefore);
    const signal = heard.find((name) => name !== 'SIGINT');
    if (signal !== undefined) throw cancelledBy(signal);
    if (heard.length > 1 && ended.outcome === 'unknown') throw new PromptAborted('end', undefined);
    return ended;
  }

  async #wait(cardId: string): Promise<void> {
    const statuses = CARD_STATUSES.map((status) => ({ value: status, text: status }));
    const status = await this.#prompt.choose('Which status is waited for?', statuses);
    const times = { timeout: { text: '60s', ms: 60_000 }, interval: { text: '2s', ms: 2000 } };
    await waitingAtDesk(this.#session, (abort) =>
      runWait(this.#session, { cardId, status: [status], ...times, abort }),
    );
  }

  /** Reports a failure and stays; what leaves the desk passes. */
  async #try<Value>(act: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'INTERNAL') throw error;
      if (error.code === 'CANCELLED' && !isStepBack(error)) throw error;
      if (!(error instanceof PromptAborted)) await this.#report(error);
      return undefined;
    }
  }

  async #report(failure: Failure): Promise<void> {
    // What another command shows is in the menu here.
    const hints = failure.hints.filter((hint) => typeof hint === 'string' || hint.asks !== 'look');
    const isOfEnvironment =
      failure.code === 'AUTH' && environmentToken(this.#session.context.env, 'cards') !== undefined;
    const next = isOfEnvironment ? ['choose Leave, and open the desk again'] : (NEXT[failure.code] ?? []);
    await this.#session.report(failure.with({}, [...hints.slice(0, 1), ...next]));
  }

  get #width(): number {
    return this.#session.context.stderr.columns ?? 80;
  }

  async #write(text: string): Promise<void> {
    const lines = text.split('\n').flatMap((line) => breakLine(line, this.#width));
    await this.#session.context.stderr.write(lines.join('\n'));
  }
}
