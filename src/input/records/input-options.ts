import type { InterpretOptions } from './interpret.ts';
import type { ReadOptions } from './record.ts';
import type { Shard } from './shard.ts';

/** How an input is read. */
export interface InputOptions extends InterpretOptions, Omit<ReadOptions, 'name' | 'columns' | 'isOlder'> {
  readonly shard: Shard | undefined;
  /** The rows are ids of the command line: their faults name arguments, not lines. */
  readonly isArguments?: boolean;
  /** Times before it are reported as past. */
  readonly nowMs?: number;
}
