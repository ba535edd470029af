import type { Ending } from '../ending.ts';
import type { BeginEvent } from './history-event.ts';

/** One write, single or a row of a run; `entry` of a row is `<run>:<row>`. A write without an end is `unknown`. */
export interface HistoryEntry extends Omit<BeginEvent, 'event'> {
  readonly ending: Ending;
  /** Name of the run it was a row of. */
  readonly run: string | undefined;
}
