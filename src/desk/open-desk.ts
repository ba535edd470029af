import type { OpenSession } from '../engine/open-session.ts';
import { Failure } from '../failure.ts';
import { readHistory } from '../history/read.ts';
import type { Session } from '../session.ts';
import { Desk } from './desk.ts';
import { IdleTimer } from './idle-timer.ts';
import { type RecentCard, Sitting } from './sitting.ts';

const READ_ENTRIES = 50;

/** Cards that this profile wrote to lately; none where there is no history that can be read. */
async function recentCards(session: Session): Promise<readonly RecentCard[]> {
  const { stateDir } = session.places;
  if (stateDir === undefined) return [];
  const page = await readHistory(stateDir, { limit: READ_ENTRIES }).catch(() => undefined);
  const ids = (page?.entries ?? [])
    .filter(({ profile, operation }) => profile === session.profile.name && operation.startsWith('card.'))
    .flatMap(({ id }) => (id === undefined ? [] : [id.toLowerCase()]));
  return [...new Set(ids)].map((cardId) => ({ cardId }));
}

/** Opens a sitting at the terminal. Answers the exit code. */
export async function openDesk(session: Session, idleMs: number): Promise<number> {
  const { context, prompt, profile } = session;
  if (!prompt.available || !context.stdout.isTerminal) {
    throw new Failure('USAGE', 'the desk needs a terminal for its questions and answers', {
      hints: ['use `frontdesk card get` and the other commands in scripts'],
    });
  }
  session.useFormat('table');
  const { host } = new URL(session.baseUrl('cards'));
  const where = profile.isSandbox ? 'SANDBOX' : `${profile.name}, ${host}`;
  const sitting = new Sitting(await recentCards(session));
  // The engine opens every session with all of this; only the calls of the desk need to know.
  const open = session as OpenSession;
  return new Desk(open, new IdleTimer(context.clock, idleMs), { where, sitting }).run();
}
