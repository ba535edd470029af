import type { Context } from '../context.ts';
import type { CallListener, Notice } from '../http/call.ts';
import { renderNotice } from '../output/failure-text.ts';
import type { Format } from '../output/options.ts';
import { safeText } from '../output/safe-text.ts';

/** Silence that a person notices. */
const SPINNER_AFTER_MS = 300;

export interface WaitDisplay {
  readonly listener: CallListener;
  /** Takes the spinner away before anything else is written; harmless without one. */
  clear(): void;
}

interface DisplayOptions {
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly format: Format;
}

function waitText(waitMs: number): string {
  const seconds = waitMs / 1000;
  return seconds >= 10 ? `${Math.round(seconds)} s` : `${seconds.toFixed(1)} s`;
}

/** A spinner on stderr, made after 300 ms of silence; nothing of it off a terminal. */
class Spinner {
  #timer: NodeJS.Timeout | undefined;
  #running: { stop(): unknown } | undefined;
  #wanted = false;

  start(): void {
    if (this.#timer !== undefined || this.#running !== undefined) return;
    this.#wanted = true;
    this.#timer = setTimeout(() => void this.#show(), SPINNER_AFTER_MS);
    this.#timer.unref();
  }

  async #show(): Promise<void> {
    const { default: ora } = await import('ora');
    if (!this.#wanted) return;
    // Our own signal handling decides what Ctrl-C means; ora would take it over with discardStdin.
    this.#running = ora({ text: 'waiting for the service', discardStdin: false }).start();
  }

  stop(): void {
    this.#wanted = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running?.stop();
    this.#running = undefined;
  }
}

/** Shows a person that a call is under way, and everybody why it is tried again (contract section 2: -q, -v). */
export function createWaitDisplay(context: Context, options: DisplayOptions): WaitDisplay {
  const { stderr } = context;
  const spinner = stderr.isTerminal && !options.quiet && !options.verbose ? new Spinner() : undefined;
  const tell = (notice: Notice) => {
    spinner?.stop();
    void stderr.write(renderNotice(notice, options.format, stderr.isTerminal));
    spinner?.start();
  };
  const isJson = options.format === 'json' || options.format === 'ndjson';
  const trace = (line: string) => {
    if (isJson && !stderr.isTerminal) tell({ code: 'TRACE', level: 'note', message: line });
    else void stderr.write(`${safeText(line)}\n`);
  };
  return {
    listener: {
      onSend: () => spinner?.start(),
      onRetry: ({ reason, waitMs }) => {
        if (options.quiet) return;
        tell({ code: 'RETRY', level: 'note', message: `${reason}, waiting ${waitText(waitMs)}` });
      },
      ...(options.verbose ? { onTrace: trace } : {}),
    },
    clear: () => spinner?.stop(),
  };
}
