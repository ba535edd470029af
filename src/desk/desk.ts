import type { Operation } from '../api/operation.ts';
import { LOST_PASTE, PromptAborted } from '../ask/prompt-context.ts';
import { canRedraw } from '../ask/wait-display.ts';
import { isReadOnly } from '../call/write-guards.ts';
import type { CallCommand } from '../command/command.ts';
import type { PromptPort, ScreenAbove } from '../context.ts';
import { FAILURES, Failure } from '../failure.ts';
import { CARD_ID_COLUMNS } from '../input/values.ts';
import { renderFailure, renderNotice } from '../output/failure-text.ts';
import { plural } from '../output/text.ts';
import { createSession, type Session } from '../session.ts';
import type { DeskLog } from './desk-log.ts';
import { cancelledBy, isStepBack, sessionOfWrites } from './desk-session.ts';
import { findCards, HELP, judgeWanted, recentText, wantedBy } from './find-card.ts';
import { handOverText, type ReportFile } from './hand-over.ts';
import { linesOf, type Said } from './screen.ts';

interface DeskOptions {
  readonly log: DeskLog;
  /** `live, cards.example.com`. */
  readonly where: string;
  /** `host[:port]`, as in the history. */
  readonly host: string;
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
  readonly mayWrite: boolean;
  /** The screen is redrawn with each menu; else it is printed before it. */
  readonly redraws: boolean;
  /** Messages above the verdict until the next screen. Each is drawn for the current width. */
  said: Said[] = [];

  constructor(session: Session, options: DeskOptions) {
    const { context, output } = session;
    const { log } = options;
    this.options = options;
    this.log = log;
    this.redraws = canRedraw(context);
    this.session = createSession(session, {
      ...session,
      caller: 'desk',
      recorder: async () => log.recording(await session.recorder()),
      notify: async (notice) => {
        // A redrawn screen would remove the message.
        if (this.redraws && notice.code !== 'INTERRUPTED' && !(notice.level === 'note' && session.common.quiet))
          this.#show(() => renderNotice(notice, output.format, context, output.mask));
        else await session.notify(notice);
      },
    });
    this.prompt = session.promptUntil(options.idleMs, this.pasted);
    this.writing = sessionOfWrites(this.session, this.prompt, this.pasted);
    this.mayWrite = !isReadOnly(session);
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
      for (let next = first; ; ) {
        const cardId = next ?? (await this.#askCard());
        if (cardId === undefined) break;
        const choice = await serve(cardId);
        if (choice === 'leave') break;
        next = choice === 'another' ? undefined : choice;
      }
    } catch (error) {
      if (!(error instanceof PromptAborted) || (error.by !== 'end' && error.by !== 'leave')) throw this.#ended(error);
      if (error.by === 'leave')
        await this.#write('No key was pressed for a while, so the desk has ended. Nothing more was done.\n');
    } finally {
      release();
    }
    return this.#handOver();
  }

  /** Prints the session as a list for a colleague. Returns the exit code. */
  async #handOver(): Promise<number> {
    const { context } = this.session;
    await this.record();
    await this.#write(handOverText(this.log, this.options.where, context.clock.now()));
    for (const text of this.said) await context.stderr.write(`${text().trimEnd()}\n`);
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
  #show(said: Said): void {
    if (!this.said.some((each) => each() === said())) this.said.push(said);
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
      if (!(error instanceof PromptAborted) && error.code !== 'CANCELLED') this.say(error.asSilent());
      return undefined;
    }
  }

  say(failure: Failure): void {
    const { context, output } = this.session;
    // The menu has what another command shows.
    const hints = failure.hints
      .filter((hint) => typeof hint === 'string' || hint.asks !== 'look')
      .map((hint) => (typeof hint === 'string' ? hint : (hint.desk ?? hint)))
      .slice(0, 1);
    this.#show(() => renderFailure(failure.with({}, hints), output.format, context, output.mask));
  }

  /** Writes the report anew. */
  async record(): Promise<void> {
    const failure = await this.options.report?.update();
    if (failure !== undefined) this.say(failure);
  }

  /** A signal's own code says that nothing is unknown, so something unknown ends with 8. */
  #ended<Thrown>(error: Thrown): Thrown | Failure {
    const { length } = this.log.open;
    if (!(error instanceof Failure) || error.code !== 'CANCELLED' || length === 0) return error;
    const open = plural(length, 'outcome is', 'outcomes are');
    const hints = ['see `frontdesk history --open`'];
    return new Failure('OUTCOME_UNKNOWN', `${error.message}; ${open} unknown`, { hints, cause: error });
  }

  /** The card to serve next; undefined: leave. */
  async #askCard(): Promise<string | undefined> {
    for (;;) {
      const { recent } = this.log;
      const above: ScreenAbove = (room) => {
        const { context } = this.session;
        const width = context.stderr.columns ?? 80;
        const said = this.said.map((text) => `${text().trimEnd()}\n\n`);
        const lines = room === undefined ? undefined : room - said.join('').split('\n').length + 1;
        return said.join('') + recentText(recent, width, context.clock.now(), lines);
      };
      let answer: string;
      try {
        answer = await this.prompt.text(this.question('Card ID'), (text) => judgeWanted(text, recent), {
          show: (text) => {
            const wanted = wantedBy(text, recent);
            return wanted.kind === 'card' ? wanted.cardId : text;
          },
          keepsAtEscape: true,
          room: CARD_ID_COLUMNS,
          above,
        });
      } catch (error) {
        if (isStepBack(error)) return undefined;
        throw error;
      }
      this.said = [];
      const wanted = wantedBy(answer, recent);
      if (wanted.kind === 'leave') return undefined;
      if (wanted.kind === 'card') return wanted.cardId;
      if (wanted.kind === 'help') {
        this.tell(HELP);
        continue;
      }
      const found = await this.attempt(() => this.#find(wanted.text));
      if (found !== undefined) return found;
    }
  }

  /** The card that an order number or the beginning of an ID means. Several are listed to choose from. */
  async #find(text: string): Promise<string | undefined> {
    const found = await findCards(this.session, this.log, this.options.host, text);
    const [card, second] = found;
    if (card === undefined)
      this.tell(
        'This machine knows no card with this order number or part of an ID. Paste the whole card ID. ? explains',
      );
    if (second === undefined) return card?.cardId;
    const choices = found.map(({ cardId, reference, status }) => ({
      value: cardId,
      text: cardId,
      remark: [status, reference].filter((known) => known !== undefined).join('  '),
    }));
    return this.prompt.choose('Which card?', choices, { above: () => '' });
  }

  async #write(text: string): Promise<void> {
    const { stderr } = this.session.context;
    await stderr.write(linesOf(text, stderr.columns ?? 80).join('\n'));
  }
}
