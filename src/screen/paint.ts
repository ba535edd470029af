import { Chalk } from 'chalk';
import type { Column } from './column.ts';
import { outcomeWords } from './people-text.ts';

/** Colors for a terminal. The words say the same without them. */
export type Paint = ReturnType<typeof makePaint>;

type Colour = 'green' | 'red' | 'yellow' | 'gray' | 'magenta';

/** Colors of statuses and outcomes. */
const MEANINGS: Readonly<Record<Colour, readonly string[]>> = {
  green: ['ACTIVE', 'applied', 'confirmed_by_read', 'skipped'],
  yellow: ['WAITING_ACTIVATION', 'not_sent'],
  red: ['BLOCKED', 'rejected'],
  gray: ['CANCELLED', 'REISSUED', 'EXPIRED'],
  magenta: ['unknown'],
};
const COLOURS = new Map(
  Object.entries(MEANINGS).flatMap(([colour, all]) => all.map((one) => [outcomeWords(one), colour as Colour])),
);

/** The colors, or a paint that changes nothing. */
export function makePaint(colour: boolean) {
  const chalk = new Chalk({ level: colour ? 1 : 0 });
  // Chalk makes a painter at each mention of a color, which takes longer than painting.
  const { green, red, yellow, gray, magenta, dim } = chalk;
  const painters = { green, red, yellow, gray, magenta };
  return {
    bold: (text: string) => chalk.bold(text),
    faint: (text: string) => dim(text),
    /** `shown` in the color that belongs to the value `meaning`. */
    toned(tone: Column['tone'], meaning: string, shown: string) {
      if (tone === 'faint') return dim(shown);
      const name = tone === undefined ? undefined : COLOURS.get(outcomeWords(meaning));
      return name === undefined ? shown : painters[name](shown);
    },
  };
}
