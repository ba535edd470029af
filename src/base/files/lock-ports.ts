import type { Context } from '../context.ts';
import { type Notice, warning } from '../failure.ts';
import type { LockPorts } from './lock.ts';

/** What a lock needs of a call, which warns of a lock that could not be removed. */
export function lockPorts(session: {
  readonly context: Pick<Context, 'pid' | 'clock'>;
  notify(notice: Notice): Promise<void>;
}): LockPorts {
  const { pid, clock } = session.context;
  return { pid, clock, onLeft: (message) => session.notify(warning('LOCK_LEFT', message)) };
}
