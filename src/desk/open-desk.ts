import { Failure } from '../base/failure.ts';
import { ifPossible } from '../base/files/io-failure.ts';
import type { CallCommand } from '../command/command.ts';
import type { Registry } from '../command/command-tree.ts';
import type { Session } from '../command/session.ts';
import type { Span } from '../input/options/option.ts';
import { newestCards } from '../records/known-cards.ts';
import { readHistory } from '../records/read.ts';
import type { Operation } from '../service/api/operation.ts';
import { refuseBackground } from '../writes/ask/prompt-context.ts';
import { openWrites } from '../writes/open-guard.ts';
import { CardVisit } from './card-visit.ts';
import { Desk } from './desk.ts';
import { cardsOf, DeskLog, isOf, type KnownCard, mergeKnown } from './desk-log.ts';
import { createReport } from './hand-over.ts';

const READ_ENTRIES = 50;

/** Cards that were changed or seen lately at this base URL, newest first; empty if no records can be read. */
async function knownCards(session: Session): Promise<readonly KnownCard[]> {
  const { stateDir } = session.places;
  if (stateDir === undefined) return [];
  const isWanted = isOf(session);
  const page = await readHistory(stateDir, { limit: READ_ENTRIES, isWanted }).catch(() => undefined);
  const open = ((await openWrites(session).catch(() => undefined)) ?? []).filter(isWanted).toReversed();
  const seen = ifPossible(() => newestCards({ stateDir, url: session.placeOf('cards') })) ?? [];
  // The newest entry of a card, unless an older one is open.
  return mergeKnown([...open, ...(page?.entries ?? [])].flatMap(cardsOf), seen);
}

export async function openDesk(
  session: Session,
  { cardId, idle, report: path }: { cardId?: string | undefined; idle: Span; report?: string | undefined },
  registry: Registry,
): Promise<number> {
  const { context, prompt } = session;
  const profile = session.selectedProfile();
  if (!prompt.available || !context.stdout.isTerminal) {
    throw new Failure('USAGE', 'the desk needs a terminal for its questions and answers', {
      hints: ['use `frontdesk card get` and the other commands in scripts'],
    });
  }
  refuseBackground(context, 'open the desk');
  session.useFormat('table');
  const service = await session.service('cards');
  // Without a credential no card can be served. Reported now, and not after the first ID.
  await service.checkCredential();
  const where = profile.isSandbox ? 'SANDBOX' : `${profile.name}, ${service.host}`;
  const log = new DeskLog(context.clock, await knownCards(session));
  const report = path === undefined ? undefined : await createReport(path, log, where, context);
  const commandOf = async ({ command }: Operation): Promise<CallCommand> => {
    const found = await registry.find(command.split('.'))?.load();
    if (found?.kind !== 'call') throw new Error(`no command for ${command}`);
    return found;
  };
  const desk = new Desk(session, { log, where, idleMs: idle.ms, report, commandOf });
  return desk.run(cardId, (id) => new CardVisit(desk, id).serve());
}
