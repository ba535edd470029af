import type { PromptPort, ScreenAbove, Verdict } from '../base/context.ts';
import { FAILURES, Failure } from '../base/failure.ts';
import { quoted } from '../base/json/outside-text.ts';
import { textAt } from '../base/json/value.ts';
import type { CallCommand } from '../command/command.ts';
import type { Session } from '../command/session.ts';
import { CARD_ID_COLUMNS } from '../input/values.ts';
import { renderFailure, renderNotice, statusBefore } from '../screen/failure-text.ts';
import { plural } from '../screen/text.ts';
import type { Operation } from '../service/api/operation.ts';
import { LOST_PASTE, PromptAborted } from '../writes/ask/prompt-context.ts';
import { canRedraw } from '../writes/ask/wait-display.ts';
import { isReadOnly } from '../writes/write-guards.ts';
import type { DeskLog, KnownCard } from './desk-log.ts';
import { cancelledBy, isStepBack, sessionOfWrites } from './desk-session.ts';
import { type DeskFound, HELP, judgeWanted, recentText, wantedBy, wantedWords } from './find-card.ts';
import { handOverText, type ReportFile } from './hand-over.ts';
import { type DeskMessage, linesOf } from './screen.ts';

/** Rows of the screen beside the cards to choose from. */
const AROUND_LIST = 5;

interface DeskOptions {
  readonly log: DeskLog;
  /** `live, cards.example.com`. */
  readonly where: string;
  readonly idleMs: number;
  readonly report: ReportFile | undefined;
  /** Loads the command of a change in the menu. */
  commandOf(operation: Operation): Promise<CallCommand>;
}

/** Serves card after card until the user leaves. Changes go the way of their commands. */
export class Desk {
  readonly session: Session;
  readonly writing: Session;
  readonly prompt: PromptPort;
  readonly options: DeskOptions;
  readonly log: DeskLog;
  /** The screen is redrawn with each menu; else it is printed before it. */
  readonly redraws: boolean;
  /** Messages above the verdict until the next screen. Each is drawn for the current width. */
  messages: DeskMessage[] = [];
  /** What the last text that was judged finds. */
  #found: DeskFound | undefined;
  /** The card that a text found, as this machine knows it. */
  sought: KnownCard | undefined;

  constructor(session: Session, options: DeskOptions) {
    const { context, output } = session;
    const { log } = options;
    this.options = options;
    this.log = log;
    this.redraws = canRedraw(context);
    this.session = {
      ...session,
      caller: 'desk',
      recorder: async () => log.recording(await session.recorder()),
      notify: async (notice) => {
        // A redrawn screen would remove the message.
        if (this.redraws && notice.code !== 'INTERRUPTED' && !(notice.level === 'note' && session.common.quiet))
          this.#show(() => renderNotice(notice, output.format, context, output.mask));
        else await session.notify(notice);
      },
    };
    this.prompt = session.promptUntil({
      idleMs: options.idleMs,
      onLostPaste: this.pasted,
      // Ctrl-C at a question is a step back, and the next one another, however soon it comes.
      onCtrlC: () => session.forgiveSignals(),
    });
    this.writing = sessionOfWrites(this.session, this.prompt, this.pasted);
  }

  /** Are changes offered? Not once a change found the profile read-only. */
  get mayWrite(): boolean {
    return !isReadOnly(this.session);
  }

  /** Serves cards. `serve` returns `leave`, `another`, or the next ID. Throws what ends a program. */
  async run(first: string | undefined, serve: (cardId: string) => Promise<string>): Promise<number> {
    const { context } = this.session;
    // Between a question and a wait, Ctrl-C has no step to go back.
    const release = context.signals.onSignal((signal) => {
      if (signal === 'SIGINT') return;
      const failure = this.#ended(cancelledBy(signal));
      void this.session.report(failure).then(() => context.exitNow(failure.exitCode));
    });
    try {
      for (let next = first ?? 'another'; next !== 'leave'; )
        next = next === 'another' ? await this.#askCard() : await serve(next);
    } catch (error) {
      if (!(error instanceof PromptAborted) || (error.by !== 'end' && error.by !== 'leave')) throw this.#ended(error);
      if (error.by === 'leave')
        await this.#write('No key was pressed for a while, so the desk has ended. Nothing more was done.\n');
    } finally {
      release();
      // Ctrl-C leaves a step of the desk, and never ends the program.
      this.session.forgiveSignals();
    }
    return this.#handOver();
  }

  /** Prints the session as a list for a colleague. Returns the exit code. */
  async #handOver(): Promise<number> {
    const { context } = this.session;
    this.messages = [];
    await this.record();
    await this.#write(handOverText(this.log, this.options.where, context.clock.now()));
    for (const text of this.messages) await context.stderr.write(`${text().trimEnd()}\n`);
    const { failure } = this.options.report ?? {};
    if (failure !== undefined) await this.#write('The report is not complete: keep this list.\n');
    if (this.log.open.length > 0) return FAILURES.OUTCOME_UNKNOWN.exitCode;
    return failure === undefined ? 0 : failure.exitCode;
  }

  /** Something was pasted during a wait, and thrown away. */
  readonly pasted = (): void => this.tell(LOST_PASTE);

  /** Says a sentence on the next screen. */
  tell(text: string): void {
    this.#show(() => linesOf(text, this.session.context.stderr.columns ?? 80).join('\n'));
  }

  /** Shows a message once, because each read of a change may repeat it. */
  #show(messages: DeskMessage): void {
    if (!this.messages.some((each) => each() === messages())) this.messages.push(messages);
  }

  /** A question that names the place, and how much is open. */
  question(subject: string): string {
    const { length } = this.log.open;
    return `${subject} (${this.options.where}${length === 0 ? '' : `; ${plural(length, 'outcome unknown', 'outcomes unknown')}`})`;
  }

  /** Runs it and reports a failure; undefined after a failure or one step back. What leaves the desk is thrown. */
  async attempt<Value>(act: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'INTERNAL') throw error;
      if (error.code === 'CANCELLED' && !isStepBack(error)) throw error;
      if (!(error instanceof PromptAborted) && error.code !== 'CANCELLED') this.say(error.ofRead());
      return undefined;
    }
  }

  /** Says why a change was not done, without what the verdict says: that it was not, when, and the code. */
  sayWhy(failure: Failure): void {
    const { code, details } = failure;
    const words = textAt(details.service, 'message');
    if (code !== 'REJECTED' || words === undefined) this.say(failure.but({ attempted: undefined, after: 'silent' }));
    else if (statusBefore(failure) === undefined) this.say(new Failure(code, `the service says: ${quoted(words)}`));
  }

  say(failure: Failure): void {
    const { context, output } = this.session;
    const hints = failure.hints.filter((hint) => typeof hint === 'string').slice(0, 1);
    this.#show(() => renderFailure(failure.but({ hints, steps: [] }), output.format, context, output.mask));
  }

  async record(): Promise<void> {
    const failure = await this.options.report?.update();
    if (failure !== undefined) this.say(failure);
  }

  /** A signal's own code says that nothing is unknown, so something unknown ends with 8. */
  #ended<Thrown>(error: Thrown): Thrown | Failure {
    const { length } = this.log.open;
    if (!(error instanceof Failure) || error.code !== 'CANCELLED' || length === 0) return error;
    const open = plural(length, 'outcome is', 'outcomes are');
    const hints = [{ do: 'list what is open' }] as const;
    return new Failure('OUTCOME_UNKNOWN', `${error.statement}; ${open} unknown`, { hints, cause: error });
  }

  /** The card to serve next, or `leave`. */
  async #askCard(): Promise<string> {
    for (;;) {
      const { recent } = this.log;
      const above: ScreenAbove = (room) => {
        const { context } = this.session;
        const width = context.stderr.columns ?? 80;
        const messages = this.messages.map((text) => `${text().trimEnd()}\n\n`);
        const lines = room === undefined ? undefined : room - messages.join('').split('\n').length + 1;
        return messages.join('') + recentText(recent, width, context.clock.now(), lines);
      };
      const show = (text: string) => {
        const wanted = wantedBy(text, recent);
        return wanted.kind === 'card' ? wanted.cardId : text;
      };
      let answer: string;
      try {
        const how = { show, emptiesFirst: true, room: CARD_ID_COLUMNS, above };
        answer = await this.prompt.text(
          this.question(wantedWords(recent.length)),
          (text) => this.judge(text, recent),
          how,
        );
      } catch (error) {
        if (isStepBack(error)) return 'leave';
        throw error;
      }
      const meant = await this.meant(answer, recent);
      if (meant !== undefined) return meant;
    }
  }

  /** Judges a text that means a card, or to leave. `recent`: the cards that a number means; undefined at a menu. */
  judge(text: string, recent?: readonly KnownCard[]): Verdict {
    const { verdict, found } = judgeWanted(this.session, this.log, text, recent);
    this.#found = found;
    return verdict;
  }

  /** What a text that was judged means: the ID of a card, or `leave`; undefined: nothing to serve. */
  async meant(text: string, recent?: readonly KnownCard[]): Promise<string | undefined> {
    this.messages = [];
    const wanted = wantedBy(text, recent);
    if (wanted.kind === 'leave') return 'leave';
    if (wanted.kind === 'card') return wanted.cardId;
    const found = this.#found;
    if (found !== undefined) return this.attempt(() => this.#chosen(found));
    this.tell(HELP);
    return undefined;
  }

  async #chosen({ cards, more, failure }: DeskFound): Promise<string | undefined> {
    if (failure !== undefined) this.say(failure);
    const [card, second] = cards;
    this.sought = card;
    if (second === undefined) return card?.cardId;
    const room = Math.max(2, (this.session.context.stderr.rows ?? 24) - AROUND_LIST);
    const choices = cards.slice(0, room).map(({ cardId, reference, status }) => ({
      value: cardId,
      text: cardId,
      remark: [reference, status].filter((known) => known !== undefined).join('  '),
    }));
    const others = more + cards.length - choices.length;
    const left = others === 0 ? '' : ` (${plural(others, 'more card')} found: type more of the number to see fewer)`;
    const chosen = await this.prompt.choose(`Which card?${left}`, choices, { above: () => '' });
    this.sought = cards.find(({ cardId }) => cardId === chosen);
    return chosen;
  }

  async #write(text: string): Promise<void> {
    const { stderr } = this.session.context;
    await stderr.write(linesOf(text, stderr.columns ?? 80).join('\n'));
  }
}
