import type { ReportedRow } from '../bulk/stored-run.ts';
import type { Outcome } from '../failure.ts';
import type { Cause } from './run-facts.ts';

/** More different causes than this of one outcome are counted together: their names come from outside. */
const MAX_CAUSES = 50;
const OTHER_CAUSES = 'other causes';

/** Counts why rows did not succeed. */
export class CauseCounter {
  readonly #counts = new Map<Outcome, Map<string, number>>();

  add({ outcome, cause }: ReportedRow): void {
    if (cause === undefined) return;
    const causes = this.#counts.get(outcome) ?? new Map<string, number>();
    this.#counts.set(outcome, causes);
    const name = causes.has(cause) || causes.size < MAX_CAUSES ? cause : OTHER_CAUSES;
    causes.set(name, (causes.get(name) ?? 0) + 1);
  }

  /** The most frequent first. */
  causes(): readonly Cause[] {
    const all = [...this.#counts].flatMap(([outcome, causes]) => {
      return [...causes].map(([name, rows]) => ({ outcome, name, rows }));
    });
    return all.sort((one, other) => other.rows - one.rows);
  }
}
