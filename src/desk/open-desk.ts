import type { Operation } from '../api/operation.ts';
import { openRecords } from '../call/open-guard.ts';
import type { CallCommand } from '../command/command.ts';
import type { Registry } from '../command/command-tree.ts';
import { Failure } from '../failure.ts';
import type { HistoryEntry } from '../history/history-event.ts';
import { readHistory } from '../history/read.ts';
import type { Span } from '../options/option.ts';
import type { Session } from '../session.ts';
import { CardVisit } from './card-visit.ts';
import { Desk } from './desk.ts';
import { cardOf, DeskLog, isOf, type KnownCard } from './desk-log.ts';
import { createReport } from './hand-over.ts';

const READ_ENTRIES = 50;

/** The open writes among those, newest first. Reads the history back to the oldest of them, and not without one. */
async function openEntries(session: Session, stateDir: string, isHere: ReturnType<typeof isOf>) {
  const records = await openRecords(session);
  const names = new Set((records?.open ?? []).filter(isHere).map(({ entry }) => entry));
  if (names.size === 0) return [];
  const runs = [...names].some((name) => name.includes(':'));
  const isWanted = ({ entry }: HistoryEntry) => names.has(entry);
  return (await readHistory(stateDir, { outcome: 'unknown', limit: names.size, runs, isWanted })).entries;
}

/** Cards that this profile changed lately at this host, newest first; empty if no history can be read. */
async function knownCards(session: Session, host: string): Promise<readonly KnownCard[]> {
  const { stateDir } = session.places;
  if (stateDir === undefined) return [];
  const isWanted = isOf(session, host);
  const page = await readHistory(stateDir, { limit: READ_ENTRIES, isWanted }).catch(() => undefined);
  const open = await openEntries(session, stateDir, isWanted).catch(() => []);
  const cards = new Map<string, KnownCard>();
  // The newest entry of a card, unless an older one is open.
  for (const entry of [...open, ...(page?.entries ?? [])]) {
    const card = cardOf(entry);
    if (card !== undefined && !cards.has(card.cardId)) cards.set(card.cardId, card);
  }
  return [...cards.values()];
}

/** Opens the desk in the terminal, perhaps with a card. Returns the exit code. */
export async function openDesk(
  session: Session,
  { cardId, idle, report: path }: { cardId?: string | undefined; idle: Span; report?: string | undefined },
  registry: Registry,
): Promise<number> {
  const { context, prompt, profile } = session;
  if (!prompt.available || !context.stdout.isTerminal) {
    throw new Failure('USAGE', 'the desk needs a terminal for its questions and answers', {
      hints: ['use `frontdesk card get` and the other commands in scripts'],
    });
  }
  session.useFormat('table');
  const service = await session.service('cards');
  // Without a credential no card can be served. Reported now, and not after the first ID.
  await service.checkCredential();
  const { host } = service;
  const where = profile.isSandbox ? 'SANDBOX' : `${profile.name}, ${host}`;
  const log = new DeskLog(context.clock, await knownCards(session, host));
  const report = path === undefined ? undefined : await createReport(path, log, where, context);
  const commandOf = async ({ command }: Operation): Promise<CallCommand> => {
    const found = await registry.find(command.split('.'))?.load();
    if (found?.kind !== 'call') throw new Error(`no command for ${command}`);
    return found;
  };
  const desk = new Desk(session, { log, where, host, idleMs: idle.ms, report, commandOf });
  return desk.run(cardId, (id) => new CardVisit(desk, id).serve());
}
