import { type Context, isSwitchedOn } from '../context.ts';
import { type Notice, note } from '../failure.ts';
import type { CallListener } from '../http/call.ts';
import type { CommonOptions } from '../options/common.ts';
import { renderNotice } from '../output/failure-text.ts';
import { type Format, isJson } from '../output/options.ts';
import { formatSeconds, safeText } from '../output/text.ts';

/** Silence that a person notices. */
const SPINNER_AFTER_MS = 300;
/** How often the seconds in the line are counted anew. */
const COUNT_MS = 200;
/** On a terminal where nothing can be drawn over, one line after so long a silence, and again. */
const LINE_AFTER_MS = 5000;
export const LINE_AGAIN_MS = 30_000;

export interface WaitDisplay {
  readonly listener: CallListener;
  /** A call is under way. Only one that a person waits for is shown. */
  waiting(listener: CallListener | undefined): void;
  /** Takes the spinner away before anything else is written; harmless without one. */
  clear(): void;
}

interface DisplayOptions extends Pick<CommonOptions, 'quiet' | 'verbose'> {
  readonly format: Format;
  readonly colour: boolean;
  readonly unicode: boolean;
  /** Limit of one attempt: a person who waits wants to know for how long at most. */
  readonly timeoutMs: number;
}

/** What is being waited for: after a pause, if there is one, an answer. */
interface Wait {
  /** By the monotonic clock. */
  readonly sinceMs: number;
  readonly pause?: { readonly why: string; readonly untilMs: number };
}

/** `waiting for the service, 3 of 30 s`; in a pause `the service returned 429, retrying in 9 s`. */
function textOf({ sinceMs, pause }: Wait, timeoutMs: number, nowMs: number): string {
  if (pause !== undefined && nowMs < pause.untilMs) {
    return `${pause.why}, retrying in ${Math.ceil((pause.untilMs - nowMs) / 1000)} s`;
  }
  const passedMs = nowMs - Math.max(sinceMs, pause?.untilMs ?? 0);
  // A read reports each further attempt: what takes longer is a write, of which the card is looked at.
  if (passedMs > timeoutMs) return `no reply within ${formatSeconds(timeoutMs)}, checking the card`;
  return `waiting for the service, ${Math.floor(passedMs / 1000)} of ${Math.ceil(timeoutMs / 1000)} s`;
}

/** `waiting 12 s`; the shortest waits are none to a person. */
function waitText(waitMs: number): string {
  const seconds = waitMs / 1000;
  if (seconds < 0.1) return 'retrying';
  return `waiting ${seconds >= 10 ? Math.round(seconds) : seconds.toFixed(1)} s`;
}

/** A spinner after 300 ms of silence. Where nothing can be drawn over, a line when it takes long, again and again. */
function openSpinner(
  { colour, unicode, timeoutMs }: DisplayOptions,
  now: () => number,
  late?: { readonly afterMs: number; say(): void },
) {
  let timer: NodeJS.Timeout | undefined;
  let counter: NodeJS.Timeout | undefined;
  let running: { stop(): unknown; text: string } | undefined;
  let wait: Wait = { sinceMs: 0 };
  const text = () => textOf(wait, timeoutMs, now());
  const sayAgain = () => {
    late?.say();
    timer = setTimeout(sayAgain, LINE_AGAIN_MS).unref();
  };
  const show = async (own: NodeJS.Timeout) => {
    const { default: ora } = await import('ora');
    // Stopped, or stopped and started again, while ora was loaded: only the newest start may draw.
    if (timer !== own) return;
    const spinner = ora({
      text: text(),
      color: colour ? 'cyan' : false,
      spinner: unicode ? 'dots' : 'line',
      isEnabled: true,
      // frontdesk's own signal handling decides what Ctrl-C means; ora would take it over.
      discardStdin: false,
    }).start();
    running = spinner;
    counter = setInterval(() => {
      spinner.text = text();
    }, COUNT_MS).unref();
  };
  return {
    start(next: Wait): void {
      wait = next;
      if (timer !== undefined || running !== undefined) return;
      const own: NodeJS.Timeout =
        late === undefined ? setTimeout(() => void show(own), SPINNER_AFTER_MS) : setTimeout(sayAgain, late.afterMs);
      timer = own.unref();
    },
    stop(): void {
      clearTimeout(timer);
      clearInterval(counter);
      timer = undefined;
      running?.stop();
      running = undefined;
    },
  };
}

/** FRONTDESK_ACCESSIBLE: for screen readers and slow lines. */
export function isAccessible({ env }: Pick<Context, 'env'>): boolean {
  return isSwitchedOn(env, 'FRONTDESK_ACCESSIBLE') === true;
}

/**
 * Whether a line may be drawn over: not off a terminal, for a screen reader, nor on a terminal that obeys no escape
 * sequences or does not know its width, since the number of lines is then unknown (ora clears for ever where
 * the width is 0).
 */
export function canRedraw(context: Context): boolean {
  const { env, stderr } = context;
  return stderr.isTerminal && stderr.columns !== undefined && env['TERM'] !== 'dumb' && !isAccessible(context);
}

/** Shows a person that a call is under way, and on any stderr why it is tried again (-q and -v decide how much). */
export function createWaitDisplay(context: Context, options: DisplayOptions): WaitDisplay {
  const { stderr } = context;
  // The log of a CI job is no place for a spinner, even where it has a terminal.
  const isWanted = stderr.isTerminal && context.env['CI'] === undefined && !options.quiet && !options.verbose;
  const now = () => context.clock.monotonic();
  const limit = Math.ceil(options.timeoutMs / 1000);
  const report = (notice: Notice) => {
    display?.stop();
    void stderr.write(renderNotice(notice, options.format, context));
  };
  const isInLines = isAccessible(context);
  const say = () => {
    const waiting = note('WAITING', `${isInLines ? '' : 'still '}waiting for the service, up to ${limit} s`);
    void stderr.write(renderNotice(waiting, options.format, context));
  };
  const late = { afterMs: isInLines ? SPINNER_AFTER_MS : LINE_AFTER_MS, say };
  const display = isWanted ? openSpinner(options, now, canRedraw(context) ? undefined : late) : undefined;
  const trace = (line: string) => {
    if (isJson(options.format) && !stderr.isTerminal) report(note('TRACE', line));
    else void stderr.write(`${safeText(line)}\n`);
  };
  const onRetry: CallListener['onRetry'] = ({ reason, brief, waitMs }) => {
    if (options.quiet) return;
    // A person wants one line; the service's own words stand in the error if there will be one.
    const why = stderr.isTerminal ? brief : reason;
    report(note('RETRY', `${why}, ${waitText(waitMs)}`));
    display?.start({ sinceMs: now(), pause: { why, untilMs: now() + waitMs } });
  };
  return {
    listener: { onRetry, isWaitedFor: true, ...(options.verbose === true ? { onTrace: trace } : {}) },
    waiting(listener) {
      if (listener?.isWaitedFor === true) display?.start({ sinceMs: now() });
    },
    clear: () => display?.stop(),
  };
}
