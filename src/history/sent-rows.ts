import { createReadStream } from 'node:fs';
import { ignoreErrors, orIoFailure } from '../files/io-failure.ts';
import { outcomeInRun } from '../run/journal/entry.ts';
import { readRunHeader, runFolder } from '../run/stored/run-folder.ts';
import { StoredRun } from '../run/stored/stored-run.ts';
import { entryOfRow } from './history-event.ts';
import type { SentEvent } from './open-index-file.ts';

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

async function sentOfRun(stateDir: string, run: string, digest: string): Promise<readonly SentEvent[]> {
  const folder = runFolder(stateDir, run);
  const { journal: path } = folder;
  const reading = holds(path, `"d":"${digest}"`);
  if (!(await orIoFailure(reading, `the run's record could not be read (${path})`))) return [];
  const header = await readRunHeader(folder, true);
  if (header === undefined) return [];
  const rows = new Set<number>();
  const stored = await StoredRun.read({ folder, header }, (record) => {
    if (record.s === 'intent' && 'd' in record && record.d === digest) rows.add(record.n);
  });
  try {
    const found: SentEvent[] = [];
    for (const row of rows) {
      const entry = await stored.entry(row);
      const { outcome } = outcomeInRun(entry);
      if (outcome !== 'applied' && outcome !== 'confirmed_by_read') continue;
      found.push(entryOfRow(header, entry));
    }
    return found;
  } finally {
    await ignoreErrors(stored.close());
  }
}

/** The rows of these runs that made an event with this digest, oldest first, without open ones. LOCAL_IO. */
export async function sentRows(stateDir: string, runs: readonly string[], digest: string) {
  const found: SentEvent[] = [];
  for (const run of runs) found.push(...(await sentOfRun(stateDir, run, digest)));
  return found.sort((one, other) => (one.time < other.time ? -1 : 1));
}
