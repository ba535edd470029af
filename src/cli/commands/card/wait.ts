import { Failure, type FailureCode, type Notice, note } from '../../../base/failure.ts';
import { outside } from '../../../base/json/outside-text.ts';
import { getPath, JsonNumber, type JsonValue } from '../../../base/json/value.ts';
import { ANSWERED, localCommand } from '../../../command/command.ts';
import type { Session } from '../../../command/session.ts';
import type { Span } from '../../../input/options/option.ts';
import { cellText, openUnder } from '../../../screen/column.ts';
import { cutText } from '../../../screen/cut-text.ts';
import { formatSeconds, safeText } from '../../../screen/text.ts';
import { CARD_STATUSES, Card } from '../../../service/api/card.ts';
import type { Answer, CallResult } from '../../../service/http/call.ts';
import { canRedraw, LINE_AGAIN_MS } from '../../../writes/ask/wait-display.ts';
import { callService, cardRead, requireAnswer } from '../../../writes/resource.ts';
import { CARD_ARGUMENT, CARD_COLUMNS } from './columns.ts';

/** With less time a read would fail for that reason alone, and hide what was seen before. */
const SHORTEST_READ_MS = 50;

/** Failures that waiting may fix: the service is away, busy or broken. Any other ends the wait. */
const PASSING: ReadonlySet<FailureCode> = new Set<FailureCode>(['UNREACHABLE', 'BAD_REPLY', 'BUSY']);

interface WaitInput {
  readonly cardId: string;
  readonly status: readonly string[];
  readonly timeout: Span;
  /** What the caller may raise; `--timeout` unless given. */
  readonly timeoutName?: string;
  readonly interval: Span;
  /** Aborted: the wait is over. */
  readonly abort?: AbortSignal;
}

const ERASE_LINE_ABOVE = '\u001b[1A\u001b[2K';

/** A line that is overwritten where somebody waits at it. The cursor rests below it, for an unexpected message. */
function openWaitLine({ caller, common, context, output }: Session) {
  const { stderr } = context;
  const isWanted = caller !== 'mcp' && canRedraw(context) && !common.quiet && !common.verbose;
  let isShown = false;
  return {
    async show(text: string): Promise<void> {
      if (!isWanted) return;
      const width = Math.max(10, (stderr.columns ?? 80) - 1);
      await stderr.write(`${isShown ? ERASE_LINE_ABOVE : ''}\r${cutText(safeText(text), width, output.unicode)}\n`);
      isShown = true;
    },
    /** Removes the line before anything else is written. */
    async clear(): Promise<void> {
      if (isShown) await stderr.write(`${ERASE_LINE_ABOVE}\r`);
      isShown = false;
    },
  };
}

/** One wait, from its first read to the card or the end of its time. */
class Wait {
  readonly #session: Session;
  readonly #input: WaitInput;
  readonly #line: ReturnType<typeof openWaitLine>;
  readonly #deadlineMs: number;
  /** What the wait is for, as last shown. */
  #text: string;
  #reads = 0;
  #status: string | undefined;
  #wasAnswered = false;
  /** The failure of the last read, if it failed. */
  #trouble: Failure | undefined;

  constructor(session: Session, input: WaitInput) {
    this.#session = session;
    this.#input = input;
    this.#line = openWaitLine(session);
    this.#deadlineMs = session.context.clock.monotonic() + input.timeout.ms;
    this.#text = `card ${input.cardId}: waiting for ${input.status.join(' or ')}`;
  }

  async run(): Promise<Answer> {
    const { context } = this.#session;
    const over = new AbortController();
    await this.#draw(`waiting for ${this.#input.status.join(' or ')}`);
    if (context.stderr.isTerminal && !canRedraw(context)) void this.#sayAgain(over.signal);
    try {
      for (;;) {
        const result = await this.#read();
        this.#reads += 1;
        if (result.kind === 'failed') await this.#failed(result.failure);
        else if (await this.#isWanted(result)) return result;
        await this.#pause();
      }
    } finally {
      over.abort();
      await this.#line.clear();
    }
  }

  /** A line at once, and again while the wait continues. */
  async #sayAgain(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.#session.notify(note('WAITING', `${this.#text} (${formatSeconds(this.#leftMs())} left)`));
      await this.#session.context.clock.sleep(LINE_AGAIN_MS, over);
    }
  }

  /** The overwritten line, the time first, because its end may have no room. */
  async #draw(text: string): Promise<void> {
    const how = this.#session.caller === 'desk' ? ' (Esc goes back)' : '';
    await this.#line.show(`${formatSeconds(this.#leftMs())} left${how}: ${text}`);
  }

  async #read(): Promise<CallResult> {
    const { policy, listener } = this.#session;
    const leftMs = Math.max(1, this.#leftMs());
    return callService(this.#session, cardRead(this.#input.cardId), {
      policy: {
        timeoutMs: Math.min(policy.timeoutMs, leftMs),
        retries: policy.retries,
        retryMaxTimeMs: Math.min(policy.retryMaxTimeMs, leftMs),
      },
      // The command shows the wait itself, not every attempt.
      listener: listener.onTrace === undefined ? {} : { onTrace: (line) => listener.onTrace?.(line) },
      ...(this.#input.abort === undefined ? {} : { abort: this.#input.abort }),
    });
  }

  async #isWanted(answer: Answer): Promise<boolean> {
    const { cardId, status: wanted } = this.#input;
    const status = cellText(getPath(answer.resource, 'status'));
    const isNews = status !== this.#status || this.#trouble !== undefined;
    this.#status = status;
    this.#trouble = undefined;
    this.#wasAnswered = true;
    if (wanted.includes(status)) return true;
    const seen = `${outside(status)}, waiting for ${wanted.join(' or ')}`;
    const message = `card ${cardId} is ${seen}`;
    await this.#report(message, isNews ? note('WAITING', message) : undefined, `the card is ${seen}`);
    return false;
  }

  async #failed(failure: Failure): Promise<void> {
    const wasAnswered = this.#wasAnswered || failure.details.http !== undefined;
    // A service that never responded has not stopped responding: the address is wrong, or this machine is offline.
    if (!PASSING.has(failure.code) || (failure.code === 'UNREACHABLE' && !wasAnswered)) throw failure;
    this.#wasAnswered = wasAnswered;
    const isNews = this.#trouble?.code !== failure.code;
    this.#trouble = failure;
    const message = `${failure.statement}. Still waiting`;
    await this.#report(message, isNews ? note('NO_ANSWER', message) : undefined);
  }

  /** A terminal shows the line. Elsewhere news is reported. */
  async #report(text: string, news: Notice | undefined, drawn = text): Promise<void> {
    this.#text = text;
    if (canRedraw(this.#session.context)) await this.#draw(drawn);
    else if (news !== undefined) await this.#session.notify(news);
  }

  /** Waits for the next read, at least as long as the service asked, and at most until the time is up. */
  async #pause(): Promise<void> {
    const { clock } = this.#session.context;
    const retryAt = this.#trouble?.details.retryAt;
    const askedMs = retryAt === undefined ? 0 : Date.parse(retryAt) - clock.now();
    if (retryAt !== undefined && askedMs > this.#leftMs()) throw this.#tooLong();
    const pauseMs = Math.max(this.#input.interval.ms, askedMs);
    const isLast = this.#leftMs() - pauseMs < SHORTEST_READ_MS;
    await clock.sleep(isLast ? Math.max(0, this.#leftMs()) : pauseMs, this.#input.abort);
    if (isLast) throw this.#timeout();
  }

  #leftMs(): number {
    return this.#deadlineMs - this.#session.context.clock.monotonic();
  }

  /** The service asked not to be called again within the time that is left. */
  #tooLong(): Failure {
    const { cardId, timeout } = this.#input;
    const { hints = [], details = {} } = this.#trouble ?? {};
    const asked = `the service asked for a pause until ${details.retryAt}, past the end of this wait of ${timeout.text}`;
    return new Failure('BUSY', `card ${cardId}: ${asked}`, { hints, details });
  }

  #timeout(): Failure {
    const { cardId, status: wanted, timeout, timeoutName = '--timeout' } = this.#input;
    const words = `run it again to keep waiting, or wait longer with ${timeoutName}`;
    const since = this.#trouble === undefined ? '' : `. The last check failed: ${this.#trouble.statement}`;
    const seen = this.#status === undefined ? 'no status was seen' : `its last status is ${outside(this.#status)}`;
    const observed = new Map<string, JsonValue>([['reads', new JsonNumber(String(this.#reads))]]);
    if (this.#status !== undefined) observed.set('status', this.#status);
    return new Failure(
      'TIMEOUT',
      `card ${cardId} was not ${wanted.join(' or ')} within ${timeout.text}: ${seen}${since}`,
      { hints: [{ do: 'repeat', words }], details: { id: cardId, observed } },
    );
  }
}

/** Reads a card until it has a wanted status, and returns it. TIMEOUT when the time is up. */
export function waitForCard(session: Session, input: WaitInput): Promise<Answer> {
  return new Wait(session, input).run();
}

export const command = localCommand({
  description:
    'Reads the card until it has one of the given statuses, then prints it like `card get`. If the time is up first, it exits with 124 and names the last status. 401, 403, 404 and other refusals end the wait at once. If the service stops responding, the wait continues.',
  usesProfile: true,
  columns: CARD_COLUMNS,
  isOpenColumn: openUnder('metadata', 'transactions'),
  arguments: { cardId: { ...CARD_ARGUMENT, kind: 'cardId', required: true } },
  options: {
    status: {
      kind: 'choices',
      value: 'STATUS[,STATUS]',
      required: true,
      question: 'Which status do you want to wait for?',
      choices: CARD_STATUSES,
      text: 'wait for one of these statuses (separate with commas)',
    },
    timeout: {
      kind: 'duration',
      min: 1,
      default: '60s',
      text: 'end the whole wait after this time (500ms, 30s, 2m, 1h; at most 7d); default: 60s',
    },
    interval: {
      kind: 'duration',
      min: 1,
      default: '2s',
      text: 'wait this long between two reads (at most 7d); default: 2s',
    },
  },
  exitCodes: [...ANSWERED, 124],
  examples: {
    'Wait until a card is active': 'card wait 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --status ACTIVE',
    'Check every ten seconds, for five minutes':
      'card wait 72e1e385-a6c9-44f1-b3b8-c596e1072808 --status BLOCKED,REISSUED --timeout 5m --interval 10s',
  },
  output: async () => Card,
  async run(session, values) {
    const { resource } = await requireAnswer(session, await waitForCard(session, values));
    await session.print({ kind: 'resource', resource, columns: CARD_COLUMNS, view: 'card' });
  },
});
