import { drawScreen } from '../../../build/terminal-screen.ts';
import type { Terminal } from '../../support/pty.ts';

/** The lines that stand on a terminal of that size now: what was drawn over or erased is not among them. */
export function screenOf({ output }: Pick<Terminal, 'output'>, columns: number, rows: number): readonly string[] {
  const lines = drawScreen(output, columns).map((cells) =>
    cells
      .map(({ character }) => character)
      .join('')
      .trimEnd(),
  );
  return lines.slice(-rows);
}

/** Resolves once a menu stands on the terminal whose screen has that in it. */
export async function menuWith(terminal: Terminal, seen: RegExp, columns = 80, rows = 24): Promise<readonly string[]> {
  for (;;) {
    const screen = screenOf(terminal, columns, rows);
    const text = screen.join('\n');
    // The line below the entries is the last that is drawn.
    if (seen.test(text) && /then Enter$/.test(text)) return screen;
    await terminal.more();
  }
}

/** The same after that was typed. */
export function menuAfter(terminal: Terminal, typed: string, seen: RegExp, columns = 80, rows = 24) {
  terminal.type(typed);
  return menuWith(terminal, seen, columns, rows);
}
