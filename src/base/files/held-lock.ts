import { HEARTBEAT_EVERY_MS } from './heartbeat.ts';
import { describeIoError, errnoOf, ifPossible } from './io-failure.ts';
import { isInPlace, type LockFile, type OwnLock, readLockFile, removeLockFile, writeNumbers } from './lock-file.ts';
import { processState } from './process-identity.ts';

export function nameHolder(file: LockFile | undefined): string {
  const holder = file?.holder;
  if (holder === undefined) return 'another frontdesk';
  if (processState(holder) !== 'elsewhere') return `another frontdesk (process ${holder.pid})`;
  return `another frontdesk on ${holder.machine ?? 'another machine'} (process ${holder.pid})`;
}

/** A lock that this process holds, with a heartbeat until it is released. */
export class HeldLock {
  /** Counts the holders: one more than the previous one. */
  epoch: number;
  /** The previous holder could not be asked: it may only be paused, and continue. */
  readonly mayHaveRival: boolean;
  readonly #path: string;
  readonly #own: OwnLock;
  readonly #heart: NodeJS.Timeout;
  #count = 0;

  /** `own`: the lock file, which was just made. */
  constructor(path: string, { own, epoch, mayHaveRival }: Pick<HeldLock, 'epoch' | 'mayHaveRival'> & { own: OwnLock }) {
    this.#path = path;
    this.#own = own;
    this.epoch = epoch;
    this.mayHaveRival = mayHaveRival;
    this.#heart = setInterval(() => this.#beat(), HEARTBEAT_EVERY_MS);
    this.#heart.unref();
  }

  /** This process for others: `pod-7 (process 1)`. */
  get by(): string {
    return this.#own.by;
  }

  /**
   * Undefined while this process holds the lock, which is read for it. A process that was paused finds out here that it
   * was taken for gone. `to`: its successor (`another frontdesk on pod-7 (process 1)`), undefined if that has ended.
   * Throws the system's error.
   */
  lost(): { readonly to: string | undefined } | undefined {
    if (isInPlace(this.#own)) return undefined;
    const file = readLockFile(this.#path);
    return { to: file === undefined ? undefined : nameHolder(file) };
  }

  /** Makes `epoch` at least this, from what earlier holders left behind. */
  raiseEpoch(epoch: number): void {
    if (epoch <= this.epoch) return;
    this.epoch = epoch;
    this.#beat();
  }

  /**
   * Releases the lock. Safe to call twice, and after it was lost, because the successor's lock has another name.
   * Returns a warning if it cannot be removed: it counts as left behind once this process has ended.
   */
  release(): string | undefined {
    clearInterval(this.#heart);
    try {
      removeLockFile(this.#own);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
      return `could not remove the lock ${this.#path}: ${describeIoError(error)}. It counts no more once this command has ended.`;
    }
    return undefined;
  }

  #beat(): void {
    this.#count += 1;
    // If the folder is gone, the work under the lock will say so.
    ifPossible(() => writeNumbers(this.#own, this.epoch, this.#count));
  }
}
