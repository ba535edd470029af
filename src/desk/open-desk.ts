import { targetStatus } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { Failure } from '../failure.ts';
import { readHistory } from '../history/read.ts';
import type { Session } from '../session.ts';
import { Desk } from './desk.ts';
import { DeskLog, type RecentCard } from './desk-log.ts';

const READ_ENTRIES = 50;

/** Cards that this profile wrote to lately at this host; none where there is no history that can be read. */
async function recentCards({ places, profile }: Session, host: string): Promise<readonly RecentCard[]> {
  const { stateDir } = places;
  if (stateDir === undefined) return [];
  const page = await readHistory(stateDir, { limit: READ_ENTRIES }).catch(() => undefined);
  const cards = (page?.entries ?? []).flatMap(({ id, ending: { outcome }, operation, ...entry }): RecentCard[] => {
    const known = Object.values(OPERATIONS).find(({ command }) => command === operation);
    const isOurs = entry.profile === profile.name && entry.host === host && operation.startsWith('card.');
    if (id === undefined || !isOurs || known === undefined) return [];
    const isOpen = outcome === 'unknown';
    const isDone = outcome === 'applied' || outcome === 'confirmed_by_read';
    const status = isOpen ? `${operation.replaceAll('.', ' ')} unknown` : isDone ? targetStatus(known) : undefined;
    return [{ cardId: id.toLowerCase(), isOpen, status }];
  });
  // The newest of a card, unless an older one is unknown.
  const ordered = [...cards.filter(({ isOpen }) => isOpen), ...cards];
  const first = (card: RecentCard) => ordered.find(({ cardId }) => cardId === card.cardId) === card;
  return ordered.filter((card, index) => first(card) && ordered.indexOf(card) === index);
}

/** Opens the desk at the terminal. Returns the exit code. */
export async function openDesk(session: Session, idleMs: number): Promise<number> {
  const { context, prompt, profile } = session;
  if (!prompt.available || !context.stdout.isTerminal) {
    throw new Failure('USAGE', 'the desk needs a terminal for its questions and answers', {
      hints: ['use `frontdesk card get` and the other commands in scripts'],
    });
  }
  session.useFormat('table');
  const service = await session.service('cards');
  // Without a credential no card can be served: that is said now, and not after the first id.
  await service.checkCredential();
  const where = profile.isSandbox ? 'SANDBOX' : `${profile.name}, ${service.host}`;
  const log = new DeskLog(await recentCards(session, service.host));
  return new Desk(session, idleMs, where, log).run();
}
