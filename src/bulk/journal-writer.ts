import type { Failure } from '../failure.ts';
import { ioFailure } from '../files/io-failure.ts';
import type { AppendFile } from './append-file.ts';
import type { JournalRecord } from './journal-record.ts';
import { encodeRecord } from './journal-record.ts';

interface Batch {
  text: string;
  readonly durable: Promise<void>;
  resolve(): void;
  reject(failure: Failure): void;
}

export interface WriterOptions {
  /** The journal's path, for messages. */
  readonly name: string;
  /** Which holder of the run this process is. */
  readonly epoch: number;
  /** Throws LOCAL_IO when the run is no longer held by this process. */
  prove(): void;
}

/**
 * Appends records so that all that arrive while the disk is busy share one write and one fdatasync: rows that
 * start together pay for one sync, and a result rides along with the next intent.
 */
export class JournalWriter {
  readonly #file: AppendFile;
  readonly #name: string;
  readonly #prove: () => void;
  readonly #epoch: number;
  #waiting: Batch | undefined;
  #isRunning = false;
  #durableLength: number;
  #failure: Failure | undefined;
  #idle: Promise<void> = Promise.resolve();

  constructor(file: AppendFile, length: number, { name, epoch, prove }: WriterOptions) {
    this.#epoch = epoch;
    this.#file = file;
    this.#name = name;
    this.#prove = prove;
    this.#durableLength = length;
  }

  /** The first failure to write; nothing more is written after it. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Resolves when the record is on the disk; rejects with LOCAL_IO when it cannot be. */
  append(record: JournalRecord): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#waiting ??= newBatch();
    this.#waiting.text += encodeRecord(record, this.#epoch);
    const { durable } = this.#waiting;
    if (!this.#isRunning) {
      this.#isRunning = true;
      this.#idle = this.#run();
    }
    return durable;
  }

  /** Writes what is waiting, then closes the file. Never rejects: a failure has been told to those who waited. */
  async close(): Promise<void> {
    await this.#idle;
    await this.#file.close();
  }

  async #run(): Promise<void> {
    // Everything that this turn of the event loop still brings joins the first batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting !== undefined) {
      const batch = this.#waiting;
      this.#waiting = undefined;
      try {
        if (this.#failure !== undefined) throw this.#failure;
        this.#file.append(batch.text);
        await this.#file.sync();
        this.#durableLength += batch.text.length;
        // In this order no row is sent twice: whoever takes the run over after this finds these intents in the journal,
        // and whoever has done so before is noticed here, before the requests leave.
        this.#prove();
        batch.resolve();
      } catch (error) {
        batch.reject(await this.#giveUp(error));
      }
    }
    this.#isRunning = false;
  }

  async #giveUp(error: unknown): Promise<Failure> {
    if (this.#failure !== undefined) return this.#failure;
    this.#failure = ioFailure(
      `the run's journal could not be written (${this.#name})`,
      error,
      'no row was sent without its record',
      ['free the disk, then take the run up again with `frontdesk runs resume`'],
    );
    try {
      // Another process may have taken the run over and written behind what this one knows of.
      this.#prove();
      await this.#file.truncate(this.#durableLength);
    } catch {
      // A torn tail stays, and the next reader cuts it: the failure to write is what the user must hear.
    }
    return this.#failure;
  }
}

function newBatch(): Batch {
  let resolve: () => void = () => undefined;
  let reject: (failure: Failure) => void = () => undefined;
  const durable = new Promise<void>((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  // A result is awaited only when its row is printed; until then its failure is not an unhandled one.
  durable.catch(() => undefined);
  return { text: '', durable, resolve, reject };
}
