import { HEARTBEAT_EVERY_MS } from './heartbeat.ts';
import { describeIoError, errnoOf } from './io-failure.ts';
import { isInPlace, type LockFile, type OwnLock, readLockFile, removeLockFile, writeNumbers } from './lock-file.ts';
import { processState } from './process-identity.ts';

/** Who a lock file says it belongs to. */
export function nameHolder(file: LockFile | undefined): string {
  const holder = file?.holder;
  if (holder === undefined) return 'another frontdesk';
  if (processState(holder) !== 'elsewhere') return `another frontdesk (process ${holder.pid})`;
  return `another frontdesk on ${holder.machine ?? 'another machine'} (process ${holder.pid})`;
}

/** A lock of this process, which beats until it is released. */
export class HeldLock {
  /** Counts the holders, as far as the lock knows: one more than the holder it was taken over from. */
  epoch: number;
  /** The holder before could not be asked: it may only have been paused, and go on. */
  readonly mayHaveRival: boolean;
  readonly #path: string;
  readonly #own: OwnLock;
  readonly #heart: NodeJS.Timeout;
  #count = 0;

  /** `own`: its file, which was just made. */
  constructor(path: string, { own, epoch, mayHaveRival }: Pick<HeldLock, 'epoch' | 'mayHaveRival'> & { own: OwnLock }) {
    this.#path = path;
    this.#own = own;
    this.epoch = epoch;
    this.mayHaveRival = mayHaveRival;
    this.#heart = setInterval(() => this.#beat(), HEARTBEAT_EVERY_MS);
    this.#heart.unref();
  }

  /** Who this process is for others: `pod-7 (process 1)`. */
  get by(): string {
    return this.#own.by;
  }

  /**
   * Undefined while this process still holds the lock, which is read for it. A process that was paused finds out in
   * this way that it was taken for gone: `to` says for whom (`another frontdesk on pod-7 (process 1)`), undefined where
   * that one has ended since. Throws the system's error.
   */
  lost(): { readonly to: string | undefined } | undefined {
    if (isInPlace(this.#own)) return undefined;
    const file = readLockFile(this.#path);
    return { to: file === undefined ? undefined : nameHolder(file) };
  }

  /** Counts the holders by what they left behind: `epoch` is at least this from now on. */
  raiseEpoch(epoch: number): void {
    if (epoch <= this.epoch) return;
    this.epoch = epoch;
    this.#beat();
  }

  /**
   * Gives the lock back. Safe to call twice, and after it was lost: the lock of its successor has another name. Returns
   * what a person is told of one that cannot be removed: it is left behind, and counts as such once this process has ended.
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
    try {
      writeNumbers(this.#own, this.epoch, this.#count);
    } catch {
      // The folder went away; the work under the lock will say so.
    }
  }
}
