// A history of 400,000 single writes, and how long one page of it takes.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { bin, environment, peakMiB, ratio, scratch } from './measure.mjs';

const WRITES = 400_000;
const MINUTE_MS = 60_000;

/** A state folder with so many writes, one a minute, as the program records them. */
function stateFolder() {
  const folder = join(scratch, 'large-history');
  mkdirSync(folder, { mode: 0o700 });
  const file = openSync(join(folder, 'history.jsonl'), 'w', 0o600);
  let lines = [];
  for (let number = 0; number < WRITES; number += 1) {
    const time = new Date(Date.UTC(2026, 0, 1) + number * MINUTE_MS).toISOString();
    const entry = `${time.replace(/[-:.Z]/g, '')}-4d2-${number.toString(16).padStart(6, '0')}`;
    const about = { operation: 'card.block', id: `0b7a6c1e-3f52-4d8a-9c41-${number.toString(16).padStart(12, '0')}` };
    const who = { user: 'desk', profile: 'live', host: 'cards.example.com', reason: 'lost' };
    lines.push(JSON.stringify({ event: 'begin', entry, time, ...about, ...who }));
    const ending = { outcome: 'applied', attempts: 1, httpStatus: 200, requestId: `r-${number}`, durationMs: 37 };
    lines.push(JSON.stringify({ event: 'end', entry, time, ...about, ...ending }));
    if (lines.length < 10_000 && number + 1 < WRITES) continue;
    writeSync(file, `${lines.join('\n')}\n`);
    lines = [];
  }
  closeSync(file);
  return folder;
}

/** The time of 50 entries and of a search for one card, against `--version`, and the most memory of either. */
export function largeHistory() {
  const env = { ...environment(), FRONTDESK_STATE_DIR: stateFolder() };
  const version = [process.execPath, bin, '--version'];
  const page = [process.execPath, bin, 'history', '--limit', '50'];
  const search = [process.execPath, bin, 'history', '--id', '0b7a6c1e-3f52-4d8a-9c41-000000000005'];
  return [
    { on: '50 entries', goal: 8, value: ratio(page, version, { env, runs: 5 }) },
    { on: 'MiB', goal: 150, value: peakMiB(page, env, 3) },
    { on: 'MiB of --id', goal: 150, value: peakMiB(search, env, 3) },
    { on: 'one id, the oldest', goal: 60, value: ratio(search, version, { env, runs: 3 }) },
  ];
}
