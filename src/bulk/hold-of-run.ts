import type { HeldLock } from '../files/held-lock.ts';
import { ioFailure } from '../files/io-failure.ts';
import { lostLockFailure } from '../files/lock.ts';
import type { RunHold } from './journal.ts';
import { successorIn } from './journal-reader.ts';
import type { RunFolder } from './run-folder.ts';

/** The hold on a run; its proof names the successor. */
export function holdOf(lock: HeldLock, folder: RunFolder): RunHold {
  const after = 'nothing more of it is sent from here';
  return {
    get epoch() {
      return lock.epoch;
    },
    mayHaveRival: lock.mayHaveRival,
    by: lock.by,
    raiseEpoch: (epoch) => lock.raiseEpoch(epoch),
    prove() {
      let lost: ReturnType<HeldLock['lost']>;
      try {
        lost = lock.lost();
      } catch (error) {
        throw ioFailure(`the lock of run ${folder.run} could not be read (${folder.lock})`, error, after);
      }
      if (lost === undefined) return;
      throw lostLockFailure(`run ${folder.run}`, lost.to ?? successorIn(folder.journal, lock.epoch), after);
    },
  };
}
