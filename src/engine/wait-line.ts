import type { OutputPort } from '../context.ts';
import { cutText } from '../output/cut-text.ts';
import { safeText } from '../output/safe-text.ts';

/** One line on a stderr terminal that is written over again and again. */
export interface WaitLine {
  show(text: string): Promise<void>;
  /** Takes the line away, before anything else is written. */
  clear(): Promise<void>;
}

const ERASE_LINE_ABOVE = '\u001b[1A\u001b[2K';

const NO_LINE: WaitLine = { show: async () => undefined, clear: async () => undefined };

/**
 * Returns the line, or one that shows nothing where it is not wanted. The cursor rests below it, so that an unforeseen message
 * (of a signal) begins on a line of its own; and it is cut to the width, because only one line is erased.
 */
export function openWaitLine(
  stderr: OutputPort,
  { isWanted, unicode }: { readonly isWanted: boolean; readonly unicode: boolean },
): WaitLine {
  if (!isWanted) return NO_LINE;
  let isShown = false;
  return {
    async show(text) {
      const width = Math.max(10, (stderr.columns ?? 80) - 1);
      await stderr.write(`${isShown ? ERASE_LINE_ABOVE : ''}\r${cutText(safeText(text), width, unicode)}\n`);
      isShown = true;
    },
    async clear() {
      if (isShown) await stderr.write(`${ERASE_LINE_ABOVE}\r`);
      isShown = false;
    },
  };
}
