import type { RowResult } from '../../bulk/row-outcome.ts';
import type { Notice } from '../../failure.ts';
import { plural } from '../../output/safe-text.ts';

/** So many rows are named for each code: a service that leaves a member out does so in every row. */
const NAMED_ROWS = 5;

/** The notices of the rows of a run: the first rows of each code by number, the others counted. */
export class RowNotices {
  readonly #rowsOf = new Map<string, number>();
  readonly #more = new Map<string, Notice>();

  /** What is to be reported of a row now. */
  of({ row, ending }: RowResult): readonly Notice[] {
    return ending.notices.flatMap((notice) => {
      const rows = (this.#rowsOf.get(notice.code) ?? 0) + 1;
      this.#rowsOf.set(notice.code, rows);
      if (rows <= NAMED_ROWS) return [{ ...notice, message: `row ${row.row}: ${notice.message}` }];
      this.#more.set(notice.code, notice);
      return [];
    });
  }

  /** What is to be reported at the end: how many more rows there were of each code. */
  atEnd(): readonly Notice[] {
    return [...this.#more].map(([code, { level }]) => {
      const more = (this.#rowsOf.get(code) ?? 0) - NAMED_ROWS;
      return { code, level, message: `${plural(more, 'more row')} with ${code}` };
    });
  }
}
