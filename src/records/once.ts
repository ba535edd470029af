import { linkSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf } from '../base/files/io-failure.ts';
import { isForgotten, isOpenNow, isUnderWay, mayEndUntil, readWrite } from './open-files.ts';
import { closingsOf, type OpenEntry, type OpenPorts, runOfName } from './open-rows.ts';
import type { SentSince, Since } from './sent-since.ts';
import { type OnceOnly, onceFile, openFolder, openNames } from './stored/open-folder.ts';
import { readRunHeader, runFolder } from './stored/run-folder.ts';
import { heldRuns } from './stored/run-list.ts';
import { StoredRun } from './stored/stored-run.ts';
import { entryOfRow, type HistoryEntry, isClosed, keyOfWrite, NO_END } from './write-record.ts';

/** What the sender of a change that must not happen twice knows of others. */
export interface KnownBefore {
  /** `--again`: it is sent whatever others do. */
  readonly isAgain?: boolean | undefined;
  readonly named?: readonly string[] | undefined;
  /** Since when others count that have ended: the question, or the beginning of this process. */
  readonly since: Since;
}

/** The same change is under way, open, or was sent meanwhile: it is not sent. */
export class SentElsewhere extends Error {
  override readonly name = 'SentElsewhere';
  readonly entry: OpenEntry;
  /** Is its outcome unknown, or still to come? */
  readonly isOpen: boolean;

  constructor(entry: OpenEntry, isOpen: boolean) {
    super(`entry ${entry.entry} is the same change`);
    this.entry = entry;
    this.isOpen = isOpen;
  }
}

/** More rounds would need others that begin and end without a pause. */
const MAX_ROUNDS = 100;

/**
 * Takes the one name of a change by a link to `source`, and returns its path. The link decides which of all processes,
 * windows, runs and answers sends it. Rejects with SentElsewhere.
 */
export async function claimOnce(
  ports: OpenPorts,
  once: OnceOnly,
  source: string,
  { sent, isAgain, named = [] }: Omit<KnownBefore, 'since'> & { readonly sent: SentSince },
): Promise<string> {
  const { stateDir, ownRun } = ports;
  const isNews = (entry: HistoryEntry) =>
    !named.includes(entry.entry) &&
    !isForgotten(stateDir, entry) &&
    (entry.call ?? once.operation) === once.operation &&
    // Nobody was asked about a row: one that was refused meanwhile makes no second one.
    (ownRun === undefined || entry.callOutcome.outcome !== 'rejected');
  let path = onceFile(stateDir, once);
  let isOurs = true;
  for (let round = 0; !isClaimed(source, path); round += 1) {
    if (round > MAX_ROUNDS) throw new Error(`${path} was taken and left again and again`);
    const holder = await holderOf(ports, path, once);
    if (holder === undefined) continue;
    const { entry, isLive } = holder;
    // A row that an earlier process of this run left unknown, or that has the same ID: the name stays theirs.
    isOurs = ownRun === undefined || entry.run !== ownRun;
    if (!isOurs) break;
    if (isAgain !== true && isLive && isNews(entry)) throw new SentElsewhere(entry, true);
    // Never removed here: the file of another could be at that name by then.
    path = onceFile(stateDir, once, entry.entry);
  }
  if (isAgain === true) return path;
  try {
    await refuseOthers(ports, once, path, isNews);
    // The process that had the name before may have ended: its change was sent.
    const same = await sent.find(once.key, isNews, named);
    if (same !== undefined) throw new SentElsewhere(same, false);
  } catch (error) {
    if (isOurs) unlinkSync(path);
    throw error;
  }
  return path;
}

/** Others may have the next name after an entry that was closed meanwhile. */
async function refuseOthers(
  ports: OpenPorts,
  once: OnceOnly,
  own: string,
  isNews: (entry: HistoryEntry) => boolean,
): Promise<void> {
  const prefix = basename(onceFile(ports.stateDir, once), '.write');
  for (const name of openNames(ports.stateDir)) {
    if (!name.startsWith(prefix) || name === basename(own)) continue;
    const holder = await holderOf(ports, join(openFolder(ports.stateDir), name), once);
    if (holder?.isLive === true && holder.entry.run !== ports.ownRun && isNews(holder.entry)) {
      throw new SentElsewhere(holder.entry, true);
    }
  }
}

/** What file systems say that have no links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']);

/** Gives a file a second name. Returns false if that is taken. */
function isClaimed(source: string, path: string): boolean {
  try {
    try {
      linkSync(source, path);
    } catch (error) {
      if (!NO_LINKS.has(errnoOf(error) ?? '')) throw error;
      writeFileSync(path, readFileSync(source), { flag: 'wx', mode: 0o600, flush: true });
    }
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    // A network file system may have repeated a request that was done.
    const [one, other] = [source, path].map((each) => statSync(each, { throwIfNoEntry: false })?.ino);
    return one !== undefined && one === other && !source.endsWith('.run');
  }
}

/** Whose name it is, and whether that one is under way or open; undefined: it is gone. */
async function holderOf(
  ports: OpenPorts,
  path: string,
  { key }: OnceOnly,
): Promise<{ readonly entry: OpenEntry; readonly isLive: boolean } | undefined> {
  const run = runOfName(ports.stateDir, path);
  if (run !== undefined) return rowHolder(ports, run, key);
  const known = readWrite(ports.stateDir, path);
  const isInProgress = known?.isEnded === false && isUnderWay(known);
  const mayEndElsewhere = known?.isEnded === false && mayEndUntil(known, ports.clock.now()) !== undefined;
  return known && { entry: { ...known, isInProgress, mayEndElsewhere }, isLive: await isOpenNow(ports, known) };
}

/** The row of a run that made the name, as its journal knows it. A process that works on the run may be about to send it. */
async function rowHolder({ stateDir, clock, ownRun }: OpenPorts, run: string, key: string) {
  const folder = runFolder(stateDir, run);
  const header = await readRunHeader(folder, true);
  const nameless = {
    entry: `${run}:0`,
    time: '',
    user: '',
    profile: '',
    host: '',
    operation: '',
    callOutcome: NO_END,
    run,
  };
  if (header === undefined || run === ownRun) return { entry: nameless, isLive: false };
  const isHeld = (await heldRuns([{ folder }], clock)).size > 0;
  const rows = new Set<number>();
  const stored = await StoredRun.read({ folder, header }, (record) => {
    if (record.s !== 'intent' || !('n' in record)) return;
    const { id, d: digest } = record;
    if (keyOfWrite({ operation: header.operation, url: header.host, id, digest }) === key) rows.add(record.n);
  });
  try {
    if (stored.damage !== undefined) throw stored.damage;
    const inFlight = new Set(stored.rowsInFlight());
    const open = new Set([...stored.unknownRows(), ...inFlight]);
    const closed = closingsOf(folder);
    for (const row of rows) {
      if (!open.has(row) || isClosed(closed.get(row) ?? {})) continue;
      const entry = entryOfRow(header, stored.entry(row));
      return { entry: { ...entry, isInProgress: isHeld && inFlight.has(row) }, isLive: true };
    }
    return { entry: { ...nameless, time: header.startedAt, operation: header.operation }, isLive: isHeld };
  } finally {
    stored.close();
  }
}
