import { type Context, isOnElsewhere, isSwitchedOn } from '../../base/context.ts';
import { type Notice, note } from '../../base/failure.ts';
import type { CommonOptions } from '../../input/options/common.ts';
import { renderNotice } from '../../screen/failure-text.ts';
import { type Format, isJson } from '../../screen/options.ts';
import { formatSeconds, safeText, widthOf, wrapOutside } from '../../screen/text.ts';
import type { CallListener } from '../../service/http/call.ts';

/** Users notice a longer silence. */
const SPINNER_AFTER_MS = 300;
/** How often the seconds in the line are updated. */
const COUNT_MS = 200;
/** Without redrawing, one line after this much silence, and again. */
const LINE_AFTER_MS = 5000;
export const LINE_AGAIN_MS = 30_000;

export type WaitDisplay = ReturnType<typeof createWaitDisplay>;

interface DisplayOptions extends Pick<CommonOptions, 'quiet' | 'verbose'> {
  readonly format: Format;
  readonly colour: boolean;
  readonly unicode: boolean;
  /** Limit of one attempt, which is shown. */
  readonly timeoutMs: number;
}

/** A wait for a response, perhaps after a pause. */
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
  // A read reports each retry. What takes longer is a card check after a change.
  if (passedMs > timeoutMs) return `no reply within ${formatSeconds(timeoutMs)}, checking the card`;
  return `waiting for the service, ${Math.floor(passedMs / 1000)} of ${Math.ceil(timeoutMs / 1000)} s`;
}

/** `waiting 12 s`; empty for the shortest waits. */
function waitText(waitMs: number): string {
  const seconds = waitMs / 1000;
  if (seconds < 0.1) return 'retrying';
  return `waiting ${seconds >= 10 ? Math.round(seconds) : seconds.toFixed(1)} s`;
}

/** A spinner after 300 ms of silence; without redrawing, repeated lines. */
function openSpinner(
  { colour, unicode, timeoutMs }: DisplayOptions,
  { now, columns }: Readonly<Record<'now' | 'columns', () => number>>,
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
    const [{ default: ora }, { cutText }] = await Promise.all([import('ora'), import('../../screen/cut-text.ts')]);
    // The spinner and a blank stand before it. On a second line its words could be frontdesk's own.
    const fitted = () => cutText(text(), Math.max(1, columns() - 2), unicode);
    // Stopped, or stopped and started again, while ora was loaded: only the newest start draws.
    if (timer !== own) return;
    const spinner = ora({
      text: fitted(),
      color: colour ? 'cyan' : false,
      spinner: unicode ? 'dots' : 'line',
      isEnabled: true,
      // frontdesk decides what Ctrl-C means; ora would take it over.
      discardStdin: false,
    }).start();
    running = spinner;
    counter = setInterval(() => {
      spinner.text = fitted();
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

/** FRONTDESK_ACCESSIBLE, else the ACCESSIBLE of other tools: for screen readers and slow lines. */
export function isAccessible({ env }: Pick<Context, 'env'>): boolean {
  const own = env['FRONTDESK_ACCESSIBLE'] ?? '';
  return own === '' ? isOnElsewhere(env, 'ACCESSIBLE') : isSwitchedOn(env, 'FRONTDESK_ACCESSIBLE') === true;
}

/** May a line be redrawn? Not for a screen reader, or without escape sequences or a width (ora would clear for ever). */
export function canRedraw(context: Context): boolean {
  const { env, stderr } = context;
  return stderr.isTerminal && stderr.columns !== undefined && env['TERM'] !== 'dumb' && !isAccessible(context);
}

/** Shows that a call is in progress in a terminal, and on any stderr why it is retried. -q and -v decide how much. */
export function createWaitDisplay(context: Context, options: DisplayOptions) {
  const { stderr } = context;
  // The log of a CI job gets no spinner, even in a terminal.
  const isWanted = stderr.isTerminal && context.env['CI'] === undefined && !options.quiet && !options.verbose;
  const now = () => context.clock.monotonic();
  const columns = () => widthOf(stderr) ?? Number.POSITIVE_INFINITY;
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
  const display = isWanted ? openSpinner(options, { now, columns }, canRedraw(context) ? undefined : late) : undefined;
  const trace = (line: string) => {
    if (isJson(options.format) && !stderr.isTerminal) report(note('TRACE', line));
    else void stderr.write(`${wrapOutside(safeText(line), widthOf(stderr) ?? Number.POSITIVE_INFINITY).join('\n')}\n`);
  };
  const onRetry: CallListener['onRetry'] = ({ reason, brief, waitMs }) => {
    if (options.quiet) return;
    // In a terminal one line suffices. An error would have the service's words.
    const why = stderr.isTerminal ? brief : reason;
    report(note('RETRY', `${why}, ${waitText(waitMs)}`));
    display?.start({ sinceMs: now(), pause: { why, untilMs: now() + waitMs } });
  };
  return {
    listener: { onRetry, isWaitedFor: true, ...(options.verbose === true ? { onTrace: trace } : {}) },
    /** A call is in progress. It is shown only if the user waits for it. */
    waiting(listener: CallListener | undefined) {
      if (listener?.isWaitedFor === true) display?.start({ sinceMs: now() });
    },
    /** Removes the spinner before anything else is written. Harmless without one. */
    clear: () => display?.stop(),
  };
}
