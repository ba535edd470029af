import type { Failure } from '../../failure.ts';
import type { InterpretOptions } from './interpret.ts';
import type { InputFault, ReadOptions } from './record.ts';
import type { Shard } from './shard.ts';

/** How an input is read. */
export interface InputOptions extends InterpretOptions, Omit<ReadOptions, 'name' | 'columns' | 'isOlder'> {
  readonly shard: Shard | undefined;
  /** The rows are ids of the command line: their faults name arguments, not lines. */
  readonly isArguments?: boolean;
  /** Times before it are reported as past. */
  readonly nowMs?: number;
  /** What the input as a whole is held against, beside its rows. */
  readonly seal?: Seal;
}

/** What reading an input to its end came to. */
export interface ReadThrough {
  /** The first place that cannot be read at all. */
  readonly unreadable: InputFault | undefined;
  readonly faults: readonly InputFault[];
  readonly rows: number;
}

/** The proof that an input is what was written: it hears all bytes, and decides what is wrong once they are read. */
export interface Seal {
  update(piece: Uint8Array): void;
  judge(read: ReadThrough): Failure | undefined;
}
