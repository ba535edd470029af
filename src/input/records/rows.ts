import { Failure } from '../../failure.ts';
import type { InputFile } from '../input-file.ts';
import { toFaults } from './fault-place.ts';
import { Interpreter, type InterpretOptions, type Row } from './interpret.ts';
import { readRecords } from './read.ts';
import type { InputFault, InputFormat, ReadOptions } from './record.ts';
import { isInShard, type Shard } from './shard.ts';

/** How the rows of a run are read: kept with the run, because a resume must read them the same way. */
export interface RowOptions
  extends Pick<InterpretOptions, 'defaults' | 'expectations' | 'emptyCells' | 'ignoreColumns'> {
  readonly csvRaw: boolean;
  /** `--sheet`. */
  readonly sheet: string | undefined;
  readonly shard: Shard | undefined;
  /** SHA-256 of the older file; undefined: none was given. */
  readonly changedFromSha256: string | undefined;
}

/** How an input is read: the same for checking it and for running it. */
export interface InputOptions
  extends InterpretOptions,
    Omit<RowOptions, 'changedFromSha256'>,
    Omit<ReadOptions, 'name' | 'columns' | 'isOlder'> {
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

/**
 * The rows to send, of an input that was checked before: those of this shard that changed. `format` comes from
 * the check. Rejects with USAGE when the file is no longer what was checked.
 */
export async function* rowsOf(
  file: InputFile,
  options: InputOptions & { readonly format: InputFormat },
): AsyncGenerator<readonly Row[]> {
  const interpreter = new Interpreter(options);
  const reading = { ...options, name: file.name, columns: interpreter.roles.names };
  for await (const batch of readRecords(file.bytes(), reading)) {
    const rows: Row[] = [];
    const faults: InputFault[] = [...batch.faults];
    for (const record of batch.records) {
      if (!isInShard(record.row, options.shard)) continue;
      const interpreted = interpreter.interpret(record, batch.format);
      if (interpreted.kind === 'row') rows.push(interpreted.row);
      else if (interpreted.kind === 'faults') faults.push(...interpreted.faults);
    }
    const [fault] = toFaults(faults);
    if (fault !== undefined) {
      throw new Failure('USAGE', `${file.name} changed since it was checked (${fault.where}: ${fault.problem})`);
    }
    yield rows;
  }
}

/** One row after the other, so that a million of them need no memory. */
export async function* eachRow(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<Row> {
  for await (const rows of batches) {
    // Not `yield*`, which takes a third longer.
    for (const row of rows) yield row;
  }
}
