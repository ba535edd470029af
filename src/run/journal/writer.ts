import type { ClockPort } from '../../context.ts';
import type { Ending } from '../../ending.ts';
import type { Failure } from '../../failure.ts';
import type { HeldLock } from '../../files/held-lock.ts';
import { ioFailure } from '../../files/io-failure.ts';
import { SharedWrites } from '../../files/shared-writes.ts';
import type { RunRow } from '../row-outcome.ts';
import type { AppendFile } from './append-file.ts';
import { encodeRecord, type JournalRecord } from './record.ts';

/** What a journal needs of the process that holds its run. */
export interface JournalPorts {
  readonly clock: ClockPort;
  readonly pid: number;
  /** Opens the journal for appending; tests give a disk that crashes. */
  readonly openFile?: (path: string) => Promise<AppendFile>;
  readonly lock: Pick<HeldLock, 'epoch' | 'mayHaveRival' | 'by' | 'raiseEpoch'>;
  /** Throws LOCAL_IO when the run is no longer held by this process: then nothing of it may be sent or recorded. */
  readonly prove: () => void;
  /** A second record of what this process does. */
  readonly audit?: RunAudit | undefined;
}

/** A second record of a run's rows, written together with its journal. Without it no row is sent either. */
export interface RunAudit {
  /** The first failure to write, after which no row may be sent. */
  readonly failure: Failure | undefined;
  /** A row is about to be sent; of further attempts nothing is written. Rejects with LOCAL_IO. */
  begin(row: RunRow, timeMs: number): Promise<void>;
  /** How it ended. `wasBegun`: an earlier process wrote its beginning. Rejects with LOCAL_IO. */
  end(row: RunRow, ending: Ending, timeMs: number, wasBegun?: boolean): Promise<void>;
}

/** Within one turn of the event loop, a proof that is older is not trusted: the process may have been stopped since. */
const TRUSTED_MS = 1000;

/**
 * Appends records so that all that arrive while the disk is busy share one write and one fdatasync: rows that
 * start together pay for one sync, and a result rides along with the next intent.
 */
export class JournalWriter {
  readonly #file: AppendFile;
  readonly #path: string;
  readonly #ports: JournalPorts;
  readonly #writes = new SharedWrites((text) => this.#write(text));
  #durableLength: number;
  #failure: Failure | undefined;
  #provedMs = 0;
  #provedWallMs = 0;
  #isProvedInThisTurn = false;

  constructor(file: AppendFile, length: number, path: string, ports: JournalPorts) {
    this.#file = file;
    this.#path = path;
    this.#ports = ports;
    this.#durableLength = length;
  }

  /** The first failure to write; nothing more is written after it. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Resolves when the record is on the disk; rejects with LOCAL_IO when it cannot be. */
  append(record: JournalRecord): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return this.#writes.append(encodeRecord(record, this.#ports.lock.epoch));
  }

  /**
   * The failure to hold the run until now, for a request that is about to leave. Requests that leave in one turn of the
   * event loop share one look at the lock. No clock makes an older look good: a machine that stood still stopped them all.
   * Within the turn both clocks are asked: a machine that sleeps stops the monotonic one.
   */
  lost(): Failure | undefined {
    const { clock } = this.#ports;
    const isTrusted =
      this.#isProvedInThisTurn &&
      clock.monotonic() - this.#provedMs < TRUSTED_MS &&
      Math.abs(clock.now() - this.#provedWallMs) < TRUSTED_MS;
    if (isTrusted || this.#failure !== undefined) return this.#failure;
    try {
      this.#prove();
    } catch (error) {
      this.#failure = this.#failureOf(error);
    }
    return this.#failure;
  }

  /** Writes what is waiting, then closes the file. Never rejects: a failure has been reported to those who waited. */
  async close(): Promise<void> {
    await this.#writes.idle;
    await this.#file.close();
  }

  async #write(text: string): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure;
      this.#file.append(text);
      await this.#file.sync();
      this.#durableLength += text.length;
      // In this order no row is sent twice: a process that takes the run over after this finds these intents in the journal,
      // and one that has done so before is noticed here, before the requests leave.
      this.#prove();
    } catch (error) {
      throw await this.#giveUp(error);
    }
  }

  #prove(): void {
    const { clock, prove } = this.#ports;
    const [atMs, wallMs] = [clock.monotonic(), clock.now()];
    prove();
    this.#provedMs = atMs;
    this.#provedWallMs = wallMs;
    if (this.#isProvedInThisTurn) return;
    this.#isProvedInThisTurn = true;
    setImmediate(() => {
      this.#isProvedInThisTurn = false;
    });
  }

  #failureOf(error: unknown): Failure {
    return ioFailure(
      `the run's record could not be written (${this.#path})`,
      error,
      'no row was sent without its record',
      ['free the disk, then take the run up again with `frontdesk runs resume`'],
    );
  }

  async #giveUp(error: unknown): Promise<Failure> {
    if (this.#failure !== undefined) return this.#failure;
    this.#failure = this.#failureOf(error);
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
