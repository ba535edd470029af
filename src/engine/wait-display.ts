import type { Context } from '../context.ts';
import type { CallListener, Notice } from '../http/call.ts';
import { renderNotice } from '../output/failure-text.ts';
import type { Format } from '../output/options.ts';
import { safeText } from '../output/safe-text.ts';

/** Silence that a person notices. */
const SPINNER_AFTER_MS = 300;

export interface WaitDisplay {
  readonly listener: CallListener;
  /** A call is under way. Only one that tells its retries to this display is waited for on the screen. */
  waiting(listener: CallListener | undefined): void;
  /** Takes the spinner away before anything else is written; harmless without one. */
  clear(): void;
}

interface DisplayOptions {
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly format: Format;
  readonly colour: boolean;
  readonly unicode: boolean;
}

function waitText(waitMs: number): string {
  const seconds = waitMs / 1000;
  return seconds >= 10 ? `${Math.round(seconds)} s` : `${seconds.toFixed(1)} s`;
}

/** A spinner on stderr, made after 300 ms of silence; nothing of it off a terminal. */
class Spinner {
  readonly #look: Pick<DisplayOptions, 'colour' | 'unicode'>;
  #timer: NodeJS.Timeout | undefined;
  #running: { stop(): unknown } | undefined;

  constructor(look: Pick<DisplayOptions, 'colour' | 'unicode'>) {
    this.#look = look;
  }

  start(): void {
    if (this.#timer !== undefined || this.#running !== undefined) return;
    const timer = setTimeout(() => void this.#show(timer), SPINNER_AFTER_MS);
    timer.unref();
    this.#timer = timer;
  }

  async #show(timer: NodeJS.Timeout): Promise<void> {
    const { default: ora } = await import('ora');
    // Stopped, or stopped and started again, while ora was loaded: only the newest start may draw.
    if (this.#timer !== timer) return;
    const { colour, unicode } = this.#look;
    this.#running = ora({
      text: 'waiting for the service',
      color: colour ? 'cyan' : false,
      spinner: unicode ? 'dots' : 'line',
      isEnabled: true,
      // Our own signal handling decides what Ctrl-C means; ora would take it over.
      discardStdin: false,
    }).start();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running?.stop();
    this.#running = undefined;
  }
}

/** Whether a line may be drawn over: not off a terminal, nor on one that obeys no escape sequences. */
export function canRedraw({ env, stderr }: Context): boolean {
  return stderr.isTerminal && env['TERM'] !== 'dumb';
}

/** Shows a person that a call is under way, and everybody why it is tried again (-q and -v decide how much). */
export function createWaitDisplay(context: Context, options: DisplayOptions): WaitDisplay {
  const { stderr } = context;
  // The log of a CI job is no place for a spinner, even where it has a terminal.
  const isWanted = canRedraw(context) && context.env['CI'] === undefined && !options.quiet && !options.verbose;
  const spinner = isWanted ? new Spinner(options) : undefined;
  const tell = (notice: Notice) => {
    spinner?.stop();
    void stderr.write(renderNotice(notice, options.format, stderr));
  };
  const isJson = options.format === 'json' || options.format === 'ndjson';
  const trace = (line: string) => {
    if (isJson && !stderr.isTerminal) tell({ code: 'TRACE', level: 'note', message: line });
    else void stderr.write(`${safeText(line)}\n`);
  };
  const onRetry: CallListener['onRetry'] = ({ reason, waitMs }) => {
    if (options.quiet) return;
    // A person wants one line; the service's own words stand in the error if there will be one.
    const why = stderr.isTerminal ? reason.replace(/ \(.*$/s, '') : reason;
    tell({ code: 'RETRY', level: 'note', message: `${why}, waiting ${waitText(waitMs)}` });
    spinner?.start();
  };
  return {
    listener: { onRetry, ...(options.verbose ? { onTrace: trace } : {}) },
    waiting(listener) {
      if (listener?.onRetry === onRetry) spinner?.start();
    },
    clear: () => spinner?.stop(),
  };
}
