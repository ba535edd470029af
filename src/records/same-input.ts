import { createReadStream, statSync } from 'node:fs';
import { ignoreErrors, ioFailure } from '../base/files/io-failure.ts';
import { outcomeInRun } from './journal/entry.ts';
import { ledgerFiles, nameTime, openToRead, readLinesBack } from './ledger.ts';
import { isForgotten } from './open-files.ts';
import type { OpenPorts } from './open-rows.ts';
import { readRunHeader, runFolder } from './stored/run-folder.ts';
import { sentNames } from './stored/sent-rows.ts';
import { StoredRun } from './stored/stored-run.ts';
import { entryOfRow, type HistoryEntry, parseRecord } from './write-record.ts';

const DAY_MS = 86_400_000;

/** Does a file contain this text, which is shorter than any piece of it? */
async function holds(path: string, text: string): Promise<boolean> {
  const wanted = Buffer.from(text);
  let end = Buffer.alloc(0);
  for await (const piece of createReadStream(path)) {
    const bytes = Buffer.concat([end, piece]);
    if (bytes.includes(wanted)) return true;
    end = bytes.subarray(-wanted.length);
  }
  return false;
}

function isChangedSince(path: string, sinceMs: number): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= sinceMs;
}

async function sentByRun(stateDir: string, run: string, digest: string): Promise<readonly HistoryEntry[]> {
  const folder = runFolder(stateDir, run);
  if (!(await holds(folder.journal, `"d":"${digest}"`))) return [];
  const header = await readRunHeader(folder, true);
  if (header === undefined) return [];
  const rows = new Set<number>();
  const stored = await StoredRun.read({ folder, header }, (record) => {
    if (record.s === 'intent' && 'd' in record && record.d === digest) rows.add(record.n);
  });
  try {
    const found: HistoryEntry[] = [];
    for (const row of rows) {
      const entry = stored.entry(row);
      const { outcome } = outcomeInRun(entry);
      if (outcome === 'applied' || outcome === 'confirmed_by_read') found.push(entryOfRow(header, entry));
    }
    return found;
  } finally {
    stored.close();
  }
}

/**
 * The events with this digest that were sent in the last day and not refused, oldest first. The time of a record or of
 * its file counts, whichever is later: a clock may have been wrong. LOCAL_IO or AUTH.
 */
export async function eventsLike(
  { stateDir, clock }: Pick<OpenPorts, 'stateDir' | 'clock'>,
  digest: string,
  operation: string,
): Promise<readonly HistoryEntry[]> {
  const sinceMs = clock.now() - DAY_MS;
  const since = nameTime(sinceMs);
  const found = new Map<string, HistoryEntry>();
  const late = new Set<string>();
  try {
    for (const each of await ledgerFiles(stateDir)) {
      const isLate = isChangedSince(each.path, sinceMs);
      if (each.day < since.slice(0, 8) && !isLate) continue;
      const file = await openToRead(each);
      await (file &&
        readLinesBack(file, (line) => {
          const known = line.includes(digest) ? parseRecord(line) : undefined;
          if (known !== undefined && !found.has(known.entry)) found.set(known.entry, known);
          if (known !== undefined && isLate) late.add(known.entry);
          return false;
        }).finally(() => ignoreErrors(file.close())));
    }
    for (const name of sentNames(stateDir)) {
      const [, command, run = ''] = name.split('~');
      if (command !== operation) continue;
      const { journal } = runFolder(stateDir, run);
      if (!isChangedSince(journal, sinceMs)) continue;
      for (const entry of await sentByRun(stateDir, run, digest)) {
        found.set(entry.entry, entry);
        late.add(entry.entry);
      }
    }
  } catch (error) {
    throw ioFailure(`could not read the records of earlier changes (${stateDir})`, error, 'unsent');
  }
  return [...found.values()]
    .filter(({ callOutcome: { outcome }, resolved }) =>
      resolved === undefined ? outcome !== 'rejected' && outcome !== 'not_sent' : resolved.as === 'applied',
    )
    .filter((each) => late.has(each.entry) || Date.parse(each.time) >= sinceMs)
    .filter((each) => !isForgotten(stateDir, each))
    .sort((one, other) => (one.time < other.time ? -1 : 1));
}
